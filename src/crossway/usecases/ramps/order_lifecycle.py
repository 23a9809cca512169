"""Changes of a ramp order that follow from its intent and from deadlines."""

from datetime import datetime, timedelta

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.money import format_units
from crossway.domain.ramps import (
    FINAL_ORDER_STATES,
    Direction,
    OrderEvent,
    OrderState,
    ProviderCommand,
)
from crossway.ports.store import UnitOfWork
from crossway.usecases.ramp_provider_calls import find_channel
from crossway.usecases.ramps.order_delays import UNCLAIMED_REASON, apply_delay, is_parked
from crossway.usecases.ramps.order_unit_of_work import CONTRADICTED, LATE, OWED, OrderUnitOfWork
from crossway.usecases.ramps.poll_schedule import DELIVERY_GRACE

PAID, SOLD, DELIVERED, REFUNDED = "paid", "sold", "delivered", "refunded"
FUNDED = frozenset({State.FUNDED, State.INITIATED, State.COMPLETED})
ENDED_UNDELIVERED = frozenset({State.EXPIRED, State.FAILED, State.REFUNDED})
UNPAID_REASON = "The order was not paid in time"
UNREACHABLE_REASON = "The provider could not be reached in time"


def apply_intent_state(uow: OrderUnitOfWork) -> None:
    """Apply the current state of the intent to its order."""
    intent = uow.intent
    if intent is None or uow.order.state is OrderState.PENDING:
        return
    if intent.state in FUNDED or intent.state is State.FAILED:
        mark_paid(uow, f"The deposit of payment {intent.id} was received")
    if intent.state is State.COMPLETED:
        if uow.order.direction is Direction.ON:
            _on_delivered(uow, intent)
        else:
            _on_crypto_delivered(uow, intent)
    elif intent.state in ENDED_UNDELIVERED and not is_parked(uow):
        _on_intent_ended(uow, intent)


def mark_paid(uow: OrderUnitOfWork, note: str) -> None:
    """Record the user's payment: to the provider (on-ramp) or on chain (off-ramp). Does nothing
    when the order is paid already or is not open."""
    order = uow.order
    if order.paid_at is not None or order.state not in (
        OrderState.INITIATED,
        OrderState.PROCESSING,
    ):
        return
    uow.apply_event(OrderEvent.PAID, note, paid_at=uow.now)
    if order.direction is Direction.ON:
        uow.add_postings(PAID, (Account.PROVIDER, Account.CUSTOMER, order.fiat_minor))


def mark_paid_late(uow: OrderUnitOfWork, note: str) -> None:
    """Record a payment for an order that had already ended: the provider owes it back."""
    order = uow.order
    if order.paid_at is not None:
        return
    uow.add_note(note, paid_at=uow.now)
    if order.direction is Direction.ON:
        uow.add_postings(PAID, (Account.PROVIDER, Account.CUSTOMER, order.fiat_minor))
    uow.raise_alert(
        OWED,
        f"{order.provider} reports that it was paid, although {uow.status_clause}; it owes "
        f"{uow.format_fiat(order.fiat_minor)} back to the customer.",
    )


def fail_order(uow: OrderUnitOfWork, reason: str) -> None:
    """Fail an open order; raises an alert when the provider holds money it has to give back."""
    order = uow.order
    uow.cancel_intent(f"Order {order.id} failed.")
    uow.apply_event(OrderEvent.UNDELIVERED, reason, failure_reason=reason)
    if order.direction is Direction.ON and order.paid_at is not None:
        owes = f"it owes {uow.format_fiat(order.fiat_minor)} back to the customer"
        if reason == UNCLAIMED_REASON:
            text = f"{reason}."
        elif uow.intent is not None and uow.intent.state is State.FAILED:
            text = f"its crypto could not be delivered. Once {order.provider} has it back, {owes}."
        else:
            text = f"{order.provider} was paid but did not deliver; {owes}."
        uow.raise_alert(OWED, text)
    elif order.direction is Direction.OFF and uow.has_posted(SOLD):
        uow.raise_alert(OWED, f"{order.provider} received the crypto but did not pay out.")


