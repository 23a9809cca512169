"""`/v1/events`: the live stream of a client's events."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from crossway.api.auth import Reader, ServicesDep
from crossway.api.schemas.error_responses import error_responses
from crossway.api.sse_broker import OpenStream, SseBroker
from crossway.domain.clients import Owner
from crossway.domain.errors import InvalidInput
from crossway.ports.services import Services

router = APIRouter(prefix="/v1/events", tags=["Webhooks"])
_EXAMPLE = (
    "id: evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11\n"
    "event: intent_completed\n"
    'data: {"id":"evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11","type":"intent_completed",'
    '"created_at":"2026-11-21T10:53:00.000Z","data":{"id":4807780642760409}}\n\n'
)
_CONTENT = {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}


class EventStream(StreamingResponse):
    """Server-sent events that proxies must not buffer."""

    media_type = "text/event-stream"

    def __init__(self, stream: OpenStream) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(stream.events, headers=headers)
        self._release = stream.release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._release()


@router.get(
    "",
    status_code=200,
    response_class=EventStream,
    responses={200: {"description": "The stream.", "content": _CONTENT}, **error_responses(400)},
    summary="Stream events",
    operation_id="streamEvents",
)
async def stream(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    last_event_id: Annotated[
        str | None,
        Header(description="The last event received; the stream continues after it."),
    ] = None,
) -> EventStream:
    """Server-sent events of the client in this key's mode, from now on or after `Last-Event-ID`,
    with the bodies that webhooks carry. A stream ends after 15 minutes; resume it with the last id.
    """
    after = None
    if last_event_id:
        after = await anyio.to_thread.run_sync(
            _find_position, services, caller.owner, last_event_id
        )
    return EventStream(_get_broker(request, services).open(caller, after))


def _find_position(services: Services, owner: Owner, event_id: str) -> int:
    with services.store.read() as unit:
        position = unit.outbox.get_position(owner, event_id)
    if position is None:
        raise InvalidInput(
            "Last-Event-ID is not a known event of this client, or it has expired",
            fields=("last-event-id",),
        )
    return position


def _get_broker(request: Request, services: Services) -> SseBroker:
    """The broker of this application, created at first use."""
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = SseBroker(services)
    broker: SseBroker = state.streams
    return broker
