"""The event stream."""

from crossway_client.records.events import Event
from crossway_client.transport.endpoints import CarrierT, Resource, iterator
from crossway_client.transport.event_stream import events
from crossway_client.transport.steps import Feed


class Events(Resource[CarrierT]):
    """`/events`, server-sent."""

    @iterator
    def stream(self, last_event_id: str | None = None, *, tries: int = 5) -> Feed[Event]:
        """Every event from now on, or after `last_event_id`; it does not end by itself.

        A broken connection is resumed after the last event, up to `tries` times in a row. Events
        are missed only if no event was received before the break. Raises `APIConnectionError` or
        `ApiError`.
        """
        return events(last_event_id, tries)
