"""Approvals: what is asked for and a second person must agree to, and the table of their states."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.errors import InvalidTransition


class ApprovalKind(StrEnum):
    """What is asked for: to release the emergency stop, to send a refund elsewhere than to its
    refund address, to return a deposit by hand, to add an address to the address book, or to raise
    or remove a daily cap."""

    STOP_RELEASE = "STOP_RELEASE"
    REFUND_ELSEWHERE = "REFUND_ELSEWHERE"
    MANUAL_RETURN = "MANUAL_RETURN"
    TREASURY_ADDRESS = "TREASURY_ADDRESS"
    TRANSFER_CAP = "TRANSFER_CAP"


class ApprovalState(StrEnum):
    """REQUESTED: waits for a second person. CARRIED_OUT: they agreed, and with their agreement it
    was done. CANCELLED: whoever asked took it back, or its subject has gone."""

    REQUESTED = "REQUESTED"
    CARRIED_OUT = "CARRIED_OUT"
    DECLINED = "DECLINED"
    EXPIRED = "EXPIRED"
    CANCELLED = "CANCELLED"


class ApprovalEvent(StrEnum):
    """What can happen to an approval."""

    APPROVE = "APPROVE"
    DECLINE = "DECLINE"
    EXPIRE = "EXPIRE"
    CANCEL = "CANCEL"


S, E = ApprovalState, ApprovalEvent
APPROVAL_TRANSITIONS: Final = MappingProxyType(
    {
        (S.REQUESTED, E.APPROVE): S.CARRIED_OUT,
        (S.REQUESTED, E.DECLINE): S.DECLINED,
        (S.REQUESTED, E.EXPIRE): S.EXPIRED,
        (S.REQUESTED, E.CANCEL): S.CANCELLED,
    }
)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks or decides: `name` as the audit log has it, and an `identity` that stays the same
    under every name. Two people have two identities."""

    name: str
    identity: str


@dataclass(frozen=True, slots=True)
class NewApproval:
    """What somebody asks for. There is one open approval for each kind and subject, such as
    `intent:12`. `detail` is what is carried out and shown; `micro_usd` is its value, None where
    it has none or it is unknown."""

    kind: ApprovalKind
    subject: str
    micro_usd: int | None
    requested_by: Actor
    requested_at: datetime
    expires_at: datetime
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval as stored; nobody has decided while `decided_by` has no name. `reason` is why
    it was declined or taken back."""

    id: int
    kind: ApprovalKind
    subject: str
    detail: Mapping[str, Any]
    micro_usd: int | None
    state: ApprovalState
    requested_by: Actor
    requested_at: datetime
    expires_at: datetime
    decided_by: Actor
    decided_at: datetime | None
    reason: str

    def after(self, event: ApprovalEvent, by: Actor, at: datetime, reason: str = "") -> "Approval":
        """The approval after an event. Raises `InvalidTransition` when the event cannot happen in
        its state."""
        state = advance_approval(self.state, event)
        return replace(self, state=state, decided_by=by, decided_at=at, reason=reason)

    def is_overdue(self, now: datetime) -> bool:
        """Whether it is open and its time is over, so that nobody can agree to it any more."""
        return self.state is S.REQUESTED and now >= self.expires_at


def advance_approval(state: ApprovalState, event: ApprovalEvent) -> ApprovalState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = APPROVAL_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to an approval that is {state}")
    return new_state
