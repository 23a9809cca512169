"""`/v1/intents`: create, read, trigger and refund payment intents."""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request

from crossway.api.auth import Reader, Refunder, ServicesDep, Writer
from crossway.api.errors import ErrorShape, error_format
from crossway.api.idempotency import store_response
from crossway.api.record_numbers import IntentNumber, format_cursor, parse_cursor
from crossway.api.schemas import intent_actions as actions
from crossway.api.schemas import intents as wire
from crossway.api.schemas.error_responses import (
    ActionFailed,
    DestinationAddressFailed,
    error_responses,
)
from crossway.api.schemas.fields import CHAINS, INTENT, WALLET, request_body_schema
from crossway.api.schemas.responses import JsonResponse, payment_url
from crossway.domain.clients import Principal
from crossway.domain.intent import CREATE_VOCABULARY, Intent, State
from crossway.domain.public_ids import RecordKind
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_known_chain
from crossway.usecases.payments import intents, manual_operations, manual_refunds
from crossway.usecases.payments.bridge_progress import get_progress
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.self_service import get_self_service
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.validation_errors import ValidationErrors

router = APIRouter(prefix="/v1/intents", tags=["Intents"])
Address = Annotated[str, Path(description="The intent's deposit address.", examples=[INTENT])]
Body = Annotated[wire.CreateIntent, Depends(wire.CreateIntent.from_request)]
STATUSES: Final = MappingProxyType(
    {
        word.lower(): tuple(state for state, name in CREATE_VOCABULARY.items() if name == word)
        for word in dict.fromkeys(CREATE_VOCABULARY.values())
    }
)
_CHAIN = {CHAINS: True}
_STATUS = {"enum": list(STATUSES)}


@dataclass(frozen=True, slots=True)
class IntentListParams:
    """The query of a list of intents."""

    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 20
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Number of results to skip.")] = 0
    status: Annotated[str | None, Query(description="Their status.", json_schema_extra=_STATUS)] = (
        None
    )
    source_chain: Annotated[
        str | None, Query(description="Source chain.", json_schema_extra=_CHAIN)
    ] = None
    destination_chain: Annotated[
        str | None, Query(description="Destination chain.", json_schema_extra=_CHAIN)
    ] = None
    cursor: Annotated[str | None, Query(description="`nextCursor` of the previous page.")] = None


@router.post(
    "",
    status_code=201,
    response_model=wire.CreatedIntent,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(wire.CreateIntent),
    summary="Create an intent",
)
def create(request: Request, services: ServicesDep, caller: Writer, body: Body) -> JsonResponse:
    """Create a single-use payment with its own deposit address."""

    def respond(intent: Intent) -> JsonResponse:
        url = payment_url(request, intent)
        return JsonResponse(wire.CreatedIntent.from_intent(ids_of(services), intent, url), 201)

    store = store_response(request, respond)
    return respond(create_intent(services, caller, body.to_request(), store))


@router.get(
    "",
    response_model=wire.IntentPage,
    responses=error_responses(400),
    summary="List intents",
)
def listed(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    params: Annotated[IntentListParams, Depends()],
) -> JsonResponse:
    """The client's intents, newest first. `cursor` pages without skipping or repeating any."""
    return _list_page(request, services, caller, params)


@router.get(
    "/address/{address}",
    response_model=wire.ReadIntent,
    response_model_exclude_unset=True,
    responses=error_responses(404),
    summary="Get an intent by its address",
)
def by_address(
    request: Request, services: ServicesDep, caller: Reader, address: Address
) -> JsonResponse:
    """One intent by its deposit address."""
    intent = intents.get_by_address(services, caller, address)
    return JsonResponse(_read_form(request, services, intent))


@router.get(
    "/destination-address/{address}",
    response_model=actions.DestinationAddress,
    responses=error_responses(404, own=DestinationAddressFailed),
    summary="Calculate the destination intent address",
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
    response_model=wire.IntentPage,
    responses=error_responses(400),
    summary="List the intents of a payer",
)
def of_sender(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    sender: Annotated[str, Path(description="The payer's wallet.", examples=[WALLET])],
    params: Annotated[IntentListParams, Depends()],
) -> JsonResponse:
    """The client's intents with this sender, newest first."""
    return _list_page(request, services, caller, params, sender=sender)


