"""Placing a stored order with its provider at the quoted terms. Safe to retry."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crossway.domain.errors import InvalidInput
from crossway.domain.event_ids import new_event_id
from crossway.domain.kyc_fields import strip_values
from crossway.domain.quotes import Quote
from crossway.domain.ramps import Direction, OrderEvent, OrderState, ProviderCommand, RampOrder
from crossway.ports.ramps import OrderRequest, ProviderOrder, ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.pricing.exposure_limit import ExposureExceeded, require_exposure_room
from crossway.usecases.ramp_provider_calls import (
    call_with_timeout,
    find_channel,
    find_ramp_token,
    get_provider,
)
from crossway.usecases.ramps.order_intents import OffRampIntent, build_off_ramp_intent
from crossway.usecases.ramps.order_unit_of_work import OrderUnitOfWork, format_fiat, lock_order
from crossway.usecases.ramps.personal_data import decrypt_kyc_fields, decrypt_personal_data

OnSave = Callable[[UnitOfWork, RampOrder], None]


def no_hook(unit: UnitOfWork, order: RampOrder) -> None:
    """Store nothing along with the order."""


def place_order_in_time(
    services: Services, order: RampOrder, on_save: OnSave, quote: Quote
) -> RampOrder:
    """`place_order` in the time that the provider has to answer. Raises `Unreachable` after it."""
    provider = get_provider(services, order)
    return call_with_timeout(
        services, provider, lambda: place_order(services, order, on_save, quote)
    )


def place_order(
    services: Services, order: RampOrder, on_save: OnSave = no_hook, quote: Quote | None = None
) -> RampOrder:
    """Create a stored order at its provider and store the response. `quote` is that of its intent,
    of which an off-ramp opens its intent. Raises `Unreachable` when the outcome is unknown;
    retrying with the same reference is safe."""
    provider = get_provider(services, order)
    request = build_order_request(services, order)
    if request is None:
        return reject_order(services, order.id, "Its payment channel is no longer offered", on_save)
    try:
        provider_order = provider.create_order(request)
    except ProviderRejected as rejection:
        reason = strip_values(
            str(rejection), [request.email, *request.fields.values(), *request.kyc_fields.values()]
        )
        return reject_order(services, order.id, reason, on_save)
    services.process.failpoint("ramp-opened")
    return accept_order(services, provider, order, provider_order, on_save, quote)


def build_order_request(services: Services, order: RampOrder) -> OrderRequest | None:
    """The request that creates an order at its provider; None when the provider no longer offers
    its channel. Personal fields are empty once the customer is erased."""
    channel, token = find_channel(services, order), find_ramp_token(services, order)
    if channel is None or token is None:
        return None
    is_on_ramp = order.direction is Direction.ON
    personal = decrypt_personal_data(services, order)
    return OrderRequest(
        reference=order.reference,
        direction=order.direction,
        currency=services.fiat.corridor(order.currency).currency,
        country=order.country,
        channel=channel,
        token=token,
        amount=order.ramp_units,
        fiat_minor=order.fiat_minor,
        fee_minor=order.fee_minor,
        to_address=order.intent_address if is_on_ramp else "",
        refund_address="" if is_on_ramp else order.sender,
        email=str(personal.get("email", "")),
        fields=personal.get("fields", {}),
        kyc_fields=decrypt_kyc_fields(services, order),
    )


def accept_order(
    services: Services,
    provider: RampProvider,
    order: RampOrder,
    provider_order: ProviderOrder,
    on_save: OnSave,
    quote: Quote | None = None,
) -> RampOrder:
    """Store the provider's order. When it does not match what was agreed, the order fails and the
    provider is told to cancel it. The intent of an off-ramp has the terms of `quote`; once that has
    expired, it is quoted again, and the order's history says so."""
    mismatch = _find_mismatch(services, order, provider_order)
    off_ramp: OffRampIntent | None = None
    if not mismatch and order.direction is Direction.OFF:
        pay_to = _pay_to(services, order, provider_order)
        outcome = build_off_ramp_intent(services, order, pay_to, provider_order.pay_by, quote)
        if isinstance(outcome, OffRampIntent):
            off_ramp = outcome
        else:
            mismatch = outcome
    if not mismatch:
        try:
            return services.store.write(
                lambda unit: _accept(services, unit, order.id, provider_order, off_ramp, on_save)
            )
        except ExposureExceeded as refusal:
            mismatch = str(refusal)
    return reject_order(services, order.id, mismatch, on_save, provider_order.reference)


