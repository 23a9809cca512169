"""`/v1/sandbox/ramp` and `/v1/sandbox/kyc`: the sandbox providers' own switches."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from crossway.api.answers import Json
from crossway.api.auth import Parts, Writer
from crossway.api.bodies import documented, fields_of
from crossway.api.paging import LARGEST_ID
from crossway.api.schemas import ramp_orders as orders
from crossway.api.schemas import ramp_sandbox as wire
from crossway.api.schemas.failures import failures
from crossway.domain.errors import NotFound
from crossway.usecases.ramps import sandbox as ramp_sandbox


async def _simulated(services: Parts) -> None:
    """Refuse before anything else is judged: on a live network there is nothing here."""
    if services.ramp_sandbox is None:
        raise NotFound("Not Found")


router = APIRouter(prefix="/v1/sandbox", tags=["Sandbox"], dependencies=[Depends(_simulated)])


@router.post(
    "/ramp/orders/{id}",
    response_model=orders.OrderDone,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.Reported),
    summary="Let a provider report of an order",
)
def report(
    services: Parts,
    caller: Writer,
    id: Annotated[int, Path(description="Record number.", ge=0, le=LARGEST_ID, examples=[1])],
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.Reported))],
) -> Json:
    """The provider does and says it; the order follows within a moment."""
    order = ramp_sandbox.report(services, caller, id, body.get("outcome"))
    return Json({"success": True, "order": orders.read(order)})


@router.post(
    "/kyc",
    response_model=wire.StandingSet,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.Standing),
    summary="Set what a provider says of a person",
)
def kyc(
    services: Parts,
    caller: Writer,
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.Standing))],
) -> Json:
    """As if the provider had come to this result of its check."""
    given = body.get
    ramp_sandbox.set_standing(
        services,
        caller,
        given("provider"),
        given("userEmail"),
        given("kycType"),
        given("status"),
    )
    return Json({"success": True})


@router.post(
    "/ramp/providers/{provider}/faults",
    response_model=wire.RampFaultsNow,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.RampFaults),
    summary="Make a provider misbehave",
)
def faults(
    services: Parts,
    caller: Writer,
    provider: Annotated[str, Path(description="The provider.", examples=["YELLOW_CARD"])],
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.RampFaults))],
) -> Json:
    """Silence, slowness, refusals, wrong amounts, repetitions, rates, checks."""
    active = ramp_sandbox.misbehave(services, caller, provider, body)
    return Json({"success": True, "provider": provider, "faults": dict(active)})
