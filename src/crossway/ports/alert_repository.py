"""The repository of alerts: active ones, resolved ones and their acknowledgements."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.ports.records import Alert


@dataclass(frozen=True, slots=True)
class ResolvedAlert:
    """A resolved alert; each time that an alert was active has its own id."""

    id: int
    alert: Alert


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Filters a list of resolved alerts; an empty field matches all."""

    kinds: tuple[str, ...] = ()
    acknowledged: bool | None = None
    before_id: int | None = None


class AlertRepository(Protocol):
    """Active and resolved alerts."""

    def raise_alert(self, alert: Alert) -> None:
        """Make an alert active, or update its message and time; `since` and an acknowledgement
        stay."""
        ...

    def resolve(self, keys: Collection[str], at: datetime) -> None:
        """Resolve the active alerts with these keys; raised again, they are new."""
        ...

    def list_active(self, limit: int = 200, kind: str | None = None) -> list[Alert]:
        """Active alerts, or those of one kind, newest first."""
        ...

    def acknowledge(self, keys: Collection[str], by: str, note: str, at: datetime) -> list[str]:
        """Acknowledge active alerts; returns the keys of those not acknowledged before."""
        ...

    def assign(self, keys: Collection[str], name: str) -> list[str]:
        """Assign active alerts to somebody, or with an empty name to nobody; returns the keys of
        those for which that is new."""
        ...

    def snooze(self, keys: Collection[str], until: datetime | None) -> list[str]:
        """Snooze active alerts until a time, or with None no longer; returns the keys of those for
        which that is new."""
        ...

    def end_snoozes(self, now: datetime) -> int:
        """End the snoozes whose time has come; returns of how many alerts."""
        ...

    def list_resolved(self, filter: AlertFilter, limit: int) -> list[ResolvedAlert]:
        """Resolved alerts, newest first."""
        ...
