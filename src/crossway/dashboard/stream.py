"""The line on which every open browser is told that something has changed."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from crossway.dashboard import live, session, watching

log = logging.getLogger("crossway.dashboard")

LOOK_EVERY_SECONDS: Final = 0.1
# Drawing is dear: the more browsers are open, the less often all of them are told at once.
REST_SECONDS_EACH: Final = 0.006
SPREAD_SECONDS_EACH: Final = 0.004
MOST_SPREAD_SECONDS: Final = 0.4
TICKET_SECONDS: Final = 10.0
MOST_BROWSERS: Final = 2_000
# What one page may follow, and how long what it says may be.
MOST_FOLLOWED, MOST_SAID = 32, 8_000
# What is read anew for all takes this much of the thread's time at most; the rest is drawn anew.
MOST_READING_SECONDS: Final = 0.5
REFUSED, FULL = 4401, 4503
_GONE: Final = 10**15


@dataclass(eq=False)
class _Listener:
    """One browser; `news` rouses the task that sends to it. It follows readings as whoever its
    `seat` says, and was told each up to a number and a frame. Who is `shown_out` may follow nothing
    any more and was not told so yet."""

    news: asyncio.Event = field(default_factory=asyncio.Event)
    seat: str = ""
    seated: bool = False
    shown_out: bool = False
    following: dict[str, tuple[int, int]] = field(default_factory=dict)


class Herald:
    """Looks for changes while somebody listens, once for all, and tells everybody."""

    def __init__(self) -> None:
        self._listeners: dict[_Listener, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        # Nobody may come between the last look round and the end of the look-out.
        self._lock, self._looking = threading.Lock(), False
        self.told, self.told_all = "", ""

    async def serve(self, socket: WebSocket) -> None:
        """Keep one browser told until it leaves."""
        await socket.accept()
        if not await _let_in(socket):
            await socket.close(REFUSED)
            return
        if len(self._listeners) >= MOST_BROWSERS:
            await socket.close(FULL)
            return
        listener = _Listener()
        self._listeners[listener] = None
        self._begin()
        telling = asyncio.create_task(self._tell(socket, listener))
        try:
            while True:
                _follow(listener, await socket.receive_text())
        except WebSocketDisconnect:
            pass
        except ValueError:
            await socket.close(REFUSED)
        finally:
            telling.cancel()
            self._listeners.pop(listener, None)

    async def _tell(self, socket: WebSocket, listener: _Listener) -> None:
        sent = ""
        while True:
            for text in _unknown(listener, reframed=False):
                await socket.send_text(text)
            # What makes browsers ask is told to one after the other.
            number, place = len(self._listeners), list(self._listeners).index(listener)
            spread = min(MOST_SPREAD_SECONDS, number * SPREAD_SECONDS_EACH)
            await asyncio.sleep(spread * place / number)
            for text in _unknown(listener, reframed=True):
                await socket.send_text(text)
            told = self.told if listener.seated else self.told_all
            if told and told != sent:
                sent = told
                await socket.send_text(sent)
            await listener.news.wait()
            listener.news.clear()

    def _begin(self) -> None:
        """Look for changes in a thread: a look may wait for the database."""
        self._loop = asyncio.get_running_loop()
        with self._lock:
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._look, name="changes", daemon=True).start()

    def _look(self) -> None:
        pause, tell_at = threading.Event(), 0.0
        while self._goes_on():
            try:
                changed = self._seat() | self._read()
                if time.monotonic() >= tell_at and (news := messages())[0] != self.told:
                    (self.told, self.told_all), changed = news, True
                    tell_at = time.monotonic() + len(self._listeners) * REST_SECONDS_EACH
                if changed and self._loop is not None:
                    self._loop.call_soon_threadsafe(self._rouse)
            except Exception:
                log.exception("changes could not be looked for")
            pause.wait(LOOK_EVERY_SECONDS)

    def _goes_on(self) -> bool:
        """Whether somebody listens, in a loop that has not ended with its process."""
        with self._lock:
            ended = self._loop is None or self._loop.is_closed()
            self._looking = bool(self._listeners) and not ended
            return self._looking

    def _seat(self) -> bool:
        """Look who may still look; whether that has changed for somebody."""
        changed = False
        for one in tuple(self._listeners):
            before, one.seated = one.seated, bool(one.seat) and session.seated(one.seat)
            one.shown_out = one.shown_out or before > one.seated
            changed = changed or one.seated != before
        return changed

    def _read(self) -> bool:
        """Read anew what somebody follows, once for all; whether any of it is another now."""
        followed = {id_ for one in tuple(self._listeners) for id_ in tuple(one.following)}
        known, changed = watching.watches().by_id, False
        numbers, end = live.changes().numbers(), time.monotonic() + MOST_READING_SECONDS
        for watch in [known[id_] for id_ in followed if id_ in known]:
            in_time = time.monotonic() < end
            look = watch.follow if in_time else watch.give_up
            changed = look(numbers) or changed
        return changed

    def _rouse(self) -> None:
        for listener in self._listeners:
            listener.news.set()


def messages() -> tuple[str, str]:
    """What browsers are told: those of whoever may look, and, without a word of what is the matter,
    all others."""
    changes = live.changes()
    told = {"epoch": changes.epoch, "change": dict(changes.numbers())}
    return json.dumps(told | {"strip": live.strip()}), json.dumps(told)


def _follow(listener: _Listener, said: str) -> None:
    """Take down what a page follows and how far it knows it. Raises `ValueError` for nonsense."""
    if len(said) > MOST_SAID:
        raise ValueError("too long")
    asked: Any = json.loads(said)
    if not isinstance(asked, dict) or not isinstance(asked.get("watches"), dict):
        raise ValueError("no readings are named")
    watches: dict[str, Any] = asked["watches"]
    if len(watches) > MOST_FOLLOWED:
        raise ValueError("too many readings")
    listener.seat = str(asked.get("seat", ""))
    try:
        listener.following = {id_: (int(n), int(shape)) for id_, (n, shape) in watches.items()}
    except TypeError:
        raise ValueError("a reading without its numbers") from None
    listener.news.set()


def _unknown(listener: _Listener, reframed: bool) -> Iterator[str]:
    """What a browser does not know yet of what it follows, as it is told: where the frame is as
    it was, or else."""
    if listener.shown_out and reframed:
        # Its page asks for all that it follows, and is led to the door.
        listener.shown_out = False
        for id_ in listener.following:
            yield _gone(id_)
    if not listener.seated:
        return
    known = watching.watches().by_id
    for id_, (number, shape) in list(listener.following.items()):
        watch = known.get(id_)
        if watch is None:
            text, now = _gone(id_), (_GONE, _GONE)
        else:
            text, now = watch.told()
        if now[0] > number and (now[1] != shape) == reframed:
            listener.following[id_] = now
            yield text


def _gone(id_: str) -> str:
    """Says of a reading that there is none, so that whoever follows it asks anew."""
    return json.dumps({"watch": id_, "number": _GONE, "shape": _GONE, "widgets": {}})


async def _let_in(socket: WebSocket) -> bool:
    """Whether it shows the ticket that is on every page behind the door."""
    try:
        shown = await asyncio.wait_for(socket.receive_text(), TICKET_SECONDS)
    except (TimeoutError, WebSocketDisconnect, KeyError):
        return False
    return live.changes().lets_in(shown)


def route() -> WebSocketRoute:
    """Where browsers follow what changes, beside Streamlit's own line."""
    return WebSocketRoute("/live", Herald().serve)
