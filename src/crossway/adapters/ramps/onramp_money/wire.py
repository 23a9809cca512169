"""What Onramp Money says, in its own words, and what that means to Crossway."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from crossway.adapters.ramps.exact import Number, Wire, down, instant
from crossway.ports.ramps import Outcome, Report

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# An attempt that was given up (-2) or timed out (-1) ends nothing: the page stays open for the
# user to try again, until the order lapses. 1 is the user's word alone.
OUTCOMES: Final = {
    -4: Outcome.FAILED,
    -3: Outcome.FAILED,
    0: Outcome.WAITING,
    1: Outcome.WAITING,
    2: Outcome.PAID,
    3: Outcome.PAID,
    11: Outcome.PAID,
    12: Outcome.PAID,
    13: Outcome.PAID,
    14: Outcome.PAID,
    4: Outcome.DELIVERED,
    5: Outcome.DELIVERED,
    15: Outcome.DELIVERED,
    16: Outcome.DELIVERED,
}
REASONS: Final = {
    -4: "The user paid another amount than the order's",
    -3: "The name on the bank account is not the name of the person",
}
# Which of several attempts counts: the one that got furthest.
RANKS: Final = {Outcome.WAITING: 0, Outcome.FAILED: 1, Outcome.PAID: 2, Outcome.DELIVERED: 3}


class Offer(Wire):
    """What a fiat amount buys: all fees are in the fiat currency, the rate per coin."""

    rate: Number
    quantity: Number
    onramp_fee: Number = "0"
    client_fee: Number = "0"
    gateway_fee: Number = "0"
    gas_fee: Number = "0"


class Attempt(Wire):
    """One order that a user made on the page, from the history or a webhook."""

    order_id: int
    status: int
    merchant_recognition_id: str | int | None = None
    fiat_amount: Number | None = None
    actual_crypto_amount: Number | None = None
    transaction_hash: str | None = None
    wallet_address: str | None = None
    updated_at: str | None = None
    created_at: str | None = None

    @property
    def reference(self) -> str:
        """Ours, as the page was opened with it."""
        return str(self.merchant_recognition_id or "")


class Said(Wire):
    """The shell of every answer: `status` 1 says that it went well."""

    status: int
    error: str | None = None
    message: str | None = None


class OfferAnswer(Wire):
    """The answer of quotes."""

    data: Offer


class History(Wire):
    """The answer of merchantHistory."""

    data: tuple[Attempt, ...] = ()


def furthest(attempts: Iterable[Attempt]) -> Attempt | None:
    """The attempt that counts, if any says something."""
    telling = [one for one in attempts if one.status in OUTCOMES]
    return max(telling, key=lambda one: (RANKS[OUTCOMES[one.status]], one.order_id), default=None)


def report_of(attempt: Attempt, places: int | None) -> Report | None:
    """What an attempt says; `places` are the token's, None where unknown. Its fiat amount is what
    the user meant to pay, so it is told only once it was paid."""
    outcome = OUTCOMES.get(attempt.status)
    if outcome is None:
        return None
    delivered, amount = outcome is Outcome.DELIVERED, attempt.actual_crypto_amount
    return Report(
        id=f"{attempt.order_id}:{attempt.status}",
        reference=attempt.reference,
        outcome=outcome,
        at=instant(attempt.updated_at or attempt.created_at, EPOCH),
        units=down(amount, places) if delivered and amount and places is not None else None,
        tx_hash=(attempt.transaction_hash or "") if delivered else "",
        reason=REASONS.get(attempt.status, ""),
    )
