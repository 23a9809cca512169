"""What an order makes of its intent and of time: paid, delivered, sold, lapsed, failed."""

from datetime import datetime, timedelta

from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.money import format_units
from crossway.domain.ramps import ORDER_ENDED, Direction, Errand, OrderEvent, OrderState
from crossway.ports.store import Unit
from crossway.usecases.ramps.capabilities import channel_of
from crossway.usecases.ramps.steps import CONTRADICTED, LATE, OWED, OrderStep
from crossway.usecases.ramps.timing import CLAIM_GRACE

PAID, SOLD, DELIVERED, REFUNDED = "paid", "sold", "delivered", "refunded"
FUNDED = frozenset({State.FUNDED, State.INITIATED, State.COMPLETED})
OVER = frozenset({State.EXPIRED, State.FAILED, State.REFUNDED})
UNPAID = "Nobody paid in time"
UNOPENED = "The provider could not be reached in time"


def follow(step: OrderStep) -> None:
    """Bring an order in line with its intent as it stands."""
    intent = step.intent
    if intent is None or step.order.state is OrderState.PENDING:
        return
    if intent.state in FUNDED:
        paid(step, f"The deposit of intent {intent.id} came in")
    if intent.state is State.COMPLETED:
        if step.order.direction is Direction.ON:
            _delivered(step, intent)
        else:
            _sold(step, intent)
    elif intent.state in OVER:
        _intent_over(step, intent)


def paid(step: OrderStep, note: str) -> None:
    """The user's money is there: for an on-ramp with the provider, for an off-ramp on chain."""
    order = step.order
    if order.paid_at is not None or order.state not in (
        OrderState.INITIATED,
        OrderState.PROCESSING,
    ):
        return
    step.move(OrderEvent.PAID, note, paid_at=step.now)
    if order.direction is Direction.ON:
        step.post(PAID, (Account.PROVIDER, Account.CUSTOMER, order.fiat_minor))


def paid_too_late(step: OrderStep, note: str) -> None:
    """An order that had ended was paid all the same: the provider owes the money back."""
    order = step.order
    if order.paid_at is not None:
        return
    step.note(note, paid_at=step.now)
    if order.direction is Direction.ON:
        step.post(PAID, (Account.PROVIDER, Account.CUSTOMER, order.fiat_minor))
    step.alarm(
        OWED,
        f"{order.provider} says that it was paid, though {step.stands}; it owes "
        f"{step.money(order.fiat_minor)} back to the user.",
    )


def fail(step: OrderStep, reason: str) -> None:
    """The provider does not deliver; what it was paid it owes back."""
    order = step.order
    step.withdraw(f"Order {order.id} failed.")
    step.move(OrderEvent.UNDELIVERED, reason, failure_reason=reason)
    if order.direction is Direction.ON and order.paid_at is not None:
        step.alarm(
            OWED,
            f"{order.provider} was paid and did not deliver; it owes "
            f"{step.money(order.fiat_minor)} back to the user.",
        )
    elif order.direction is Direction.OFF and step.posted(SOLD):
        step.alarm(OWED, f"{order.provider} has its crypto and did not pay out.")


def refund(step: OrderStep, note: str) -> None:
    """A failed order's money went back to the user; the books follow where they had it."""
    order = step.order
    if order.state is OrderState.FAILED:
        step.move(OrderEvent.REFUNDED, note)
    else:
        step.note(note)
    if step.posted(REFUNDED):
        return
    if order.direction is Direction.ON and step.posted(PAID):
        step.post(REFUNDED, (Account.CUSTOMER, Account.PROVIDER, order.fiat_minor))
    elif order.direction is Direction.OFF and step.posted(SOLD):
        whole = order.fiat_minor + order.fee_minor
        step.post(REFUNDED, (Account.EXCHANGED, Account.PROVIDER, whole))
    step.all_clear()


def lapse(step: OrderStep, note: str = UNPAID, errand: Errand | None = None) -> bool:
    """Nobody paid in time; False when the intent says otherwise."""
    if not step.withdraw(f"Order {step.order.id} has expired."):
        return False
    step.move(OrderEvent.LAPSED, note, errand=errand)
    return True


def pay_out(step: OrderStep, note: str, tx_hash: str) -> None:
    """The provider has paid the local money of an off-ramp out."""
    order = step.order
    tx = tx_hash or order.provider_tx
    step.move(OrderEvent.DELIVERED, note, completed_at=step.now, provider_tx=tx)
    step.post(
        DELIVERED,
        (Account.CUSTOMER, Account.PROVIDER, order.fiat_minor),
        (Account.RAMP_FEES, Account.PROVIDER, order.fee_minor),
    )
    step.all_clear()


