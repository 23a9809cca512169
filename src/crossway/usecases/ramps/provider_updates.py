"""Applying provider updates to orders: each update once, in any order, and trusted only for what
the provider alone can know."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import NotFound
from crossway.domain.kyc_fields import strip_values
from crossway.domain.money import format_units
from crossway.domain.ramps import (
    FINAL_ORDER_STATES,
    Direction,
    OrderEvent,
    OrderState,
    ProviderName,
)
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.ramp_provider_calls import find_provider, find_ramp_token
from crossway.usecases.ramps.order_delays import is_parked, note_closed_on_the_way
from crossway.usecases.ramps.order_lifecycle import (
    FUNDED,
    PAID,
    SOLD,
    expire_order,
    fail_order,
    mark_paid,
    mark_paid_late,
    mark_paid_out,
    mark_refunded,
    refresh,
)
from crossway.usecases.ramps.order_unit_of_work import (
    CONTRADICTED,
    SHORT,
    OrderUnitOfWork,
    lock_order,
)
from crossway.usecases.ramps.personal_data import personal_values

_OPEN_STATES = frozenset({OrderState.INITIATED, OrderState.PROCESSING})


def receive_webhook(
    services: Services, provider_name: str, headers: Mapping[str, str], body: bytes
) -> None:
    """Apply the updates in a provider's webhook. Raises `Unauthorized` for a wrong signature,
    `InvalidInput` for a malformed body, `NotFound` for a provider that is not configured."""
    provider = find_provider(services, provider_name)
    if provider is None:
        raise NotFound("Provider not found", ErrorCode.PROVIDER_NOT_FOUND)
    lowercase = {name.lower(): value for name, value in headers.items()}
    apply_updates(services, provider.name, provider.parse_webhook(lowercase, body))
    services.process.wake()


def apply_updates(
    services: Services, provider_name: ProviderName, updates: Sequence[ProviderUpdate]
) -> int:
    """Apply updates and return how many orders they concerned. Updates of orders that are not
    known yet are skipped and come again: a provider can be faster than our own commit."""
    by_reference: dict[str, list[ProviderUpdate]] = defaultdict(list)
    for update in updates:
        by_reference[update.reference].append(update)
    with services.store.read() as unit:
        order_ids = unit.orders.find_ids_by_provider_reference(provider_name, list(by_reference))
    for reference, order_id in order_ids.items():
        batch = sorted(by_reference[reference], key=lambda update: update.at)
        services.store.write(
            lambda unit, order_id=order_id, batch=batch: apply_order_updates(
                services, unit, order_id, batch
            )  # type: ignore[misc]
        )
    return len(order_ids)


def apply_order_updates(
    services: Services, unit: UnitOfWork, order_id: int, updates: Sequence[ProviderUpdate]
) -> None:
    """Apply updates to one order, together with its intent's state and its deadlines, and save."""
    uow = lock_order(services, unit, order_id)
    refresh(uow)
    provider = uow.order.provider
    processed_ids = unit.orders.find_processed_updates(provider, [update.id for update in updates])
    applied: set[str] = set()
    for update in updates:
        if update.id in processed_ids or update.id in applied:
            continue
        if update.reason:
            # The reason is stored and sent to the client, so it must not hold personal data.
            reason = strip_values(update.reason, personal_values(services, uow.order))
            update = replace(update, reason=reason)
        if _apply_update(uow, update):
            applied.add(update.id)
    unit.orders.record_processed_updates(provider, applied, uow.now)
    refresh(uow)
    uow.save()


