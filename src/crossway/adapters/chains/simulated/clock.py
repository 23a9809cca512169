"""The sandbox's clock: the machine's, moved by a number of seconds, or stopped."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, select

from crossway.adapters.chains.simulated.sets import put
from crossway.adapters.chains.simulated.tables import clock as table
from crossway.domain.errors import InvalidInput

CACHE_SECONDS = 0.25
ONLY_ROW = 1
_LOOK = select(table.c.offset_seconds, table.c.frozen_at).where(table.c.id == ONLY_ROW)
_LOCK = _LOOK.with_for_update()


@dataclass(frozen=True, slots=True)
class Setting:
    """How far the clock is ahead of the machine; where it stands, when it is stopped."""

    offset_seconds: float = 0.0
    frozen_at: float | None = None

    def at(self, machine_seconds: float) -> float:
        """Epoch seconds that the clock shows at this time of the machine."""
        return machine_seconds + self.offset_seconds if self.frozen_at is None else self.frozen_at


class SandboxClock:
    """`ports.clock.Clock` whose setting lies in the database, so that every process follows it.

    The process that moves it sees the move at once, the others within a quarter of a second.
    """

    def __init__(
        self, writing: Engine, reading: Engine, machine_seconds: Callable[[], float] = time.time
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._machine_seconds = machine_seconds
        self._cached: tuple[Setting, float] | None = None
        self._turn = threading.Lock()

    def now(self) -> datetime:
        """UTC-aware time of the service."""
        return datetime.fromtimestamp(self.seconds(), UTC)

    def machine(self) -> datetime:
        """UTC-aware time of the machine."""
        return datetime.fromtimestamp(self._machine_seconds(), UTC)

    def seconds(self) -> float:
        """`now` in epoch seconds."""
        cached = self._cached
        if cached is None:
            with self._turn:
                return self._look()
        # One looks: each of many threads would hold a second connection of the pool.
        old = time.monotonic() - cached[1] > CACHE_SECONDS
        if old and self._turn.acquire(blocking=False):
            try:
                return self._look()
            finally:
                self._turn.release()
        return cached[0].at(self._machine_seconds())

    def _look(self) -> float:
        with self._reading.connect() as db:
            return self.read(db)

    def read(self, db: Connection) -> float:
        """Epoch seconds by the setting as it stands in the database."""
        return self._keep(_load(db)).at(self._machine_seconds())

    def advance(self, seconds: float) -> None:
        """Move the clock forward, stopped or not."""
        if not 0 <= seconds < 1e10:
            raise InvalidInput("advanceSeconds must be a number of seconds, zero or more")
        with self._writing.begin() as db:
            old = _load(db, lock=True)
            stood = None if old.frozen_at is None else old.frozen_at + seconds
            moved = Setting(old.offset_seconds + (0.0 if stood is not None else seconds), stood)
            _store(db, moved)
        self._keep(moved)

    def freeze(self, frozen: bool) -> None:
        """Stop the clock, or let it run again from where it stands."""
        with self._writing.begin() as db:
            old = _load(db, lock=True)
            machine = self._machine_seconds()
            shown = old.at(machine)
            changed = Setting(old.offset_seconds, shown) if frozen else Setting(shown - machine)
            _store(db, changed)
        self._keep(changed)

    def ahead(self) -> tuple[float, bool]:
        """Seconds by which the clock is ahead of the machine, and whether it is stopped."""
        with self._reading.connect() as db:
            setting = self._keep(_load(db))
        machine = self._machine_seconds()
        return setting.at(machine) - machine, setting.frozen_at is not None

    def _keep(self, setting: Setting) -> Setting:
        self._cached = (setting, time.monotonic())
        return setting


def _load(db: Connection, lock: bool = False) -> Setting:
    row = db.execute(_LOCK if lock else _LOOK).one_or_none()
    return Setting(row.offset_seconds, row.frozen_at) if row is not None else Setting()


def _store(db: Connection, setting: Setting) -> None:
    put(db, table, [(ONLY_ROW, setting.offset_seconds, setting.frozen_at)], fresh=False)
