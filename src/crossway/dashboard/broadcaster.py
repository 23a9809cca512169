"""The WebSocket on which every open browser hears which topics and shared queries have changed."""

import asyncio
import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from crossway.dashboard import push, session, shared_query

log = logging.getLogger("crossway.dashboard")

POLL_SECONDS: Final = 0.1
# A browser that hears nothing for nearly four of these (connection.js) calls its line silent.
BEAT_SECONDS: Final = 1.0
# Rendering is expensive: the more browsers are open, the less often they are notified.
PAUSE_SECONDS_PER_BROWSER: Final = 0.006
SPREAD_SECONDS_PER_BROWSER: Final = 0.004
MAX_SPREAD_SECONDS: Final = 0.4
TICKET_TIMEOUT_SECONDS: Final = 10.0
MAX_BROWSERS: Final = 2_000
MAX_QUERIES_PER_PAGE, MAX_MESSAGE_CHARACTERS = 32, 8_000
# Queries that are not refreshed within this time are invalidated, and their pages redrawn.
MAX_REFRESH_SECONDS: Final = 0.5
CLOSE_REFUSED, CLOSE_FULL = 4401, 4503
_DROPPED_VERSION: Final = 10**15


@dataclass(eq=False)
class _Listener:
    """One browser and the query versions it knows; `wake` resumes the task that sends to it.

    `signed_out` is set until the browser has been told to redraw because its session ended.
    """

    wake: asyncio.Event = field(default_factory=asyncio.Event)
    viewer_session: str = ""
    is_active: bool = False
    signed_out: bool = False
    beat_at: float = field(default_factory=time.monotonic)
    queries: dict[str, tuple[int, int]] = field(default_factory=dict)


