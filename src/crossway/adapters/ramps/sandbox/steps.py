"""What a sandbox provider does next with an order, and what it says of it; no database, no time."""

from dataclasses import dataclass

from crossway.adapters.ramps.sandbox.behaviour import MOST_BPS, Behaviour
from crossway.adapters.ramps.sandbox.orders import Order, Said, Story
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Outcome

O = Outcome  # noqa: E741
CLOSED = (O.CANCELLED, O.EXPIRED)
STEERED = (O.PAID, O.DELIVERED, O.FAILED, O.REFUNDED)


@dataclass(frozen=True, slots=True)
class Seen:
    """What lies on the chain for an order: units at its own address; units that came back, and
    when the last of them did."""

    held: int = 0
    returned: int = 0
    returned_at: float = 0.0


def due(order: Order, seen: Seen, story: Story, how: Behaviour, now: float) -> Outcome | None:
    """What the provider does by itself now, if anything."""
    if O.REFUNDED in story or O.FAILED in story:
        return None
    if (delivered := story.get(O.DELIVERED)) is not None:
        return O.REFUNDED if _came_back(delivered, seen, how, now) else None
    if (paid := story.get(O.PAID)) is not None:
        if now < how.delivers_at(paid.at):
            return None
        if not any(end in story for end in CLOSED):
            return O.DELIVERED
        # What is paid after the end is given back, if there is a place for it.
        return O.REFUNDED if order.refund_address else None
    if order.direction is Direction.OFF and seen.held >= order.units:
        return O.PAID
    closed = any(end in story for end in CLOSED)
    return O.EXPIRED if now >= order.closes_at and not closed else None


def _came_back(delivered: Said, seen: Seen, how: Behaviour, now: float) -> bool:
    """Whether crypto that was delivered lies with the provider again, for long enough."""
    back = 0 < delivered.moved <= seen.returned
    return back and now >= how.delivers_at(seen.returned_at)


def objection(order: Order, story: Story, outcome: Outcome) -> str:
    """Why a person cannot let the provider say this now; empty when they can."""
    if outcome is O.REFUNDED and not order.refund_address:
        return f"names no address of its seller on {order.chain} to give the crypto back to"
    if outcome in story:
        return f"was reported {outcome} already"
    if O.REFUNDED in story:
        return "was refunded, and nothing comes after that"
    if O.DELIVERED in story and outcome is not O.REFUNDED:
        return "was delivered, and can only be refunded now"
    if O.FAILED in story and outcome is not O.REFUNDED:
        return "failed, and can only be refunded now"
    if outcome is O.REFUNDED and not (O.PAID in story or O.DELIVERED in story):
        return "was never paid, so there is nothing to refund"
    if outcome is O.FAILED and O.PAID not in story and any(end in story for end in CLOSED):
        return "was closed unpaid, so there is nothing to fail"
    return ""


def pays(order: Order, outcome: Outcome) -> bool:
    """Whether the provider sends crypto when it says this."""
    return outcome is (O.DELIVERED if order.direction is Direction.ON else O.REFUNDED)


def sent_units(order: Order, outcome: Outcome, how: Behaviour) -> int:
    """How much crypto it truly sends."""
    if outcome is O.DELIVERED:
        return short(order.units, how)
    return order.units


def short(amount: int, how: Behaviour) -> int:
    """An amount less what the provider keeps for itself."""
    return amount * (MOST_BPS - how.short_bps) // MOST_BPS


def said(
    order: Order, story: Story, outcome: Outcome, how: Behaviour, at: float, tx_hash: str = ""
) -> Said:
    """What the provider says; of a failure it names an amount only where money was taken."""
    on = order.direction is Direction.ON
    taken = outcome is O.PAID or O.PAID in story or O.DELIVERED in story
    fiat: int | None = None
    units: int | None = None
    if outcome is O.DELIVERED:
        # A payout of local money leaves no trace that shows it short, so what it says does.
        units, fiat = (order.units, None) if on else (None, short(order.fiat_minor, how))
    elif taken:
        units, fiat = (None, order.fiat_minor) if on else (order.units, None)
    moved = sent_units(order, outcome, how) if tx_hash else 0
    return Said(outcome, at, units, fiat, moved, tx_hash, _REASONS.get(outcome, ""))


_REASONS = {
    O.FAILED: "The provider could not deliver",
    O.CANCELLED: "Cancelled before it was paid",
    O.EXPIRED: "Nobody paid in time",
}
