"""What the planner decides for one due outbound transaction."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a due transaction; exactly one of `sign`, `wait_reason`, `cancel_reason`,
    `fail_reason`, `refusal`, `give_up_reason`, `already_done`, `keep_as_dust` and `revive_start` is
    set.

    `alert_key` is the key of the alert to raise when a wait needs an operator. `fail_reason` gives
    the transaction up for good, and so does `refusal`, a payout that its recipient refused once and
    would refuse again. `give_up_reason`: the payout waited beyond its deadline and nothing
    was paid, so the deposit goes back. `already_done`: the chain shows that it was executed before.
    `keep_as_dust`: the rest is worth less than the fee of returning it. `revive_start`: the start
    was executed, so there is nothing to refund.
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
    keep_as_dust: bool = False
    revive_start: bool = False


SIGN = Decision(sign=True)
