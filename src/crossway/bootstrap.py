"""Assembly of the service: builds its parts, starts them and stops them."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from crossway import environments, logs, plugins
from crossway.adapters.vault import InvalidSecretKey, open_vault
from crossway.domain.errors import StorageUnavailable
from crossway.first_keys import expire_first_keys, print_first_keys, take_first_keys
from crossway.ports.demo import DemoData
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.vault import Vault
from crossway.processes import process_name, require_sole_process
from crossway.settings import Settings, secret_keys_of
from crossway.startup_checks import (
    SetupError,
    report_lost_commits,
    unusable,
    upgrade_when_free,
)
from crossway.storage.backup import DatabaseInUse
from crossway.storage.store import SqlStore, open_store
from crossway.usecases.developers import api_keys, authentication, request_log
from crossway.usecases.operating import demo
from crossway.usecases.operating.key_rotation import seal_stored_text
from crossway.usecases.staff.audit import sign_earlier_entries

if TYPE_CHECKING:
    from crossway.engine.indexer_loop import IndexerLoop
    from crossway.engine.loop import Engine
    from crossway.engine.webhook_dispatcher import WebhookDispatcher


@dataclass
class Service:
    """The parts of a running service.

    Engine and dispatcher are created when they are first used; `wakers` are the functions that
    wake them.
    """

    services: Services
    store: SqlStore
    pool: ThreadPoolExecutor
    database_lock: DatabaseInUse | None = None
    runs_engine: bool = False
    writer: request_log.RequestLogWriter = field(init=False)
    wakers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = request_log.RequestLogWriter(self.services)

    @cached_property
    def engine(self) -> "Engine":
        """The engine of this process."""
        # Imported here: a process that runs only the API starts faster without it.
        from crossway.engine.loop import Engine

        engine = Engine(self.services, process_name(), sole=self._on_sqlite)
        self.wakers.append(engine.wake)
        return engine

    @cached_property
    def indexer(self) -> "IndexerLoop":
        """The indexer of this process, where it runs without an engine."""
        from crossway.engine.indexer_loop import IndexerLoop

        indexer = IndexerLoop(self.services, process_name())
        self.wakers.append(indexer.wake)
        return indexer

    @cached_property
    def dispatcher(self) -> "WebhookDispatcher":
        """The webhook dispatcher of this process."""
        # Imported here for the same reason.
        from crossway.engine.webhook_dispatcher import WebhookDispatcher

        dispatcher = WebhookDispatcher(self.services, sole=self._on_sqlite)
        self.wakers.append(dispatcher.wake)
        return dispatcher

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
            self.dispatcher.stop()
        try:
            require_sole_process(self.services)
            yield
        finally:
            if runs:
                self.wakers.clear()
                del self.engine, self.dispatcher
                self.run_engine()

    def close(self) -> None:
        """Stop the engine, flush pending writes, and release every resource."""
        demo.stop_fill(self.services.process.demo_job)
        if self.runs_engine:
            self.engine.stop()
        if "dispatcher" in self.__dict__:
            self.dispatcher.stop()
        if "indexer" in self.__dict__:
            self.indexer.stop()
        if self.services.webhooks is not None:
            self.services.webhooks.sender.close()
        self.writer.stop()
        authentication.flush_usage(self.services)
        self.pool.shutdown(wait=False, cancel_futures=True)
        environments.close_connections(self.services)
        self.store.close()
        if self.database_lock is not None:
            self.database_lock.end()

    @property
    def _on_sqlite(self) -> bool:
        return self.store.writer.dialect.name == "sqlite"


_running: list[Service] = []


def start(with_engine: bool | None = None, with_indexer: bool = False) -> Services:
    """Build this process's service from the environment and start its engine, or only an indexer.

    `with_engine` None lets CROSSWAY_RUN_ENGINE decide.
    """
    settings = Settings()
    logs.configure(settings.log_level, settings.log_format)
    if _running:
        raise SetupError("This process runs a service already")
    with_engine = settings.run_engine if with_engine is None else with_engine
    service = build(settings, signs=with_engine)
    _running.append(service)
    service.writer.start()
    print_first_keys(settings.data_dir, api_keys.create_first_client(service.services, "first run"))
    expire_first_keys(settings.data_dir)
    if with_engine:
        service.run_engine()
    if with_indexer:
        service.indexer.start()
    return service.services


def local_url() -> str:
    """The URL at which this machine reaches the service."""
    return Settings().local_url


def stop() -> None:
    """Stop the service of this process, if there is one."""
    while _running:
        _running.pop().close()


def warm_up() -> None:
    """Exclude everything imported and built from garbage collection, and collect seldom.

    A sweep creates many short-lived records, few of which refer to each other. What a start leaves
    as garbage is a few megabytes; collecting it would cost a quarter of a second."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def build(
    settings: Settings, machine_seconds: Callable[[], float] = time.time, signs: bool = False
) -> Service:
    """Build a service on a database with the current schema; nothing runs yet.

    Only one that `signs` opens the keys of live chains, and may run the engine. `machine_seconds`
    returns the machine's time in epoch seconds; scenarios control it.
    """
    database_lock = _lock_database(settings)
    store = open_store(settings.url)
    pool = ThreadPoolExecutor(settings.asking_threads, thread_name_prefix="asking")
    wakers: list[Callable[[], None]] = []

    def wake() -> None:
        for wake_part in wakers:
            wake_part()

    try:
        upgrade_when_free(store)
        vault = _open_vault(settings, store)
        if seal_stored_text(store, vault):
            store.compact()
        sign_earlier_entries(store, datetime.now(UTC))
        services = _build_services(settings, store, vault, pool, wake, machine_seconds, signs)
        report_lost_commits(services, store)
    except (SetupError, OSError, StorageUnavailable) as error:
        pool.shutdown(wait=False, cancel_futures=True)
        store.close()
        if database_lock is not None:
            database_lock.end()
        if isinstance(error, SetupError):
            raise
        raise unusable(settings, error) from error
    services = replace(environments.with_staff_sign_in(services), mailer=settings.mailer())
    service = Service(services, store, pool, database_lock, wakers=wakers)
    if services.environment == "simulated":
        service.services = replace(
            services, find_demo=cache(partial(_open_demo, settings, service))
        )
    return service


def _open_demo(settings: Settings, service: Service) -> DemoData | None:
    """The demo data of a service; None where that distribution is not installed."""
    create_demo = plugins.find_demo_factory()
    if create_demo is None:
        return None

    def on_emptied() -> None:
        keys = api_keys.create_first_client(service.services, "first run")
        print_first_keys(settings.data_dir, keys)

    return create_demo(
        settings,
        service.store,
        lambda other: _open_vault(settings, other),
        pause_engine=service.paused,
        on_emptied=on_emptied,
    )


def _lock_database(settings: Settings) -> DatabaseInUse | None:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        return DatabaseInUse(settings.database_file) if settings.on_sqlite else None
    except OSError as error:
        raise unusable(settings, error) from error


def _build_services(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    machine_seconds: Callable[[], float],
    signs: bool,
) -> Services:
    first_keys = partial(take_first_keys, settings.data_dir)
    if settings.network == "simulated":
        return environments.build_simulated(
            settings, store, vault, pool, wake, machine_seconds, first_keys
        )
    try:
        return environments.build_live(settings, store, vault, pool, wake, first_keys, signs)
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
