"""`POST /v1/intents/batch`: many intents with one request."""

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends
from starlette.requests import Request

from crossway.api.auth import ServicesDep, Writer
from crossway.api.errors import error_details, failure_response
from crossway.api.idempotency import store_response
from crossway.api.request_fields import order_fields
from crossway.api.schemas import intent_batches as wire
from crossway.api.schemas.error_responses import ErrorBody, error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.intents import CreatedIntent, CreateIntent
from crossway.api.schemas.responses import JsonResponse, payment_url
from crossway.domain.errors import DomainError
from crossway.domain.intent import Intent
from crossway.usecases.payments.create_batch import Outcomes, create_batch
from crossway.usecases.public_numbers import ids_of

router = APIRouter(prefix="/v1/intents", tags=["Intents"])
Body = Annotated[wire.CreateIntentBatch, Depends(wire.CreateIntentBatch.large_from_request)]


@router.post(
    "/batch",
    response_model=wire.IntentBatch,
    response_model_exclude_unset=True,
    responses=error_responses(503, post=True),
    openapi_extra=request_body_schema(wire.CreateIntentBatch),
    summary="Create many intents",
    operation_id="createIntents",
)
def create_intents(
    request: Request, services: ServicesDep, caller: Writer, body: Body
) -> JsonResponse:
    """Create up to 500 payments at once, in one transaction; the body may have 1 MiB.

    In the mode `all` they are created together or not at all: a 400 names what is wrong with each
    that is refused, as `intents[3].amount`. In the mode `each` those that can be created are, and
    the others have their `error`. With an `Idempotency-Key` the whole batch is repeated safely."""
    rendered: list[tuple[Outcomes, JsonResponse]] = []

    def respond(outcomes: Outcomes) -> JsonResponse:
        # Once for the key and for the answer: a large one takes its time.
        if not rendered or rendered[-1][0] is not outcomes:
            rendered.append((outcomes, _respond(request, body.intents, outcomes)))
        return rendered[-1][1]

    store = store_response(request, respond)
    return respond(create_batch(services, caller, body.mode, body.to_requests(), store))


def _respond(request: Request, asked: Sequence[Any], outcomes: Outcomes) -> JsonResponse:
    ids = ids_of(request.app.state.services)
    results = []
    for index, (item, one) in enumerate(zip(asked, outcomes, strict=True)):
        if isinstance(one, Intent):
            intent = CreatedIntent.from_intent(ids, one, payment_url(request, one))
            results.append(wire.BatchItem(index=index, intent=intent))
        else:
            results.append(wire.BatchItem(index=index, error=_error_of(request, item, one)))
    created = sum(isinstance(one, Intent) for one in outcomes)
    failed = len(outcomes) - created
    return JsonResponse(wire.IntentBatch(created=created, failed=failed, results=results))


def _error_of(request: Request, item: Any, error: Exception) -> ErrorBody:
    """What creating this intent alone would be answered."""
    answer = orjson.loads(failure_response(request, error).body)
    given = item if isinstance(item, dict) else ()
    errors = error.field_errors if isinstance(error, DomainError) else ()
    fields = order_fields(errors, given, CreateIntent.model_fields)
    details = error_details(answer["code"], fields)
    return ErrorBody(statusCode=answer["statusCode"], message=answer["message"], **details)