@router.get(
    "/{id}",
    response_model=wire.ReadIntent,
    responses=error_responses(400, 404),
    summary="Get an intent by its number",
)
def by_id(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    id: IntentNumber,
) -> JsonResponse:
    """One intent by its record number."""
    intent = intents.get_by_id(services, caller, id)
    return JsonResponse(_read_form(request, services, intent))


@router.post(
    "/{intentAddress}/trigger-processing",
    response_model=actions.ProcessingTriggered,
    responses=error_responses(400, 404, 503, post=True, own=ActionFailed),
    summary="Process an intent manually",
)
@error_format(ErrorShape.SUCCESS)
def trigger_processing(
    services: ServicesDep, caller: Writer, intentAddress: Address
) -> JsonResponse:
    """Check the funding now and start the intent. Test networks need this call."""
    manual_operations.trigger(services, caller, intentAddress)
    message = "Intent started successfully"
    return JsonResponse(actions.ProcessingTriggered(success=True, message=message))


@router.post(
    "/{intentAddress}/refund",
    response_model=actions.RefundSent,
    responses=error_responses(400, 404, 503, post=True, own=ActionFailed),
    summary="Refund an expired intent",
)
@error_format(ErrorShape.SUCCESS)
def refund(services: ServicesDep, caller: Refunder, intentAddress: Address) -> JsonResponse:
    """Refund the balance of an expired intent when the automatic refund did not."""
    tx_hash = manual_refunds.refund(services, caller, intentAddress)
    return JsonResponse(
        actions.RefundSent(success=True, message="Refund successful", txHash=tx_hash)
    )


def _read_form(request: Request, services: Services, intent: Intent) -> wire.ReadIntent:
    progress = get_progress(services, [intent]).get(intent.id)
    details = get_self_service(services, intent)
    url = payment_url(request, intent)
    return wire.ReadIntent.from_intent(ids_of(services), intent, url, progress, details)


def _list_page(
    request: Request,
    services: Services,
    caller: Principal,
    params: IntentListParams,
    sender: str | None = None,
) -> JsonResponse:
    query = _parse_filter(services, caller, params, sender)
    page, total = intents.list_page(services, caller, query, params.limit, params.offset)
    has_more = False
    if len(page) == params.limit:
        after = replace(query, before_id=page[-1].id)
        has_more = bool(intents.list_page(services, caller, after, 1)[0])
    progress, ids = get_progress(services, page), ids_of(services)
    return JsonResponse(
        wire.IntentPage(
            intents=[
                wire.ReadIntent.from_intent(ids, i, payment_url(request, i), progress.get(i.id))
                for i in page
            ],
            total=total,
            limit=params.limit,
            offset=params.offset,
            nextCursor=format_cursor(services, RecordKind.INTENT, page[-1].id)
            if has_more
            else None,
        )
    )


def _parse_filter(
    services: Services, caller: Principal, params: IntentListParams, sender: str | None
) -> IntentFilter:
    errors = ValidationErrors()
    states: tuple[State, ...] = ()
    if params.status is not None:
        states = STATUSES.get(params.status.lower(), ())
        if not states:
            errors.add(f"status must be one of {', '.join(STATUSES)}")

    def parse_chain(name: str | None, field: str) -> str | None:
        return None if name is None else parse_known_chain(services, caller, name, field).id

    source = errors.collect(parse_chain, params.source_chain, "source_chain")
    destination = errors.collect(parse_chain, params.destination_chain, "destination_chain")
    before_id = errors.collect(parse_cursor, services, RecordKind.INTENT, params.cursor)
    errors.raise_if_any()
    return IntentFilter(
        states=states,
        sender=sender,
        before_id=before_id,
        source_chain=source,
        destination_chain=destination,
    )
