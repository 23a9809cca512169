"""Assembly of the service: builds its parts, starts them and stops them."""

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

from crossway import environments, logs, plugins
from crossway.adapters.vault import InvalidSecretKey, open_vault
from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidStatus
from crossway.engine.loop import Engine
from crossway.engine.webhook_dispatcher import WebhookDispatcher
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.vault import Vault
from crossway.settings import Settings, secret_keys_of, write_private
from crossway.storage.backup import DatabaseInUse
from crossway.storage.migrate import UnknownVersion, upgrade
from crossway.storage.store import SqlStore, open_store
from crossway.usecases.developers import api_keys, authentication, request_log

FIRST_KEYS_FILE = "first_keys.json"


class SetupError(Exception):
    """A configuration that cannot work, in a sentence for the operator."""


@dataclass
class Service:
    """The parts of a running service."""

    services: Services
    store: SqlStore
    pool: ThreadPoolExecutor
    engine: Engine
    dispatcher: WebhookDispatcher
    database_lock: DatabaseInUse | None = None
    runs_engine: bool = False
    writer: request_log.RequestLogWriter = field(init=False)
    engines: list[Engine] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = request_log.RequestLogWriter(self.services)

    def run_engine(self) -> None:
        """Start the engine and the webhook dispatcher in threads of their own."""
        self.runs_engine = True
        self.engine.start()
        self.dispatcher.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop engine and webhook deliveries, and start them again afterwards.

        Raises `InvalidStatus` if another process works on the database."""
        runs = self.runs_engine
        if runs:
            self.engine.stop()
            self.dispatcher.stop(close_sender=False)
        try:
            _require_sole_process(self.services)
            yield
        finally:
            if runs:
                sole = self.store.writer.dialect.name == "sqlite"
                self.engine = Engine(self.services, process_name(), sole)
                self.dispatcher = WebhookDispatcher(self.services, sole=sole)
                self.engines[:] = [self.engine]
                self.run_engine()

    def close(self) -> None:
        """Stop the engine, flush pending writes, and release every resource."""
        if self.runs_engine:
            self.engine.stop()
        self.dispatcher.stop()
        self.writer.stop()
        authentication.flush_usage(self.services)
        self.pool.shutdown(wait=False, cancel_futures=True)
        environments.close_connections(self.services)
        self.store.close()
        if self.database_lock is not None:
            self.database_lock.end()


_running: list[Service] = []


def start(with_engine: bool | None = None) -> Services:
    """Build this process's service from the environment and start its engine.

    `with_engine` None lets CROSSWAY_RUN_ENGINE decide.
    """
    settings = Settings()
    logs.configure(settings.log_level, settings.log_format)
    if _running:
        raise SetupError("This process runs a service already")
    service = build(settings)
    _running.append(service)
    service.writer.start()
    _print_first_keys(settings, api_keys.create_first_client(service.services, "first run"))
    if settings.run_engine if with_engine is None else with_engine:
        service.run_engine()
    return service.services


def dashboard_password() -> str:
    """The dashboard's password; empty if none is set."""
    password = Settings().dashboard_password
    return password.get_secret_value() if password else ""


def stop() -> None:
    """Stop the service of this process, if there is one."""
    while _running:
        _running.pop().close()


def warm_up() -> None:
    """Exclude everything imported and built from garbage collection, and collect seldom.

    A sweep creates many short-lived records, few of which refer to each other."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def build(settings: Settings, machine_seconds: Callable[[], float] = time.time) -> Service:
    """Build a service on a database with the current schema; nothing runs yet.

    `machine_seconds` returns the machine's time in epoch seconds; scenarios control it.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    database_lock = DatabaseInUse(settings.database_file) if settings.on_sqlite else None
    store = open_store(settings.url)
    pool = ThreadPoolExecutor(settings.asking_threads, thread_name_prefix="asking")
    engines: list[Engine] = []

    def wake() -> None:
        for engine in engines:
            engine.wake()

    try:
        _migrate(store)
        vault = _open_vault(settings, store)
        services = _build_services(settings, store, vault, pool, wake, machine_seconds)
    except SetupError:
        pool.shutdown(wait=False, cancel_futures=True)
        store.close()
        if database_lock is not None:
            database_lock.end()
        raise
    services = environments.with_passwords(services)
    built: list[Service] = []
    if services.environment == "simulated":
        services = _with_demo(settings, store, services, built)
    engine = Engine(services, process_name(), sole=settings.on_sqlite)
    engines.append(engine)
    dispatcher = WebhookDispatcher(services, sole=settings.on_sqlite)
    built.append(Service(services, store, pool, engine, dispatcher, database_lock, engines=engines))
    return built[0]