class Broadcaster:
    """Polls for changes in one thread while browsers are connected, and notifies all of them."""

    def __init__(self) -> None:
        self._listeners: dict[_Listener, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        # Guards the decision to stop polling against a browser that connects meanwhile.
        self._lock, self._polling = threading.Lock(), False
        self._private_message, self._public_message = "", ""

    async def serve(self, socket: WebSocket) -> None:
        """Notify one browser until it disconnects."""
        await socket.accept()
        if not await _has_valid_ticket(socket):
            await _close(socket, CLOSE_REFUSED)
            return
        if len(self._listeners) >= MAX_BROWSERS:
            await _close(socket, CLOSE_FULL)
            return
        listener = _Listener()
        self._listeners[listener] = None
        self._start_polling()
        sender = asyncio.create_task(self._send(socket, listener))
        try:
            while True:
                _subscribe(listener, await socket.receive_text())
        except WebSocketDisconnect:
            pass
        except ValueError:
            await _close(socket, CLOSE_REFUSED)
        finally:
            sender.cancel()
            self._listeners.pop(listener, None)

    async def _send(self, socket: WebSocket, listener: _Listener) -> None:
        sent = ""
        while True:
            for text in _new_versions(listener, frame_changed=False):
                await socket.send_text(text)
            # Messages that make browsers ask for a new page are spread over time.
            count, position = len(self._listeners), list(self._listeners).index(listener)
            spread = min(MAX_SPREAD_SECONDS, count * SPREAD_SECONDS_PER_BROWSER)
            await asyncio.sleep(spread * position / count)
            for text in _new_versions(listener, frame_changed=True):
                await socket.send_text(text)
            message = self._private_message if listener.is_active else self._public_message
            if message and message != sent:
                sent = message
                await socket.send_text(sent)
            await _wait_for_changes(socket, listener)

    def _start_polling(self) -> None:
        """Poll in a thread, as a poll may wait for the database."""
        self._loop = asyncio.get_running_loop()
        with self._lock:
            if not self._polling:
                self._polling = True
                threading.Thread(target=self._poll, name="changes", daemon=True).start()

    def _poll(self) -> None:
        pause, notify_at = threading.Event(), 0.0
        while self._should_poll():
            try:
                changed = self._check_sessions() | self._refresh_queries()
                messages = change_messages() if time.monotonic() >= notify_at else None
                if messages is not None and messages[0] != self._private_message:
                    (self._private_message, self._public_message), changed = messages, True
                    pause_seconds = len(self._listeners) * PAUSE_SECONDS_PER_BROWSER
                    notify_at = time.monotonic() + pause_seconds
                if changed and self._loop is not None:
                    self._loop.call_soon_threadsafe(self._wake_all)
            except Exception:
                log.exception("changes could not be polled")
            pause.wait(POLL_SECONDS)

    def _should_poll(self) -> bool:
        """Whether browsers are connected and the event loop still runs."""
        with self._lock:
            closed = self._loop is None or self._loop.is_closed()
            self._polling = bool(self._listeners) and not closed
            return self._polling

    def _check_sessions(self) -> bool:
        """Update which browsers are signed in; whether that has changed for any of them."""
        changed = False
        for listener in tuple(self._listeners):
            before = listener.is_active
            listener.is_active = bool(listener.viewer_session) and session.is_viewer_session_active(
                listener.viewer_session
            )
            listener.signed_out = listener.signed_out or before > listener.is_active
            changed = changed or listener.is_active != before
        return changed

    def _refresh_queries(self) -> bool:
        """Refresh the queries that browsers subscribe to; whether any result has changed."""
        subscribed = {id_ for listener in tuple(self._listeners) for id_ in tuple(listener.queries)}
        queries_by_id, changed = shared_query.query_registry().by_id, False
        counters, end = push.change_counters().current(), time.monotonic() + MAX_REFRESH_SECONDS
        for query in [queries_by_id[id_] for id_ in subscribed if id_ in queries_by_id]:
            in_time = time.monotonic() < end
            update = query.refresh if in_time else query.invalidate
            changed = update(counters) or changed
        return changed

    def _wake_all(self) -> None:
        for listener in self._listeners:
            listener.wake.set()


def change_messages() -> tuple[str, str]:
    """The message for signed-in browsers, and the one for all others, without the alerts."""
    counters = push.change_counters()
    message = {"epoch": counters.epoch, "counters": dict(counters.current())}
    return json.dumps(message | {"alerts": push.alert_strip()}), json.dumps(message)


async def _wait_for_changes(socket: WebSocket, listener: _Listener) -> None:
    """Return once something has changed, and send beats: a lost connection is seen by silence
    alone, and a page that slept for long by its session, which this process has forgotten."""
    while True:
        remaining = listener.beat_at - time.monotonic()
        if remaining <= 0:
            id_ = listener.viewer_session
            kept = session.is_viewer_session_kept(id_) if id_ else None
            await socket.send_text(json.dumps({"kept": kept}))
            listener.beat_at = time.monotonic() + BEAT_SECONDS
            continue
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(listener.wake.wait(), remaining)
            listener.wake.clear()
            return


def _subscribe(listener: _Listener, text: str) -> None:
    """Store which queries a page shows and in which version. Raises `ValueError` if malformed."""
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise ValueError("the message is too long")
    message: Any = json.loads(text)
    if not isinstance(message, dict) or not isinstance(message.get("queries"), dict):
        raise ValueError("the message names no queries")
    queries: dict[str, Any] = message["queries"]
    if len(queries) > MAX_QUERIES_PER_PAGE:
        raise ValueError("the message names too many queries")
    listener.viewer_session = str(message.get("session", ""))
    listener.beat_at = time.monotonic()
    try:
        listener.queries = {id_: (int(v), int(frame)) for id_, (v, frame) in queries.items()}
    except TypeError:
        raise ValueError("a query has no versions") from None
    listener.wake.set()


def _new_versions(listener: _Listener, frame_changed: bool) -> Iterator[str]:
    """Messages about queries of which the browser knows an older version: those whose frame has
    changed, or those whose frame is the same."""
    if listener.signed_out and frame_changed:
        # The page asks for all its fragments again and is redirected to the sign-in form.
        listener.signed_out = False
        for id_ in listener.queries:
            yield _dropped(id_)
    if not listener.is_active:
        return
    queries_by_id = shared_query.query_registry().by_id
    for id_, (version, frame_version) in list(listener.queries.items()):
        query = queries_by_id.get(id_)
        if query is None:
            text, latest = _dropped(id_), (_DROPPED_VERSION, _DROPPED_VERSION)
        else:
            text, latest = query.message()
        if latest[0] > version and (latest[1] != frame_version) == frame_changed:
            listener.queries[id_] = latest
            yield text


def _dropped(id_: str) -> str:
    """Tell a page that a query is gone, so that it asks for its fragments again."""
    version = {"version": _DROPPED_VERSION, "frame_version": _DROPPED_VERSION}
    return json.dumps({"query": id_, **version, "widgets": {}})


async def _has_valid_ticket(socket: WebSocket) -> bool:
    """Whether the browser sends the ticket that every page contains after signing in."""
    try:
        ticket = await asyncio.wait_for(socket.receive_text(), TICKET_TIMEOUT_SECONDS)
    except (TimeoutError, WebSocketDisconnect, KeyError):
        return False
    return push.change_counters().is_valid_ticket(ticket)


async def _close(socket: WebSocket, code: int) -> None:
    """Say why the connection ends, to a browser that may have left already."""
    with contextlib.suppress(WebSocketDisconnect):
        await socket.close(code)


def route() -> WebSocketRoute:
    """The WebSocket route, beside Streamlit's own."""
    return WebSocketRoute("/live", Broadcaster().serve)
