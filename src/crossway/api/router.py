"""`/v1/router`: which bridge serves which route, and which is best now."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader
from crossway.api.errors import fails
from crossway.api.questions import Destination, Quoted, Source
from crossway.api.quotes import NO_QUOTE
from crossway.api.schemas import quotes as quotes_wire
from crossway.api.schemas import router as wire
from crossway.api.schemas.failures import failures
from crossway.usecases.pricing import router as routing

router = APIRouter(prefix="/v1/router", tags=["Router"])
NO_BRIDGES = "Failed to retrieve bridge information"


@router.get(
    "/supported-bridges/all",
    response_model=wire.BridgesOut,
    responses=failures(),
    summary="List bridges and routes",
)
@fails(unexpected=NO_BRIDGES)
def every_bridge(services: Parts, caller: Reader) -> Json:
    """Every bridge with all its routes."""
    return Json(wire.bridges(routing.routes(services)))


@router.get(
    "/supported-bridges/route",
    response_model=wire.BridgesOfRoute,
    responses=failures(400),
    summary="The bridges between two chains",
)
@fails(unexpected=NO_BRIDGES)
def between(
    services: Parts,
    caller: Reader,
    sourceChain: Source = None,
    destinationChain: Destination = None,
) -> Json:
    """Which bridges serve this pair of chains now."""
    return Json(wire.between(routing.between(services, sourceChain, destinationChain)))


@router.get(
    "/supported-routes/bridge/{bridge}",
    response_model=wire.RoutesOfBridge,
    responses=failures(400),
    summary="The routes of one bridge",
)
@fails(unexpected=NO_BRIDGES)
def of_bridge(
    services: Parts,
    caller: Reader,
    bridge: Annotated[str, Path(description="The bridge.", examples=["ACROSS"])],
) -> Json:
    """Every route that this bridge serves."""
    return Json(wire.of_bridge(bridge, routing.of_bridge(services, bridge)))


@router.get(
    "/optimal-route",
    response_model=quotes_wire.SingleQuote,
    responses=failures(400, 404),
    summary="The best route now",
)
@fails(unexpected=NO_QUOTE)
def optimal(services: Parts, caller: Reader, question: Annotated[Quoted, Depends()]) -> Json:
    """The cheapest bridge for this payment, with its quote."""
    return Json(quotes_wire.single(routing.optimal(services, caller, question.asked())))