def pass_time(step: OrderStep) -> None:
    """What only time tells: an order that was never opened, never paid, or is late."""
    order, intent = step.order, step.intent
    if order.state is OrderState.PENDING and step.now >= order.expires_at:
        step.withdraw(f"Order {order.id} was never opened.")
        step.move(OrderEvent.REFUSED, UNOPENED, failure_reason=UNOPENED, errand=Errand.CANCEL)
    elif order.state is OrderState.INITIATED and step.now >= order.expires_at:
        # For an on-ramp the provider is asked first: it alone knows whether it was paid.
        if order.direction is Direction.OFF and not _anything_came(step.unit, order.intent_id):
            lapse(step, errand=Errand.CANCEL)
    elif order.state is OrderState.PROCESSING and intent is not None:
        _watch(step, intent)


def look(step: OrderStep) -> None:
    """Everything that can be known without asking the provider."""
    follow(step)
    pass_time(step)


def _delivered(step: OrderStep, intent: Intent) -> None:
    order = step.order
    if order.state is OrderState.PROCESSING:
        tx = order.provider_tx
        note = f"Intent {intent.id} was delivered"
        step.move(OrderEvent.DELIVERED, note, completed_at=step.now, provider_tx=tx)
        step.post(
            DELIVERED,
            (Account.EXCHANGED, Account.PROVIDER, order.fiat_minor - order.fee_minor),
            (Account.RAMP_FEES, Account.PROVIDER, order.fee_minor),
        )
        step.all_clear()
    elif order.state in ORDER_ENDED and order.state is not OrderState.COMPLETED:
        step.alarm(
            CONTRADICTED, f"it is {order.state.lower()}, but its payment {intent.id} was delivered."
        )


def _sold(step: OrderStep, intent: Intent) -> None:
    """The provider has the crypto of an off-ramp: it owes the local money, and is told of it."""
    order = step.order
    if order.state is OrderState.COMPLETED or step.posted(SOLD):
        return
    whole = order.fiat_minor + order.fee_minor
    step.post(SOLD, (Account.PROVIDER, Account.EXCHANGED, whole))
    if order.state is OrderState.PROCESSING:
        step.note(f"{order.provider} has the crypto", errand=Errand.CONFIRM)
        return
    step.note(f"{order.provider} has the crypto, though {step.stands}")
    step.alarm(
        OWED, f"it is {order.state.lower()}, and {order.provider} has its crypto to give back."
    )


def _intent_over(step: OrderStep, intent: Intent) -> None:
    """The intent ended without a delivery, and takes its order along."""
    order = step.order
    if order.state is OrderState.INITIATED:
        # Whether the provider knows is not known: it is told again.
        lapse_after(step)
    elif order.state is OrderState.PROCESSING:
        fail(step, _why(step, intent))
    if (
        step.order.state is OrderState.FAILED
        and order.direction is Direction.OFF
        and intent.state is State.REFUNDED
        and not step.posted(SOLD)
    ):
        refund(step, f"Intent {intent.id} was refunded to {intent.terms.refund_address}")


def lapse_after(step: OrderStep) -> None:
    """The intent is over already, so there is nothing to withdraw."""
    step.move(OrderEvent.LAPSED, UNPAID, errand=Errand.CANCEL)


def _why(step: OrderStep, intent: Intent) -> str:
    order = step.order
    if intent.state is State.FAILED or intent.received_units >= intent.terms.total_units:
        return f"Intent {intent.id} could not be delivered"
    if order.direction is Direction.OFF:
        return "The deposit did not come in whole and in time"
    return f"{order.provider} did not deliver whole and in time"


def _anything_came(unit: Unit, intent_id: int | None) -> bool:
    """Whether money was seen at the deposit address: then its own expiry decides, as more may
    come."""
    if intent_id is None:
        return False
    return any(d.state is not DepositState.ORPHANED for d in unit.deposits.of([intent_id]))


def _watch(step: OrderStep, intent: Intent) -> None:
    """An alarm for what was promised and is not there past its time."""
    order = step.order
    late_at = _late_at(step)
    if late_at is None or step.now < late_at:
        return
    if order.direction is Direction.OFF and intent.state is State.COMPLETED:
        words = f"{order.provider} has the crypto and has not paid "
        step.alarm(LATE, f"{words}{step.money(order.fiat_minor)} out in its time.")
    elif order.direction is Direction.ON and intent.state is State.PENDING:
        terms, decimals = intent.terms, intent.asset_decimals
        came = format_units(intent.received_units, decimals)
        asked = format_units(terms.total_units, decimals)
        said = "says that it has delivered" if order.provider_tx else "has not delivered in time"
        step.alarm(
            LATE,
            f"{order.provider} {said}; {came} of {asked} {intent.asset_symbol} came in at "
            f"{intent.address} on {step.services.catalogue.chains[terms.source_chain].name}.",
        )


def _late_at(step: OrderStep) -> datetime | None:
    order = step.order
    if order.paid_at is None:
        return None
    if order.direction is Direction.ON and order.provider_tx:
        return order.updated_at + CLAIM_GRACE
    channel = channel_of(step.services, order)
    seconds = 3_600 if channel is None else channel.deliver_seconds
    since = order.paid_at if order.direction is Direction.ON else order.updated_at
    return since + timedelta(seconds=seconds)
