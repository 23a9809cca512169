"""Ramp orders whose crypto is late on its way: the order says why, and its provider may have closed
it meanwhile."""

from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent, State
from crossway.domain.ramps import Direction, OrderEvent, OrderState, provider_name
from crossway.usecases.payments.delays import PaymentDelay, find_delay
from crossway.usecases.ramps.order_unit_of_work import DELAYED, OrderUnitOfWork

UNCLAIMED_REASON: Final = (
    "The recipient could not be paid. The coordinator took the crypto out of the bridge's contract "
    "after 30 days, and the operator settles it with the recipient"
)
_CLOSED_ON_THE_WAY: Final = (
    "{provider} has closed the order, but its crypto is on the way and cannot be called back. Once "
    "it arrives, {provider} pays out or returns it."
)
_CLOSED: Final = (
    "{provider} closed the order before its crypto arrived. It has it now, and pays out or returns "
    "it."
)
_NO_LONGER_LATE: Final = "No longer late"


def apply_delay(uow: OrderUnitOfWork) -> None:
    """Say why a paid order is late, once for each reason, and raise an alert when that lasts."""
    order, intent = uow.order, uow.intent
    if order.state is not OrderState.PROCESSING or intent is None:
        return
    delay = _find_delay(uow, intent)
    reason = "" if delay is None else delay.reason
    if reason and reason != order.delay_reason:
        uow.apply_event(OrderEvent.DELAYED, reason, delay_reason=reason)
    elif order.delay_reason and not reason:
        uow.add_note(_NO_LONGER_LATE, delay_reason="")
    if delay is not None and delay.needs_attention:
        uow.raise_alert(DELAYED, f"it is late. {delay.reason}")
    elif delay is None:
        uow.resolve_alert(DELAYED)


def is_parked(uow: OrderUnitOfWork) -> bool:
    """Whether the order's crypto arrived and waits in the bridge's contract for its recipient, to
    whom alone it can go."""
    intent, transfer = uow.intent, uow.transfer
    is_failed = intent is not None and intent.state is State.FAILED
    return is_failed and transfer is not None and transfer.state is BridgeTransferState.PARKED


def note_closed_on_the_way(uow: OrderUnitOfWork, reason: str) -> bool:
    """Record that the provider of an off-ramp closed it as unpaid although its crypto, which cannot
    be called back, is on the way. Returns False where it is not, so that the order just ends."""
    order, intent = uow.order, uow.intent
    if order.direction is Direction.ON or intent is None:
        return False
    if intent.state not in (State.FUNDED, State.INITIATED) and not is_parked(uow):
        return False
    if order.provider_closed_at is None:
        note = f"{reason}, although its crypto is on the way"
        uow.add_note(note, provider_closed_at=uow.now)
    return True


def _find_delay(uow: OrderUnitOfWork, intent: Intent) -> PaymentDelay | None:
    """The delay on the way, and that the provider closed the order meanwhile."""
    order = uow.order
    outbound_txs = uow.unit.outbound_txs.list_unsettled([intent.id])
    delay = find_delay(intent, uow.transfer, outbound_txs, uow.now)
    if order.provider_closed_at is None:
        return delay
    text = _CLOSED if intent.state is State.COMPLETED else _CLOSED_ON_THE_WAY
    closed = text.format(provider=provider_name(order.provider))
    return PaymentDelay(f"{delay.reason} {closed}" if delay else closed, True)