def _apply_update(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Apply one update; returns False when it came too early and has to be applied again later."""
    match update.status:
        case ProviderOrderStatus.WAITING:
            return True
        case ProviderOrderStatus.PAID:
            return _on_paid(uow, update)
        case ProviderOrderStatus.DELIVERED if uow.order.direction is Direction.ON:
            return _on_delivered(uow, update)
        case ProviderOrderStatus.DELIVERED:
            return _on_paid_out(uow, update)
        case ProviderOrderStatus.FAILED:
            return _on_failed(uow, update)
        case ProviderOrderStatus.REFUNDED:
            return _on_refunded(uow, update)
        case ProviderOrderStatus.CANCELLED | ProviderOrderStatus.EXPIRED:
            return _on_closed(uow, update)


def _on_paid(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Only the provider knows that an on-ramp was paid; of an off-ramp only the chain is
    trusted."""
    order = uow.order
    if order.direction is Direction.OFF:
        return True
    note = f"{order.provider} reports that it was paid"
    if order.state in FINAL_ORDER_STATES and order.state is not OrderState.COMPLETED:
        mark_paid_late(uow, note)
    else:
        mark_paid(uow, note)
    return True


def _on_delivered(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Record the provider's claim. Only the intent's deposit proves a delivery."""
    order = uow.order
    _on_paid(uow, update)
    if order.state is OrderState.COMPLETED:
        if not order.provider_tx and update.tx_hash:
            uow.add_note("The provider named its transaction", provider_tx=update.tx_hash)
        return True
    tx_hash = update.tx_hash or order.provider_tx
    uow.add_note(f"{order.provider} reports that it has delivered", provider_tx=tx_hash)
    if update.amount is not None and update.amount < order.ramp_units:
        claimed = _format_crypto(uow, update.amount)
        expected = _format_crypto(uow, order.ramp_units)
        uow.raise_alert(
            SHORT, f"{order.provider} reports that it delivered {claimed}, not {expected}."
        )
    if order.state in FINAL_ORDER_STATES:
        uow.raise_alert(
            CONTRADICTED,
            f"{order.provider} reports that it has delivered, although {uow.status_clause}; "
            "the crypto is sent back to it.",
        )
    return True


def _on_paid_out(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Only the provider knows that an off-ramp was paid out; applied once it has the crypto."""
    order = uow.order
    if order.state is OrderState.COMPLETED:
        return True
    if not uow.has_posted(SOLD):
        if order.state in _OPEN_STATES:
            return False
        note = f"{order.provider} reports that it has paid out, although {uow.status_clause}"
        uow.add_note(note)
        uow.raise_alert(CONTRADICTED, f"{note} and it received no crypto.")
        return True
    if update.fiat_minor is not None and update.fiat_minor < order.fiat_minor:
        paid, expected = uow.format_fiat(update.fiat_minor), uow.format_fiat(order.fiat_minor)
        uow.add_note(f"{order.provider} reports that it paid out {paid}, not {expected}")
        uow.raise_alert(
            SHORT, f"{order.provider} reports that it paid out {paid}; it owes {expected}."
        )
        return True
    if order.state is OrderState.PROCESSING:
        mark_paid_out(uow, f"{order.provider} reports that it has paid out", update.tx_hash)
        return True
    uow.add_note(f"{order.provider} reports that it has paid out, although {uow.status_clause}")
    uow.raise_alert(CONTRADICTED, f"{order.provider} reports a payout after the order had ended.")
    return True


def _on_failed(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    order = uow.order
    if _contradicts(uow, update):
        return True
    reason = update.reason or f"{order.provider} could not deliver"
    if uow.order.state is OrderState.INITIATED:
        if order.direction is Direction.OFF or not (update.fiat_minor or update.amount):
            _cancel_order(uow, reason)
            return True
        mark_paid(uow, f"{order.provider} reports that it was paid")
    if uow.order.state is OrderState.PROCESSING:
        fail_order(uow, reason)
    return True


def _on_refunded(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    order = uow.order
    if _contradicts(uow, update):
        return True
    if order.direction is Direction.OFF and not uow.has_posted(SOLD):
        # The provider has nothing to refund yet.
        return order.state in FINAL_ORDER_STATES and order.state is not OrderState.FAILED
    if _is_refund_too_low(uow, update):
        return True
    if uow.order.state in _OPEN_STATES:
        mark_paid(uow, f"{order.provider} reports that it was paid")
        fail_order(uow, update.reason or f"{order.provider} refunded the payment")
    if order.direction is Direction.ON and not uow.has_posted(PAID):
        mark_paid_late(uow, f"{order.provider} reports that it was paid")
    mark_refunded(uow, f"{order.provider} reports that it refunded the payment")
    return True


def _on_closed(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """The provider closed the order as unpaid."""
    order = uow.order
    reason = update.reason or f"{order.provider} closed the order unpaid"
    if order.state in FINAL_ORDER_STATES or _contradicts(uow, update):
        return True
    if order.state is OrderState.INITIATED:
        if update.status is ProviderOrderStatus.EXPIRED:
            expire_order(uow, reason)
        else:
            _cancel_order(uow, reason)
    elif order.state is OrderState.PROCESSING and not note_closed_on_the_way(uow, reason):
        fail_order(uow, reason)
    return True


def _cancel_order(uow: OrderUnitOfWork, reason: str) -> None:
    if uow.cancel_intent(f"Order {uow.order.id} was cancelled by its provider."):
        uow.apply_event(OrderEvent.CANCEL, reason, failure_reason=reason)


def _contradicts(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Whether an update contradicts the chain or a completed order. It then changes nothing but
    raises an alert."""
    order, intent = uow.order, uow.intent
    is_funded = intent is not None and (intent.state in FUNDED or is_parked(uow))
    is_bought = is_funded and order.direction is Direction.ON
    if not is_bought and order.state is not OrderState.COMPLETED:
        return False
    note = f"{order.provider} reports {update.status}, although {uow.status_clause}"
    uow.add_note(note)
    uow.raise_alert(CONTRADICTED, f"{note} and its crypto arrived.")
    return True


def _is_refund_too_low(uow: OrderUnitOfWork, update: ProviderUpdate) -> bool:
    """Whether less was refunded than was paid; raises an alert."""
    order = uow.order
    if order.direction is Direction.ON:
        is_less = update.fiat_minor is not None and update.fiat_minor < order.fiat_minor
        refunded = uow.format_fiat(update.fiat_minor or 0)
        expected = uow.format_fiat(order.fiat_minor)
    else:
        is_less = update.amount is not None and update.amount < order.ramp_units
        refunded = _format_crypto(uow, update.amount or 0)
        expected = _format_crypto(uow, order.ramp_units)
    if is_less:
        uow.add_note(f"{order.provider} reports that it refunded {refunded}, not {expected}")
        uow.raise_alert(
            SHORT, f"{order.provider} reports that it refunded {refunded}; it owes {expected}."
        )
    return is_less


def _format_crypto(uow: OrderUnitOfWork, amount: int) -> str:
    token = find_ramp_token(uow.services, uow.order)
    if token is None:
        return f"{amount} base units"
    return f"{format_units(amount, token.decimals)} {token.symbol}"
