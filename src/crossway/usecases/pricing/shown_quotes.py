"""Quotes of all bridges for display: the models' estimates stand in where services are silent."""

from dataclasses import replace

from crossway.domain.clients import Principal
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.quotes import BridgeQuote, Quote
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.pricing.bridge_quotes import format_excluded
from crossway.usecases.pricing.estimates import fetch_shown_quotes
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.pricing.quotes import (
    build_quote,
    parse_comparison,
    require_within_limits,
)


def list_shown_quotes(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> list[Quote]:
    """The quotes of all bridges of the route, cheapest first, and after them the estimates for
    those that did not answer, cheapest first; within one chain, a single quote.

    Raises `InvalidInput`, and `QuotesUnavailable` when there is neither and some bridge did not
    respond."""
    disabled = active_kill_switches(services)
    priced, bridges = parse_comparison(services, caller, request, exclude_bridges, disabled)
    if priced.route.is_same_chain:
        require_within_limits(priced)
        return [build_quote(services, priced, None)]
    shown = fetch_shown_quotes(services, bridges, [priced.route_request], disabled)
    quotes = sorted(map(priced.with_network_fee, shown.fetched.quotes[0]), key=BridgeQuote.rank)
    estimates = sorted(
        ((priced.with_network_fee(e.figures), e.reason) for e in shown.estimates[0]),
        key=lambda estimate: estimate[0].rank(),
    )
    if not quotes and not estimates and shown.fetched.excluded:
        reasons = format_excluded(shown.fetched.excluded)
        raise QuotesUnavailable(f"No quote, and some bridges did not respond: {reasons}")
    return [
        *(build_quote(services, priced, quote) for quote in quotes),
        *(
            replace(build_quote(services, priced, figures), estimate_reason=reason)
            for figures, reason in estimates
        ),
    ]
