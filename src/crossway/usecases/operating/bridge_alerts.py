"""Alerts about payments on their way over a bridge: when their cause is gone, and when it lasts."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.quotes import bridge_title
from crossway.ports.records import Alert
from crossway.ports.store import UnitOfWork

S = BridgeTransferState
DELAYED, HALTED, PARKED, UNFILLED = "delayed", "halted", "parked", "unfilled"
LONG_DELAY: Final = "long_delay"
LONG: Final = timedelta(hours=24)
_DELAYING: Final = (S.DELAYED, S.OVERDUE)
_UNFILLED: Final = (S.EXPIRED, S.REFUNDING)
_LASTING: Final[Mapping[str, tuple[BridgeTransferState, ...]]] = MappingProxyType(
    {
        DELAYED: _DELAYING,
        HALTED: (S.HALTED,),
        PARKED: (S.PARKED,),
        UNFILLED: _UNFILLED,
        LONG_DELAY: (*_DELAYING, *_UNFILLED),
    }
)
"""The states of a bridge transfer in which an alert of each kind stays active."""


def find_ended(unit: UnitOfWork, alerts: Sequence[Alert]) -> list[str]:
    """The keys of alerts whose bridge transfer has left the state that they are about."""
    about = {alert.key: int(alert.subject) for alert in alerts if alert.kind in _LASTING}
    transfers = unit.bridge_transfers.get_many(set(about.values()))
    return [
        alert.key
        for alert in alerts
        if alert.key in about
        and (
            about[alert.key] not in transfers
            or transfers[about[alert.key]].state not in _LASTING[alert.kind]
        )
    ]


def find_long_delays(
    unit: UnitOfWork, alerts: Sequence[Alert], now: datetime
) -> dict[str, tuple[int, str]]:
    """Transfers that have been delayed, or not refunded, for a day: alert key to payment and
    message."""
    known = {alert.key for alert in alerts}
    since = {
        int(alert.subject): alert.since
        for alert in alerts
        if alert.kind in (DELAYED, UNFILLED) and now - alert.since >= LONG
    }
    late = {i: since[i] for i in since if f"{LONG_DELAY}:{i}" not in known}
    transfers = unit.bridge_transfers.get_many(late)
    return {
        f"{LONG_DELAY}:{i}": (
            i,
            f"Payment {i} has waited for {bridge_title(transfer.bridge)} for a day, since "
            f"{late[i]:%Y-%m-%d %H:%M} UTC. {transfer.reason}".strip(),
        )
        for i, transfer in transfers.items()
        if transfer.state in _LASTING[LONG_DELAY]
    }
