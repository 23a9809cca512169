"""Quotes for a payment from one chain to another, from the quotes that bridges give in parallel."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, MissingInput, NotFound, QuotesUnavailable
from crossway.domain.pricing import amount_for_usd, convert
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    Quote,
    QuoteRejected,
    cctp_max_fee,
    usual_times,
)
from crossway.domain.same_chain import find_limit_problem
from crossway.domain.swaps import percent_of_bps
from crossway.ports.bridge import Bridge
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
)
from crossway.usecases.chains.request_fields import split_list
from crossway.usecases.pricing.bridge_quotes import (
    BridgeQuotes,
    explain_rejections,
    fetch_bridge_quotes,
    format_excluded,
)
from crossway.usecases.pricing.priced_request import (
    PricedRequest,
    QuoteRequest,
    parse,
)
from crossway.usecases.pricing.swap_terms import draw_up_swap, slippage_bps
from crossway.usecases.validation_errors import ValidationErrors

NO_QUOTES = "No quotes available for this route. Please check if the route is supported."


def quote_with_bridge(
    services: Services, caller: Principal | None, request: QuoteRequest, bridge: str | None
) -> Quote:
    """The quote of one bridge. Raises `InvalidInput` when it rejects the route."""
    disabled, errors = active_kill_switches(services), ValidationErrors()
    selected_bridge = errors.collect(_parse_bridge, services, bridge)
    priced = parse(services, caller, request, disabled, errors)
    assert selected_bridge is not None
    bridge_quotes = fetch_bridge_quotes(
        services, [selected_bridge], [priced.route_request], disabled
    )
    if not bridge_quotes.quotes[0]:
        rejection = bridge_quotes.rejections[0][0]
        prefix = f"{rejection.param}: " if rejection.supported and rejection.param else ""
        is_limit = rejection.supported and rejection.param == "amount"
        code = ErrorCode.AMOUNT_OUT_OF_RANGE if is_limit else ErrorCode.ROUTE_NOT_SUPPORTED
        raise InvalidInput(prefix + rejection.reason, code)
    return build_quote(services, priced, priced.with_network_fee(bridge_quotes.quotes[0][0]))


def list_quotes(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> list[Quote]:
    """The quotes of all bridges of the route, cheapest first; within one chain, a single quote."""
    disabled = active_kill_switches(services)
    priced, bridges = parse_comparison(services, caller, request, exclude_bridges, disabled)
    bridge_quotes, _ = _list_bridge_quotes(services, priced, bridges, disabled)
    return [build_listed(services, priced, bridge_quote) for bridge_quote in bridge_quotes]


def parse_comparison(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None,
    disabled: Collection[str],
) -> tuple[PricedRequest, Sequence[Bridge]]:
    """The priced request of a comparison, and the bridges that it asks."""
    errors = ValidationErrors()
    excluded = errors.collect(_parse_excluded_bridges, exclude_bridges)
    priced = parse(services, caller, request, disabled, errors)
    return priced, [bridge for bridge in services.bridges if bridge.name not in (excluded or ())]


def best_quote(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> Quote:
    """The cheapest of `list_quotes`. Raises `NotFound` when no bridge serves the route."""
    quotes = list_quotes(services, caller, request, exclude_bridges)
    if not quotes:
        raise NotFound(NO_QUOTES, ErrorCode.NO_QUOTES)
    return quotes[0]


def optimal_quote(services: Services, caller: Principal | None, request: QuoteRequest) -> Quote:
    """The cheapest of `list_quotes`. Raises `InvalidInput` that says why there is none."""
    disabled = active_kill_switches(services)
    priced = parse(services, caller, request, disabled, ValidationErrors())
    bridge_quotes, rejections = _list_bridge_quotes(services, priced, services.bridges, disabled)
    if bridge_quotes:
        return build_listed(services, priced, bridge_quotes[0])
    if any(rejection.supported and rejection.param for rejection in rejections):
        raise explain_rejections(priced.route, rejections)
    pair = f"{priced.route.source.id} -> {priced.route.destination.id}"
    raise InvalidInput(f"No bridges support route {pair}", ErrorCode.ROUTE_NOT_SUPPORTED)


def _list_bridge_quotes(
    services: Services, priced: PricedRequest, bridges: Sequence[Bridge], disabled: Collection[str]
) -> tuple[Sequence[BridgeQuote | None], Sequence[QuoteRejected]]:
    """The bridge quotes of a route, cheapest first, with the network costs of their models, and the
    rejections. Within one chain the only quote is None.

    Raises `InvalidInput` for an amount outside the limits of one chain, and `QuotesUnavailable`
    when there is no quote and some bridge did not respond.
    """
    if priced.route.is_same_chain:
        require_within_limits(priced)
        return [None], ()
    fetched = fetch_bridge_quotes(services, bridges, [priced.route_request], disabled)
    return rank_quotes(priced, fetched, 0), fetched.rejections[0]


def rank_quotes(priced: PricedRequest, fetched: BridgeQuotes, place: int) -> list[BridgeQuote]:
    """The bridge quotes of one of several requests, cheapest first. Raises `QuotesUnavailable` when
    there is none and some bridge did not respond."""
    quotes = sorted(fetched.quotes[place], key=priced.rank)
    if not quotes and fetched.excluded:
        reasons = format_excluded(fetched.excluded)
        raise QuotesUnavailable(f"No quote, and some bridges did not respond: {reasons}")
    return quotes


def build_listed(
    services: Services, priced: PricedRequest, bridge_quote: BridgeQuote | None
) -> Quote:
    """The full quote of a priced request with one of its ranked bridge quotes; None within one
    chain."""
    charged = None if bridge_quote is None else priced.with_network_fee(bridge_quote)
    return build_quote(services, priced, charged)


def require_within_limits(priced: PricedRequest) -> None:
    """Raises `InvalidInput` for an amount that is not paid within one chain."""
    if problem := find_limit_problem(priced.amount_micro_usd):
        raise InvalidInput(f"amount: {problem}", ErrorCode.AMOUNT_OUT_OF_RANGE)


def build_quote(
    services: Services, priced: PricedRequest, bridge_quote: BridgeQuote | None
) -> Quote:
    """Build the full quote of a priced request with a bridge quote, which includes its network
    costs; None within one chain."""
    route, amount_token = priced.route, priced.amount_token
    costs, deposit_amount = priced.costs(bridge_quote)
    payout_amount = convert(priced.amount, amount_token, priced.priced_out)
    fill_seconds, trusted_seconds = usual_times(
        route.source, route.destination, priced.amount_micro_usd, bridge_quote
    )
    return Quote(
        source=route.source.id,
        destination=route.destination.id,
        token_in=route.token_in.address,
        token_out=route.token_out.address,
        recipient=route.recipient,
        amount_symbol=amount_token.symbol,
        amount_decimals=amount_token.decimals,
        amount=priced.amount,
        payout_amount=payout_amount,
        costs=costs,
        fee_units=amount_for_usd(costs.fee_micro_usd, amount_token),
        app_fee_units=amount_for_usd(costs.app_micro_usd, amount_token),
        asset_symbol=route.token_in.symbol,
        asset_decimals=route.token_in.decimals,
        deposit_amount=deposit_amount,
        slippage=_slippage(services, priced, bridge_quote),
        fill_seconds=fill_seconds,
        trusted_seconds=trusted_seconds,
        expires_at=services.clock.now() + timedelta(seconds=services.policy.quote_life_seconds),
        **_bridge_fields(services, priced, bridge_quote, deposit_amount, payout_amount),
    )


def _slippage(services: Services, priced: PricedRequest, quote: BridgeQuote | None) -> str:
    """By how many percent more than expected a swap may cost; 0 without one."""
    if quote is None or quote.swap is None:
        return "0"
    route = priced.route
    symbols = route.token_in.symbol, route.token_out.symbol
    return percent_of_bps(slippage_bps(services, *symbols, route.life_seconds))


def _bridge_fields(
    services: Services, priced: PricedRequest, quote: BridgeQuote | None, total: int, amount: int
) -> Mapping[str, Any]:
    """The fields of `Quote` that are the bridge's, for a deposit of `total` and a payout of
    `amount`."""
    if quote is None:
        return {"bridge": None, "settle_seconds": 0, "details": {}, "extra_data": "0x"}
    swap = draw_up_swap(services, priced, quote, total)
    total = total if swap is None else swap.output
    details, extra_data = quote.details, quote.extra_data
    if quote.bridge is BridgeName.CCTP and quote.custody is Custody.BRIDGE:
        # What the contract will offer depends on all fees, so no bridge can know it beforehand.
        max_fee = cctp_max_fee(total, amount)
        details = {**details, "maxFee": str(max_fee)}
        extra_data = f"0x{max_fee:064x}{extra_data[66:]}"
    return {
        "bridge": quote.bridge,
        "settle_seconds": quote.settle_seconds,
        "details": details,
        "extra_data": extra_data,
        "custody": quote.custody,
        "collector": quote.collector,
        "swap": swap,
    }


def _parse_bridge(services: Services, name: str | None) -> Bridge:
    if name is None:
        raise MissingInput("bridge is required")
    if name not in tuple(BridgeName):
        raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")
    for bridge in services.bridges:
        if bridge.name == name:
            return bridge
    raise InvalidInput(f"bridge: {name} is not configured here")


def _parse_excluded_bridges(text: str | None) -> Collection[str]:
    names = split_list(text)
    if any(name not in tuple(BridgeName) for name in names):
        raise InvalidInput(f"excludeBridges must name some of {', '.join(BridgeName)}")
    return names
