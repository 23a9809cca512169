"""What the planner decides for one due outbound transaction."""

from dataclasses import dataclass, replace
from datetime import datetime

from crossway.domain.bridge_transfer import BridgeTransferEvent
from crossway.domain.payer_signatures import SignatureOutcome
from crossway.ports.chain import IncludedTx
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer


@dataclass(frozen=True, slots=True)
class FoundTx:
    """A transaction of somebody else that did what one of ours is due for."""

    tx_id: str
    included: IncludedTx


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a due transaction; exactly one of `sign`, `wait_reason`, `cancel_reason`,
    `fail_reason`, `refusal`, `give_up_reason`, `already_done`, `keep_as_dust` and `revive_start` is
    set.

    `alert_key` is the key of the alert to raise when a wait needs an operator. `fail_reason` gives
    the transaction up for good, and so does `refusal`, a payout that its recipient refused once and
    would refuse again. `give_up_reason`: the payout waited beyond its deadline and nothing
    was paid, so the deposit goes back. `already_done`: the chain shows that it was executed before.
    `found`: somebody else has done it.
    `keep_as_dust`: the rest is worth less than the fee of returning it. `revive_start`: the start
    was executed, so there is nothing to refund. `give_back`: a bridge's contract must give the
    deposit back first. `transfer_event` happens to the bridge transfer.
    `funding` is what a bridge is to bring for a payment that is started. `ends_in_time`: a wait
    that is given up at the payout's deadline, as one that needs an operator is.
    `signature_outcome` is what became of the payer's signature that it was to carry out.
    """

    sign: bool = False
    wait_reason: str = ""
    wait_until: datetime | None = None
    alert_key: str = ""
    cancel_reason: str = ""
    fail_reason: str = ""
    refusal: str = ""
    give_up_reason: str = ""
    already_done: bool = False
    found: FoundTx | None = None
    keep_as_dust: bool = False
    revive_start: bool = False
    give_back: bool = False
    transfer_event: BridgeTransferEvent | None = None
    funding: NewInventoryTransfer | None = None
    ends_in_time: bool = False
    signature_outcome: SignatureOutcome | None = None

    def with_transfer_event(self, event: BridgeTransferEvent | None) -> "Decision":
        """The same decision, with what happens to the bridge transfer."""
        return replace(self, transfer_event=event)


SIGN = Decision(sign=True)
