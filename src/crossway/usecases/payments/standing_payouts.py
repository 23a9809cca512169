"""The payments that are made for deposits at standing addresses: the recipient gets what came less
the fees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crossway.domain.clients import Client, Principal, Scope
from crossway.domain.errors import DomainError
from crossway.domain.network_costs import Arrival
from crossway.domain.quotes import Quote
from crossway.domain.standing import StandingAddress, StandingDeposit
from crossway.ports.services import Services
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payments.create_intent import NewIntent, build_intent
from crossway.usecases.payments.intent_request import IntentFields
from crossway.usecases.pricing.intent_quotes import AskedQuote, quote_intents
from crossway.usecases.pricing.priced_request import RequestedRoute

FEES_TOO_HIGH = "The fees are above the highest that this address was made with."


class TermsUnavailable(DomainError):
    """A payment cannot be made for a deposit now; the message says why."""


@dataclass(frozen=True, slots=True)
class WholeDeposit:
    """So many units of an accepted token at a standing address, and who that belongs to."""

    address: StandingAddress
    client: Client
    token: str
    amount: int

    @property
    def caller(self) -> Principal:
        """The principal that creates its payment: the client, with no other rights."""
        return Principal(self.client, self.address.mode, frozenset({Scope.READ, Scope.WRITE}))


@dataclass(frozen=True, slots=True)
class Payable:
    """A deposit that a payment is to be made for, its standing address and who that belongs to."""

    deposit: StandingDeposit
    address: StandingAddress
    client: Client

    @property
    def whole(self) -> WholeDeposit:
        """What is quoted."""
        incoming = self.deposit.incoming
        return WholeDeposit(self.address, self.client, incoming.token, incoming.amount)


def prepare_payments(
    services: Services, payable: Sequence[Payable]
) -> list[NewIntent | TermsUnavailable]:
    """For each deposit its payment, not stored yet, or why there is none now."""
    if not payable:
        return []
    try:
        require_not_stopped(services)
    except DomainError as error:
        return [TermsUnavailable(str(error)) for _ in payable]
    quotes = quote_deposits(services, [one.whole for one in payable])
    return [_build(services, one, quote) for one, quote in zip(payable, quotes, strict=True)]


def quote_deposits(
    services: Services, deposits: Sequence[WholeDeposit]
) -> list[Quote | TermsUnavailable]:
    """For each its quote, whose deposit is all of it, or why there is none now."""
    # What is asked for first is the whole deposit: its fees tell about how much less arrives.
    # Fees do not grow when the amount shrinks, so that the second quote never asks for more.
    amounts = [one.amount for one in deposits]
    first = _quote(services, deposits, amounts)
    left = [
        amount if isinstance(quote, Exception) else 2 * amount - quote.deposit_amount
        for amount, quote in zip(amounts, first, strict=True)
    ]
    second = _quote(services, deposits, left)
    return [
        _take_all(one, quote if isinstance(quote, Exception) else again)
        for one, quote, again in zip(deposits, first, second, strict=True)
    ]


def route_of(services: Services, address: StandingAddress, token: str) -> RequestedRoute:
    """The route of a deposit of a token, which is forwarded from the address."""
    catalogue = services.catalogue
    return RequestedRoute(
        catalogue.chains[address.source_chain],
        catalogue.chains[address.destination_chain],
        catalogue.by_address[address.source_chain, token],
        catalogue.by_address[address.destination_chain, address.token_out],
        address.recipient,
        arrival=Arrival.FORWARDED,
    )


def _quote(
    services: Services, deposits: Sequence[WholeDeposit], amounts: Sequence[int]
) -> list[Quote | Exception]:
    asked = []
    for one, amount in zip(deposits, amounts, strict=True):
        route = route_of(services, one.address, one.token)
        asked.append(AskedQuote(one.caller, route, max(amount, 1), route.token_in.symbol))
    return quote_intents(services, asked)


def _take_all(one: WholeDeposit, quote: Quote | Exception) -> Quote | TermsUnavailable:
    """The quote of the whole deposit: the little that it leaves is a fee."""
    if isinstance(quote, Exception):
        if not isinstance(quote, DomainError):
            raise quote
        return TermsUnavailable(str(quote))
    terms, rest = one.address.terms, one.amount - quote.deposit_amount
    rule = terms.rule_of(one.token)
    assert rule is not None
    if rest < 0 or quote.payout_amount < rule.least_payout(one.amount, terms.max_fee_bps):
        return TermsUnavailable(FEES_TOO_HIGH)
    costs = replace(quote.costs, fees_units=quote.costs.fees_units + rest)
    return replace(quote, deposit_amount=one.amount, costs=costs)


def _build(
    services: Services, one: Payable, quote: Quote | TermsUnavailable
) -> NewIntent | TermsUnavailable:
    if isinstance(quote, TermsUnavailable):
        return quote
    address, incoming = one.address, one.deposit.incoming
    fields = IntentFields(
        token_out=services.catalogue.by_address[address.destination_chain, address.token_out],
        recipient=address.recipient,
        refund_address=address.recovery,
        sender=incoming.sender,
        metadata=_metadata(address),
    )
    life_seconds = services.policy.intent_life_seconds
    intent = build_intent(services, one.whole.caller, fields, quote, life_seconds)
    if intent.bridger not in address.terms.bridgers:
        return TermsUnavailable("The address does not know the contract that would collect it.")
    return NewIntent(intent, "")


def _metadata(address: StandingAddress) -> dict[str, object]:
    own: Mapping[str, object] = {"standing_address": address.id}
    reference = {"reference": address.reference} if address.reference else {}
    return {**address.metadata, **reference, **own}
