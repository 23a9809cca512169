"""`/v1/sandbox/ramp` and `/v1/sandbox/kyc`: controls of the simulated ramp providers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from crossway.api.auth import ServicesDep, Writer
from crossway.api.record_numbers import OrderNumber
from crossway.api.schemas import ramp_orders as orders
from crossway.api.schemas import ramp_sandbox as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.ramps import PROVIDERS
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.errors import NotFound
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps.order_bridges import get_order_bridges
from crossway.usecases.simulator import ramp_controls as ramp_sandbox


async def _simulated(services: ServicesDep) -> None:
    """Respond 404 in a live environment, before anything else is checked."""
    if services.ramp_sandbox is None:
        raise NotFound("Not Found")


router = APIRouter(prefix="/v1/sandbox", tags=["Sandbox"], dependencies=[Depends(_simulated)])


@router.post(
    "/ramp/orders/{id}",
    response_model=orders.OrderDone,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.ReportOrder),
    summary="Report the outcome of an order",
    operation_id="reportRampOrderOutcome",
)
def report(
    services: ServicesDep,
    caller: Writer,
    id: OrderNumber,
    body: Annotated[wire.ReportOrder, Depends(wire.ReportOrder.valid_from_request)],
) -> JsonResponse:
    """The simulated provider performs and reports the outcome; the order follows shortly."""
    order = ramp_sandbox.report_order_status(services, caller, id, body.outcome)
    bridge = get_order_bridges(services, [order]).get(order.id)
    shown = orders.OrderOut.from_order(ids_of(services), order, bridge)
    return JsonResponse(orders.OrderDone(success=True, order=shown))


@router.post(
    "/kyc",
    response_model=wire.KycStatusSet,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.SetKycStatus),
    summary="Set a customer's KYC status",
    operation_id="setKycStatus",
)
def kyc(
    services: ServicesDep,
    caller: Writer,
    body: Annotated[wire.SetKycStatus, Depends(wire.SetKycStatus.from_request)],
) -> JsonResponse:
    """Set the result of a simulated provider's check."""
    ramp_sandbox.set_kyc_status(
        services,
        caller,
        body.provider,
        body.userEmail,
        body.kycType,
        body.status,
        body.field_errors,
    )
    return JsonResponse(wire.KycStatusSet(success=True))


@router.post(
    "/ramp/providers/{provider}/faults",
    response_model=wire.RampFaultsNow,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.RampFaults),
    summary="Inject faults into a provider",
    operation_id="injectProviderFaults",
)
def faults(
    services: ServicesDep,
    caller: Writer,
    provider: Annotated[
        str,
        Path(
            description="The provider.",
            examples=["YELLOW_CARD"],
            json_schema_extra={"enum": PROVIDERS},
        ),
    ],
    body: Annotated[wire.RampFaults, Depends(wire.RampFaults.valid_from_request)],
) -> JsonResponse:
    """Outages, delays, refused orders, wrong amounts, repeated webhooks, rates, KYC checks."""
    active = ramp_sandbox.inject_faults(services, caller, provider, body.given_fields())
    return JsonResponse(wire.RampFaultsNow(success=True, provider=provider, faults=dict(active)))
