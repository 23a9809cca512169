"""`/v1/webhooks`: webhook endpoints and their deliveries."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.idempotency import store_response
from crossway.api.query_params import CreatedAfter, CreatedBefore, CursorPage
from crossway.api.record_numbers import DeliveryNumber, WebhookNumber, format_cursor, parse_cursor
from crossway.api.schemas import replays
from crossway.api.schemas import webhooks as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import Delivery, Endpoint, OutboxEvent
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers import deliveries, missed_events, webhooks
from crossway.usecases.developers.delivery_list import (
    STATES,
    DeliveryQuery,
    parse_delivery_query,
)
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.validation_errors import ValidationErrors

router = APIRouter(prefix="/v1/webhooks", tags=["Webhooks"])
NewWebhook = Annotated[wire.CreateWebhook, Depends(wire.CreateWebhook.from_request)]
WebhookFields = Annotated[wire.ChangeWebhook, Depends(wire.ChangeWebhook.from_request)]
Range = Annotated[replays.ReplayRange, Depends(replays.ReplayRange.valid_from_request)]


@dataclass(frozen=True, slots=True)
class DeliveryListParams(CursorPage):
    """The query of a list of deliveries."""

    state: Annotated[
        str | None,
        Query(description="Their status.", json_schema_extra={"enum": list(STATES)}),
    ] = None
    created_after: CreatedAfter = None
    created_before: CreatedBefore = None


@router.post(
    "",
    status_code=201,
    response_model=wire.WebhookWithSecret,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(wire.CreateWebhook),
    summary="Create a webhook",
    operation_id="createWebhook",
)
def create(
    request: Request, services: ServicesDep, caller: Writer, body: NewWebhook
) -> JsonResponse:
    """Receive events at a URL. Only this response has the secret that verifies them."""

    def respond(created: webhooks.WebhookWithSecret) -> JsonResponse:
        return JsonResponse(wire.WebhookWithSecret.from_created(ids_of(services), created), 201)

    store = store_response(request, respond)
    return respond(webhooks.create_webhook(services, caller, body.to_update(), store))


@router.get(
    "",
    response_model=wire.WebhookPage,
    responses=error_responses(400),
    summary="List webhooks",
    operation_id="listWebhooks",
)
def listed(
    services: ServicesDep, caller: Reader, page: Annotated[CursorPage, Depends()]
) -> JsonResponse:
    """The client's webhooks, oldest first."""
    after = parse_cursor(services, RecordKind.WEBHOOK, page.cursor) or 0
    # A client has at most 20 of them.
    endpoints = [one for one in webhooks.list_webhooks(services, caller) if one.id > after]
    shown, rest = endpoints[: page.limit], endpoints[page.limit :]
    return JsonResponse(
        wire.WebhookPage(
            webhooks=[_shown(services, endpoint) for endpoint in shown],
            limit=page.limit,
            next_cursor=format_cursor(services, RecordKind.WEBHOOK, shown[-1].id) if rest else None,
        )
    )


@router.get(
    "/deliveries/{id}",
    response_model=wire.DeliveryDetail,
    responses=error_responses(400, 404),
    summary="Get a delivery with its attempts",
    operation_id="getDelivery",
)
def delivery(services: ServicesDep, caller: Reader, id: DeliveryNumber) -> JsonResponse:
    """One delivery with its payload and every attempt."""
    return JsonResponse(
        wire.DeliveryDetail.from_snapshot(
            ids_of(services), deliveries.get_delivery(services, caller, id)
        )
    )


@router.post(
    "/deliveries/{id}/replay",
    status_code=202,
    response_model=wire.DeliveryOut,
    responses=error_responses(400, 404, post=True),
    summary="Replay a delivery",
    operation_id="replayDelivery",
)
def replay(services: ServicesDep, caller: Writer, id: DeliveryNumber) -> JsonResponse:
    """Resend the event now. A delivery with a scheduled attempt is attempted now instead."""
    return JsonResponse(
        wire.DeliveryOut.from_delivery(
            ids_of(services), *deliveries.replay_delivery(services, caller, id)
        ),
        202,
    )


@router.get(
    "/{id}",
    response_model=wire.WebhookOut,
    responses=error_responses(400, 404),
    summary="Get a webhook",
    operation_id="getWebhook",
)
def one(services: ServicesDep, caller: Reader, id: WebhookNumber) -> JsonResponse:
    """One webhook, without its secret."""
    return JsonResponse(_shown(services, webhooks.get_webhook(services, caller, id)))


@router.patch(
    "/{id}",
    response_model=wire.WebhookOut,
    responses=error_responses(400, 404, 413),
    openapi_extra=request_body_schema(wire.ChangeWebhook),
    summary="Change a webhook",
    operation_id="updateWebhook",
)
def change(
    services: ServicesDep, caller: Writer, id: WebhookNumber, body: WebhookFields
) -> JsonResponse:
    """Change its URL, events or description, or enable or disable it."""
    return JsonResponse(
        _shown(services, webhooks.update_webhook(services, caller, id, body.to_update()))
    )


