"""The label, colour and icon of every status and event of a ramp order."""

from collections.abc import Mapping
from typing import Final

from crossway.dashboard.views.cells import Badge
from crossway.domain.ramps import Direction, OrderEvent, OrderState, RampOrder, provider_name

STATES: Final[Mapping[OrderState, Badge]] = {
    OrderState.PENDING: Badge(
        "Pending", "gray", "schedule_send", "Being requested from the provider"
    ),
    OrderState.INITIATED: Badge(
        "Awaiting payment", "orange", "hourglass_top", "The customer has not paid yet"
    ),
    OrderState.PROCESSING: Badge("Processing", "violet", "sync", "Paid; delivery in progress"),
    OrderState.COMPLETED: Badge("Completed", "green", "check_circle", "Delivered to the customer"),
    OrderState.CANCELLED: Badge("Cancelled", "gray", "block", "Cancelled before payment"),
    OrderState.EXPIRED: Badge("Expired", "gray", "timer_off", "Not paid before the deadline"),
    OrderState.FAILED: Badge("Failed", "red", "error", "Delivery failed"),
    OrderState.REFUNDED: Badge("Refunded", "yellow", "undo", "The customer was refunded"),
}
EVENTS: Final[Mapping[str, tuple[str, str]]] = {
    "CREATED": ("Order created", "add_circle"),
    OrderEvent.ACCEPTED: ("Accepted by the provider", "handshake"),
    OrderEvent.REFUSED: ("Rejected by the provider", "block"),
    OrderEvent.CONFIRM: ("Payment reported by the customer", "thumb_up"),
    OrderEvent.PAID: ("Paid", "payments"),
    OrderEvent.DELIVERED: ("Delivered", "check_circle"),
    OrderEvent.UNDELIVERED: ("Delivery failed", "error"),
    OrderEvent.REFUNDED: ("Refunded", "undo"),
    OrderEvent.CANCEL: ("Cancelled", "block"),
    OrderEvent.DELAYED: ("Late", "schedule"),
    OrderEvent.LAPSED: ("Expired, not paid", "timer_off"),
    OrderEvent.NOTED: ("Note", "info"),
}
LATE: Final = Badge("Late", "orange", "schedule", "Paid, but late on its way")
DIRECTIONS: Final[Mapping[Direction, str]] = {Direction.ON: "On-ramp", Direction.OFF: "Off-ramp"}


def with_provider_name(order: RampOrder, text: str) -> str:
    """A text about an order with the provider's id replaced by its display name."""
    return text.replace(order.provider, provider_name(order.provider))


def describe_event(name: str) -> tuple[str, str]:
    """The title and the icon of an event; an unknown event is shown by its name."""
    return EVENTS.get(name, (name.replace("_", " ").capitalize(), "circle"))


def describe_next_actor(order: RampOrder) -> str:
    """Who acts next and how, as a sentence."""
    is_on_ramp, provider = order.direction is Direction.ON, provider_name(order.provider)
    match order.state:
        case OrderState.PENDING:
            return f"Crossway requests the order from {provider} and retries until it responds."
        case OrderState.INITIATED if is_on_ramp:
            return f"The customer pays {provider}."
        case OrderState.INITIATED:
            return "The customer deposits the crypto at the order's address."
        case OrderState.PROCESSING if is_on_ramp:
            return f"{provider} delivers the crypto, then Crossway forwards it."
        case OrderState.PROCESSING:
            return f"Crossway delivers the crypto to {provider}, which then pays out the fiat."
        case OrderState.FAILED:
            refunder = provider if is_on_ramp else "Crossway"
            return f"{refunder} refunds the customer if a payment was made."
    return "None. This order is finished."
