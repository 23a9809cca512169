"""`POST /v1/intents`: requests that come together are stored together, with their keys."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from crossway.api.auth import ServicesDep, Writer
from crossway.api.direct_routes import DirectRoute
from crossway.api.errors import failure_response
from crossway.api.idempotency import conflict_response, keyed_request, replay
from crossway.api.request_groups import RequestGroups
from crossway.api.schemas import intents as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse, payment_url
from crossway.domain.errors import Conflict, InvalidInput
from crossway.domain.intent import Intent
from crossway.ports import process
from crossway.ports.records import IdempotencySlot
from crossway.ports.services import Services
from crossway.usecases.developers.create_together import (
    CreateCall,
    create_together,
    prepare_alone,
    quotes_in_process,
)
from crossway.usecases.developers.idempotency import in_flight
from crossway.usecases.public_numbers import ids_of

router = APIRouter(prefix="/v1/intents", tags=["Intents"], route_class=DirectRoute)
Body = Annotated[wire.CreateIntent | InvalidInput, Depends(wire.CreateIntent.from_request_or_error)]
Call = CreateCall[Response]
Outcome = Response | IdempotencySlot
Creations = RequestGroups[tuple[Services, Call], Outcome]


@router.post(
    "",
    status_code=201,
    response_model=wire.CreatedIntent,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(wire.CreateIntent),
    summary="Create an intent",
    operation_id="createIntent",
)
async def create(request: Request, services: ServicesDep, caller: Writer, body: Body) -> Response:
    """Create a single-use payment with its own deposit address."""
    ids, keyed = process.LOG_IDS.get({}), keyed_request(request)

    def respond(came_of_it: Intent | Exception) -> Response:
        if isinstance(came_of_it, Intent):
            ids["intent"] = came_of_it.id
            return _created(request, services, came_of_it)
        ids.pop("intent", None)  # Of a group that failed after it.
        with process.log_context(**ids):
            if isinstance(came_of_it, Conflict):
                return conflict_response(came_of_it)
            return failure_response(request, came_of_it)

    # What is no JSON is refused under its key, like every other request.
    asked = body if isinstance(body, InvalidInput) else body.to_request()
    call: Call = CreateCall(caller, asked, keyed, respond)
    try:
        with nullcontext() if keyed is None else in_flight(services, keyed):
            outcome = await _submit(request, services, call)
    except Conflict as error:
        return conflict_response(error)
    return replay(outcome) if isinstance(outcome, IdempotencySlot) else outcome


async def _submit(request: Request, services: Services, call: Call) -> Outcome:
    if not quotes_in_process(services):
        prepared = await anyio.to_thread.run_sync(prepare_alone, services, call)
        if isinstance(prepared, IdempotencySlot):
            return prepared
        call = prepared
    state = request.app.state
    creations: Creations | None = getattr(state, "creations", None)
    if creations is None:
        creations = state.creations = Creations(_create, "creating")
    return await creations.submit((services, call))


def _create(calls: Sequence[tuple[Services, Call]]) -> list[Outcome]:
    return create_together(calls[0][0], [call for _, call in calls])


def _created(request: Request, services: Services, intent: Intent) -> JsonResponse:
    url = payment_url(request, intent)
    return JsonResponse(wire.CreatedIntent.from_intent(ids_of(services), intent, url), 201)
