"""The network as a remote machine would be: its own transactions, one writer a chain at a time."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, select, update
from sqlalchemy.exc import OperationalError, TimeoutError

from crossway.adapters.chains.simulated.clock import SandboxClock
from crossway.adapters.chains.simulated.genesis import Facts, begin, facts_of
from crossway.adapters.chains.simulated.state import ChainState
from crossway.adapters.chains.simulated.tables import chains
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable

# Built once: building a statement takes longer than running it.
_LOOK = select(chains).where(chains.c.id == bindparam("chain"))
_LOCK = _LOOK.with_for_update()
_ALL = select(chains)
GLANCE_SECONDS = 0.05


@dataclass(slots=True)
class Site:
    """One chain within one transaction of the database; `now` in epoch seconds."""

    db: Connection
    facts: Facts
    state: ChainState
    now: float


class Network:
    """All simulated chains in one database.

    `writing` begins transactions that may write (on SQLite with BEGIN IMMEDIATE), `reading`
    ones that do not and that never wait for a writer. `pico_usd` prices fees and inventory.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        writing: Engine,
        reading: Engine,
        clock: SandboxClock,
        pico_usd: Mapping[str, int],
    ) -> None:
        self.clock = clock
        self.facts = {
            chain.id: facts_of(catalogue, chain, pico_usd) for chain in catalogue.chains.values()
        }
        self._writing = writing
        self._reading = reading
        self._seen: dict[str, int] = {}
        self._changes = 0
        self._glanced: tuple[int, float, dict[str, Row[Any]]] = (-1, 0.0, {})

    @contextmanager
    def locked(self, chain: str) -> Iterator[Site]:
        """The chain, for this transaction alone; what became of its state is stored."""
        with _answering(chain), self._writing.begin() as db:
            row = db.execute(_LOCK, {"chain": chain}).one_or_none()
            # Read once the chain is ours: what waited for it must not come in an older block.
            now = self.clock.read(db)
            if row is None:
                begin(db, self.facts.values(), now)
                row = db.execute(_LOCK, {"chain": chain}).one()
            before = ChainState.of(row)
            site = Site(db, self.facts[chain], ChainState.of(row), now)
            self._recall(site.state)
            site.state.follow(now)
            yield site
            self._store(db, before, site.state)
        self._changes += 1
        self._note(site.state, site.now)

    @contextmanager
    def reading(self, chain: str) -> Iterator[Site]:
        """The chain as it stands, without a claim on it."""
        now = self.clock.seconds()
        with _answering(chain), self._reading.connect() as db:
            row = db.execute(_LOOK, {"chain": chain}).one_or_none()
            if row is None:
                # What is begun now is not in the snapshot that this connection reads.
                db.rollback()
                with self._writing.begin() as first:
                    begin(first, self.facts.values(), self.clock.read(first))
                row = db.execute(_LOOK, {"chain": chain}).one()
            site = Site(db, self.facts[chain], ChainState.of(row), now)
            self._recall(site.state)
            yield site
        self._note(site.state, site.now)

    def glance(self, chain: str) -> tuple[ChainState, float] | None:
        """Where the chain stood a moment ago, and the time; all are looked at together, for an
        engine asks one after the other. None when it has not begun."""
        now = self.clock.seconds()
        changes, at, rows = self._glanced
        if changes != self._changes or time.monotonic() - at > GLANCE_SECONDS:
            changes, at = self._changes, time.monotonic()
            with _answering(chain), self._reading.connect() as db:
                rows = {row.id: row for row in db.execute(_ALL)}
            self._glanced = (changes, at, rows)
        if chain not in rows:
            return None
        state = ChainState.of(rows[chain])
        self._recall(state)
        self._note(state, now)
        return state, now

    @contextmanager
    def everywhere(self) -> Iterator[Connection]:
        """A connection for reading what lies on several chains."""
        with self._reading.connect() as db:
            yield db

    def _recall(self, state: ChainState) -> None:
        state.seen = self._seen.get(state.id, 0)

    def _note(self, state: ChainState, now: float) -> None:
        """Remember the height that was shown: the machine's clock may be set back."""
        self._seen[state.id] = max(self._seen.get(state.id, 0), state.tip_at(now))

    @staticmethod
    def _store(db: Connection, before: ChainState, after: ChainState) -> None:
        old, new = before.columns(), after.columns()
        # That time passed is no reason to write.
        if any(new[name] != old[name] for name in new if name != "height"):
            db.execute(update(chains).where(chains.c.id == after.id).values(new))


@contextmanager
def _answering(chain: str) -> Iterator[None]:
    """A database that is busy is a chain that gives no answer."""
    try:
        yield
    except (OperationalError, TimeoutError) as error:
        raise Unreachable(f"{chain} does not answer: {error}") from error
