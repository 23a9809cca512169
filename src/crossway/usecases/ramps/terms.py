"""What a new ramp order is asked for, read and checked field by field, and drawn up."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.catalogue import Chain
from crossway.domain.channels import Channel, read_fields
from crossway.domain.clients import Caller
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import rescale_up
from crossway.domain.ramps import Direction, Errand, OrderState, RampOrder
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.identity.corridors import provider_named
from crossway.usecases.payments.terms import Asked, drawn_up, payable
from crossway.usecases.ramps.opening import life_seconds
from crossway.usecases.ramps.prices import RampQuote
from crossway.usecases.ramps.questions import RampQuestion, direction_of
from crossway.usecases.ramps.quotes import quote_for_order
from crossway.usecases.ramps.timing import OPENING

_REFERENCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class NewOrder:
    """What is asked for, as it came (service.md §1); fields left out are None, `strange` are those
    that nobody knows. `channel` is one of the quote's; left out, the first that `fields` suit."""

    direction: object = None
    provider: object = None
    currency: object = None
    amount: object = None
    destination_chain: object = None
    source_chain: object = None
    symbol: object = None
    recipient: object = None
    sender: object = None
    country: object = None
    email: object = None
    fields: object = None
    channel: object = None
    strange: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request that was read: `address` is the recipient of an on-ramp, the sender of an
    off-ramp; `email` is None where none is needed and none was given."""

    quote: RampQuote
    channel: Channel
    address: str
    email: str | None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def direction(self) -> Direction:
        """The direction of the order."""
        return self.quote.direction


def read(services: Services, caller: Caller, asked: NewOrder) -> Wanted:
    """The order that is asked for, priced. Raises `InvalidInput` with every complaint, and
    `Forbidden` where a direct order does not say for whom it is."""
    complaints = Complaints()
    for name in asked.strange:
        complaints.add(f"{name} is not a known field")
    direction = complaints.read(lambda: direction_of(asked.direction))
    complaints.read(lambda: provider_named(services, asked.provider))
    address = complaints.read(lambda: _address(services, asked, direction))
    given, channel = _fields(asked, complaints)
    quote = complaints.read(lambda: quote_for_order(
        services, caller, _question(asked, channel), asked.provider
    ))  # fmt: skip
    complaints.refuse()
    assert quote is not None
    assert address is not None
    return _suited(services, caller, asked, quote, address, given)


def _suited(
    services: Services,
    caller: Caller,
    asked: NewOrder,
    quote: RampQuote,
    address: str,
    given: Mapping[str, object],
) -> Wanted:
    """The request with the channel that its fields suit, at that channel's own price."""
    channel = _channel_for(quote.channels, given)
    email = asked.email if isinstance(asked.email, str) and asked.email.strip() else None
    if channel.direct and email is None:
        raise Forbidden("userEmail is required for a direct order: the user's e-mail address")
    if channel.id != quote.channels[0].id:
        question = _question(asked, channel.id)
        quote = quote_for_order(services, caller, question, asked.provider)
    return Wanted(quote, channel, address, email, read_fields(channel, given))


def _channel_for(channels: Sequence[Channel], given: Mapping[str, object]) -> Channel:
    """The first channel whose fields are all there; else the first, which then says what is
    wrong."""
    for channel in channels:
        try:
            read_fields(channel, given)
        except InvalidInput:
            continue
        return channel
    return channels[0]


def _question(asked: NewOrder, channel: object) -> RampQuestion:
    return RampQuestion(
        direction=asked.direction,
        currency=asked.currency,
        amount=asked.amount,
        destination_chain=asked.destination_chain,
        source_chain=asked.source_chain,
        symbol=asked.symbol,
        country=asked.country,
        email=asked.email,
        channel=channel,
    )


def _fields(asked: NewOrder, complaints: Complaints) -> tuple[Mapping[str, object], object]:
    """The fields of the channel, and the channel where one of them names it."""
    if asked.fields is None:
        return {}, asked.channel
    if not isinstance(asked.fields, Mapping):
        complaints.add("fields must be a JSON object")
        return {}, asked.channel
    given = dict(asked.fields)
    named = given.pop("channel", None)
    return given, asked.channel if asked.channel is not None else named


def _address(services: Services, asked: NewOrder, direction: Direction | None) -> str | None:
    """The user's own wallet on their own chain. A wrong chain is complained of with the quote."""
    if direction is None:
        return None
    on = direction is Direction.ON
    name = asked.destination_chain if on else asked.source_chain
    text, field = (asked.recipient, "recipientAddress") if on else (asked.sender, "senderAddress")
    if text is None:
        raise InvalidInput(f"{field} is required for an {direction}")
    chain = _chain_named(services, name)
    return None if chain is None else payable(services, chain, text, field)


def _chain_named(services: Services, name: object) -> Chain | None:
    try:
        found = services.catalogue.chain(name)
    except InvalidInput:
        return None
    return found if found.id in services.chains else None


def drawn_order(
    services: Services, caller: Caller, wanted: Wanted, person_id: str | None
) -> RampOrder:
    """The order as it is stored first: nobody but us knows of it."""
    quote, channel, now = wanted.quote, wanted.channel, services.clock.now()
    on = wanted.direction is Direction.ON
    route = quote.routed.quote
    # An off-ramp counts in the places of what is deposited: USDC has 18 of them on BSC.
    places = quote.decimals if on else max(quote.decimals, quote.token.decimals)
    personal = {"email": wanted.email or "", "fields": dict(wanted.fields)}
    return RampOrder(
        id=0,
        client_id=caller.client.id,
        mode=caller.mode.value,
        reference=f"cw_{secrets.token_hex(_REFERENCE_BYTES)}",
        direction=quote.direction,
        provider=quote.provider,
        state=OrderState.PENDING,
        currency=quote.currency.code,
        digits=quote.currency.digits,
        fiat_minor=quote.fiat_minor,
        fee_minor=quote.fee_minor,
        fees_minor=quote.total_fees_minor,
        fees_micro_usd=quote.total_fees_micro_usd,
        worth_micro_usd=quote.worth_micro_usd,
        rate_micro=quote.rate_micro,
        symbol=quote.token.symbol,
        decimals=places,
        crypto_units=rescale_up(quote.crypto_units, quote.decimals, places),
        source_chain=route.source,
        destination_chain=route.destination,
        ramp_chain=quote.ramp_token.chain,
        ramp_token=quote.ramp_token.address,
        ramp_units=quote.ramp_units,
        gross_units=quote.gross_units,
        sender="" if on else wanted.address,
        recipient=wanted.address if on else "",
        country=quote.country,
        channel=channel.id,
        person_id=person_id,
        sealed=services.vault.seal(json.dumps(personal).encode()),
        widget_url="",
        instructions={},
        pay_to="",
        intent_id=None,
        intent_address="",
        provider_reference="",
        provider_tx="",
        failure_reason="",
        metadata={},
        errand=Errand.OPEN,
        tries=0,
        next_at=now + OPENING,
        paid_at=None,
        created_at=now,
        updated_at=now,
        expires_at=now.replace(microsecond=0) + timedelta(seconds=channel.pay_seconds),
        completed_at=None,
    )


def drawn_delivery(services: Services, caller: Caller, wanted: Wanted, refund_to: str) -> Intent:
    """The intent that an on-ramp's provider pays into; what cannot be delivered goes back to it."""
    given = Asked(token_out=wanted.quote.token, recipient=wanted.address, refund_address=refund_to)
    life = life_seconds(wanted.channel)
    return drawn_up(services, caller, given, wanted.quote.routed, life)
