"""`/v1/quotes`: quotes from one bridge, from every bridge, the cheapest, and from every chain."""

from typing import Annotated

from fastapi import APIRouter, Depends

from crossway.api.auth import Reader, ServicesDep
from crossway.api.errors import error_format
from crossway.api.query_params import BridgeName, ExcludedBridges, MultiSourceParams, QuoteParams
from crossway.api.schemas import quotes as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.responses import JsonResponse
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.shown_quotes import list_shown_quotes

router = APIRouter(prefix="/v1/quotes", tags=["Quotes"])
NO_QUOTE = "Failed to retrieve quote. Please try again later."
NO_QUOTES = "Failed to retrieve multi-source quotes. Please try again later."


@router.get(
    "/single",
    response_model=wire.SingleQuote,
    responses=error_responses(400),
    summary="Quote from one bridge",
    operation_id="getQuote",
)
@error_format(unexpected=NO_QUOTE)
def single(
    services: ServicesDep,
    caller: Reader,
    params: Annotated[QuoteParams, Depends()],
    bridge: BridgeName = None,
) -> JsonResponse:
    """The quote of one bridge for this payment. `INVENTORY` pays out of the operator's inventory
    and takes any two tokens; every other bridge only the tokens that it carries."""
    return JsonResponse(
        wire.SingleQuote.from_quote(
            quotes.quote_with_bridge(services, caller, params.to_request(), bridge)
        )
    )


@router.get(
    "/multiple",
    response_model=list[wire.SingleQuote],
    responses=error_responses(400),
    summary="Quotes from every bridge",
    operation_id="listQuotes",
)
@error_format(unexpected=NO_QUOTE)
def multiple(
    services: ServicesDep,
    caller: Reader,
    params: Annotated[QuoteParams, Depends()],
    excludeBridges: ExcludedBridges = None,
) -> JsonResponse:
    """The quotes of every bridge that serves the route, cheapest first. For bridges that give none
    now, estimates follow (`estimated`): figures of a model, for display. No payment is created at
    an estimate."""
    result = list_shown_quotes(services, caller, params.to_request(), excludeBridges)
    return JsonResponse([wire.SingleQuote.from_quote(quote) for quote in result])


@router.get(
    "/best",
    response_model=wire.SingleQuote,
    responses=error_responses(400, 404),
    summary="The cheapest quote",
    operation_id="getBestQuote",
)
@error_format(unexpected=NO_QUOTE)
def best(
    services: ServicesDep,
    caller: Reader,
    params: Annotated[QuoteParams, Depends()],
    excludeBridges: ExcludedBridges = None,
) -> JsonResponse:
    """The quote of the cheapest bridge."""
    result = quotes.best_quote(services, caller, params.to_request(), excludeBridges)
    return JsonResponse(wire.SingleQuote.from_quote(result))


@router.get(
    "/multi-source",
    response_model=wire.MultiSourceQuote,
    responses=error_responses(400),
    summary="Quotes from all source chains to one destination",
    operation_id="getMultiSourceQuote",
)
@error_format(unexpected=NO_QUOTES)
def multi_source(
    services: ServicesDep, caller: Reader, params: Annotated[MultiSourceParams, Depends()]
) -> JsonResponse:
    """Every token of every chain with the cheapest bridge that carries it: the destination chain
    first, then by cost. Where no bridge quotes a token now, an estimate (`estimated`) is listed
    after all quotes: the figures of a model, for display. It is never `cheapestOption`, and no
    payment is created at an estimate."""
    arguments = params.to_arguments()
    return JsonResponse(
        wire.render_comparison(
            quote_multi_source(services, caller, **arguments, with_estimates=True)
        )
    )