def mark_refunded(uow: OrderUnitOfWork, note: str) -> None:
    """Record that the user got their money back, and reverse the postings of the payment."""
    order = uow.order
    if order.state is OrderState.FAILED:
        uow.apply_event(OrderEvent.REFUNDED, note)
    else:
        uow.add_note(note)
    if uow.has_posted(REFUNDED):
        return
    if order.direction is Direction.ON and uow.has_posted(PAID):
        uow.add_postings(REFUNDED, (Account.CUSTOMER, Account.PROVIDER, order.fiat_minor))
    elif order.direction is Direction.OFF and uow.has_posted(SOLD):
        gross_minor = order.fiat_minor + order.fee_minor
        uow.add_postings(REFUNDED, (Account.FX_CLEARING, Account.PROVIDER, gross_minor))
    uow.resolve_alerts()


def expire_order(
    uow: OrderUnitOfWork, note: str = UNPAID_REASON, command: ProviderCommand | None = None
) -> bool:
    """Expire an unpaid order; returns False when its intent can no longer be cancelled."""
    if not uow.cancel_intent(f"Order {uow.order.id} has expired."):
        return False
    uow.apply_event(OrderEvent.LAPSED, note, command=command)
    return True


def mark_paid_out(uow: OrderUnitOfWork, note: str, tx_hash: str) -> None:
    """Complete an off-ramp: the provider has paid out the fiat amount."""
    order = uow.order
    tx_hash = tx_hash or order.provider_tx
    uow.apply_event(OrderEvent.DELIVERED, note, completed_at=uow.now, provider_tx=tx_hash)
    uow.add_postings(
        DELIVERED,
        (Account.CUSTOMER, Account.PROVIDER, order.fiat_minor),
        (Account.RAMP_FEES, Account.PROVIDER, order.fee_minor),
    )
    uow.resolve_alerts()


def apply_deadlines(uow: OrderUnitOfWork) -> None:
    """Fail an order that was never opened, expire an unpaid one, and raise an alert for an
    overdue one."""
    order, intent = uow.order, uow.intent
    if order.state is OrderState.PENDING and uow.now >= order.expires_at:
        uow.cancel_intent(f"Order {order.id} was never opened.")
        uow.apply_event(
            OrderEvent.REFUSED,
            UNREACHABLE_REASON,
            failure_reason=UNREACHABLE_REASON,
            command=ProviderCommand.CANCEL,
        )
    elif order.state is OrderState.INITIATED and uow.now >= order.expires_at:
        # An on-ramp is not expired here: only its provider knows whether it was paid.
        if order.direction is Direction.OFF and not _has_deposits(uow.unit, order.intent_id):
            expire_order(uow, command=ProviderCommand.CANCEL)
    elif order.state is OrderState.PROCESSING and intent is not None:
        _check_overdue(uow, intent)


def refresh(uow: OrderUnitOfWork) -> None:
    """Apply everything that can be known without asking the provider."""
    apply_intent_state(uow)
    apply_deadlines(uow)
    apply_delay(uow)


def _on_delivered(uow: OrderUnitOfWork, intent: Intent) -> None:
    order = uow.order
    if order.state is OrderState.PROCESSING:
        tx_hash = order.provider_tx
        note = f"Payment {intent.id} delivered the crypto"
        uow.apply_event(OrderEvent.DELIVERED, note, completed_at=uow.now, provider_tx=tx_hash)
        uow.add_postings(
            DELIVERED,
            (Account.FX_CLEARING, Account.PROVIDER, order.fiat_minor - order.fee_minor),
            (Account.RAMP_FEES, Account.PROVIDER, order.fee_minor),
        )
        uow.resolve_alerts()
    elif order.state in FINAL_ORDER_STATES and order.state is not OrderState.COMPLETED:
        uow.raise_alert(
            CONTRADICTED, f"it is {order.state.lower()}, but payment {intent.id} was completed."
        )


