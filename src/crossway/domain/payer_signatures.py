"""Signatures by which payers let us move their tokens to a deposit address, and their states."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import InvalidTransition


class SignatureState(StrEnum):
    """STORED: to be carried out, or being so. PAID: the tokens moved to the deposit address, by us
    or by somebody else. USED_ELSEWHERE: its nonce was used for another transfer. CANCELLED: the
    payer made its nonce worthless. REFUSED: the token refused it. LAPSED: no longer needed, or too
    late."""

    STORED = "STORED"
    PAID = "PAID"
    USED_ELSEWHERE = "USED_ELSEWHERE"
    CANCELLED = "CANCELLED"
    REFUSED = "REFUSED"
    LAPSED = "LAPSED"


class SignatureEvent(StrEnum):
    """What can happen to a payer's signature."""

    PAY = "PAY"
    USE_ELSEWHERE = "USE_ELSEWHERE"
    CANCEL = "CANCEL"
    REFUSE = "REFUSE"
    LAPSE = "LAPSE"
    REVERSE = "REVERSE"


S, E = SignatureState, SignatureEvent
SIGNATURE_TRANSITIONS: Final = MappingProxyType(
    {
        (S.STORED, E.PAY): S.PAID,
        (S.STORED, E.USE_ELSEWHERE): S.USED_ELSEWHERE,
        (S.STORED, E.CANCEL): S.CANCELLED,
        (S.STORED, E.REFUSE): S.REFUSED,
        (S.STORED, E.LAPSE): S.LAPSED,
        # A reorg removed the transaction that carried it out.
        (S.PAID, E.REVERSE): S.STORED,
    }
)


def advance_signature(state: SignatureState, event: SignatureEvent) -> SignatureState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = SIGNATURE_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to a signature that is {state}")
    return new_state


class SignatureStandard(StrEnum):
    """How a token, or a contract that its holder approved, is told to move it by a signature."""

    EIP3009 = "EIP3009"
    PERMIT2 = "PERMIT2"


@dataclass(frozen=True, slots=True)
class Authorization:
    """What a payer signs: that `amount` units of a token move from `payer` to `to`, once for each
    `nonce` of that account (`0x` and 64 hex digits), in blocks after `valid_after` and before
    `valid_before`, in Unix seconds."""

    standard: SignatureStandard
    chain: str
    token: str
    payer: str
    to: str
    amount: int
    valid_after: int
    valid_before: int
    nonce: str


@dataclass(frozen=True, slots=True)
class PayerSignature:
    """A payer's signature for a payment, as it is stored before it is sent. `tx_id` is what moved
    the tokens, or used the nonce otherwise; `reason` says why it ended. `revert_count` counts
    transactions of ours that failed to carry it out."""

    id: int
    intent_id: int
    authorization: Authorization
    signature: bytes
    state: SignatureState
    reason: str
    tx_id: str | None
    revert_count: int
    created_at: datetime
    updated_at: datetime

    @property
    def is_by_permit(self) -> bool:
        """Whether Permit2 moves the tokens, and not the token itself."""
        return self.authorization.standard is SignatureStandard.PERMIT2


@dataclass(frozen=True, slots=True)
class SignatureOutcome:
    """What a chain, or the clock, says became of a stored signature."""

    event: SignatureEvent
    reason: str = ""
    tx_id: str | None = None
