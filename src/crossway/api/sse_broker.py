"""Server-sent event streams: one reader of the outbox for all, and a queue for each."""

import asyncio
import logging
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

import anyio.to_thread

from crossway.domain.clients import ApiKey, Owner, Principal
from crossway.domain.errors import TooManyRequests
from crossway.domain.webhooks import OutboxEvent
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhooks import EventRenderer

LOG = logging.getLogger("crossway.api.events")
MAX_STREAMS_PER_CLIENT, MAX_STREAMS = 10, 500
POLL_SECONDS, HEARTBEAT_SECONDS = 0.25, 15.0
# Keys are checked as often as those of requests.
KEY_CHECK_SECONDS, MAX_STREAM_SECONDS = 5.0, 900.0
BATCH, MAX_READ, MAX_QUEUED = 500, 2_000, 1_000
_RETRY_SECONDS = 2
OPENING = f"retry: {_RETRY_SECONDS * 1000}\n\n".encode()
ALIVE = b": alive\n\n"


@dataclass(eq=False)
class _Stream:
    """One open stream of the events after the position `after`.

    Up to the position `joined` the stream reads the outbox itself; later events are in its queue,
    which ends with None.
    """

    owner: Owner
    key: ApiKey | None
    joined: asyncio.Future[int]
    after: int | None
    queue: asyncio.Queue[bytes | None] = field(
        default_factory=lambda: asyncio.Queue(MAX_QUEUED + 1)
    )

    def put(self, position: int, frame: bytes) -> None:
        """Queue an event. A stream that reads too slowly is closed, and its client resumes. Events
        up to `after` are skipped: the shared reader may be behind a new stream."""
        if self.after is None or position <= self.after:
            return
        if self.queue.qsize() < MAX_QUEUED:
            self.queue.put_nowait(frame)
        else:
            self.end()

    def end(self) -> None:
        if not self.queue.full():
            self.queue.put_nowait(None)
        self.joined.cancel()


@dataclass(frozen=True, slots=True)
class OpenStream:
    """The events of a stream, and what gives its place free, to be called once."""

    events: AsyncIterator[bytes]
    release: Callable[[], None]


