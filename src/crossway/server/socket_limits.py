"""How many WebSockets a person and all may hold, and how fast messages may arrive on one."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from starlette.types import Message, Receive


@dataclass(frozen=True, slots=True)
class Pace:
    """How many messages a socket may send at once, and how many a second after that. Every message
    may run a page's script."""

    burst: int
    per_second: float


@dataclass(frozen=True, slots=True)
class Limits:
    """How many sockets one person may hold and all together, and their pace."""

    per_person: int
    in_all: int
    pace: Pace


# Two for each open page. Where nobody signs in, all of this machine are one person.
STAFF: Final = Limits(400, 1_000, Pace(60, 20.0))
# For the sign-in form, and for what follows it in the same page until that is loaded again.
STRANGERS: Final = Limits(8, 100, Pace(12, 1.0))


class SocketLimits:
    """The WebSockets that are open, by person."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._by_person = limits, Counter[str]()

    @contextmanager
    def counted(self, person: str) -> Iterator[bool]:
        """Count a socket during the block; False if it would be one too many."""
        admitted = (
            self._by_person[person] < self._limits.per_person
            and self._by_person.total() < self._limits.in_all
        )
        self._by_person[person] += admitted
        try:
            yield admitted
        finally:
            self._by_person[person] -= admitted
            if not self._by_person[person]:
                del self._by_person[person]


def paced(receive: Receive, find_pace: Callable[[], Pace]) -> Receive:
    """`receive` that lets a client wait which sends messages faster than a person causes them; it
    reads no more meanwhile, so that they do not pile up here."""
    allowance, at = float(find_pace().burst), time.monotonic()

    async def receive_paced() -> Message:
        nonlocal allowance, at
        message = await receive()
        if message["type"] == "websocket.receive":
            now, pace = time.monotonic(), find_pace()
            allowance = min(pace.burst, allowance + (now - at) * pace.per_second) - 1
            at = now
            if allowance < 0:
                await asyncio.sleep(-allowance / pace.per_second)
        return message

    return receive_paced
