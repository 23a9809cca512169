"""`/v1/router`: bridges, their routes, and the best route for a payment."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from crossway.api.auth import Reader, ServicesDep
from crossway.api.errors import error_format
from crossway.api.query_params import DestinationChain, QuoteParams, SourceChain
from crossway.api.quotes import NO_QUOTE
from crossway.api.schemas import quotes as quotes_wire
from crossway.api.schemas import router as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import BRIDGES
from crossway.api.schemas.responses import JsonResponse
from crossway.usecases.pricing import router as routing

router = APIRouter(prefix="/v1/router", tags=["Router"])
NO_BRIDGES = "Failed to retrieve bridge information"


@router.get(
    "/supported-bridges/all",
    response_model=wire.BridgesOut,
    responses=error_responses(),
    summary="List bridges and routes",
    operation_id="listBridges",
)
@error_format(unexpected=NO_BRIDGES)
def every_bridge(services: ServicesDep, caller: Reader) -> JsonResponse:
    """Every bridge with all its routes."""
    return JsonResponse(wire.BridgesOut.from_catalogue(routing.list_routes(services)))


@router.get(
    "/supported-bridges/route",
    response_model=wire.BridgesOfRoute,
    responses=error_responses(400),
    summary="The bridges between two chains",
    operation_id="listBridgesOfRoute",
)
@error_format(unexpected=NO_BRIDGES)
def between(
    services: ServicesDep,
    caller: Reader,
    sourceChain: SourceChain = None,
    destinationChain: DestinationChain = None,
) -> JsonResponse:
    """The bridges that serve this pair of chains now, each for the tokens that it carries."""
    return JsonResponse(
        wire.BridgesOfRoute.from_bridges(
            routing.list_bridges_between(services, caller, sourceChain, destinationChain)
        )
    )


@router.get(
    "/supported-routes/bridge/{bridge}",
    response_model=wire.RoutesOfBridge,
    responses=error_responses(400),
    summary="The routes of one bridge",
    operation_id="listRoutesOfBridge",
)
@error_format(unexpected=NO_BRIDGES)
def of_bridge(
    services: ServicesDep,
    caller: Reader,
    bridge: Annotated[
        str, Path(description="The bridge.", examples=["ACROSS"], json_schema_extra={BRIDGES: True})
    ],
) -> JsonResponse:
    """Every route that this bridge serves."""
    return JsonResponse(
        wire.RoutesOfBridge.from_routes(bridge, routing.list_routes_of_bridge(services, bridge))
    )


@router.get(
    "/optimal-route",
    response_model=quotes_wire.OptimalRouteOut,
    responses=error_responses(400),
    summary="The best route now",
    operation_id="getOptimalRoute",
)
@error_format(unexpected=NO_QUOTE)
def optimal(
    services: ServicesDep, caller: Reader, params: Annotated[QuoteParams, Depends()]
) -> JsonResponse:
    """The cheapest bridge for this payment, with its quote and what the bridge needs."""
    return JsonResponse(
        quotes_wire.OptimalRouteOut.from_route(
            routing.find_optimal_route(services, caller, params.to_request())
        )
    )