def reject_order(
    services: Services, order_id: int, reason: str, on_save: OnSave = no_hook, reference: str = ""
) -> RampOrder:
    """Fail a pending order and cancel its intent. What the provider opened under `reference` is
    cancelled there."""

    def work(unit: UnitOfWork) -> RampOrder:
        uow = lock_order(services, unit, order_id)
        command = ProviderCommand.CANCEL if reference else None
        if uow.order.state is OrderState.PENDING:
            uow.cancel_intent(f"Order {order_id} was rejected.")
            reference_to_cancel = "" if _is_reference_taken(uow, reference) else reference
            command = command if reference_to_cancel else None
            uow.apply_event(
                OrderEvent.REFUSED,
                reason,
                failure_reason=reason,
                command=command,
                provider_reference=reference_to_cancel,
            )
        on_save(unit, stored := uow.save())
        return stored

    return services.store.write(work)


def _accept(
    services: Services,
    unit: UnitOfWork,
    order_id: int,
    provider_order: ProviderOrder,
    off_ramp: OffRampIntent | None,
    on_save: OnSave,
) -> RampOrder:
    uow = lock_order(services, unit, order_id)
    order = uow.order
    if order.state is not OrderState.PENDING:
        if not order.provider_reference and not _is_reference_taken(uow, provider_order.reference):
            # The order was cancelled while the provider was creating it.
            uow.add_note(
                f"{order.provider} opened it after it was cancelled, and is told to cancel it",
                provider_reference=provider_order.reference,
                command=ProviderCommand.CANCEL,
            )
        return uow.save()
    improvement = order.fiat_minor - provider_order.fiat_minor
    note = f"{order.provider} accepted the order"
    fields: dict[str, Any] = {
        "provider_reference": provider_order.reference,
        "fiat_minor": provider_order.fiat_minor,
        "fees_minor": order.fees_minor - abs(improvement),
        "instructions": dict(provider_order.instructions),
        "widget_url": provider_order.widget_url,
        "command": None,
        "expires_at": min(order.expires_at, provider_order.pay_by or order.expires_at),
    }
    if off_ramp is not None:
        fields |= _add_intent(uow, off_ramp)
        note = f"{note}. {off_ramp.note}" if off_ramp.note else note
    uow.apply_event(OrderEvent.ACCEPTED, note, **fields)
    on_save(unit, saved := uow.save())
    return saved


def _add_intent(uow: OrderUnitOfWork, off_ramp: OffRampIntent) -> dict[str, Any]:
    """Store the intent of an off-ramp; returns the fields that its order takes from it. Raises
    `ExposureExceeded`."""
    intent = replace(off_ramp.intent, order_id=uow.order.id)
    stored = uow.unit.intents.add(intent, new_event_id())
    require_exposure_room(uow.services, uow.unit, stored)
    uow.intent_work.current[stored.id] = stored
    return {
        "intent_id": stored.id,
        "intent_address": stored.address,
        "gross_units": stored.terms.deposit_amount,
        "pay_to": stored.terms.recipient,
        "expires_at": off_ramp.pay_by,
    }


def _find_mismatch(services: Services, order: RampOrder, provider_order: ProviderOrder) -> str:
    """Why the provider's order differs from what was agreed; empty when it matches."""
    is_on_ramp = order.direction is Direction.ON
    improvement = order.fiat_minor - provider_order.fiat_minor
    if (improvement if is_on_ramp else -improvement) < 0:
        actual = format_fiat(order, provider_order.fiat_minor)
        quoted = format_fiat(order, order.fiat_minor)
        verb = "asks" if is_on_ramp else "pays"
        return f"{order.provider} {verb} {actual}, not {quoted} as it quoted"
    with services.store.read() as unit:
        other = unit.orders.find_ids_by_provider_reference(
            order.provider, [provider_order.reference]
        ).get(provider_order.reference)
    if not provider_order.reference or other not in (None, order.id):
        return f"{order.provider} answered with a reference that is not this order's"
    if is_on_ramp or _pay_to(services, order, provider_order):
        return ""
    return f"{order.provider} returned no address on {order.ramp_chain} to pay"


def _pay_to(services: Services, order: RampOrder, provider_order: ProviderOrder) -> str:
    """The canonical address where the provider of an off-ramp receives crypto; empty if invalid."""
    try:
        return parse_payable_address(
            services, services.catalogue.chains[order.ramp_chain], provider_order.pay_to, ""
        )
    except InvalidInput:
        return ""


def _is_reference_taken(uow: OrderUnitOfWork, reference: str) -> bool:
    """Whether the provider's reference is empty or belongs to another order."""
    if not reference:
        return True
    ids = uow.unit.orders.find_ids_by_provider_reference(uow.order.provider, [reference])
    return ids.get(reference, uow.order.id) != uow.order.id
