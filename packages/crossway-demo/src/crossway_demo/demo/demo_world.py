"""The throwaway service that plays the demo dataset, with a clock that is advanced by hand."""

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crossway import environments
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.webhooks.demo_receivers import DemoReceivers
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import Unreachable
from crossway.domain.pricing import ServiceFee
from crossway.engine.loop import Engine
from crossway.engine.webhook_dispatcher import WebhookDispatcher
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.clock import Clock
from crossway.ports.services import Services
from crossway.ports.vault import Vault
from crossway.ports.webhooks import WebhookResponse
from crossway.settings import Settings
from crossway.storage.database_swap import copy_clients_and_secrets
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore, open_store
from crossway_demo.demo.inventory import stock_chains
from crossway_demo.demo.scenario_plan import parameters

# Its webhooks fail between these days of the month, and arrive once it answers again.
_OUTAGE_HOST, _OUTAGE_DAYS = "lagos.demo.example", (17.0, 18.5)
# Once where a group of payments begins, and once where it ends: between them nothing grows late.
_HOUSEKEEPING_SECONDS = 30.0
_FAST_PRAGMAS = ("synchronous=OFF", "journal_size_limit=-1")


@dataclass
class ManualClock:
    """Epoch seconds that pass only when they are advanced."""

    seconds: float

    def __call__(self) -> float:
        return self.seconds

    def advance_to(self, seconds: float) -> None:
        """Move forward to a time; never back."""
        self.seconds = max(self.seconds, seconds)


@dataclass(frozen=True)
class DemoClock:
    """`ports.clock.Clock` with a simulated service time and the real machine time.

    Leases and other things that depend on the speed of this machine need the machine's time.
    """

    simulated: Clock

    def now(self) -> datetime:
        """The simulated UTC time."""
        return self.simulated.now()

    def machine(self) -> datetime:
        """The machine's UTC time."""
        return datetime.now(UTC)


class MachineClock:
    """`ports.clock.Clock` of the machine, for records that are created today."""

    def now(self) -> datetime:
        """The machine's UTC time."""
        return datetime.now(UTC)

    machine = now


class PausedChain:
    """`ports.chain.Chain` that shows no new blocks unless it is active, so the engine skips it."""

    def __init__(self, chain: Chain, active_chains: Collection[str], clock: Clock) -> None:
        self._chain, self._active_chains, self._clock = chain, active_chains, clock
        self._last_head: ChainHead | None = None

    def heads(self) -> ChainHead:
        """The newest blocks; while paused, the last ones with the current time."""
        if self._last_head is None or self._chain.id in self._active_chains:
            self._last_head = self._chain.heads()
        return replace(self._last_head, time=self._clock.now())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)


class StockedSandbox:
    """`ports.sandbox.Sandbox` of chains whose balances at the start are `holdings`, by chain."""

    def __init__(
        self, sandbox: SimulatedSandbox, holdings: Mapping[str, Mapping[tuple[str, str], int]]
    ) -> None:
        self._sandbox, self._holdings = sandbox, holdings

    def opening_balances(self, chain: str) -> Mapping[tuple[str, str], int]:
        """What this chain's accounts held at the start."""
        return self._holdings[chain]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)


class ReceiversWithOutage(DemoReceivers):
    """Simulated webhook receivers, of which one host is down for some days of the month that begins
    now."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(None)
        self._clock, self._start = clock, clock.seconds

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        first, last = (self._start + day * 86_400 for day in _OUTAGE_DAYS)
        if _OUTAGE_HOST in url and first <= self._clock.seconds < last:
            raise Unreachable("the connection failed: connection refused")
        return super().send(url, headers, body)


@dataclass
class DemoWorld:
    """A whole service whose time is advanced by hand; chains not in `active_chains` are paused."""

    services: Services
    store: SqlStore
    sandbox: SimulatedSandbox
    clock: ManualClock
    engine: Engine
    dispatcher: WebhookDispatcher
    active_chains: set[str]
    operator: Principal = field(
        default_factory=lambda: staff_principal(parameters()["people"]["admin"])
    )

    def tick(self, seconds: float) -> None:
        """Advance the clock and run one pass of the engine."""
        self.clock.seconds += seconds
        self.engine.tick()

    def wallet(self, chain: str, name: str) -> str:
        """The wallet address of a named person."""
        return self.services.chains[chain].deposit_address(f"wallet {name}")


@contextmanager
def open_demo_world(
    settings: Settings,
    own_store: SqlStore,
    open_vault: Callable[[SqlStore], Vault],
    start_seconds: float,
    stocked: bool = True,
) -> Iterator[DemoWorld]:
    """A service on a temporary database with the clients and secrets of `own_store`, whose clock
    starts at `start_seconds`. Where it is not `stocked`, its chains are as new ones are."""
    with TemporaryDirectory(prefix="crossway-demo-") as folder, ThreadPoolExecutor(16) as pool:
        store = open_store(f"sqlite:///{Path(folder) / 'demo.db'}")
        try:
            upgrade(store.writer)
            copy_clients_and_secrets(own_store.reader, store.writer)
            _disable_sync(store)
            vault, clock = open_vault(store), ManualClock(start_seconds)
            world = _build(settings, store, vault, pool, clock, stocked)
            yield world
            world.dispatcher.stop()
        finally:
            store.close()


def _build(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    clock: ManualClock,
    stocked: bool,
) -> DemoWorld:
    built = environments.build_simulated(
        settings, store, vault, pool, lambda: None, clock, first_keys=dict
    )
    assert isinstance(built.sandbox, SimulatedSandbox)
    assert built.webhooks is not None
    demo_clock, active_chains = DemoClock(built.clock), set(built.chains)
    sandbox: Any = built.sandbox
    if stocked:
        holdings = stock_chains(built.sandbox, built.catalogue, built.chains)
        sandbox = StockedSandbox(built.sandbox, holdings)
    services = replace(
        built,
        clock=demo_clock,
        sandbox=sandbox,
        policy=replace(built.policy, service_fee=ServiceFee(**parameters()["fees"])),
        chains={
            name: PausedChain(chain, active_chains, demo_clock)
            for name, chain in built.chains.items()
        },
        webhooks=replace(built.webhooks, sender=ReceiversWithOutage(clock)),
        process=replace(built.process, pause=lambda: setattr(clock, "seconds", clock.seconds + 1)),
    )
    return DemoWorld(
        services,
        store,
        built.sandbox,
        clock,
        Engine(services, "demo", sole=True, housekeeping_seconds=_HOUSEKEEPING_SECONDS),
        WebhookDispatcher(services, sole=True),
        active_chains,
    )


def _disable_sync(store: SqlStore) -> None:
    """The temporary database is not kept, so writes need not wait for the disk."""
    with store.writer.connect() as db:
        connection = db.connection.dbapi_connection
        assert connection is not None
        for pragma in _FAST_PRAGMAS:
            connection.cursor().execute(f"PRAGMA {pragma}")
