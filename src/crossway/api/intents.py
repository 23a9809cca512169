"""`/v1/intents`: read, trigger and refund payment intents."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.routing import Match
from starlette.types import Scope

from crossway.api.auth import Reader, Refunder, ServicesDep, Writer
from crossway.api.errors import ErrorShape, error_format
from crossway.api.expansion import OF_INTENTS, ExpandIntents, expand_intents
from crossway.api.idempotency import is_repeat
from crossway.api.intent_lists import (
    IntentListParams,
    PayerListParams,
    list_intents,
    list_of_payer,
)
from crossway.api.record_numbers import IntentNumber
from crossway.api.schemas import expanded
from crossway.api.schemas import intent_actions as actions
from crossway.api.schemas import intents as wire
from crossway.api.schemas.error_responses import (
    ActionFailed,
    DestinationAddressFailed,
    error_responses,
)
from crossway.api.schemas.fields import INTENT, WALLET, request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.api.schemas.timeline import TimelineOut
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.usecases.payments import intents, manual_operations, manual_refunds
from crossway.usecases.payments.merchant_timeline import get_merchant_timeline
from crossway.usecases.payments.self_service import get_self_service
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps.related import parse_expand


class _ByNumber(APIRoute):
    """Leaves `/v1/intents/batch`, which looks like a number, to its own route."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        is_batch = child.get("path_params", {}).get("id") == "batch"
        return (Match.NONE, {}) if is_batch else (match, child)


router = APIRouter(prefix="/v1/intents", tags=["Intents"])
by_number = APIRouter(prefix="/v1/intents", tags=["Intents"], route_class=_ByNumber)
Address = Annotated[str, Path(description="The intent's deposit address.", examples=[INTENT])]


@router.get(
    "",
    response_model=expanded.IntentPage,
    responses=error_responses(400),
    summary="List intents",
    operation_id="listIntents",
)
def listed(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    params: Annotated[IntentListParams, Depends()],
) -> JsonResponse:
    """The client's intents, newest first. `cursor` pages without skipping or repeating any."""
    return list_intents(request, services, caller, params)


@router.get(
    "/address/{address}",
    response_model=expanded.ExpandedIntent,
    response_model_exclude_unset=True,
    responses=error_responses(404),
    summary="Get an intent by its address",
    operation_id="getIntentByAddress",
)
def by_address(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    address: Address,
    expand: ExpandIntents = None,
) -> JsonResponse:
    """One intent by its deposit address."""
    names = parse_expand(expand, OF_INTENTS)
    intent = intents.get_by_address(services, caller, address)
    return JsonResponse(_read_form(request, services, caller, intent, names))


@router.get(
    "/destination-address/{address}",
    response_model=actions.DestinationAddress,
    responses=error_responses(404, own=DestinationAddressFailed),
    summary="Calculate the destination intent address",
    operation_id="getDestinationAddress",
)
@error_format(
    ErrorShape.ERROR, unexpected="Failed to calculate destination address: <error details>"
)
def destination_address(services: ServicesDep, caller: Reader, address: Address) -> JsonResponse:
    """The intent's address on the destination chain."""
    destination = intents.get_destination_address(services, caller, address)
    return JsonResponse(actions.DestinationAddress(destinationAddress=destination))


@router.get(
    "/user/{sender}",
    response_model=list[wire.ReadIntent],
    responses=error_responses(400),
    summary="List the intents of a payer",
    operation_id="listIntentsOfSender",
)
def of_sender(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    sender: Annotated[str, Path(description="The payer's wallet.", examples=[WALLET])],
    params: Annotated[PayerListParams, Depends()],
) -> JsonResponse:
    """The client's newest intents with this sender, at most 100, newest first."""
    return list_of_payer(request, services, caller, params, sender)


@by_number.get(
    "/{id}",
    response_model=expanded.ExpandedIntent,
    responses=error_responses(400, 404),
    summary="Get an intent by its number",
    operation_id="getIntent",
)
def by_id(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    id: IntentNumber,
    expand: ExpandIntents = None,
) -> JsonResponse:
    """One intent by its record number."""
    names = parse_expand(expand, OF_INTENTS)
    intent = intents.get_by_id(services, caller, id)
    return JsonResponse(_read_form(request, services, caller, intent, names))


@router.get(
    "/{id}/timeline",
    response_model=TimelineOut,
    responses=error_responses(400, 404),
    summary="Get the timeline of an intent",
    operation_id="getIntentTimeline",
)
def timeline(services: ServicesDep, caller: Reader, id: IntentNumber) -> JsonResponse:
    """What happened to a payment, step by step, and what happens next."""
    merchant_timeline = get_merchant_timeline(services, caller, id)
    return JsonResponse(TimelineOut.from_timeline(ids_of(services), merchant_timeline))


@router.post(
    "/{intentAddress}/trigger-processing",
    response_model=actions.ProcessingTriggered,
    responses=error_responses(400, 404, 503, post=True, own=ActionFailed),
    summary="Process an intent manually",
    operation_id="triggerProcessing",
)
@error_format(ErrorShape.SUCCESS)
def trigger_processing(
    request: Request, services: ServicesDep, caller: Writer, intentAddress: Address
) -> JsonResponse:
    """Check the funding now and start the intent. Test networks need this call."""
    manual_operations.trigger(services, caller, intentAddress, is_repeat(request))
    message = "Intent started successfully"
    return JsonResponse(actions.ProcessingTriggered(success=True, message=message))


@router.post(
    "/{intentAddress}/refund",
    response_model=actions.RefundSent,
    responses=error_responses(400, 404, 503, post=True, own=ActionFailed),
    openapi_extra=request_body_schema(actions.RefundIntent, required=False),
    summary="Refund an expired intent",
    operation_id="refundIntent",
)
@error_format(ErrorShape.SUCCESS)
def refund(
    request: Request,
    services: ServicesDep,
    caller: Refunder,
    intentAddress: Address,
    body: Annotated[actions.RefundIntent, Depends(actions.RefundIntent.valid_from_request)],
) -> JsonResponse:
    """Refund the balance of an expired intent when the automatic refund did not."""
    tx_hash = manual_refunds.refund(
        services, caller, intentAddress, is_repeat=is_repeat(request), reason=body.reason
    )
    return JsonResponse(
        actions.RefundSent(success=True, message="Refund successful", txHash=tx_hash)
    )


def _read_form(
    request: Request,
    services: Services,
    caller: Principal,
    intent: Intent,
    expand: Collection[str],
) -> expanded.ExpandedIntent:
    details = get_self_service(services, intent)
    return expand_intents(request, services, caller, [intent], expand, details)[0]
