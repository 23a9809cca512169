"""The event stream: server-sent events, and how a broken stream is resumed."""

from collections.abc import Iterator

import httpx

from crossway_client.records.events import Event, parse_event
from crossway_client.transport.errors import APIConnectionError, ApiError
from crossway_client.transport.requests import parse_error, raise_if_redirect
from crossway_client.transport.retries import RETRYABLE_STATUSES
from crossway_client.transport.steps import (
    Emit,
    Exchange,
    Feed,
    OpenStream,
    ReadChunk,
    Sleep,
    Steps,
    describe_failure,
)

# The service sends at least a heartbeat every 15 s.
SILENCE_SECONDS = 45.0
LONGEST_WAIT_SECONDS = 30.0


def events(last_event_id: str | None, tries: int) -> Feed[Event]:
    """Every event from now on, or after `last_event_id`. A broken stream is resumed after its last
    event, up to `tries` times in a row."""

    def steps(exchange: Exchange) -> Steps[Event]:
        last, failed = last_event_id, 0
        while True:
            try:
                response: httpx.Response = yield OpenStream(_request(exchange, last))
                raise_if_redirect(response)
                if not response.is_success:
                    raise parse_error(response)
                failed, stream = 0, EventParser()
                while (piece := (yield ReadChunk())) is not None:
                    for event in stream.parse(piece):
                        last = event.id
                        yield Emit(event)
            except (httpx.RequestError, ApiError) as error:
                failed += 1
                _raise_if_final(error, failed >= tries)
            yield Sleep(min(2.0**failed, LONGEST_WAIT_SECONDS) if failed else 0.5)

    return Feed(steps)


def _request(exchange: Exchange, last_event_id: str | None) -> httpx.Request:
    headers = {"accept": "text/event-stream"}
    if last_event_id is not None:
        headers["last-event-id"] = last_event_id
    timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
    return exchange.build("GET", "/events", headers=headers, timeout=timeout)


def _raise_if_final(error: httpx.RequestError | ApiError, given_up: bool) -> None:
    if isinstance(error, ApiError):
        if given_up or error.status not in RETRYABLE_STATUSES:
            raise error
    elif given_up:
        raise APIConnectionError(f"the event stream ended: {describe_failure(error)}") from error


class EventParser:
    """The events in the pieces of one stream."""

    def __init__(self) -> None:
        self._partial = b""
        self._data: list[bytes] = []

    def parse(self, piece: bytes) -> Iterator[Event]:
        """The events that this piece completes."""
        # Only line feeds end a line, as texts may contain other separators.
        *lines, self._partial = (self._partial + piece).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                yield parse_event(b"\n".join(self._data))
                self._data = []
