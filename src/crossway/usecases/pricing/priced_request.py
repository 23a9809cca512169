"""Parse a quote request and value it at current prices."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token, parse_units
from crossway.domain.pricing import PricedToken, usd_value
from crossway.domain.quotes import RouteRequest
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_address, parse_chain, parse_token
from crossway.usecases.pricing.price_snapshot import take_price_snapshot
from crossway.usecases.validation_errors import ValidationErrors

NO_TOKENS = "Token addresses are required"


@dataclass(frozen=True, slots=True)
class QuoteRequest:
    """A quote request as received; `amount` is in the smallest units of `amount_symbol`, by default
    USDC."""

    token_in: str | None
    token_out: str | None
    source: str | None
    destination: str | None
    amount: str | None
    recipient: str | None = None
    amount_symbol: str | None = None


@dataclass(frozen=True, slots=True)
class RequestedRoute:
    """Source chain and token, destination chain and token; all from the catalogue."""

    source: Chain
    destination: Chain
    token_in: Token
    token_out: Token
    recipient: str | None = None

    @property
    def is_same_chain(self) -> bool:
        """Whether source and destination are one chain, so that no bridge is needed."""
        return self.source.id == self.destination.id


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A route with an amount, its value in micro-USD, and the prices of the tokens involved.

    `amount_token` is the token that `amount` counts; `priced_in` and `priced_out` are the deposited
    token and the token paid out.
    """

    route: RequestedRoute
    amount: int
    amount_micro_usd: int
    amount_token: PricedToken
    priced_in: PricedToken
    priced_out: PricedToken

    @property
    def route_request(self) -> RouteRequest:
        """The request to send to bridges."""
        return RouteRequest(self.route.source.id, self.route.destination.id, self.amount_micro_usd)


def parse(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    disabled: Collection[str],
    errors: ValidationErrors,
) -> PricedRequest:
    """Parse and price a request; raises `InvalidInput` with the errors passed in and its own."""
    if not request.token_in or not request.token_out:
        raise InvalidInput(NO_TOKENS)
    source = errors.collect(
        lambda: parse_chain(services, caller, disabled, request.source, "sourceChain")
    )
    destination = errors.collect(
        lambda: parse_chain(services, caller, disabled, request.destination, "destinationChain")
    )
    amount = errors.collect(lambda: parse_units("amount", request.amount))
    symbol = errors.collect(lambda: services.catalogue.symbol(request.amount_symbol or "USDC"))
    token_in = token_out = recipient = None
    if source is not None:
        text = request.token_in
        token_in = errors.collect(lambda: parse_token(services, source, text, "tokenIn"))
    if destination is not None:
        token_out = errors.collect(
            lambda: parse_token(services, destination, request.token_out, "tokenOut")
        )
        if request.recipient:
            recipient = errors.collect(
                lambda: parse_address(services, destination, request.recipient, "recipient")
            )
    errors.raise_if_any()
    assert source is not None
    assert destination is not None
    assert token_in is not None
    assert token_out is not None
    assert amount is not None
    assert symbol is not None
    route = RequestedRoute(source, destination, token_in, token_out, recipient)
    return price_request(services, route, amount, symbol)


def price_request(
    services: Services, route: RequestedRoute, amount: int, symbol: str
) -> PricedRequest:
    """Value an amount of a symbol on a route at current prices."""
    prices = take_price_snapshot(services, {symbol, route.token_in.symbol, route.token_out.symbol})
    decimals = amount_decimals(services, route, symbol)
    amount_token = prices.priced_token(symbol, decimals, "amountSymbol")
    return PricedRequest(
        route=route,
        amount=amount,
        amount_micro_usd=usd_value(amount, amount_token),
        amount_token=amount_token,
        priced_in=prices.priced_token(route.token_in.symbol, route.token_in.decimals, "tokenIn"),
        priced_out=prices.priced_token(
            route.token_out.symbol, route.token_out.decimals, "tokenOut"
        ),
    )


def amount_decimals(services: Services, route: RequestedRoute, symbol: str) -> int:
    """The decimals of an amount of this symbol on this route: those of the deposited token, else of
    the payout token, if either is of this symbol; else those on the source or destination chain."""
    if symbol != "USDC":
        for token in (route.token_in, route.token_out):
            if token.symbol == symbol:
                return token.decimals
    return services.catalogue.decimals_of(symbol, (route.source.id, route.destination.id))
