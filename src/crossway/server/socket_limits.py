"""How many WebSockets a person and all may hold, and how fast messages may arrive on one."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starlette.types import Message, Receive

# Two for each open page. Where nobody signs in, all of this machine are one person.
MAX_PER_PERSON: Final = 400
MAX_IN_ALL: Final = 1_000
# How many messages a socket may send at once, and how many a second after that. Every message may
# run a page's script.
BURST: Final = 60
PER_SECOND: Final = 20.0


class SocketLimits:
    """The WebSockets that are open, by person."""

    def __init__(self) -> None:
        self._by_person = Counter[str]()

    @contextmanager
    def counted(self, person: str) -> Iterator[bool]:
        """Count a socket during the block; False if it would be one too many."""
        admitted = self._by_person[person] < MAX_PER_PERSON and self._by_person.total() < MAX_IN_ALL
        self._by_person[person] += admitted
        try:
            yield admitted
        finally:
            self._by_person[person] -= admitted
            if not self._by_person[person]:
                del self._by_person[person]


def paced(receive: Receive) -> Receive:
    """`receive` that lets a client wait which sends messages faster than a person causes them; it
    reads no more meanwhile, so that they do not pile up here."""
    allowance, at = float(BURST), time.monotonic()

    async def receive_paced() -> Message:
        nonlocal allowance, at
        message = await receive()
        if message["type"] == "websocket.receive":
            now = time.monotonic()
            allowance = min(BURST, allowance + (now - at) * PER_SECOND) - 1
            at = now
            if allowance < 0:
                await asyncio.sleep(-allowance / PER_SECOND)
        return message

    return receive_paced
