"""Why Crossway's contracts revert, in the same words on every chain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE


@dataclass(frozen=True, slots=True)
class RevertReason:
    """A contract's error as a message; `permanent` when the same call can never succeed."""

    message: str
    permanent: bool


REVERT_REASONS: Final[Mapping[str, RevertReason]] = {
    "ALREADY_STARTED": RevertReason(ALREADY_DONE, True),
    "ALREADY_FILLED": RevertReason(ALREADY_DONE, True),
    "ALREADY_SETTLED": RevertReason(ALREADY_DONE, True),
    "NOTHING_LEFT": RevertReason(NOTHING_TO_MOVE, False),
    "EXPIRED": RevertReason("the time in which it could be started is over", True),
    "TOO_EARLY": RevertReason("it is too early for this", False),
    "SHORT": RevertReason("the deposit address holds less than the total", False),
    "NOT_STARTED": RevertReason("the deposit was not collected", False),
    "REFUSED": RevertReason("the receiver or the token refuses this transfer", True),
    "RECEIVED_LESS": RevertReason("the token keeps a part of what is sent", True),
    "BAD_TERMS": RevertReason("the contract does not accept the terms", True),
    "NOT_ALLOWED": RevertReason("this account may not do this", True),
    "WRONG_CHAIN": RevertReason("the terms name another chain", True),
    "WRONG_VALUE": RevertReason("another value was sent along", True),
    "TOO_MUCH": RevertReason("more was to be paid out than was collected", True),
    "BALANCE_UNKNOWN": RevertReason("the token does not say what is held", False),
}
"""Errors that the contracts of several families share, by name in upper snake case."""

UNKNOWN_REVERT = RevertReason("the transaction reverted", False)
