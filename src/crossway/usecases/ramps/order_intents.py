"""The intents of ramp orders: how long they live, and that of an off-ramp, at the quoted terms."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.clients import Mode, Principal, Scope
from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.intent import Intent
from crossway.domain.money import format_units, rescale_up
from crossway.domain.payment_channels import Channel
from crossway.domain.quotes import Quote, bridge_title
from crossway.domain.ramps import RampOrder
from crossway.ports.services import Services
from crossway.usecases.payments.create_intent import build_intent
from crossway.usecases.payments.intent_request import IntentFields
from crossway.usecases.pricing.intent_quotes import quote_intent
from crossway.usecases.pricing.priced_request import RequestedRoute, amount_decimals
from crossway.usecases.ramp_provider_calls import find_channel, find_ramp_token

MAX_LIFETIME_SECONDS: Final = 86_400
# How far the deposit may exceed what was quoted, in basis points.
MAX_DEPOSIT_INCREASE_BPS: Final = 100
MIN_PAY_SECONDS: Final = 300
"""How long the user of an off-ramp has at least to pay, once the time on the bridge is taken off
the provider's."""


@dataclass(frozen=True, slots=True)
class OffRampIntent:
    """A new intent and until when the user is to pay it. `note` says what was quoted again."""

    intent: Intent
    pay_by: datetime
    note: str = ""


def intent_lifetime_seconds(channel: Channel) -> int:
    """Lifetime of an order's intent: the time to pay plus the time to deliver."""
    return min(channel.pay_seconds + channel.deliver_seconds, MAX_LIFETIME_SECONDS)


def pay_seconds_of(channel: Channel, quote: Quote) -> int:
    """How long the user of an off-ramp may take to pay, so that the crypto reaches its provider in
    time over the bridge of the quote."""
    return channel.pay_seconds - (quote.fill_seconds if quote.bridge is not None else 0)


def build_off_ramp_intent(
    services: Services,
    order: RampOrder,
    pay_to: str,
    provider_pay_by: datetime | None,
    quote: Quote | None,
) -> OffRampIntent | str:
    """The intent whose deposit pays the provider exactly what it takes, at the terms of `quote`, or
    of a new one when that is unknown or has expired; or why there is none. Raises `Unreachable`."""
    note = ""
    if quote is None or services.clock.now() >= quote.expires_at:
        try:
            quote = _quote_again(services, order, pay_to)
        except InvalidInput as rejection:
            return f"The deposit cannot be routed to {order.provider}: {rejection}"
        except QuotesUnavailable as error:
            raise Unreachable(str(error)) from error
        if increase := _find_price_increase(order, quote):
            return increase
        note = _describe_new_quote(order, quote)
    pay_by = min(order.expires_at, provider_pay_by or order.expires_at)
    if quote.bridge is not None:
        pay_by -= timedelta(seconds=quote.fill_seconds)
        if pay_by <= services.clock.now():
            title = bridge_title(quote.bridge)
            return f"The deposit would reach {order.provider} too late over {title}"
    return OffRampIntent(_build(services, order, quote, pay_to), pay_by, note)


def _quote_again(services: Services, order: RampOrder, pay_to: str) -> Quote:
    token_in = services.catalogue.token(order.source_chain, order.symbol, "amountSymbol")
    token_out = find_ramp_token(services, order)
    assert token_out is not None
    chains = services.catalogue.chains
    source, destination = chains[order.source_chain], chains[order.ramp_chain]
    life_seconds = _lifetime_seconds(services, order)
    route = RequestedRoute(source, destination, token_in, token_out, pay_to, life_seconds)
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
    return f"The deposit would be {_format(actual, quote)}, not {_format(quoted, quote)} as quoted"


def _describe_new_quote(order: RampOrder, quote: Quote) -> str:
    over = f" over {bridge_title(quote.bridge)}" if quote.bridge is not None else ""
    deposit = _format(quote.deposit_amount, quote)
    was = f", it was {_format(order.gross_units, quote)}"
    return (
        f"The route was quoted again{over}: the deposit is {deposit}"
        f"{was if quote.deposit_amount != order.gross_units else ', as before'}"
    )


def _format(amount: int, quote: Quote) -> str:
    return f"{format_units(amount, quote.asset_decimals)} {quote.asset_symbol}"


def _build(services: Services, order: RampOrder, quote: Quote, pay_to: str) -> Intent:
    token_out = find_ramp_token(services, order)
    assert token_out is not None
    fields = IntentFields(token_out, pay_to, refund_address=order.sender, sender=order.sender)
    lifetime = _lifetime_seconds(services, order)
    return build_intent(services, _get_principal(services, order), fields, quote, lifetime)


def _lifetime_seconds(services: Services, order: RampOrder) -> int:
    channel = find_channel(services, order)
    return intent_lifetime_seconds(channel) if channel else services.policy.intent_life_seconds


def _get_principal(services: Services, order: RampOrder) -> Principal:
    """The client of an order as the principal of its quote, which includes the client's fee."""
    with services.store.read() as unit:
        client = unit.api_keys.get_client(order.client_id)
    assert client is not None
    return Principal(client, Mode(order.mode), frozenset(Scope))
