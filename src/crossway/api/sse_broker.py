"""Open event streams: one reader of the store for all of them, and a queue for each."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import anyio.to_thread
import structlog

from crossway.domain.clients import ApiKey, Principal
from crossway.domain.errors import TooManyRequests
from crossway.domain.webhooks import OutboxEvent
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhooks import EventRenderer

LOG = structlog.get_logger("crossway.api.events")
MAX_STREAMS_PER_CLIENT, MAX_STREAMS = 10, 500
POLL_SECONDS, HEARTBEAT_SECONDS = 0.25, 15.0
# Whether keys may still read is asked as often as for requests.
KEY_CHECK_SECONDS, MAX_STREAM_SECONDS = 5.0, 900.0
BATCH, MAX_QUEUED = 500, 1_000
_RETRY_SECONDS = 2
OPENING = f"retry: {_RETRY_SECONDS * 1000}\n\n".encode()
ALIVE = b": alive\n\n"


@dataclass(eq=False)
class _Stream:
    """One open stream of what is behind the place `after`. `joined` is the place up to which it
    reads by itself; what comes later lies in its queue, None at the end."""

    client_id: str
    key: ApiKey | None
    joined: asyncio.Future[int]
    after: int | None
    queue: asyncio.Queue[bytes | None] = field(
        default_factory=lambda: asyncio.Queue(MAX_QUEUED + 1)
    )

    def put(self, position: int, frame: bytes) -> None:
        """Queue an event; who reads too slowly is let go, and resumes from the last one read. The
        one reader can be behind a stream that was opened since it last read."""
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


class SseBroker:
    """The streams of one process, used by its event loop alone."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._joining: list[_Stream] = []
        self._open: set[_Stream] = set()
        self._count: Counter[str] = Counter()
        self._reader: asyncio.Task[None] | None = None
        self._ended = False

    def open(self, caller: Principal, after: int | None) -> AsyncIterator[bytes]:
        """Events of a client from behind a place, or from now on, until its key ends or is changed.
        Raises `TooManyRequests`."""
        client_id = caller.client.id
        if self._count[client_id] >= MAX_STREAMS_PER_CLIENT or self._count.total() >= MAX_STREAMS:
            message = f"At most {MAX_STREAMS_PER_CLIENT} event streams may be open at once"
            raise TooManyRequests(message, retry_after_seconds=_RETRY_SECONDS)
        loop = asyncio.get_running_loop()
        stream = _Stream(client_id, caller.key, loop.create_future(), after)
        return self._events(stream, loop.time() + MAX_STREAM_SECONDS)

    def end(self) -> None:
        """Let every stream end; its client resumes elsewhere or later."""
        self._ended = True
        for stream in (*self._open, *self._joining):
            stream.end()

    async def _events(self, stream: _Stream, until: float) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        self._count[stream.client_id] += 1
        try:
            if stream.after is None:
                stream.after = await anyio.to_thread.run_sync(self._last)
            yield OPENING
            if self._ended:
                return
            self._join(stream)
            joined = await stream.joined
            async for frame in self._missed(stream.client_id, stream.after, joined):
                yield frame
            while (left := until - loop.time()) > 0:
                try:
                    wait = min(left, HEARTBEAT_SECONDS)
                    given = await asyncio.wait_for(stream.queue.get(), wait)
                except TimeoutError:
                    yield ALIVE
                    continue
                if given is None:
                    return
                yield given
        except asyncio.CancelledError:
            if not stream.joined.cancelled():
                raise  # The client went away; else the streams were ended.
        finally:
            self._leave(stream)

    def _join(self, stream: _Stream) -> None:
        self._joining.append(stream)
        if self._reader is None or self._reader.done():
            _before_exit(asyncio.get_running_loop(), self.end)
            self._reader = asyncio.create_task(self._read_on())

    def _leave(self, stream: _Stream) -> None:
        self._open.discard(stream)
        if stream in self._joining:
            self._joining.remove(stream)
        self._count[stream.client_id] -= 1
        if not self._count[stream.client_id]:
            del self._count[stream.client_id]

    async def _missed(self, client_id: str, after: int, until: int) -> AsyncIterator[bytes]:
        while after < until:
            after, frames = await anyio.to_thread.run_sync(self._read, after, (client_id,), until)
            for _, _, frame in frames:
                yield frame

    async def _read_on(self) -> None:
        """Read what is new for all streams; ends when there are none."""
        place: int | None = None
        checked = asyncio.get_running_loop().time()
        while (self._joining or self._open) and not self._ended:
            try:
                if place is None:
                    place = await anyio.to_thread.run_sync(self._last)
                self._let_join(place)
                clients = tuple({stream.client_id for stream in self._open})
                place, frames = await anyio.to_thread.run_sync(self._read, place, clients, None)
                for client_id, position, frame in frames:
                    for stream in tuple(self._open):
                        if stream.client_id == client_id:
                            stream.put(position, frame)
                if (now := asyncio.get_running_loop().time()) - checked > KEY_CHECK_SECONDS:
                    checked = now
                    await self._end_those_of_other_keys()
            except Exception:
                LOG.exception("event streams could not read on")
            await asyncio.sleep(POLL_SECONDS)

    def _let_join(self, place: int) -> None:
        """Only between two reads: no stream then misses what the read under way finds."""
        for stream in self._joining:
            if not stream.joined.done():
                stream.joined.set_result(place)
                self._open.add(stream)
        self._joining.clear()

    async def _end_those_of_other_keys(self) -> None:
        """Let go whoever's key is no longer what it was; who may still read comes back at once."""
        shown = {stream.key.id for stream in self._open if stream.key}
        keys = await anyio.to_thread.run_sync(self._keys, shown)
        for stream in tuple(self._open):
            if stream.key and _rights(keys[stream.key.id]) != _rights(stream.key):
                stream.end()

    def _keys(self, ids: Collection[int]) -> dict[int, ApiKey | None]:
        now = self._services.clock.now()
        with self._services.store.read() as unit:
            keys = {number: unit.api_keys.get_api_key(number) for number in ids}
        return {
            number: None if key and key.is_expired(now) else key for number, key in keys.items()
        }

    def _last(self) -> int:
        with self._services.store.read() as unit:
            return unit.outbox.last_position()

    def _read(
        self, after: int, clients: tuple[str, ...], until: int | None
    ) -> tuple[int, list[tuple[str, int, bytes]]]:
        """Events in places after one, each with its client and its place, and the place that was
        reached."""
        with self._services.store.read() as unit:
            last = unit.outbox.last_position() if until is None else until
            if last <= after:
                return after, []
            told = unit.outbox.list_after(after, clients, last, BATCH)
            reached = told[-1].position if len(told) == BATCH else last
            frames = [
                (one.client_id, one.position or 0, frame) for one, frame in self._frames(unit, told)
            ]
        assert reached is not None
        return reached, frames

    def _frames(
        self, unit: UnitOfWork, told: list[OutboxEvent]
    ) -> Iterable[tuple[OutboxEvent, bytes]]:
        outgoing = self._services.webhooks
        assert outgoing is not None
        bodies = _drawn(outgoing.render_events, unit, told)
        for one in told:
            if one.id in bodies:
                head = f"id: {one.event_id}\nevent: {one.type}\ndata: ".encode()
                yield one, head + bodies[one.id] + b"\n\n"


def _rights(key: ApiKey | None) -> tuple[Any, ...] | None:
    return None if key is None else (key.scopes, key.addresses)


def _drawn(
    present: EventRenderer, unit: UnitOfWork, told: Sequence[OutboxEvent]
) -> Mapping[int, bytes]:
    """All at once; where that fails, one by one: an event that cannot be drawn stops no other."""
    try:
        return present(unit, told)
    except Exception as error:
        if len(told) == 1:
            LOG.error("an event cannot be drawn", event_id=told[0].event_id, exc_info=error)
            return {}
    drawn: dict[int, bytes] = {}
    for one in told:
        drawn |= _drawn(present, unit, [one])
    return drawn


@dataclass(frozen=True)
class _Ending:
    """A signal's handler that lets the streams end before whatever was to be done."""

    before: Callable[[int, FrameType | None], Any]
    loop: asyncio.AbstractEventLoop
    end: Callable[[], None]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.loop.call_soon_threadsafe(self.end)
        self.before(number, frame)


def _before_exit(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """A server that is asked to end waits for open answers before it tells anybody, so streams
    listen for what it listens for. Signals come to the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        if callable(before) and not isinstance(before, _Ending):
            signal.signal(number, _Ending(before, loop, end))
