"""Putting the parts together: the one place that knows them all, and that starts and stops them."""

import gc
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from crossway import logs, networks
from crossway.adapters.vault import WrongKey, open_vault
from crossway.demo.month import Month
from crossway.domain.clients import Mode
from crossway.domain.errors import WrongState
from crossway.engine.deliveries import Dispatcher
from crossway.engine.loop import Engine
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.vault import Vault
from crossway.settings import Settings, secret_keys_of, write_private
from crossway.storage.files import InUse
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore, open_store
from crossway.usecases.developers import access, keys, request_log

FIRST_KEYS_FILE = "first_keys.json"


class SetupError(Exception):
    """A set-up that cannot work, as a sentence for whoever set it up."""


@dataclass
class Service:
    """Everything that was built, and how it ends."""

    services: Services
    store: SqlStore
    pool: ThreadPoolExecutor
    engine: Engine
    dispatcher: Dispatcher
    in_use: InUse | None = None
    engine_runs: bool = False
    writer: request_log.Writer = field(init=False)
    awake: list[Engine] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = request_log.Writer(self.services)

    def run_engine(self) -> None:
        """Let the engine work in a thread of its own."""
        self.engine_runs = True
        self.engine.start()
        self.dispatcher.start()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Nothing of this process works on the database; afterwards engine and deliveries begin
        anew, as after a start. Raises `WrongState` where another process works on it."""
        runs = self.engine_runs
        if runs:
            self.engine.stop()
            self.dispatcher.stop(for_good=False)
        try:
            _refuse_others(self.services)
            yield
        finally:
            if runs:
                sole = self.store.writer.dialect.name == "sqlite"
                self.engine = Engine(self.services, owner_name(), sole)
                self.dispatcher = Dispatcher(self.services, sole=sole)
                self.awake[:] = [self.engine]
                self.run_engine()

    def close(self) -> None:
        """Stop the engine, write what waits to be written, let everything go."""
        if self.engine_runs:
            self.engine.stop()
        self.dispatcher.stop()
        self.writer.stop()
        access.write_uses(self.services)
        self.pool.shutdown(wait=False, cancel_futures=True)
        networks.close(self.services)
        self.store.close()
        if self.in_use is not None:
            self.in_use.end()


_running: list[Service] = []


def start(with_engine: bool | None = None) -> Services:
    """Build the one service of this process from the environment and set its engine going.

    `with_engine` None lets CROSSWAY_RUN_ENGINE decide.
    """
    settings = Settings()
    logs.set_up(settings.log_level, settings.log_format)
    if _running:
        raise SetupError("This process runs a service already")
    service = build(settings)
    _running.append(service)
    service.writer.start()
    _greet(settings, keys.first_run(service.services, "first run"))
    if settings.run_engine if with_engine is None else with_engine:
        service.run_engine()
    return service.services


def dashboard_password() -> str:
    """What operators are asked for; empty where nobody is asked."""
    password = Settings().dashboard_password
    return password.get_secret_value() if password else ""


def stop() -> None:
    """End the service of this process, if it runs one."""
    while _running:
        _running.pop().close()


def settle() -> None:
    """Once all is imported and built: take it out of every later garbage collection, and collect
    seldom: a sweep makes many records that die at once, and few that refer to each other."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def build(settings: Settings, machine_seconds: Callable[[], float] = time.time) -> Service:
    """All parts of a service on a database that is brought up to date; nothing runs yet.

    `machine_seconds` is the machine's clock in epoch seconds, which a scenario holds in its hand.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    in_use = InUse(settings.database_file) if settings.on_sqlite else None
    store = open_store(settings.url)
    upgrade(store.writer)
    vault = _vault(settings, store)
    pool = ThreadPoolExecutor(settings.asking_threads, thread_name_prefix="asking")
    engines: list[Engine] = []

    def wake() -> None:
        for engine in engines:
            engine.wake()

    try:
        services = _network(settings, store, vault, pool, wake, machine_seconds)
    except SetupError:
        pool.shutdown(wait=False, cancel_futures=True)
        store.close()
        if in_use is not None:
            in_use.end()
        raise
    services = networks.with_people(services, settings)
    made: list[Service] = []
    month = Month(
        settings, store, lambda other: _vault(settings, other),
        resting=lambda: made[0].resting(),
        anew=lambda: _greet(settings, keys.first_run(services, "first run")),
    )  # fmt: skip
    if services.network == "simulated":
        services = replace(services, demo=month)
    engine = Engine(services, owner_name(), sole=settings.on_sqlite)
    engines.append(engine)
    dispatcher = Dispatcher(services, sole=settings.on_sqlite)
    made.append(Service(services, store, pool, engine, dispatcher, in_use, awake=engines))
    return made[0]


def _refuse_others(services: Services) -> None:
    """Another engine would go on with what it remembers of payments that are gone."""
    now, name = services.clock.machine(), owner_name()
    others = services.store.write(lambda unit: unit.network.present(name, now, now))
    services.store.write(lambda unit: unit.network.release(name))
    if others:
        raise WrongState(
            "Another process of Crossway works on this database: stop it, wait 15 seconds, and try "
            "again; or do this on the Simulator page of the one that runs"
        )


def _network(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    machine_seconds: Callable[[], float],
) -> Services:
    first_keys = partial(_take_first_keys, settings.data_dir / FIRST_KEYS_FILE)
    if settings.network == "simulated":
        return networks.simulated(settings, store, vault, pool, wake, machine_seconds, first_keys)
    try:
        return networks.live(settings, store, vault, pool, wake, first_keys)
    except ValueError as error:
        raise SetupError(str(error)) from None


def _vault(settings: Settings, store: SqlStore) -> Vault:
    try:
        return open_vault(secret_keys_of(settings), store)
    except WrongKey as error:
        store.close()
        where = "CROSSWAY_SECRET_KEY" if settings.secret_key else settings.secret_key_file
        raise SetupError(
            f"{where}: {error}. Nothing was changed: give the key that this database was first "
            "started with"
        ) from error


def real_ramps(settings: Settings) -> Sequence[RampProvider]:
    """The providers that the operator has accounts with; raises `SetupError` in words."""
    try:
        return networks.real_ramps(settings)
    except ValueError as error:
        raise SetupError(f"CROSSWAY_RAMPS_FILE: {error}") from None


def owner_name() -> str:
    """A name for this process that no other has, for its leases."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def _greet(settings: Settings, keys: Mapping[Mode, str]) -> None:
    """Show the first keys: on the terminal, and once on the dashboard; never in a log."""
    if not keys:
        return
    path = settings.data_dir / FIRST_KEYS_FILE
    path.unlink(missing_ok=True)
    write_private(path, json.dumps({mode.value: secret for mode, secret in keys.items()}).encode())
    print("\nWelcome to Crossway. The first keys, shown once; the dashboard shows them once, too:")
    for mode, secret in keys.items():
        print(f"  {mode:4}  {secret}" if sys.stdout.isatty() else f"  {mode:4}  in {path}")
    print("Others: crossway keys create --client NAME --mode test\n", flush=True)


def _take_first_keys(path: Path) -> Mapping[str, str]:
    """Read the file and remove it; whoever comes second finds nothing."""
    taken = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        path.rename(taken)
    except FileNotFoundError:
        return {}
    found: dict[str, str] = json.loads(taken.read_bytes())
    taken.unlink()
    return found
