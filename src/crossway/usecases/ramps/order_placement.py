"""Placing a stored order with its provider at the quoted terms. Safe to retry."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crossway.domain.clients import Mode, Principal, Scope
from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.intent import Intent
from crossway.domain.kyc_fields import strip_values
from crossway.domain.money import format_units, rescale_up
from crossway.domain.payment_channels import Channel
from crossway.domain.quotes import Quote
from crossway.domain.ramps import Direction, OrderEvent, OrderState, ProviderCommand, RampOrder
from crossway.ports.ramps import OrderRequest, ProviderOrder, ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.payments.create_intent import (
    IntentFields,
    build_intent,
    new_event_id,
)
from crossway.usecases.pricing.priced_request import RequestedRoute, amount_decimals
from crossway.usecases.pricing.quotes import quote_intent
from crossway.usecases.ramp_provider_calls import find_channel, find_ramp_token, get_provider
from crossway.usecases.ramps.order_unit_of_work import OrderUnitOfWork, format_fiat, lock_order
from crossway.usecases.ramps.personal_data import decrypt_kyc_fields, decrypt_personal_data

MAX_LIFETIME_SECONDS = 86_400
# How far the deposit of an off-ramp may exceed what was quoted, in basis points.
MAX_DEPOSIT_INCREASE_BPS = 100
OnSave = Callable[[UnitOfWork, RampOrder], None]


def no_hook(unit: UnitOfWork, order: RampOrder) -> None:
    """Store nothing along with the order."""


def place_order(services: Services, order: RampOrder, on_save: OnSave = no_hook) -> RampOrder:
    """Create a stored order at its provider and store the response. Raises `Unreachable` when the
    outcome is unknown; retrying with the same reference is safe."""
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
    return accept_order(services, provider, order, provider_order, on_save)


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
) -> RampOrder:
    """Store the provider's order. When it does not match what was agreed, the order fails and the
    provider is told to cancel it."""
    mismatch, quote = _find_mismatch(services, order, provider_order), None
    pay_to = _pay_to(services, order, provider_order)
    if not mismatch and order.direction is Direction.OFF:
        try:
            quote = _quote_off_ramp_route(services, order, pay_to)
            mismatch = _find_price_increase(order, quote)
        except InvalidInput as rejection:
            mismatch = f"The deposit cannot be routed to {order.provider}: {rejection}"
        except QuotesUnavailable as error:
            raise Unreachable(str(error)) from error
    if mismatch:
        return reject_order(services, order.id, mismatch, on_save, provider_order.reference)
    off_ramp_intent = (
        None if quote is None else _build_off_ramp_intent(services, order, quote, pay_to)
    )
    return services.store.write(
        lambda unit: _accept(services, unit, order.id, provider_order, off_ramp_intent, on_save)
    )


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


def intent_lifetime_seconds(channel: Channel) -> int:
    """Lifetime of an order's intent: the time to pay plus the time to deliver."""
    return min(channel.pay_seconds + channel.deliver_seconds, MAX_LIFETIME_SECONDS)


def _accept(
    services: Services,
    unit: UnitOfWork,
    order_id: int,
    provider_order: ProviderOrder,
    off_ramp_intent: Intent | None,
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
    fields: dict[str, Any] = {
        "provider_reference": provider_order.reference,
        "fiat_minor": provider_order.fiat_minor,
        "fees_minor": order.fees_minor - abs(improvement),
        "instructions": dict(provider_order.instructions),
        "widget_url": provider_order.widget_url,
        "command": None,
        "expires_at": min(order.expires_at, provider_order.pay_by or order.expires_at),
    }
    if off_ramp_intent is not None:
        stored = unit.intents.add(replace(off_ramp_intent, order_id=order_id), new_event_id())
        uow.intent_work.current[stored.id] = stored
        fields |= {"intent_id": stored.id, "intent_address": stored.address}
        fields |= {"gross_units": stored.terms.deposit_amount, "pay_to": stored.terms.recipient}
    uow.apply_event(OrderEvent.ACCEPTED, f"{order.provider} accepted the order", **fields)
    on_save(unit, saved := uow.save())
    return saved


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


def _quote_off_ramp_route(services: Services, order: RampOrder, pay_to: str) -> Quote:
    """The route whose deposit pays the provider of an off-ramp exactly what it takes."""
    token_in = services.catalogue.token(order.source_chain, order.symbol, "amountSymbol")
    token_out = find_ramp_token(services, order)
    assert token_out is not None
    chains = services.catalogue.chains
    route = RequestedRoute(
        chains[order.source_chain], chains[order.ramp_chain], token_in, token_out, pay_to
    )
    decimals = amount_decimals(services, route, token_out.symbol)
    amount = rescale_up(order.ramp_units, token_out.decimals, decimals)
    caller = _get_principal(services, order)
    quote = quote_intent(services, caller, route, amount, token_out.symbol)
    # Coarser decimals may have rounded the payout up by a fraction of a cent.
    return replace(quote, payout_amount=order.ramp_units)


def _find_price_increase(order: RampOrder, quote: Quote) -> str:
    """Why the deposit exceeds what the user agreed to; empty when it does not."""
    actual, quoted = quote.deposit_amount, order.gross_units
    if actual * 10_000 <= quoted * (10_000 + MAX_DEPOSIT_INCREASE_BPS):
        return ""
    decimals, symbol = quote.asset_decimals, quote.asset_symbol
    amounts = [f"{format_units(amount, decimals)} {symbol}" for amount in (actual, quoted)]
    return f"The deposit would be {amounts[0]}, not {amounts[1]} as quoted"


def _build_off_ramp_intent(
    services: Services, order: RampOrder, quote: Quote, pay_to: str
) -> Intent:
    channel = find_channel(services, order)
    token_out = find_ramp_token(services, order)
    assert token_out is not None
    fields = IntentFields(token_out, pay_to, refund_address=order.sender, sender=order.sender)
    lifetime = intent_lifetime_seconds(channel) if channel else services.policy.intent_life_seconds
    return build_intent(services, _get_principal(services, order), fields, quote, lifetime)


def _is_reference_taken(uow: OrderUnitOfWork, reference: str) -> bool:
    """Whether the provider's reference is empty or belongs to another order."""
    if not reference:
        return True
    ids = uow.unit.orders.find_ids_by_provider_reference(uow.order.provider, [reference])
    return ids.get(reference, uow.order.id) != uow.order.id


def _get_principal(services: Services, order: RampOrder) -> Principal:
    """The client of an order as the principal of its quote, which includes the client's fee."""
    with services.store.read() as unit:
        client = unit.api_keys.get_client(order.client_id)
    assert client is not None
    return Principal(client, Mode(order.mode), frozenset(Scope))
