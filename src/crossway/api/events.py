"""`/v1/events`: what happens to a client's resources, as it happens."""

from collections.abc import AsyncIterator
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import StreamingResponse

from crossway.api.auth import Parts, Reader
from crossway.api.events_streams import Streams
from crossway.api.schemas.failures import failures
from crossway.domain.errors import InvalidInput
from crossway.ports.services import Services

router = APIRouter(prefix="/v1/events", tags=["Webhooks"])
_EXAMPLE = (
    "id: evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11\n"
    "event: intent_completed\n"
    'data: {"id":"evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11","type":"intent_completed",'
    '"created_at":"2026-11-21T10:53:00.000Z","data":{"id":1}}\n\n'
)
_CONTENT = {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}


class EventStream(StreamingResponse):
    """Server-sent events, which nobody on the way is to hold back."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(events, headers=headers)


@router.get(
    "",
    status_code=200,
    response_class=EventStream,
    responses={200: {"description": "The stream.", "content": _CONTENT}, **failures(400)},
    summary="Stream events",
)
async def stream(
    request: Request,
    services: Parts,
    caller: Reader,
    last_event_id: Annotated[
        str | None,
        Header(description="The last event that was read: the stream goes on behind it."),
    ] = None,
) -> EventStream:
    """Server-sent events of the client, from now on or from behind `Last-Event-ID`: the bodies
    that webhooks carry. A stream ends after 15 minutes; resume it with the last id."""
    client_id, after = caller.client.id, None
    if last_event_id:
        after = await anyio.to_thread.run_sync(_place, services, client_id, last_event_id)
    return EventStream(_streams(request, services).open(caller, after))


def _place(services: Services, client_id: str, event_id: str) -> int:
    with services.store.read() as unit:
        place = unit.announcements.position_of(client_id, event_id)
    if place is None:
        raise InvalidInput("Last-Event-ID is no event of yours that is still remembered")
    return place


def _streams(request: Request, services: Services) -> Streams:
    """The streams of this application, made at first need."""
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = Streams(services)
    found: Streams = state.streams
    return found