class SseBroker:
    """The streams of one process, used by its event loop only."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._joining: list[_Stream] = []
        self._open: set[_Stream] = set()
        self._count: Counter[Owner] = Counter()
        self._reader: asyncio.Task[None] | None = None
        self._ended = False

    def open(self, caller: Principal, after: int | None) -> "OpenStream":
        """Events of the caller's client and mode after a position, or from now on, until its key
        expires or changes. Raises `TooManyRequests`."""
        owner = caller.owner
        if self._count[owner] >= MAX_STREAMS_PER_CLIENT or self._count.total() >= MAX_STREAMS:
            message = f"At most {MAX_STREAMS_PER_CLIENT} event streams may be open at once"
            raise TooManyRequests(message, retry_after_seconds=_RETRY_SECONDS)
        # Counted before anything is awaited: many requests at once would all find room.
        self._count[owner] += 1
        loop = asyncio.get_running_loop()
        stream = _Stream(owner, caller.key, loop.create_future(), after)
        events = self._events(stream, loop.time() + MAX_STREAM_SECONDS)
        return OpenStream(events, partial(self._release, owner))

    def end(self) -> None:
        """Close every stream; clients resume elsewhere or later."""
        self._ended = True
        for stream in (*self._open, *self._joining):
            stream.end()

    async def _events(self, stream: _Stream, until: float) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        try:
            if stream.after is None:
                last = await anyio.to_thread.run_sync(self._last, {stream.owner})
                stream.after = last[stream.owner]
            yield OPENING
            if self._ended:
                return
            self._join(stream)
            joined = await stream.joined
            async for frame in self._missed(stream.owner, stream.after, joined):
                yield frame
            while (seconds_left := until - loop.time()) > 0:
                try:
                    wait = min(seconds_left, HEARTBEAT_SECONDS)
                    queued = await asyncio.wait_for(stream.queue.get(), wait)
                except TimeoutError:
                    yield ALIVE
                    continue
                if queued is None:
                    return
                yield queued
        except asyncio.CancelledError:
            if not stream.joined.cancelled():
                raise  # The client went away; else the streams were ended.
        finally:
            self._leave(stream)

    def _join(self, stream: _Stream) -> None:
        self._joining.append(stream)
        if self._reader is None or self._reader.done():
            _close_before_exit(asyncio.get_running_loop(), self.end)
            self._reader = asyncio.create_task(self._read_loop())

    def _leave(self, stream: _Stream) -> None:
        self._open.discard(stream)
        if stream in self._joining:
            self._joining.remove(stream)

    def _release(self, owner: Owner) -> None:
        self._count[owner] -= 1
        if not self._count[owner]:
            del self._count[owner]

    async def _missed(self, owner: Owner, after: int, until: int) -> AsyncIterator[bytes]:
        while after < until:
            read = partial(self._read, {owner: after}, {owner: until})
            places, frames = await anyio.to_thread.run_sync(read)
            after = places[owner]
            for _, _, frame in frames:
                yield frame

    async def _read_loop(self) -> None:
        """Read new events for all streams, until none is open."""
        places: dict[Owner, int] = {}
        checked = asyncio.get_running_loop().time()
        while (self._joining or self._open) and not self._ended:
            try:
                places = await self._admit_joining(places)
                places, frames = await anyio.to_thread.run_sync(self._read, places)
                for owner, position, frame in frames:
                    for stream in tuple(self._open):
                        if stream.owner == owner:
                            stream.put(position, frame)
                if (now := asyncio.get_running_loop().time()) - checked > KEY_CHECK_SECONDS:
                    checked = now
                    await self._close_changed_keys()
            except Exception:
                LOG.exception("event streams failed to read the outbox")
            await asyncio.sleep(POLL_SECONDS)

    async def _admit_joining(self, places: dict[Owner, int]) -> dict[Owner, int]:
        """Add waiting streams between two reads, so that none misses events of a running read;
        returns how far each owner's events are read."""
        joining = tuple(self._joining)
        new = {stream.owner for stream in joining} - places.keys()
        if new:
            places = places | await anyio.to_thread.run_sync(self._last, new)
        for stream in joining:
            if stream in self._joining:
                self._joining.remove(stream)
            if not stream.joined.done():
                stream.joined.set_result(places[stream.owner])
                self._open.add(stream)
        still_open = {stream.owner for stream in self._open}
        return {owner: place for owner, place in places.items() if owner in still_open}

    async def _close_changed_keys(self) -> None:
        """Close streams whose key changed; clients that may still read reconnect at once."""
        key_ids = {stream.key.id for stream in self._open if stream.key}
        keys = await anyio.to_thread.run_sync(self._keys, key_ids)
        for stream in tuple(self._open):
            if stream.key and _permissions(keys[stream.key.id]) != _permissions(stream.key):
                stream.end()

    def _keys(self, ids: Collection[int]) -> dict[int, ApiKey | None]:
        now = self._services.clock.now()
        with self._services.store.read() as unit:
            keys = {number: unit.api_keys.get_api_key(number) for number in ids}
        return {
            number: None if key and key.is_expired(now) else key for number, key in keys.items()
        }

    def _last(self, owners: Collection[Owner]) -> dict[Owner, int]:
        with self._services.store.read() as unit:
            last = unit.outbox.last_positions({owner.client_id for owner in owners})
        return {owner: last[owner.client_id] for owner in owners}

    def _read(
        self, places: Mapping[Owner, int], until: Mapping[Owner, int] | None = None
    ) -> tuple[dict[Owner, int], list[tuple[Owner, int, bytes]]]:
        """The events of owners behind their places, each with owner and position, and the places
        reached."""
        reached, events = dict(places), list[OutboxEvent]()
        with self._services.store.read() as unit:
            last = unit.outbox.last_positions({owner.client_id for owner in places})
            for owner, place in places.items():
                if len(events) >= MAX_READ:
                    break
                end = last[owner.client_id] if until is None else until[owner]
                if end <= place:
                    continue
                found = unit.outbox.list_after(place, owner, end, BATCH)
                events += found
                # A full batch may not be all: the rest is read next time.
                full = found[-1].position if len(found) == BATCH else None
                # Moved behind the others, which are read first next time.
                del reached[owner]
                reached[owner] = full or end
            frames = [
                (Owner(event.client_id, event.mode), event.position or 0, frame)
                for event, frame in self._frames(unit, events)
            ]
        return reached, frames

    def _frames(
        self, unit: UnitOfWork, events: list[OutboxEvent]
    ) -> Iterable[tuple[OutboxEvent, bytes]]:
        outgoing = self._services.webhooks
        assert outgoing is not None
        bodies = _render(outgoing.render_events, unit, events)
        for event in events:
            if event.id in bodies:
                head = f"id: {event.event_id}\nevent: {event.type}\ndata: ".encode()
                yield event, head + bodies[event.id] + b"\n\n"


def _permissions(key: ApiKey | None) -> tuple[Any, ...] | None:
    return None if key is None else (key.scopes, key.addresses)


def _render(
    renderer: EventRenderer, unit: UnitOfWork, events: Sequence[OutboxEvent]
) -> Mapping[int, bytes]:
    """Render all events at once, or one by one if that fails, so that one event stops no other."""
    try:
        return renderer(unit, events)
    except Exception as error:
        if len(events) == 1:
            LOG.error("event %s cannot be rendered", events[0].event_id, exc_info=error)
            return {}
    rendered: dict[int, bytes] = {}
    for event in events:
        rendered |= _render(renderer, unit, [event])
    return rendered


@dataclass(frozen=True)
class _ClosingHandler:
    """A signal handler that closes the streams before the previous handler runs."""

    before: Callable[[int, FrameType | None], Any]
    loop: asyncio.AbstractEventLoop
    end: Callable[[], None]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.loop.call_soon_threadsafe(self.end)
        self.before(number, frame)


def _close_before_exit(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """Close the streams at a stop signal: the server waits for open responses before it shuts the
    application down. Only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        if callable(before) and not isinstance(before, _ClosingHandler):
            signal.signal(number, _ClosingHandler(before, loop, end))
