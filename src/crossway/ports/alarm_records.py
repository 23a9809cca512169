"""Alarms as remembered: what stands, what is over, and who has seen to it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.ports.records import Alarm


@dataclass(frozen=True, slots=True)
class PastAlarm:
    """An alarm that is over, under the number of this time that it stood."""

    id: int
    alarm: Alarm


@dataclass(frozen=True, slots=True)
class AlarmFilter:
    """Which past alarms a list shows; an empty field asks nothing."""

    kinds: tuple[str, ...] = ()
    acknowledged: bool | None = None
    before_id: int | None = None


class AlarmRecords(Protocol):
    """What a person should know, until it is over."""

    def raise_alarm(self, alarm: Alarm) -> None:
        """Raise it, or keep it raised: since when, and who saw to it, stays."""
        ...

    def clear_alarms(self, keys: Collection[str], at: datetime) -> None:
        """Let those that stand be over; raised again they are new."""
        ...

    def alarms(self, limit: int = 200) -> list[Alarm]:
        """Those that stand, newest first."""
        ...

    def acknowledge_alarms(
        self, keys: Collection[str], by: str, note: str, at: datetime
    ) -> list[str]:
        """Somebody has seen to these; answers the keys of those that nobody had seen to."""
        ...

    def past_alarms(self, wanted: AlarmFilter, limit: int) -> list[PastAlarm]:
        """Those that are over, newest first."""
        ...