def _on_crypto_delivered(uow: OrderUnitOfWork, intent: Intent) -> None:
    """The provider received the crypto of an off-ramp: it owes the fiat amount and has to be
    told which transaction paid it."""
    order = uow.order
    if order.state is OrderState.COMPLETED or uow.has_posted(SOLD):
        return
    gross_minor = order.fiat_minor + order.fee_minor
    uow.add_postings(SOLD, (Account.PROVIDER, Account.FX_CLEARING, gross_minor))
    if order.state is OrderState.PROCESSING:
        uow.add_note(f"{order.provider} received the crypto", command=ProviderCommand.CONFIRM)
        return
    uow.add_note(f"{order.provider} received the crypto, although {uow.status_clause}")
    uow.raise_alert(
        OWED,
        f"it is {order.state.lower()}, but {order.provider} holds its crypto and owes it back.",
    )


def _on_intent_ended(uow: OrderUnitOfWork, intent: Intent) -> None:
    """End the order of an intent that ended without a delivery."""
    order = uow.order
    if order.state is OrderState.INITIATED:
        # The provider may not know yet: it is told to cancel.
        expire_with_intent(uow)
    elif order.state is OrderState.PROCESSING:
        fail_order(uow, _failure_reason(uow, intent))
    if (
        uow.order.state is OrderState.FAILED
        and order.direction is Direction.OFF
        and intent.state is State.REFUNDED
        and not uow.has_posted(SOLD)
    ):
        mark_refunded(uow, f"Intent {intent.id} was refunded to {intent.terms.refund_address}")


def expire_with_intent(uow: OrderUnitOfWork) -> None:
    """Expire an order whose intent has ended already and need not be cancelled."""
    uow.apply_event(OrderEvent.LAPSED, UNPAID_REASON, command=ProviderCommand.CANCEL)


def _failure_reason(uow: OrderUnitOfWork, intent: Intent) -> str:
    order, transfer = uow.order, uow.transfer
    if transfer is not None and transfer.state is BridgeTransferState.UNCLAIMED:
        return UNCLAIMED_REASON
    if intent.state is State.FAILED or intent.received_amount >= intent.terms.deposit_amount:
        why = f": {transfer.reason.rstrip('.')}" if transfer and transfer.reason else ""
        return f"Payment {intent.id} could not be delivered{why}"
    if order.direction is Direction.OFF:
        return "The deposit was not received in full and in time"
    return f"{order.provider} did not deliver in full and in time"


def _has_deposits(unit: UnitOfWork, intent_id: int | None) -> bool:
    """Whether the deposit address received anything. The intent's own expiry decides then, as
    the rest may still arrive."""
    if intent_id is None:
        return False
    return any(
        d.state is not DepositState.ORPHANED for d in unit.deposits.list_by_intents([intent_id])
    )


def _check_overdue(uow: OrderUnitOfWork, intent: Intent) -> None:
    """Raise an alert when the delivery or the payout is overdue."""
    order = uow.order
    late_at = _overdue_at(uow)
    if late_at is None or uow.now < late_at:
        return
    if order.provider_closed_at is not None and intent.state is State.COMPLETED:
        fail_order(uow, f"{order.provider} closed the order before its crypto arrived")
        return
    if order.direction is Direction.OFF and intent.state is State.COMPLETED:
        amount = uow.format_fiat(order.fiat_minor)
        uow.raise_alert(
            LATE, f"{order.provider} received the crypto but has not paid out {amount} in time."
        )
    elif order.direction is Direction.ON and intent.state is State.PENDING:
        terms, decimals = intent.terms, intent.asset_decimals
        received = format_units(intent.received_amount, decimals)
        expected = format_units(terms.deposit_amount, decimals)
        claim = (
            "reports that it has delivered" if order.provider_tx else "has not delivered in time"
        )
        uow.raise_alert(
            LATE,
            f"{order.provider} {claim}; {received} of {expected} {intent.asset_symbol} arrived at "
            f"{intent.address} on {uow.services.catalogue.chains[terms.source_chain].name}.",
        )


def _overdue_at(uow: OrderUnitOfWork) -> datetime | None:
    order = uow.order
    if order.paid_at is None:
        return None
    if order.direction is Direction.ON and order.provider_tx:
        return order.updated_at + DELIVERY_GRACE
    channel = find_channel(uow.services, order)
    seconds = 3_600 if channel is None else channel.deliver_seconds
    since = order.paid_at if order.direction is Direction.ON else order.updated_at
    return since + timedelta(seconds=seconds)
