"""`/v1/quotes`: what a payment costs with one bridge, with each, with the best, from everywhere."""

from typing import Annotated

from fastapi import APIRouter, Depends

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader
from crossway.api.errors import fails
from crossway.api.questions import BridgesOut, ChainsOut, Named, Quoted
from crossway.api.schemas import quotes as wire
from crossway.api.schemas.failures import failures
from crossway.usecases.pricing import quotes

router = APIRouter(prefix="/v1/quotes", tags=["Quotes"])
NO_QUOTE = "Failed to retrieve quote. Please try again later."
NO_QUOTES = "Failed to retrieve multi-source quotes. Please try again later."


@router.get(
    "/single",
    response_model=wire.SingleQuote,
    responses=failures(400),
    summary="Quote from one bridge",
)
@fails(unexpected=NO_QUOTE)
def single(
    services: Parts, caller: Reader, question: Annotated[Quoted, Depends()], bridge: Named = None
) -> Json:
    """What one bridge asks for this payment."""
    return Json(wire.single(quotes.single(services, caller, question.asked(), bridge)))


@router.get(
    "/multiple",
    response_model=list[wire.SingleQuote],
    responses=failures(400),
    summary="Quotes from every bridge",
)
@fails(unexpected=NO_QUOTE)
def multiple(
    services: Parts,
    caller: Reader,
    question: Annotated[Quoted, Depends()],
    excludeBridges: BridgesOut = None,
) -> Json:
    """What each bridge that serves the route asks, cheapest first."""
    found = quotes.multiple(services, caller, question.asked(), excludeBridges)
    return Json([wire.single(quote) for quote in found])


@router.get(
    "/best",
    response_model=wire.SingleQuote,
    responses=failures(400, 404),
    summary="The cheapest quote",
)
@fails(unexpected=NO_QUOTE)
def best(
    services: Parts,
    caller: Reader,
    question: Annotated[Quoted, Depends()],
    excludeBridges: BridgesOut = None,
) -> Json:
    """The cheapest bridge's quote."""
    found = quotes.best(services, caller, question.asked(), excludeBridges)
    return Json(wire.single(found))


@router.get(
    "/multi-source",
    response_model=wire.MultiSourceQuote,
    responses=failures(400),
    summary="Quotes from all source chains to one destination",
)
@fails(unexpected=NO_QUOTES)
def multi_source(services: Parts, caller: Reader, asked: Annotated[ChainsOut, Depends()]) -> Json:
    """The best way to pay from every chain, same-chain first, then by cost."""
    return Json(wire.multi_source(quotes.multi_source(services, caller, **asked.fields())))
