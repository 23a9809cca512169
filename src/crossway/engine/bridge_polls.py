"""When a transfer that a bridge carries is looked at again."""

from datetime import datetime, timedelta
from typing import Any, Final

from crossway.domain.bridge_transfer import ASKED_STATES, BridgeTransfer, poll_delay_seconds

ARRIVAL_POLL: Final = timedelta(seconds=30)
"""Anyone may deliver at any time: how often our own nodes are asked for an arrival."""


def is_to_be_asked(transfer: BridgeTransfer, now: datetime) -> bool:
    """Whether the bridge's service is due to be asked, and not only our own nodes."""
    return transfer.state in ASKED_STATES and (transfer.ask_at is None or transfer.ask_at <= now)


def next_poll(now: datetime, transfer: BridgeTransfer) -> dict[str, Any]:
    """The fields of a transfer whose bridge's service was asked now, and told nothing new."""
    ask_at = now + timedelta(seconds=poll_delay_seconds(transfer.poll_count))
    return {
        "poll_count": transfer.poll_count + 1,
        "ask_at": ask_at,
        "next_at": next_look(now, ask_at),
    }


def next_look(now: datetime, ask_at: datetime | None) -> datetime:
    """When our own nodes are asked again whether it has arrived: often, as they cost nothing, and
    no later than the service is due. One that is due already is being asked, or never is again."""
    look_at = now + ARRIVAL_POLL
    return look_at if ask_at is None or ask_at <= now else min(look_at, ask_at)
