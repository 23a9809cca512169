"""Where a resumed event stream begins when the reader that all streams share is behind it."""

import asyncio

from crossway.api.sse_broker import OPENING, SseBroker
from crossway.domain.clients import Mode, Principal, Scope
from crossway.engine.fan_out import fan_out
from tests.api.conftest import Api
from tests.event_loops import run_async


def add_event(api: Api) -> tuple[int, bytes]:
    """A new intent's event: its position and the first line of its frame."""
    api.create()
    fan_out(api.service.services)
    with api.service.store.read() as unit:
        last = unit.outbox.last_positions([api.client_id])[api.client_id]
        (event,) = unit.outbox.list_after(last - 1, api.owner, last, 1)
    return last, f"id: {event.event_id}\n".encode()


def test_a_stream_that_is_ahead_of_the_reader_gets_no_event_twice(api: Api) -> None:
    with api.service.store.read() as unit:
        client = unit.api_keys.get_client(api.client_id)
    assert client is not None
    caller = Principal(client, Mode.TEST, frozenset(Scope))
    position, _ = add_event(api)

    async def first_frame() -> tuple[bytes, bytes]:
        broker = SseBroker(api.service.services)
        # It has received the event that the reader reads next.
        stream = broker.open(caller, position + 1).events
        assert await anext(stream) == OPENING
        frame = asyncio.ensure_future(anext(stream))
        while not broker._open:
            await asyncio.sleep(0)
        received, _ = add_event(api)
        assert received == position + 1
        _, head = add_event(api)
        try:
            return await asyncio.wait_for(frame, 30), head
        finally:
            broker.end()

    frame, head = run_async(first_frame())
    assert frame.startswith(head)
