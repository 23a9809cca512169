"""The simulated clock: the machine's clock moved by a number of seconds, or stopped."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, select

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.tables import simulated_clock as table
from crossway.domain.errors import InvalidInput

CACHE_SECONDS = 0.25
ONLY_ROW = 1
_SELECT = select(table.c.offset_seconds, table.c.frozen_at).where(table.c.id == ONLY_ROW)
_SELECT_FOR_UPDATE = _SELECT.with_for_update()


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """The clock's offset from the machine's, and the time at which it is stopped, if it is."""

    offset_seconds: float = 0.0
    frozen_at: float | None = None

    def at(self, machine_seconds: float) -> float:
        """The clock's time in epoch seconds at this time of the machine."""
        return machine_seconds + self.offset_seconds if self.frozen_at is None else self.frozen_at


class SimulatedClock:
    """`ports.clock.Clock` whose setting is in the database, so that every process follows it.

    The process that moves it sees the change at once, others within a quarter of a second.
    """

    def __init__(
        self, writing: Engine, reading: Engine, machine_seconds: Callable[[], float] = time.time
    ) -> None:
        self._writing = writing
        self._reading = reading
        self._machine_seconds = machine_seconds
        self._cached: tuple[ClockSetting, float] | None = None
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
                return self._refresh()
        # One thread refreshes: each of many would hold a second connection of the pool.
        is_stale = time.monotonic() - cached[1] > CACHE_SECONDS
        if is_stale and self._turn.acquire(blocking=False):
            try:
                return self._refresh()
            finally:
                self._turn.release()
        return cached[0].at(self._machine_seconds())

    def _refresh(self) -> float:
        with self._reading.connect() as db:
            return self.read(db)

    def read(self, db: Connection) -> float:
        """The clock's time in epoch seconds by the stored setting."""
        return self._cache(_load(db)).at(self._machine_seconds())

    def advance(self, seconds: float) -> None:
        """Move the clock forward, whether it is stopped or not."""
        if not 0 <= seconds < 1e10:
            raise InvalidInput("advanceSeconds must be a number of seconds, zero or more")
        with self._writing.begin() as db:
            setting = _load(db, lock=True)
            frozen_at = None if setting.frozen_at is None else setting.frozen_at + seconds
            new_setting = ClockSetting(
                setting.offset_seconds + (0.0 if frozen_at is not None else seconds), frozen_at
            )
            _store(db, new_setting)
        self._cache(new_setting)

    def freeze(self, frozen: bool) -> None:
        """Stop the clock, or let it continue from its current time."""
        with self._writing.begin() as db:
            setting = _load(db, lock=True)
            machine_seconds = self._machine_seconds()
            clock_seconds = setting.at(machine_seconds)
            new_setting = (
                ClockSetting(setting.offset_seconds, clock_seconds)
                if frozen
                else ClockSetting(clock_seconds - machine_seconds)
            )
            _store(db, new_setting)
        self._cache(new_setting)

    def offset(self) -> tuple[float, bool]:
        """Seconds by which the clock is ahead of the machine, and whether it is stopped."""
        with self._reading.connect() as db:
            setting = self._cache(_load(db))
        machine = self._machine_seconds()
        return setting.at(machine) - machine, setting.frozen_at is not None

    def _cache(self, setting: ClockSetting) -> ClockSetting:
        self._cached = (setting, time.monotonic())
        return setting


def _load(db: Connection, lock: bool = False) -> ClockSetting:
    row = db.execute(_SELECT_FOR_UPDATE if lock else _SELECT).one_or_none()
    return ClockSetting(row.offset_seconds, row.frozen_at) if row is not None else ClockSetting()


def _store(db: Connection, setting: ClockSetting) -> None:
    insert_rows(db, table, [(ONLY_ROW, setting.offset_seconds, setting.frozen_at)], fresh=False)
