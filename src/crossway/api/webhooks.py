"""`/v1/webhooks`: where a client is told of what, and what became of each delivery."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader, Writer
from crossway.api.bodies import Body, body_of, documented
from crossway.api.idempotency import kept_with
from crossway.api.paging import LARGEST_ID, before_id
from crossway.api.schemas import webhooks as wire
from crossway.api.schemas.failures import failures
from crossway.domain.errors import InvalidInput
from crossway.domain.webhooks import DeliveryState
from crossway.ports.webhook_records import DeliveryFilter
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import Told, WebhookChange

router = APIRouter(prefix="/v1/webhooks", tags=["Webhooks"])
Number = Annotated[int, Path(description="Record number.", ge=0, le=LARGEST_ID, examples=[1])]
Asked = Annotated[Body, Depends(body_of(wire.CreateWebhook))]
Range = Annotated[Body, Depends(body_of(wire.ReplayRange))]


@dataclass(frozen=True, slots=True)
class Page:
    """The query of a list of deliveries."""

    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 20
    state: Annotated[
        str | None,
        Query(description="Where they stand.", json_schema_extra={"enum": list(wire.STATES)}),
    ] = None
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None


@router.post(
    "",
    status_code=201,
    response_model=wire.WebhookWithSecret,
    responses=failures(post=True),
    openapi_extra=documented(wire.CreateWebhook),
    summary="Create a webhook",
)
def create(request: Request, services: Parts, caller: Writer, body: Asked) -> Json:
    """Be told of events at a URL. The secret that verifies them is in this answer alone."""
    return _told(webhooks.create(services, caller, _asked(body), kept_with(request, _told)))


@router.get("", response_model=wire.WebhookList, responses=failures(), summary="List webhooks")
def listed(services: Parts, caller: Reader) -> Json:
    """The client's webhooks, oldest first."""
    found = webhooks.every(services, caller)
    return Json({"webhooks": [wire.webhook(endpoint) for endpoint in found]})


@router.get(
    "/deliveries/{id}",
    response_model=wire.DeliveryDetail,
    responses=failures(400, 404),
    summary="Get a delivery with its tries",
)
def delivery(services: Parts, caller: Reader, id: Number) -> Json:
    """What was sent, and what was answered each time."""
    return Json(wire.detail(deliveries.one(services, caller, id)))


@router.post(
    "/deliveries/{id}/replay",
    status_code=202,
    response_model=wire.DeliveryOut,
    responses=failures(400, 404, post=True),
    summary="Replay a delivery",
)
def replay(services: Parts, caller: Writer, id: Number) -> Json:
    """Send the event again, at once. One that is still to be tried is tried now instead."""
    return Json(wire.delivery(*deliveries.replay(services, caller, id)), 202)


@router.get(
    "/{id}", response_model=wire.WebhookOut, responses=failures(400, 404), summary="Get a webhook"
)
def one(services: Parts, caller: Reader, id: Number) -> Json:
    """One webhook, without its secret."""
    return Json(wire.webhook(webhooks.get(services, caller, id)))


@router.patch(
    "/{id}",
    response_model=wire.WebhookOut,
    responses=failures(400, 404, 413),
    openapi_extra=documented(wire.ChangeWebhook),
    summary="Change a webhook",
)
def change(services: Parts, caller: Writer, id: Number, body: Asked) -> Json:
    """Change its URL, its events or its description, or switch it on or off."""
    return Json(wire.webhook(webhooks.change(services, caller, id, _asked(body))))


@router.delete("/{id}", status_code=204, responses=failures(400, 404), summary="Delete a webhook")
def remove(services: Parts, caller: Writer, id: Number) -> Response:
    """Forget a webhook with its deliveries."""
    webhooks.remove(services, caller, id)
    return Response(status_code=204)


@router.post(
    "/{id}/rotate-secret",
    response_model=wire.WebhookWithSecret,
    responses=failures(400, 404, post=True),
    summary="Change the secret",
)
def rotate_secret(request: Request, services: Parts, caller: Writer, id: Number) -> Json:
    """A new secret, in this answer alone. For 24 hours the old one signs too."""
    keep = kept_with(request, _rotated)
    return _rotated(webhooks.rotate_secret(services, caller, id, keep))


@router.post(
    "/{id}/test",
    status_code=202,
    response_model=wire.DeliveryOut,
    responses=failures(400, 404, post=True),
    summary="Send a test event",
)
def test(services: Parts, caller: Writer, id: Number) -> Json:
    """Send an event of type `webhook_test` to this webhook, whatever it asked for."""
    return Json(wire.delivery(*deliveries.test(services, caller, id)), 202)


@router.get(
    "/{id}/deliveries",
    response_model=wire.DeliveryPage,
    responses=failures(400, 404),
    summary="List the deliveries of a webhook",
)
def of_webhook(
    services: Parts, caller: Reader, id: Number, page: Annotated[Page, Depends()]
) -> Json:
    """Its deliveries, newest first; `cursor` walks on without skipping."""
    wanted = _filter(id, page)
    found = deliveries.page(services, caller, wanted, page.limit)
    full = len(found) == page.limit
    behind = replace(wanted, before_id=found[-1][0].id) if full else wanted
    more = full and bool(deliveries.page(services, caller, behind, 1))
    return Json(wire.page(found, page.limit, more))


@router.post(
    "/{id}/replay",
    status_code=202,
    response_model=wire.Replayed,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.ReplayRange),
    summary="Replay the events of a time",
)
def replay_range(services: Parts, caller: Writer, id: Number, body: Range) -> Json:
    """Send all events of a time again, in order, also those from while it was switched off."""
    if body.strange:
        raise InvalidInput("; ".join(f"{name} is not a known field" for name in body.strange))
    return Json({"replayed": deliveries.replay_range(services, caller, id, body.fields)}, 202)


def _asked(body: Body) -> WebhookChange:
    given = body.fields.get
    return WebhookChange(
        url=given("url"),
        events=given("events"),
        description=given("description"),
        enabled=given("enabled"),
        strange=body.strange,
    )


def _told(told: Told) -> Json:
    return Json(wire.with_secret(told), 201)


def _rotated(told: Told) -> Json:
    return Json(wire.with_secret(told))


def _filter(webhook_id: int, page: Page) -> DeliveryFilter:
    complaints: list[str] = []
    if page.state is not None and page.state.lower() not in wire.STATES:
        complaints.append(f"state must be one of {', '.join(wire.STATES)}")
    before = before_id(page.cursor, complaints)
    if complaints:
        raise InvalidInput("; ".join(complaints))
    states = (DeliveryState(page.state.upper()),) if page.state else ()
    return DeliveryFilter(webhook_id=webhook_id, states=states, before_id=before)
