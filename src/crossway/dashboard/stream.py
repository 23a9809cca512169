"""The line on which every open browser is told that something has changed."""

import asyncio
import json
import logging
import threading
from dataclasses import dataclass, field
from typing import Final

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from crossway.dashboard import live

log = logging.getLogger("crossway.dashboard")

LOOK_EVERY_SECONDS: Final = 0.1
# Drawing is dear: the more browsers are open, the less often all of them are told at once.
REST_SECONDS_EACH: Final = 0.006
SPREAD_SECONDS_EACH: Final = 0.004
MOST_SPREAD_SECONDS: Final = 0.4
TICKET_SECONDS: Final = 10.0
MOST_BROWSERS: Final = 2_000
REFUSED, FULL = 4401, 4503


@dataclass(eq=False)
class _Listener:
    """One browser; `news` rouses the task that sends to it."""

    news: asyncio.Event = field(default_factory=asyncio.Event)


class Herald:
    """Looks for changes while somebody listens, once for all, and tells everybody."""

    def __init__(self) -> None:
        self._listeners: dict[_Listener, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._looking = False
        self.told = ""

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
                await socket.receive_text()
        except WebSocketDisconnect:
            pass
        finally:
            telling.cancel()
            self._listeners.pop(listener, None)

    async def _tell(self, socket: WebSocket, listener: _Listener) -> None:
        sent = ""
        while True:
            if self.told and self.told != sent:
                sent = self.told
                await socket.send_text(sent)
            await listener.news.wait()
            listener.news.clear()
            number, place = len(self._listeners), list(self._listeners).index(listener)
            spread = min(MOST_SPREAD_SECONDS, number * SPREAD_SECONDS_EACH)
            await asyncio.sleep(spread * place / number)

    def _begin(self) -> None:
        """Look for changes in a thread: a look may wait for the database."""
        self._loop = asyncio.get_running_loop()
        if not self._looking:
            self._looking = True
            threading.Thread(target=self._look, name="changes", daemon=True).start()

    def _look(self) -> None:
        pause = threading.Event()
        while self._listeners:
            rest = LOOK_EVERY_SECONDS
            try:
                if (news := message()) != self.told:
                    self.told = news
                    assert self._loop is not None
                    self._loop.call_soon_threadsafe(self._rouse)
                    rest = max(rest, len(self._listeners) * REST_SECONDS_EACH)
            except RuntimeError:
                break  # The loop has ended, and the process with it.
            except Exception:
                log.exception("changes could not be looked for")
            pause.wait(rest)
        self._looking = False

    def _rouse(self) -> None:
        for listener in self._listeners:
            listener.news.set()


def message() -> str:
    """What every browser is told."""
    changes = live.changes()
    numbers = changes.numbers()
    return json.dumps({"epoch": changes.epoch, "change": dict(numbers), "strip": live.strip()})


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
