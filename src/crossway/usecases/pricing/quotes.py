"""Quotes for a payment from one chain to another: by one bridge, by all, or the best of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, NotFound, QuotesUnavailable
from crossway.domain.intent import Costs
from crossway.domain.money import Token, parse_decimal
from crossway.domain.pricing import (
    amount_for_usd,
    app_fee,
    calculate_costs,
    convert,
    slippage_percent,
)
from crossway.domain.quotes import BridgeName, BridgeQuote, Comparison, Quote, QuoteRejected
from crossway.ports.bridges import Bridge
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches, is_chain_disabled
from crossway.usecases.chains.request_fields import parse_address, parse_chain, parse_token
from crossway.usecases.pricing.bridge_quotes import fetch_bridge_quotes
from crossway.usecases.pricing.multi_source import (
    compare_sources,
    confirmation_seconds,
    same_chain_cost,
)
from crossway.usecases.pricing.priced_request import (
    PricedRequest,
    QuoteRequest,
    RequestedRoute,
    parse,
    price_request,
)
from crossway.usecases.validation_errors import ValidationErrors

NO_QUOTES = "No quotes available for this route. Please check if the route is supported."
BAD_AMOUNT = "Amount must be a valid positive number"
MAX_DECIMAL_PLACES = 60


@dataclass(frozen=True, slots=True)
class RoutedQuote:
    """A quote with the data an intent stores of it; `bridge_quote` is None within one chain."""

    quote: Quote
    bridge_quote: BridgeQuote | None
    costs: Costs

    @property
    def extra_data(self) -> str:
        """`bridgeExtraData`: the data that the bridge's contract needs, `0x` when none."""
        return "0x" if self.bridge_quote is None else self.bridge_quote.extra_data


def quote_with_bridge(
    services: Services, caller: Principal | None, request: QuoteRequest, bridge: str | None
) -> Quote:
    """The quote of one bridge (service.md §4). Raises `InvalidInput` when it rejects the route."""
    disabled, errors = active_kill_switches(services), ValidationErrors()
    selected_bridge = errors.collect(lambda: _parse_bridge(services, bridge))
    priced = parse(services, caller, request, disabled, errors)
    assert selected_bridge is not None
    bridge_quotes = fetch_bridge_quotes(
        services, [selected_bridge], [priced.route_request], disabled
    )
    if not bridge_quotes.quotes[0]:
        rejection = bridge_quotes.rejections[0][0]
        raise InvalidInput(
            f"amount: {rejection.reason}" if rejection.supported else rejection.reason
        )
    return build_quote(services, caller, priced, bridge_quotes.quotes[0][0]).quote


