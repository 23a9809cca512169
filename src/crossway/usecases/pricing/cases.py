"""One question for a quote: as text came in, then read, checked and priced."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token, parse_units
from crossway.domain.pricing import Side, worth
from crossway.domain.quotes import Leg
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.fields import address_of, chain_of, token_of
from crossway.usecases.pricing.rates import rates

NO_TOKENS = "Token addresses are required"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as text; `amount` counts smallest units of `amount_symbol`, or of USDC."""

    token_in: str | None
    token_out: str | None
    source: str | None
    destination: str | None
    amount: str | None
    recipient: str | None = None
    amount_symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """From which token on which chain to which on which, all of them known to the catalogue."""

    source: Chain
    destination: Chain
    token_in: Token
    token_out: Token
    recipient: str | None = None

    @property
    def within_one_chain(self) -> bool:
        """Whether no bridge is needed."""
        return self.source.id == self.destination.id


@dataclass(frozen=True, slots=True)
class Case:
    """A way with its amount and its prices; `micro_usd` is what the amount is worth."""

    way: Way
    units: int
    micro_usd: int
    amount: Side
    asset: Side
    out: Side

    @property
    def leg(self) -> Leg:
        """What a bridge is asked."""
        return Leg(self.way.source.id, self.way.destination.id, self.micro_usd)


def read(
    services: Services,
    caller: Caller | None,
    asked: Asked,
    off: Collection[str],
    complaints: Complaints,
) -> Case:
    """The case that was asked for; raises `InvalidInput` with these complaints and its own."""
    if not asked.token_in or not asked.token_out:
        raise InvalidInput(NO_TOKENS)
    source = complaints.read(lambda: chain_of(services, caller, off, asked.source, "sourceChain"))
    destination = complaints.read(
        lambda: chain_of(services, caller, off, asked.destination, "destinationChain")
    )
    units = complaints.read(lambda: parse_units("amount", asked.amount))
    symbol = complaints.read(lambda: services.catalogue.symbol(asked.amount_symbol or "USDC"))
    token_in = token_out = recipient = None
    if source is not None:
        token_in = complaints.read(lambda: token_of(services, source, asked.token_in, "tokenIn"))
    if destination is not None:
        token_out = complaints.read(
            lambda: token_of(services, destination, asked.token_out, "tokenOut")
        )
        if asked.recipient:
            recipient = complaints.read(
                lambda: address_of(services, destination, asked.recipient, "recipient")
            )
    complaints.refuse()
    assert source is not None
    assert destination is not None
    assert token_in is not None
    assert token_out is not None
    assert units is not None
    assert symbol is not None
    return priced(services, Way(source, destination, token_in, token_out, recipient), units, symbol)


def priced(services: Services, way: Way, units: int, symbol: str) -> Case:
    """The case of these units of a symbol, at the prices of now."""
    prices = rates(services, {symbol, way.token_in.symbol, way.token_out.symbol})
    decimals = decimals_of(services, way, symbol)
    amount = prices.side(symbol, decimals, "amountSymbol")
    return Case(
        way=way,
        units=units,
        micro_usd=worth(units, amount),
        amount=amount,
        asset=prices.side(way.token_in.symbol, way.token_in.decimals, "tokenIn"),
        out=prices.side(way.token_out.symbol, way.token_out.decimals, "tokenOut"),
    )


def decimals_of(services: Services, way: Way, symbol: str) -> int:
    """Decimals in which an amount of this symbol is counted on this way: those of the token paid
    or else received, if it is the symbol's; else those it has on the source, on the destination."""
    if symbol != "USDC":
        for token in (way.token_in, way.token_out):
            if token.symbol == symbol:
                return token.decimals
    return services.catalogue.decimals_of(symbol, (way.source.id, way.destination.id))
