"""The event stream of the API."""

import time
from collections.abc import Callable, Iterator

import httpx

from crossway.client.errors import APIConnectionError, ApiError
from crossway.client.transport import RETRYABLE_STATUSES, error_from_response
from crossway.client.webhook_records import Event, parse_event

# The service sends at least a heartbeat every 15 s.
SILENCE_SECONDS = 45.0


class Events:
    """`/events`, server-sent."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def stream(
        self,
        last_event_id: str | None = None,
        tries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Iterator[Event]:
        """Every event from now on, or after `last_event_id`.

        A broken connection is resumed after the last event, up to `tries` times in a row. Events
        are missed only if no event was received before the break. Raises `APIConnectionError` or
        `ApiError`.
        """
        failed = 0
        while True:
            try:
                for event in self._once(last_event_id):
                    failed = 0
                    if event is not None:
                        last_event_id = event.id
                        yield event
            except (httpx.TransportError, ApiError) as error:
                failed += 1
                given_up = failed >= tries
                if isinstance(error, ApiError):
                    if given_up or error.status not in RETRYABLE_STATUSES:
                        raise
                elif given_up:
                    raise APIConnectionError(
                        f"the event stream broke: {type(error).__name__}"
                    ) from error
            sleep(min(2.0**failed, 30.0) if failed else 0.5)

    def _once(self, last_event_id: str | None) -> Iterator[Event | None]:
        """The events of one connection, preceded by None once it is open."""
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
        with self._http.stream("GET", "/events", headers=headers, timeout=timeout) as answer:
            if not answer.is_success:
                answer.read()
                raise error_from_response(answer)
            yield None
            data: list[bytes] = []
            for line in _lines(answer.iter_bytes()):
                if line.startswith(b"data:"):
                    data.append(line[5:].removeprefix(b" "))
                elif not line and data:
                    yield parse_event(b"\n".join(data))
                    data = []


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a stream. Only line feeds end a line, as texts may contain other separators."""
    partial = b""
    for chunk in chunks:
        *whole, partial = (partial + chunk).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r")
