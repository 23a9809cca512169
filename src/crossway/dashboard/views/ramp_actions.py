"""What may be done to one ramp order now, named by its effect, or why not; how its user pays."""

from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.fiat import fiat_amount
from crossway.dashboard.views.figures import amount, millis
from crossway.dashboard.views.offers import Offer
from crossway.dashboard.views.ramp_story import OrderStory
from crossway.domain.ramps import Direction, OrderState, RampOrder

_OPEN = (OrderState.PENDING, OrderState.INITIATED)
_RUNNING = (OrderState.INITIATED, OrderState.PROCESSING)


def offers(order: RampOrder) -> list[Offer]:
    """Confirm and cancel."""
    return [_confirm(order), _cancel(order)]


def _confirm(order: RampOrder) -> Offer:
    on = order.direction is Direction.ON
    paid = _local(order) if on else _gross(order)
    why = ""
    if order.state is not OrderState.INITIATED:
        state = order.state.lower()
        why = f"Only an order that waits for its payment can be confirmed; this one is {state}."
    told = "The provider is told, and looks for the money" if on else "The order waits for it"
    return Offer(
        "confirm",
        "Confirm that the user has paid",
        "thumb_up",
        asks=f"The user says that {paid} is on its way. {told}; it can no longer be cancelled.",
        why_not=why,
    )


def _cancel(order: RampOrder) -> Offer:
    asks = "The provider is told to close it. What is paid after that goes back to who paid it."
    why = ""
    if order.state not in _OPEN:
        why = f"Only an unpaid order can be cancelled; this one is {order.state.lower()}."
    return Offer("cancel", f"Cancel order #{order.id}", "block", asks=asks, why_not=why)


def simulated_offers(order: RampOrder) -> list[Offer]:
    """What a sandbox provider can be told to report, on the simulated network alone."""
    on, state = order.direction is Direction.ON, order.state
    pays = f"User pays {_local(order)}" if on else f"User deposits {_gross(order)}"
    gives = f"Provider delivers {'crypto' if on else _local(order)}"
    unpaid = order.paid_at is None
    early = "The provider does not have the order yet." if state is OrderState.PENDING else ""
    ended = "" if state in _RUNNING else f"The order is {state.lower()}."
    never = "Nothing was paid that could go back." if unpaid else ""
    if state in (OrderState.COMPLETED, OrderState.REFUNDED):
        never = f"The order is {state.lower()}."
    twice = "" if unpaid else "Paid already."
    # The user of an on-ramp can pay a provider after the end, too: that money has to go back.
    late = "" if on or state is OrderState.INITIATED else "Deposit on its payment's page."
    return [
        Offer("paid", pays, "payments", why_not=early or twice or late, main=True),
        Offer("delivered", gives, "check_circle", why_not=early or ended, main=not unpaid),
        Offer("failed", "Provider fails", "error", why_not=early or ended),
        Offer("refunded", "Provider refunds", "undo", why_not=early or never),
    ]


def instructions(story: OrderStory) -> tuple[Fact, ...]:
    """How the user pays the provider, line by line, each to copy."""
    order = story.order
    facts = [
        Fact(label, Cell(str(value), copy=_bare(label, str(value)), what=label.lower()))
        for label, value in order.instructions.items()
    ]
    left = Cell(at=millis(order.expires_at), as_="countdown", tone="strong")
    return (*facts, Fact("Time left", left))


def _bare(label: str, value: str) -> str:
    """What is pasted: an amount goes without its currency."""
    return value.split(" ")[0] if label.lower() == "amount" else value


def _local(order: RampOrder) -> str:
    return fiat_amount(order.fiat_minor, order.digits, order.currency)


def _gross(order: RampOrder) -> str:
    return amount(order.gross_units, order.decimals, order.symbol)