@router.delete(
    "/{id}",
    status_code=204,
    responses=error_responses(400, 404),
    summary="Delete a webhook",
    operation_id="deleteWebhook",
)
def remove(services: ServicesDep, caller: Writer, id: WebhookNumber) -> Response:
    """Delete a webhook with its deliveries."""
    webhooks.delete_webhook(services, caller, id)
    return Response(status_code=204)


@router.post(
    "/{id}/rotate-secret",
    response_model=wire.WebhookWithSecret,
    responses=error_responses(400, 404, post=True),
    summary="Rotate the secret",
    operation_id="rotateWebhookSecret",
)
def rotate_secret(
    request: Request, services: ServicesDep, caller: Writer, id: WebhookNumber
) -> JsonResponse:
    """Create a new secret, shown in this response only. The old one signs too for 24 hours."""

    def respond(rotated: webhooks.WebhookWithSecret) -> JsonResponse:
        return JsonResponse(wire.WebhookWithSecret.from_created(ids_of(services), rotated))

    store = store_response(request, respond)
    return respond(webhooks.rotate_secret(services, caller, id, store))


@router.post(
    "/{id}/test",
    status_code=202,
    response_model=wire.SentTest,
    responses=error_responses(400, 404, post=True),
    summary="Send a test event",
    operation_id="testWebhook",
)
def test(services: ServicesDep, caller: Writer, id: WebhookNumber) -> JsonResponse:
    """Send an event of type `webhook_test` to this webhook, whatever its event types, also while it
    is disabled."""
    sent = deliveries.send_test_event(services, caller, id)
    enabled = deliveries.is_enabled(services, caller, id)
    test_out = wire.SentTest.from_delivery(ids_of(services), *sent, webhook_enabled=enabled)
    return JsonResponse(test_out, 202)


@router.get(
    "/{id}/deliveries",
    response_model=wire.DeliveryPage,
    responses=error_responses(400, 404),
    summary="List the deliveries of a webhook",
    operation_id="listDeliveries",
)
def of_webhook(
    services: ServicesDep,
    caller: Reader,
    id: WebhookNumber,
    page: Annotated[DeliveryListParams, Depends()],
) -> JsonResponse:
    """Its deliveries, newest first. `cursor` pages without skipping or repeating any."""
    filters = _filter(services, id, page)
    page_deliveries = deliveries.list_deliveries(services, caller, filters, page.limit)
    full = len(page_deliveries) == page.limit
    next_filters = replace(filters, before_id=page_deliveries[-1][0].id) if full else filters
    more = full and bool(deliveries.list_deliveries(services, caller, next_filters, 1))
    return JsonResponse(
        wire.DeliveryPage(
            deliveries=[_shown_delivery(services, *delivery) for delivery in page_deliveries],
            limit=page.limit,
            next_cursor=format_cursor(services, RecordKind.DELIVERY, page_deliveries[-1][0].id)
            if more
            else None,
        )
    )


@router.post(
    "/{id}/replay",
    status_code=202,
    response_model=replays.Replayed,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(replays.ReplayRange),
    summary="Replay the events of a period",
    operation_id="replayEvents",
)
def replay_range(
    services: ServicesDep, caller: Writer, id: WebhookNumber, body: Range
) -> JsonResponse:
    """Resend all events of a period in order, including those from while it was disabled."""
    period = {"from": body.since, "to": body.to}
    replay = deliveries.replay_range(services, caller, id, period)
    return JsonResponse(replays.Replayed.from_replay(replay), 202)


@router.post(
    "/{id}/replay-missed",
    status_code=202,
    response_model=replays.ReplayedMissed,
    responses=error_responses(400, 404, post=True),
    summary="Replay the missed events",
    operation_id="replayMissedEvents",
)
def replay_missed(services: ServicesDep, caller: Writer, id: WebhookNumber) -> JsonResponse:
    """Resend every event that failed for good, or happened while the webhook was disabled since
    then, once, in order, and at most 10,000 at a time."""
    resent = missed_events.resend_missed(services, caller, id)
    return JsonResponse(replays.ReplayedMissed(replayed=resent.count), 202)


def _shown(services: Services, endpoint: Endpoint) -> wire.WebhookOut:
    return wire.WebhookOut.from_endpoint(ids_of(services), endpoint)


def _shown_delivery(services: Services, delivery: Delivery, event: OutboxEvent) -> wire.DeliveryOut:
    return wire.DeliveryOut.from_delivery(ids_of(services), delivery, event)


def _filter(services: Services, webhook_id: int, page: DeliveryListParams) -> DeliveryFilter:
    errors = ValidationErrors()
    query = DeliveryQuery(page.state, page.created_after, page.created_before)
    filters = errors.collect(parse_delivery_query, webhook_id, query) or DeliveryFilter()
    before = errors.collect(parse_cursor, services, RecordKind.DELIVERY, page.cursor)
    errors.raise_if_any()
    return replace(filters, before_id=before)
