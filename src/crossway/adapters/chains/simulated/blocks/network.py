"""Database access of the simulated network: transactions of its own, one writer per chain."""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, func, select, update
from sqlalchemy.exc import OperationalError, TimeoutError

from crossway.adapters.chains.simulated.blocks.clock import SimulatedClock
from crossway.adapters.chains.simulated.blocks.genesis import ChainFacts, create_chains, facts_of
from crossway.adapters.chains.simulated.blocks.state import ChainState
from crossway.adapters.chains.simulated.blocks.tables import across_deposits, chains
from crossway.adapters.chains.simulated.contracts.reach import BridgeReach
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable

# Built once: building a statement takes longer than executing it.
_SELECT = select(chains).where(chains.c.id == bindparam("chain"))
_SELECT_FOR_UPDATE = _SELECT.with_for_update()
_SELECT_ALL = select(chains)
_UPDATE = update(chains).where(chains.c.id == bindparam("of"))
_NEXT_DUE = select(func.min(across_deposits.c.due_at))
PEEK_SECONDS = 0.05


@dataclass(slots=True)
class ChainSession:
    """One chain within one database transaction; `now` in epoch seconds."""

    db: Connection
    facts: ChainFacts
    state: ChainState
    now: float


class SimulatedNetwork:
    """All simulated chains in one database.

    `writing` begins transactions that may write (on SQLite with BEGIN IMMEDIATE); those of
    `reading` never write or wait for a writer. `pico_usd` prices fees and inventory. `reach` is
    what bridges have on each chain that they reach. Chains of the EVM family have `gas_accounts`
    beside the relayer.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        writing: Engine,
        reading: Engine,
        clock: SimulatedClock,
        pico_usd: Mapping[str, int],
        reach: Mapping[str, BridgeReach] = MappingProxyType({}),
        gas_accounts: int = 0,
    ) -> None:
        self.clock = clock
        self.reach = reach
        self.facts = {
            chain.id: facts_of(catalogue, chain, pico_usd, self.reach.get(chain.id), gas_accounts)
            for chain in catalogue.chains.values()
        }
        self._writing = writing
        self._reading = reading
        self._seen: dict[str, int] = {}
        self._changes = 0
        self._glanced: tuple[int, float, dict[str, Row[Any]]] = (-1, 0.0, {})
        self._outsiders_due_at = math.inf

    @contextmanager
    def locked(self, chain: str) -> Iterator[ChainSession]:
        """The chain, locked for this transaction; changes of its state are saved."""
        with _busy_is_unreachable(chain), self._writing.begin() as db:
            row = db.execute(_SELECT_FOR_UPDATE, {"chain": chain}).one_or_none()
            # Read after locking, so a transaction that waited does not get an older block.
            now = self.clock.read(db)
            if row is None:
                create_chains(db, self.facts.values(), now)
                row = db.execute(_SELECT_FOR_UPDATE, {"chain": chain}).one()
            before = ChainState.of(row)
            session = ChainSession(db, self.facts[chain], ChainState.of(row), now)
            self._restore_height(session.state)
            session.state.advance_to(now)
            yield session
            self._store(db, before, session.state)
        self._changes += 1
        self._remember_height(session.state, session.now)

    @contextmanager
    def reading(self, chain: str) -> Iterator[ChainSession]:
        """The chain for reading, without a lock."""
        now = self.clock.seconds()
        with _busy_is_unreachable(chain), self._reading.connect() as db:
            row = db.execute(_SELECT, {"chain": chain}).one_or_none()
            if row is None:
                # The new rows are not in this connection's snapshot.
                db.rollback()
                with self._writing.begin() as first:
                    create_chains(first, self.facts.values(), self.clock.read(first))
                row = db.execute(_SELECT, {"chain": chain}).one()
            session = ChainSession(db, self.facts[chain], ChainState.of(row), now)
            self._restore_height(session.state)
            yield session
        self._remember_height(session.state, session.now)

    def peek(self, chain: str) -> tuple[ChainState, float] | None:
        """The chain's state up to `PEEK_SECONDS` old, and the time. All chains are read at once,
        because an engine asks for one after the other. None if the chain does not exist yet."""
        now, rows = self.clock.seconds(), self._glance()
        if chain not in rows:
            return None
        state = ChainState.of(rows[chain])
        self._restore_height(state)
        self._remember_height(state, now)
        return state, now

    def outsiders_due_at(self) -> float:
        """When relayers of bridges or their pools act next, as up to date as `peek`."""
        self._glance()
        return self._outsiders_due_at

    def _glance(self) -> dict[str, Row[Any]]:
        changes, at, rows = self._glanced
        if changes != self._changes or time.monotonic() - at > PEEK_SECONDS:
            changes, at = self._changes, time.monotonic()
            with _busy_is_unreachable("The network"), self._reading.connect() as db:
                rows = {row.id: row for row in db.execute(_SELECT_ALL)}
                due_at = db.execute(_NEXT_DUE).scalar_one()
            self._outsiders_due_at = math.inf if due_at is None else due_at
            self._glanced = (changes, at, rows)
        return rows

    @contextmanager
    def read_all(self) -> Iterator[Connection]:
        """A connection for reading several chains."""
        with self._reading.connect() as db:
            yield db

    def _restore_height(self, state: ChainState) -> None:
        state.last_shown_height = self._seen.get(state.id, 0)

    def _remember_height(self, state: ChainState, now: float) -> None:
        """Remember the reported height: the machine's clock may be set back."""
        self._seen[state.id] = max(self._seen.get(state.id, 0), state.tip_at(now))

    @staticmethod
    def _store(db: Connection, before: ChainState, after: ChainState) -> None:
        old, new = before.columns(), after.columns()
        # The passing of time alone needs no write.
        if any(new[name] != old[name] for name in new if name != "height"):
            db.execute(_UPDATE, {**new, "of": after.id})


@contextmanager
def _busy_is_unreachable(chain: str) -> Iterator[None]:
    """Report a busy database as a chain that does not respond."""
    try:
        yield
    except (OperationalError, TimeoutError) as error:
        raise Unreachable(f"{chain} does not answer: {error}") from error