def _with_demo(
    settings: Settings, store: SqlStore, services: Services, built: list[Service]
) -> Services:
    """The services with demo data, if that distribution is installed. `built` will contain the
    service once it exists."""
    create_demo = plugins.find_demo_factory()
    if create_demo is None:
        return services

    def print_first_keys() -> None:
        _print_first_keys(settings, api_keys.create_first_client(services, "first run"))

    demo = create_demo(
        settings,
        store,
        lambda other: _open_vault(settings, other),
        pause_engine=lambda: built[0].paused(),
        on_emptied=print_first_keys,
    )
    return replace(services, demo=demo)


def _migrate(store: SqlStore) -> None:
    try:
        upgrade(store.writer)
    except UnknownVersion as error:
        raise SetupError(str(error)) from None


def _require_sole_process(services: Services) -> None:
    """Raise if another process is active: its engine would act on payments that are gone."""
    now, name = services.clock.machine(), process_name()
    others = services.store.write(lambda unit: unit.leases.register_engine(name, now, now))
    services.store.write(lambda unit: unit.leases.release(name))
    if others:
        raise InvalidStatus(
            "Another process of Crossway works on this database: stop it, wait 15 seconds, and try "
            "again; or do this on the Simulator page of the one that runs"
        )


def _build_services(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    machine_seconds: Callable[[], float],
) -> Services:
    first_keys = partial(_take_first_keys, settings.data_dir / FIRST_KEYS_FILE)
    if settings.network == "simulated":
        return environments.build_simulated(
            settings, store, vault, pool, wake, machine_seconds, first_keys
        )
    try:
        return environments.build_live(settings, store, vault, pool, wake, first_keys)
    except ValueError as error:
        raise SetupError(str(error)) from None


def _open_vault(settings: Settings, store: SqlStore) -> Vault:
    try:
        return open_vault(secret_keys_of(settings), store)
    except InvalidSecretKey as error:
        key_source = "CROSSWAY_SECRET_KEY" if settings.secret_key else settings.secret_key_file
        raise SetupError(
            f"{key_source}: {error}. Nothing was changed: give the key that this database was "
            "first started with"
        ) from error


def build_ramp_providers(settings: Settings) -> Sequence[RampProvider]:
    """The ramp providers that the operator has accounts with; raises `SetupError`."""
    try:
        return environments.build_ramp_providers(settings)
    except ValueError as error:
        raise SetupError(f"CROSSWAY_RAMPS_FILE: {error}") from None


def process_name() -> str:
    """A unique name of this process, for its leases."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def _print_first_keys(settings: Settings, keys: Mapping[Mode, str]) -> None:
    """Show the first API keys on the terminal, and once on the dashboard; never in a log."""
    if not keys:
        return
    path = settings.data_dir / FIRST_KEYS_FILE
    path.unlink(missing_ok=True)
    write_private(path, json.dumps({mode.value: secret for mode, secret in keys.items()}).encode())
    print("\nWelcome to Crossway. Your first API keys; the dashboard shows them once as well:")
    for mode, secret in keys.items():
        print(f"  {mode:4}  {secret}" if sys.stdout.isatty() else f"  {mode:4}  in {path}")
    print("More keys: crossway keys create --client NAME --mode test\n", flush=True)


def _take_first_keys(path: Path) -> Mapping[str, str]:
    """Read the file and remove it; a second caller gets nothing."""
    claimed_path = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        path.rename(claimed_path)
    except FileNotFoundError:
        return {}
    first_keys: dict[str, str] = json.loads(claimed_path.read_bytes())
    claimed_path.unlink()
    return first_keys
