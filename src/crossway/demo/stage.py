"""Where a month is played: a service of its own on a throwaway database, its clock in hand."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crossway import networks
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.webhooks.receivers import Receivers
from crossway.domain.clients import Caller, insider
from crossway.engine.deliveries import Dispatcher
from crossway.engine.loop import Engine
from crossway.ports.chain import Chain, Heads
from crossway.ports.clock import Clock
from crossway.ports.services import Services
from crossway.ports.vault import Vault
from crossway.settings import Settings
from crossway.storage.exchange import copy_kept
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore, open_store

WHO = "Demo month"
_QUICK = ("synchronous=OFF", "journal_size_limit=-1")


@dataclass
class Hand:
    """Epoch seconds that pass only when somebody moves them."""

    seconds: float

    def __call__(self) -> float:
        return self.seconds

    def to(self, seconds: float) -> None:
        """Move on to a time; never back."""
        self.seconds = max(self.seconds, seconds)


@dataclass(frozen=True)
class TwoClocks:
    """`ports.clock.Clock` whose service time is moved by hand, while the machine's goes on: what
    depends on how fast this machine works, leases above all, is to depend on it here too."""

    played: Clock

    def now(self) -> datetime:
        """UTC-aware time in the month."""
        return self.played.now()

    def machine(self) -> datetime:
        """UTC-aware time of the machine."""
        return datetime.now(UTC)


class Now:
    """`ports.clock.Clock` of the machine, for what is made today although the month is older."""

    def now(self) -> datetime:
        """UTC-aware time of the machine."""
        return datetime.now(UTC)

    machine = now


class Resting:
    """`ports.chain.Chain` that shows no new block while it rests: an engine passes it by."""

    def __init__(self, chain: Chain, awake: Collection[str], clock: Clock) -> None:
        self._chain, self._awake, self._clock = chain, awake, clock
        self._shown: Heads | None = None

    def heads(self) -> Heads:
        """The newest blocks; at rest those that were shown last, as if they were of now."""
        if self._shown is None or self._chain.id in self._awake:
            self._shown = self._chain.heads()
        return replace(self._shown, time=self._clock.now())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)


@dataclass
class Stage:
    """Everything of a service but its own passing of time; `awake` are the chains that go on."""

    services: Services
    store: SqlStore
    sandbox: SimulatedSandbox
    hand: Hand
    engine: Engine
    dispatcher: Dispatcher
    awake: set[str]
    operator: Caller = field(default_factory=lambda: insider(WHO))

    def tick(self, seconds: float) -> None:
        """Time passes, and the engine makes one pass."""
        self.hand.seconds += seconds
        self.engine.tick()

    def wallet(self, chain: str, name: str) -> str:
        """The address of somebody's wallet."""
        return self.services.chains[chain].deposit_address(f"wallet {name}")


@contextmanager
def stage(
    settings: Settings, own: SqlStore, vault: Callable[[SqlStore], Vault], begins: float
) -> Iterator[Stage]:
    """A stage whose time begins at `begins`, with the clients and the key of the service's own
    database; gone at the end."""
    with TemporaryDirectory(prefix="crossway-demo-") as folder, ThreadPoolExecutor(16) as pool:
        store = open_store(f"sqlite:///{Path(folder) / 'month.db'}")
        try:
            upgrade(store.writer)
            copy_kept(own.reader, store.writer)
            _hurry(store)
            built = _built(settings, store, vault(store), pool, Hand(begins))
            yield built
            built.dispatcher.stop()
        finally:
            store.close()


def _built(
    settings: Settings, store: SqlStore, vault: Vault, pool: ThreadPoolExecutor, hand: Hand
) -> Stage:
    built = networks.simulated(settings, store, vault, pool, lambda: None, hand, first_keys=dict)
    assert isinstance(built.sandbox, SimulatedSandbox)
    assert built.outgoing is not None
    clock, awake = TwoClocks(built.clock), set(built.chains)
    services = replace(
        built,
        clock=clock,
        chains={name: Resting(chain, awake, clock) for name, chain in built.chains.items()},
        outgoing=replace(built.outgoing, sender=Receivers(None)),
        pause=lambda: setattr(hand, "seconds", hand.seconds + 1),
    )
    engine = Engine(services, "demo", sole=True)
    return Stage(
        services, store, built.sandbox, hand, engine, Dispatcher(services, sole=True), awake
    )


def _hurry(store: SqlStore) -> None:
    """Nothing of this database outlives the process: it need not wait for the disk."""
    with store.writer.connect() as db:
        connection = db.connection.dbapi_connection
        assert connection is not None
        for pragma in _QUICK:
            connection.cursor().execute(f"PRAGMA {pragma}")
