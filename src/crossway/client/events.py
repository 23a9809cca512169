"""The stream of what happens, without polling and without an endpoint of one's own."""

import time
from collections.abc import Callable, Iterator

import httpx

from crossway.client.errors import NoAnswer, error_of
from crossway.client.records import Event

# The service says something every 15 s, if only that it is there.
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
        """Every event from now on, or after `last_event_id`, as it happens.

        A connection that breaks is opened again where it broke, up to `tries` times in a row.
        Raises `NoAnswer`, `ApiError`.
        """
        failed = 0
        while True:
            try:
                for event in self._once(last_event_id):
                    last_event_id, failed = event.id, 0
                    yield event
            except httpx.TransportError as error:
                failed += 1
                if failed >= tries:
                    raise NoAnswer(f"the event stream broke: {type(error).__name__}") from error
            sleep(min(2.0**failed, 30.0) if failed else 0.5)

    def _once(self, last_event_id: str | None) -> Iterator[Event]:
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
        with self._http.stream("GET", "/events", headers=headers, timeout=timeout) as answer:
            if not answer.is_success:
                answer.read()
                raise error_of(answer.status_code, {}, answer.headers.get("x-request-id", ""))
            data: list[str] = []
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    data.append(line[5:].strip())
                elif not line and data:
                    yield Event.model_validate_json("\n".join(data))
                    data = []
