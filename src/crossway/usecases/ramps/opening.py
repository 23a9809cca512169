"""Opening an order with its provider: once, with what was quoted, and safe to begin again."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from crossway.domain.channels import Channel
from crossway.domain.clients import Caller, Mode, Scope
from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.identity import without
from crossway.domain.intent import Intent
from crossway.domain.money import format_units, rescale_up
from crossway.domain.ramps import Direction, Errand, OrderEvent, OrderState, RampOrder
from crossway.ports.ramps import Opened, Opening, ProviderRefused, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.intents import new_event_id
from crossway.usecases.payments.terms import Asked, drawn_up, payable
from crossway.usecases.pricing.cases import Way, decimals_of
from crossway.usecases.pricing.quotes import Routed, route_for
from crossway.usecases.ramps.capabilities import channel_of, provider_of, ramp_token
from crossway.usecases.ramps.steps import OrderStep, held, money

MOST_LIFE_SECONDS = 86_400
# How much more an off-ramp's deposit may be than what was quoted, in basis points.
MOST_RISE_BPS = 100
Along = Callable[[Unit, RampOrder], None]


def alone(unit: Unit, order: RampOrder) -> None:
    """Nothing is stored along with the order."""


def open_order(services: Services, order: RampOrder, along: Along = alone) -> RampOrder:
    """Ask the provider for a stored order and store its answer. Raises `Unreachable`: then nothing
    is known, and asking again with the same reference is safe."""
    provider = provider_of(services, order)
    asked = opening_of(services, order)
    if asked is None:
        return refuse(services, order.id, "Its channel is not offered any more", along)
    try:
        opened = provider.open(asked)
    except ProviderRefused as refusal:
        words = without(
            str(refusal), [asked.email, *asked.fields.values(), *asked.identity.values()]
        )
        return refuse(services, order.id, words, along)
    services.reached("ramp-opened")
    return accept(services, provider, order, opened, along)


def opening_of(services: Services, order: RampOrder) -> Opening | None:
    """An order as its provider is asked for it; None where the data of its provider does not know
    its channel any more. Of somebody who was erased, without their fields."""
    channel, token = channel_of(services, order), ramp_token(services, order)
    if channel is None or token is None:
        return None
    on = order.direction is Direction.ON
    personal = _personal(services, order)
    return Opening(
        reference=order.reference,
        direction=order.direction,
        currency=services.fiat.corridor(order.currency).currency,
        country=order.country,
        channel=channel,
        token=token,
        units=order.ramp_units,
        fiat_minor=order.fiat_minor,
        fee_minor=order.fee_minor,
        to_address=order.intent_address if on else "",
        refund_address="" if on else _refund_address(services, order),
        email=str(personal.get("email", "")),
        fields=personal.get("fields", {}),
        identity=_identity(services, order),
    )


def accept(
    services: Services, provider: RampProvider, order: RampOrder, opened: Opened, along: Along
) -> RampOrder:
    """Store what the provider answered; where it is not what was agreed, the order has failed and
    the provider is told to close it."""
    wrong, routed = _wrong(services, order, opened), None
    pay_to = _pay_to(services, order, opened)
    if not wrong and order.direction is Direction.OFF:
        try:
            routed = _sale_route(services, order, pay_to)
            wrong = _dearer(order, routed)
        except InvalidInput as refusal:
            wrong = f"The deposit cannot be brought to {order.provider}: {refusal}"
        except QuotesUnavailable as silence:
            raise Unreachable(str(silence)) from silence
    if wrong:
        return refuse(services, order.id, wrong, along, opened.reference)
    sale = None if routed is None else _drawn(services, order, routed, pay_to)
    return services.store.write(lambda unit: _accept(services, unit, order.id, opened, sale, along))


def refuse(
    services: Services, order_id: int, why: str, along: Along = alone, reference: str = ""
) -> RampOrder:
    """An order that is not to be: failed, nobody shall pay it, and what the provider may have
    opened under `reference` is closed."""

    def work(unit: Unit) -> RampOrder:
        step = held(services, unit, order_id)
        errand = Errand.CANCEL if reference else None
        if step.order.state is OrderState.PENDING:
            step.withdraw(f"Order {order_id} was refused.")
            known = "" if _taken(step, reference) else reference
            errand = errand if known else None
            step.move(
                OrderEvent.REFUSED, why, failure_reason=why, errand=errand,
                provider_reference=known,
            )  # fmt: skip
        along(unit, stored := step.store())
        return stored

    return services.store.write(work)


def life_seconds(channel: Channel) -> int:
    """How long the intent of an order lives: the time to pay, and the time to deliver."""
    return min(channel.pay_seconds + channel.deliver_seconds, MOST_LIFE_SECONDS)


def _accept(
    services: Services,
    unit: Unit,
    order_id: int,
    opened: Opened,
    sale: Intent | None,
    along: Along,
) -> RampOrder:
    step = held(services, unit, order_id)
    order = step.order
    if order.state is not OrderState.PENDING:
        if not order.provider_reference and not _taken(step, opened.reference):
            # It was called off while the provider was asked, which has opened it after all.
            words = f"{order.provider} opened it all the same, and is told to close it"
            step.note(words, provider_reference=opened.reference, errand=Errand.CANCEL)
        return step.store()
    better = order.fiat_minor - opened.fiat_minor
    facts: dict[str, Any] = {
        "provider_reference": opened.reference,
        "fiat_minor": opened.fiat_minor,
        "fees_minor": order.fees_minor - abs(better),
        "instructions": dict(opened.instructions),
        "widget_url": opened.widget_url,
        "errand": None,
        "expires_at": min(order.expires_at, opened.pay_by or order.expires_at),
    }
    if sale is not None:
        stored = unit.intents.add(replace(sale, order_id=order_id), new_event_id())
        step.step.current[stored.id] = stored
        facts |= {"intent_id": stored.id, "intent_address": stored.address}
        facts |= {"gross_units": stored.terms.total_units, "pay_to": stored.terms.recipient}
    step.move(OrderEvent.ACCEPTED, f"{order.provider} has opened it", **facts)
    along(unit, done := step.store())
    return done


def _wrong(services: Services, order: RampOrder, opened: Opened) -> str:
    """What is not as it was agreed, as a sentence; empty when all is."""
    on = order.direction is Direction.ON
    worse = opened.fiat_minor > order.fiat_minor if on else opened.fiat_minor < order.fiat_minor
    if worse:
        now, then = money(order, opened.fiat_minor), money(order, order.fiat_minor)
        return f"{order.provider} {'asks' if on else 'pays'} {now}, not {then} as it quoted"
    with services.store.read() as unit:
        other = unit.orders.by_provider(order.provider, [opened.reference]).get(opened.reference)
    if not opened.reference or other not in (None, order.id):
        return f"{order.provider} answered with a reference that is not the order's own"
    return (
        ""
        if on or _pay_to(services, order, opened)
        else (f"{order.provider} named no address of {order.ramp_chain} to pay")
    )


def _pay_to(services: Services, order: RampOrder, opened: Opened) -> str:
    """Where the provider of an off-ramp takes its crypto, in the one spelling; empty if nowhere."""
    try:
        return payable(services, services.catalogue.chains[order.ramp_chain], opened.pay_to, "")
    except InvalidInput:
        return ""


def _sale_route(services: Services, order: RampOrder, pay_to: str) -> Routed:
    """What the user of an off-ramp deposits so that its provider gets what it takes."""
    token_in = services.catalogue.token(order.source_chain, order.symbol, "amountSymbol")
    token_out = ramp_token(services, order)
    assert token_out is not None
    chains = services.catalogue.chains
    way = Way(chains[order.source_chain], chains[order.ramp_chain], token_in, token_out, pay_to)
    decimals = decimals_of(services, way, token_out.symbol)
    units = rescale_up(order.ramp_units, token_out.decimals, decimals)
    routed = route_for(
        services, _client_of(services, order), order.source_chain, order.ramp_chain,
        token_in, token_out, units, token_out.symbol, pay_to,
    )  # fmt: skip
    # Coarser decimals may round it up by a fraction of a cent.
    return replace(routed, quote=replace(routed.quote, out_units=order.ramp_units))


def _dearer(order: RampOrder, routed: Routed) -> str:
    """Whether the deposit has become more than the user agreed to, as a sentence."""
    now, then = routed.quote.deposit_units, order.gross_units
    if now * 10_000 <= then * (10_000 + MOST_RISE_BPS):
        return ""
    decimals, symbol = routed.quote.asset_decimals, routed.quote.asset_symbol
    shown = [f"{format_units(units, decimals)} {symbol}" for units in (now, then)]
    return f"The deposit would be {shown[0]}, not {shown[1]} as it was quoted"


def _drawn(services: Services, order: RampOrder, routed: Routed, pay_to: str) -> Intent:
    channel = channel_of(services, order)
    given = Asked(
        token_out=ramp_token(services, order),
        recipient=pay_to,
        sender=order.sender,
        refund_address=_refund_address(services, order),
    )
    life = life_seconds(channel) if channel else services.policy.intent_life_seconds
    return drawn_up(services, _client_of(services, order), given, routed, life)


def _refund_address(services: Services, order: RampOrder) -> str:
    """Where the crypto of an off-ramp goes back to: who sends it, on the chain that is meant."""
    return order.sender


def _taken(step: OrderStep, reference: str) -> bool:
    """Whether another order has this reference of the provider's, or it is none."""
    of = step.unit.orders.by_provider(step.order.provider, [reference]) if reference else {}
    return not reference or of.get(reference, step.order.id) != step.order.id


def _client_of(services: Services, order: RampOrder) -> Caller:
    """The client of an order as the one who asks: its fee is in the price."""
    with services.store.read() as unit:
        client = unit.access.client(order.client_id)
    assert client is not None
    return Caller(client, Mode(order.mode), frozenset(Scope))


def personal_words(services: Services, order: RampOrder) -> list[str]:
    """What of an order is personal: the e-mail address and the values of its fields."""
    personal = _personal(services, order)
    return [str(personal.get("email") or ""), *personal.get("fields", {}).values()]


def _personal(services: Services, order: RampOrder) -> Mapping[str, Any]:
    if order.sealed is None:
        return {}
    opened: Mapping[str, Any] = json.loads(services.vault.open(order.sealed))
    return opened


def _identity(services: Services, order: RampOrder) -> Mapping[str, str]:
    """What the person handed in for the provider's check, but for documents."""
    if order.person_id is None:
        return {}
    with services.store.read() as unit:
        kept = unit.people.submitted(order.person_id, order.provider, order.country)
    plain = {one.key: services.vault.open(one.sealed) for one in kept if not one.media_type}
    return {key: json.loads(value) for key, value in plain.items()}
