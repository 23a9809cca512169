"""What Paycrest says, in its own words, and what that means to Crossway."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from crossway.adapters.ramps.exact import Number, Wire, down, instant
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Outcome, Report

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BOTH: Final = {
    "initiated": Outcome.WAITING,
    "deposited": Outcome.PAID,
    "pending": Outcome.PAID,
    "fulfilling": Outcome.PAID,
    "fulfilled": Outcome.PAID,
    "settled": Outcome.DELIVERED,
    "cancelled": Outcome.CANCELLED,
    "refunding": Outcome.FAILED,
    "refunded": Outcome.REFUNDED,
    "expired": Outcome.EXPIRED,
}
# The local money of an off-ramp has arrived once it is validated; what is settled then is
# between Paycrest and its provider. An on-ramp's crypto is on its way until it is settled.
OUTCOMES: Final[Mapping[Direction, Mapping[str, Outcome]]] = {
    Direction.ON: _BOTH | {"validated": Outcome.PAID, "settling": Outcome.PAID},
    Direction.OFF: _BOTH | {"validated": Outcome.DELIVERED, "settling": Outcome.DELIVERED},
}
DIRECTIONS: Final = {"onramp": Direction.ON, "offramp": Direction.OFF}
HELD: Final = "compliance_hold"
HELD_REASON: Final = "Paycrest holds the payment for review; its support has to be asked"
REFUNDING_REASON: Final = "Paycrest found nobody to deliver and gives the payment back"


class RateSide(Wire):
    """The rate of one direction, local money per token."""

    rate: Number


class Rates(Wire):
    """What a token costs (`buy`) and brings (`sell`)."""

    buy: RateSide | None = None
    sell: RateSide | None = None


class RatesAnswer(Wire):
    """The answer of GET /v2/rates."""

    data: Rates


class Account(Wire):
    """Where the user pays: a bank account for an on-ramp, an address for an off-ramp."""

    institution: str | None = None
    account_identifier: str | None = None
    account_name: str | None = None
    amount_to_transfer: Number | None = None
    currency: str | None = None
    valid_until: str | None = None
    network: str | None = None
    receive_address: str | None = None
    memo: str | None = None


class Order(Wire):
    """An order as it is created, found, listed and reported."""

    id: str
    status: str
    direction: str | None = None
    amount: Number
    rate: Number | None = None
    sender_fee: Number = "0"
    transaction_fee: Number = "0"
    reference: str | None = None
    tx_hash: str | None = None
    provider_account: Account | None = None
    source: Mapping[str, Any] = {}
    destination: Mapping[str, Any] = {}
    updated_at: str | None = None
    created_at: str | None = None
    timestamp: str | None = None

    @property
    def way(self) -> Direction:
        """The direction, by its name or by what comes in."""
        named = DIRECTIONS.get(self.direction or "")
        if named is not None:
            return named
        return Direction.ON if self.source.get("type") == "fiat" else Direction.OFF

    @property
    def coin(self) -> tuple[str, str]:
        """The network and the symbol of the crypto side; empty where they are not told."""
        side = self.destination if self.way is Direction.ON else self.source
        recipient = side.get("recipient")
        where = recipient if isinstance(recipient, dict) else side
        return str(where.get("network", "")), str(side.get("currency", ""))


class OrderAnswer(Wire):
    """The answer with one order."""

    data: Order


class Page(Wire):
    """One page of orders, newest first."""

    total: int = 0
    orders: tuple[Order, ...] = ()


class PageAnswer(Wire):
    """The answer of GET /v2/sender/orders."""

    data: Page


class Webhook(Wire):
    """A webhook's body."""

    event: str
    data: Order


def report_of(order: Order, event: str = "", places: int | None = None) -> Report | None:
    """What an order's status says; None for one of no known meaning. `event` is the webhook's,
    which may say more than the status; `places` are the token's, None where unknown."""
    status = HELD if event.endswith(HELD) else order.status
    outcome = Outcome.FAILED if status == HELD else OUTCOMES[order.way].get(status)
    if outcome is None:
        return None
    moved = outcome not in (Outcome.WAITING, Outcome.EXPIRED, Outcome.CANCELLED)
    reasons = {HELD: HELD_REASON, "refunding": REFUNDING_REASON}
    told = order.updated_at or order.timestamp or order.created_at
    return Report(
        id=f"{order.id}:{status}",
        reference=order.id,
        outcome=outcome,
        at=instant(told, EPOCH),
        units=down(order.amount, places) if moved and places is not None else None,
        tx_hash=(order.tx_hash or "") if outcome is Outcome.DELIVERED else "",
        reason=reasons.get(status, ""),
    )
