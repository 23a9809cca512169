"""The actions on a ramp order, the reasons why some are disabled, and payment instructions."""

from crossway.dashboard.views.available_actions import AvailableAction
from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.fiat import format_fiat
from crossway.dashboard.views.formatting import format_amount, to_millis
from crossway.dashboard.views.ramp_order_detail import OrderDetail
from crossway.domain.ramps import Direction, OrderState, RampOrder

_OPEN = (OrderState.PENDING, OrderState.INITIATED)
_RUNNING = (OrderState.INITIATED, OrderState.PROCESSING)


def list_actions(order: RampOrder) -> list[AvailableAction]:
    """The operator's actions: confirm and cancel."""
    return [_confirm_action(order), _cancel_action(order)]


def _confirm_action(order: RampOrder) -> AvailableAction:
    is_on_ramp = order.direction is Direction.ON
    paid = _format_fiat_amount(order) if is_on_ramp else _format_gross_amount(order)
    reason = ""
    if order.state is not OrderState.INITIATED:
        state = order.state.lower()
        reason = f"Only an order awaiting payment can be confirmed; this one is {state}."
    effect = (
        "The provider is notified and checks for the payment"
        if is_on_ramp
        else "The order waits for it"
    )
    return AvailableAction(
        "confirm",
        "Confirm that the customer has paid",
        "thumb_up",
        confirm_text=f"The customer has sent {paid}. {effect}. It cannot be cancelled afterwards.",
        disabled_reason=reason,
    )


def _cancel_action(order: RampOrder) -> AvailableAction:
    confirm_text = "The provider closes the order. Later payments are refunded to the payer."
    reason = ""
    if order.state not in _OPEN:
        reason = f"Only an unpaid order can be cancelled; this one is {order.state.lower()}."
    return AvailableAction(
        "cancel",
        f"Cancel order #{order.id}",
        "block",
        confirm_text=confirm_text,
        disabled_reason=reason,
    )


def list_simulated_actions(order: RampOrder) -> list[AvailableAction]:
    """Reports a simulated provider can be made to send; simulated environment only."""
    is_on_ramp, state = order.direction is Direction.ON, order.state
    pay_label = (
        f"Customer pays {_format_fiat_amount(order)}"
        if is_on_ramp
        else f"Customer deposits {_format_gross_amount(order)}"
    )
    deliver_label = f"Provider delivers {'crypto' if is_on_ramp else _format_fiat_amount(order)}"
    unpaid = order.paid_at is None
    not_accepted = (
        "The provider does not have the order yet." if state is OrderState.PENDING else ""
    )
    ended = "" if state in _RUNNING else f"The order is {state.lower()}."
    not_refundable = "Nothing was paid that could be refunded." if unpaid else ""
    if state in (OrderState.COMPLETED, OrderState.REFUNDED):
        not_refundable = f"The order is {state.lower()}."
    already_paid = "" if unpaid else "Already paid."
    # An on-ramp user can pay the provider even after the order ended; that has to be refunded.
    too_late = (
        ""
        if is_on_ramp or state is OrderState.INITIATED
        else "Use the deposit action on the payment's page."
    )
    not_payable = not_accepted or already_paid or too_late
    not_running, not_refundable = not_accepted or ended, not_accepted or not_refundable
    return [
        AvailableAction("paid", pay_label, "payments", disabled_reason=not_payable, primary=True),
        AvailableAction(
            "delivered",
            deliver_label,
            "check_circle",
            disabled_reason=not_running,
            primary=not unpaid,
        ),
        AvailableAction("failed", "Provider fails", "error", disabled_reason=not_running),
        AvailableAction("refunded", "Provider refunds", "undo", disabled_reason=not_refundable),
    ]


def build_payment_instructions(detail: OrderDetail) -> tuple[Detail, ...]:
    """The provider's payment instructions, one copyable detail per line."""
    order = detail.order
    facts = [
        Detail(
            label, Cell(str(value), copy=_copy_text(label, str(value)), value_name=label.lower())
        )
        for label, value in order.instructions.items()
    ]
    time_left = Cell(at=to_millis(order.expires_at), as_="countdown", tone="strong")
    return (*facts, Detail("Time left", time_left))


def _copy_text(label: str, value: str) -> str:
    """The text to copy: an amount without its currency."""
    return value.split(" ")[0] if label.lower() == "amount" else value


def _format_fiat_amount(order: RampOrder) -> str:
    return format_fiat(order.fiat_minor, order.digits, order.currency)


def _format_gross_amount(order: RampOrder) -> str:
    return format_amount(order.gross_units, order.decimals, order.symbol)