def list_quotes(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> list[Quote]:
    """The quotes of all bridges of the route, cheapest first; within one chain, a single quote."""
    disabled, errors = active_kill_switches(services), ValidationErrors()
    excluded = errors.collect(lambda: _parse_excluded_bridges(exclude_bridges))
    priced = parse(services, caller, request, disabled, errors)
    bridges = [bridge for bridge in services.bridges if bridge.name not in (excluded or ())]
    bridge_quotes, _ = _list_routes(services, priced, bridges, disabled)
    return [
        build_quote(services, caller, priced, bridge_quote).quote for bridge_quote in bridge_quotes
    ]


def best_quote(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> Quote:
    """The cheapest of `list_quotes`. Raises `NotFound` when no bridge serves the route."""
    quotes = list_quotes(services, caller, request, exclude_bridges)
    if not quotes:
        raise NotFound(NO_QUOTES)
    return quotes[0]


def quote_intent(
    services: Services,
    caller: Principal | None,
    source: str,
    destination: str,
    token_in: Token,
    token_out: Token,
    amount: int,
    amount_symbol: str,
    recipient: str | None = None,
) -> RoutedQuote:
    """The cheapest quote for an intent; all arguments are parsed already. Raises `InvalidInput`."""
    chains, disabled = services.catalogue.chains, active_kill_switches(services)
    for field, chain in (("source_chain", source), ("destination_chain", destination)):
        if is_chain_disabled(disabled, chain):
            raise InvalidInput(f"{field}: {chain} is switched off")
    route = RequestedRoute(chains[source], chains[destination], token_in, token_out, recipient)
    priced = price_request(services, route, amount, amount_symbol)
    bridge_quotes, rejections = _list_routes(services, priced, services.bridges, disabled)
    if bridge_quotes:
        return build_quote(services, caller, priced, bridge_quotes[0])
    reasons = [rejection.reason for rejection in rejections if rejection.supported]
    if reasons:
        raise InvalidInput(f"amount: {', '.join(reasons)}")
    raise InvalidInput(f"destination_chain: no bridge serves {source} -> {destination}")


def quote_multi_source(
    services: Services,
    caller: Principal | None,
    destination: str | None,
    amount: str | None,
    token_out: str | None,
    recipient: str | None = None,
    exclude_chains: str | None = None,
) -> Comparison:
    """Quotes from every source chain to one destination (service.md §5); `amount` is a decimal
    amount of `token_out`."""
    errors, disabled = ValidationErrors(), active_kill_switches(services)
    if not _is_positive_number(amount):
        errors.add(BAD_AMOUNT)
    chain = errors.collect(
        lambda: parse_chain(services, caller, disabled, destination, "destinationChain")
    )
    excluded = errors.collect(
        lambda: {
            services.catalogue.chain(n, "excludeChains").id for n in _split_list(exclude_chains)
        }
    )
    token = parsed_amount = None
    if chain is not None:
        token = errors.collect(lambda: parse_token(services, chain, token_out, "tokenOut"))
        if recipient:
            errors.collect(lambda: parse_address(services, chain, recipient, "recipient"))
    if token is not None and _is_positive_number(amount):
        parsed_amount = errors.collect(lambda: parse_decimal("amount", amount, token.decimals))
    errors.raise_if_any()
    assert token is not None
    assert parsed_amount is not None
    assert excluded is not None
    return compare_sources(services, caller, token, parsed_amount, excluded, disabled)


def _list_routes(
    services: Services, priced: PricedRequest, bridges: Sequence[Bridge], disabled: Collection[str]
) -> tuple[Sequence[BridgeQuote | None], Sequence[QuoteRejected]]:
    """The bridge quotes of a route, cheapest first, and the rejections. Within one chain the only
    quote is None.

    Raises `QuotesUnavailable` when there is no quote and some bridge did not respond.
    """
    if priced.route.is_same_chain:
        return [None], ()
    result = fetch_bridge_quotes(services, bridges, [priced.route_request], disabled)
    quotes = sorted(result.quotes[0], key=lambda q: (q.fee_micro_usd, q.fill_seconds, q.bridge))
    if not quotes and result.excluded:
        reasons = ", ".join(f"{excluded.subject} {excluded.reason}" for excluded in result.excluded)
        raise QuotesUnavailable(f"No quote, and some bridges did not respond: {reasons}")
    return quotes, result.rejections[0]


def _calculate_costs(
    services: Services,
    caller: Principal | None,
    priced: PricedRequest,
    bridge_quote: BridgeQuote | None,
) -> tuple[Costs, int]:
    """The costs of a payment, and the amount to deposit."""
    client, source = caller.client if caller else None, priced.route.source
    app_fee_micro_usd = client and app_fee(
        priced.amount_micro_usd, client.app_fee_bps, client.app_fee_cap_micro_usd
    )
    return calculate_costs(
        priced.amount,
        priced.amount_token,
        priced.priced_in,
        services.policy.service_fee.calculate(priced.amount_micro_usd),
        bridge_quote.fee_micro_usd if bridge_quote else same_chain_cost(source),
        app_fee_micro_usd or 0,
    )


def build_quote(
    services: Services,
    caller: Principal | None,
    priced: PricedRequest,
    bridge_quote: BridgeQuote | None,
) -> RoutedQuote:
    """Build the full quote of a priced request with a bridge quote; None within one chain."""
    route = priced.route
    costs, deposit_amount = _calculate_costs(services, caller, priced, bridge_quote)
    fee_micro_usd = costs.service_micro_usd + costs.bridge_micro_usd
    fill_seconds = bridge_quote.fill_seconds if bridge_quote else 0
    quote = Quote(
        bridge=bridge_quote.bridge if bridge_quote else None,
        source=route.source.id,
        destination=route.destination.id,
        token_in=route.token_in.address,
        token_out=route.token_out.address,
        recipient=route.recipient,
        amount_symbol=priced.amount_token.symbol,
        amount_decimals=priced.amount_token.decimals,
        amount=priced.amount,
        payout_amount=convert(priced.amount, priced.amount_token, priced.priced_out),
        service_micro_usd=costs.service_micro_usd,
        bridge_micro_usd=costs.bridge_micro_usd,
        app_micro_usd=costs.app_micro_usd,
        fee_units=amount_for_usd(fee_micro_usd, priced.amount_token),
        app_fee_units=amount_for_usd(costs.app_micro_usd, priced.amount_token),
        asset_symbol=route.token_in.symbol,
        asset_decimals=route.token_in.decimals,
        fee_asset_units=costs.fees_units,
        deposit_amount=deposit_amount,
        slippage=slippage_percent(route.token_in.symbol, priced.amount_token.symbol),
        fill_seconds=confirmation_seconds(route.source, priced.amount_micro_usd) + fill_seconds,
        expires_at=services.clock.now() + timedelta(seconds=services.policy.quote_life_seconds),
        details=bridge_quote.details if bridge_quote else {},
    )
    return RoutedQuote(quote, bridge_quote, costs)


def _parse_bridge(services: Services, name: str | None) -> Bridge:
    if name not in tuple(BridgeName):
        raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")
    for bridge in services.bridges:
        if bridge.name == name:
            return bridge
    raise InvalidInput(f"bridge: {name} is not configured here")


def _parse_excluded_bridges(names: str | None) -> Collection[str]:
    listed = _split_list(names)
    if any(name not in tuple(BridgeName) for name in listed):
        raise InvalidInput(f"excludeBridges must name some of {', '.join(BridgeName)}")
    return listed


def _split_list(names: str | None) -> list[str]:
    """The items of a comma-separated list."""
    return [name for part in (names or "").split(",") if (name := part.strip())]


def _is_positive_number(text: str | None) -> bool:
    try:
        return parse_decimal("amount", text, MAX_DECIMAL_PLACES) > 0
    except InvalidInput:
        return False
