"""One word, one colour and one icon for every state of a ramp order, and words for its events."""

from collections.abc import Mapping
from typing import Final

from crossway.dashboard.views.cells import Chip
from crossway.domain.ramps import Direction, OrderEvent, OrderState, RampOrder, provider_name

STATES: Final[Mapping[OrderState, Chip]] = {
    OrderState.PENDING: Chip("Pending", "gray", "schedule_send", "The provider is being asked"),
    OrderState.INITIATED: Chip("Initiated", "orange", "hourglass_top", "The user is to pay"),
    OrderState.PROCESSING: Chip("Processing", "violet", "sync", "Paid; it is being delivered"),
    OrderState.COMPLETED: Chip("Completed", "green", "check_circle", "The user has everything"),
    OrderState.CANCELLED: Chip("Cancelled", "gray", "block", "Called off before it was paid"),
    OrderState.EXPIRED: Chip("Expired", "gray", "timer_off", "Nobody paid in time"),
    OrderState.FAILED: Chip("Failed", "red", "error", "It could not be delivered"),
    OrderState.REFUNDED: Chip("Refunded", "yellow", "undo", "The user's money went back"),
}
EVENTS: Final[Mapping[str, tuple[str, str]]] = {
    "CREATED": ("Order created", "add_circle"),
    OrderEvent.ACCEPTED: ("The provider has the order", "handshake"),
    OrderEvent.REFUSED: ("The provider refused", "block"),
    OrderEvent.CONFIRM: ("The user says it is paid", "thumb_up"),
    OrderEvent.PAID: ("Paid", "payments"),
    OrderEvent.DELIVERED: ("Delivered", "check_circle"),
    OrderEvent.UNDELIVERED: ("Not delivered", "error"),
    OrderEvent.REFUNDED: ("The money went back", "undo"),
    OrderEvent.CANCEL: ("Cancelled", "block"),
    OrderEvent.LAPSED: ("Nobody paid in time", "timer_off"),
    OrderEvent.NOTED: ("Noted", "info"),
}
KINDS: Final[Mapping[Direction, str]] = {Direction.ON: "On-ramp", Direction.OFF: "Off-ramp"}


def said(order: RampOrder, words: str) -> str:
    """What is written of an order, with its provider's name for people."""
    return words.replace(order.provider, provider_name(order.provider))


def event(name: str) -> tuple[str, str]:
    """What an event is called and its icon; one without words is shown as it is named."""
    return EVENTS.get(name, (name.replace("_", " ").capitalize(), "circle"))


def who_acts(order: RampOrder) -> str:
    """Who acts next, as a sentence."""
    on, who = order.direction is Direction.ON, provider_name(order.provider)
    match order.state:
        case OrderState.PENDING:
            return f"Crossway: asks {who}, and asks again until it answers."
        case OrderState.INITIATED if on:
            return f"The user: pays {who}."
        case OrderState.INITIATED:
            return "The user: deposits the crypto at the order's address."
        case OrderState.PROCESSING if on:
            return f"{who}: delivers the crypto; then Crossway passes it on."
        case OrderState.PROCESSING:
            return f"Crossway and {who}: the crypto arrives, then local money is paid out."
        case OrderState.FAILED:
            giver = who if on else "Crossway"
            return f"{giver}: gives back what the user paid, if anything was paid."
    return "Nobody: this order is finished."
