"""Parse a quote request and price it: current prices, the amount's value, and the fees on it."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.costs import Costs
from crossway.domain.errors import MissingInput
from crossway.domain.money import Token, parse_units
from crossway.domain.network_costs import Arrival, PayoutPath
from crossway.domain.pricing import PricedToken, calculate_costs, usd_value
from crossway.domain.quotes import BridgeQuote, RouteRequest
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_chain,
    parse_source_chain,
    parse_token,
)
from crossway.usecases.pricing.network_fees import NetworkFee, NetworkFees, read_network_fees
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
    """Source chain and token, destination chain and token; all from the catalogue.

    `life_seconds` is how long the terms will hold; None for the usual life of an intent.
    `arrival` is how the deposit comes, which costs us something unless the payer sends it.
    """

    source: Chain
    destination: Chain
    token_in: Token
    token_out: Token
    recipient: str | None = None
    life_seconds: int | None = None
    arrival: Arrival = Arrival.SENT

    @property
    def is_same_chain(self) -> bool:
        """Whether source and destination are one chain, so that no bridge is needed."""
        return self.source.id == self.destination.id


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A route with an amount, its value and the fees on it, and the prices of the tokens involved.

    `amount_token` is the token that `amount` counts; `priced_in` and `priced_out` are the deposited
    token and the token paid out. Service and app fee are the same whichever bridge is used.
    """

    route: RequestedRoute
    amount: int
    amount_micro_usd: int
    service_fee_micro_usd: int
    network_fees: NetworkFees
    app_fee_micro_usd: int
    amount_token: PricedToken
    priced_in: PricedToken
    priced_out: PricedToken

    @property
    def route_request(self) -> RouteRequest:
        """The request to send to bridges."""
        route = self.route
        symbols = route.token_in.symbol, route.token_out.symbol
        return RouteRequest(route.source.id, route.destination.id, self.amount_micro_usd, *symbols)

    def network_fee(self, quote: BridgeQuote | None) -> NetworkFee:
        """The network costs with a bridge; None within one chain."""
        return self.network_fees.fee_of(PayoutPath.SAME_CHAIN if quote is None else quote.path)

    def with_network_fee(self, quote: BridgeQuote) -> BridgeQuote:
        """A bridge's quote with the network costs of this payment instead of the model's."""
        return quote.with_network_fee(self.network_fee(quote).charged)

    def rank(self, quote: BridgeQuote) -> tuple[int, int, str]:
        """`BridgeQuote.rank` with the network costs of this payment instead of the model's."""
        fee = quote.fee_with_network(self.network_fees.charged(quote.path))
        return fee, quote.fill_seconds, quote.bridge

    def costs(self, quote: BridgeQuote | None) -> tuple[Costs, int]:
        """The costs with a bridge's quote, which includes its network costs, and the amount to
        deposit; None within one chain."""
        network_fee = self.network_fee(quote)
        return calculate_costs(
            self.amount,
            self.amount_token,
            self.priced_in,
            self.service_fee_micro_usd,
            quote.fee_micro_usd if quote else network_fee.charged,
            self.app_fee_micro_usd,
            network_fee.total,
        )


def parse(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    disabled: Collection[str],
    errors: ValidationErrors,
) -> PricedRequest:
    """Parse and price a request; raises `InvalidInput` with the errors passed in and its own."""
    _require_tokens(request)
    source = errors.collect(
        parse_source_chain, services, caller, disabled, request.source, "sourceChain"
    )
    destination = errors.collect(
        parse_chain, services, caller, disabled, request.destination, "destinationChain"
    )
    amount = errors.collect(parse_units, "amount", request.amount)
    symbol = errors.collect(services.catalogue.symbol, request.amount_symbol or "USDC")
    token_in = token_out = recipient = None
    if source is not None:
        token_in = errors.collect(
            parse_token, services, caller, source, request.token_in, "tokenIn"
        )
    if destination is not None:
        token_out = errors.collect(
            parse_token, services, caller, destination, request.token_out, "tokenOut"
        )
        if request.recipient:
            recipient = errors.collect(
                parse_address, services, destination, request.recipient, "recipient"
            )
    errors.raise_if_any()
    assert source and destination and token_in and token_out and amount and symbol  # noqa: PT018
    route = RequestedRoute(source, destination, token_in, token_out, recipient)
    return price_request(services, caller, route, amount, symbol)


def _require_tokens(request: QuoteRequest) -> None:
    fields = {"tokenIn": request.token_in, "tokenOut": request.token_out}
    if missing := tuple(name for name, value in fields.items() if not value):
        raise MissingInput(NO_TOKENS, fields=missing)


def price_request(
    services: Services, caller: Principal | None, route: RequestedRoute, amount: int, symbol: str
) -> PricedRequest:
    """Price an amount of a symbol on a route for this caller."""
    symbols = {symbol, route.token_in.symbol, route.token_out.symbol}
    prices = take_price_snapshot(services, symbols).with_spread(
        services, route.token_in.symbol, route.token_out.symbol, route.life_seconds
    )
    decimals = amount_decimals(services, route, symbol)
    amount_token = prices.priced_token(symbol, decimals, "amountSymbol")
    amount_micro_usd = usd_value(amount, amount_token)
    service_fee = services.policy.service_fee.calculate(amount_micro_usd)
    return PricedRequest(
        route=route,
        amount=amount,
        amount_micro_usd=amount_micro_usd,
        service_fee_micro_usd=service_fee,
        network_fees=read_network_fees(
            services, route.source.id, route.destination.id, service_fee, route.arrival
        ),
        app_fee_micro_usd=caller.client.app_fee(amount_micro_usd) if caller else 0,
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
