"""Requests that wait together are worked on together: one hop to a thread for all of them."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
# A group holds up what comes after it, and the writing connection of the database.
MAX_GROUP = 100


@dataclass(slots=True)
class _Waiting(Generic[Item, Result]):
    """An item, and whom its result is for."""

    item: Item
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Result]"
    result: Result | None = None
    error: BaseException | None = None


class RequestGroups(Generic[Item, Result]):
    """Works on items in a thread of its own, all that wait at a time.

    While one group is worked on, the next one gathers: the busier the server, the larger they are,
    and an item that comes alone waits for nothing.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result]], name: str) -> None:
        """`work` returns the result of each item, in their order; if it raises, all fail."""
        self._work = work
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting: list[_Waiting[Item, Result]] = []
        self._lock = Lock()
        self._is_running = False

    async def submit(self, item: Item) -> Result:
        """The result of an item, once its group is done."""
        loop = asyncio.get_running_loop()
        waiting: _Waiting[Item, Result] = _Waiting(item, loop, loop.create_future())
        with self._lock:
            self._waiting.append(waiting)
            starts, self._is_running = not self._is_running, True
        if starts:
            self._thread.submit(self._run)
        return await waiting.future

    def _run(self) -> None:
        while True:
            with self._lock:
                group, self._waiting = self._waiting[:MAX_GROUP], self._waiting[MAX_GROUP:]
                if not group:
                    self._is_running = False
                    return
            try:
                results = self._work([one.item for one in group])
                for one, result in zip(group, results, strict=True):
                    one.result = result
            except BaseException as error:  # Whoever waits must hear of it.
                for one in group:
                    one.error = error
            _hand_over(group)


def _hand_over(group: Sequence[_Waiting[Item, Result]]) -> None:
    """Give each its result, with one call to the event loop; tests have several loops."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting[Item, Result]]] = {}
    for one in group:
        by_loop.setdefault(one.loop, []).append(one)
    for loop, own in by_loop.items():
        with suppress(RuntimeError):  # A loop that is closed: nobody waits any more.
            loop.call_soon_threadsafe(_resolve, own)


def _resolve(group: Sequence[_Waiting[Item, Result]]) -> None:
    for one in group:
        if one.future.done():
            continue  # Its request was given up.
        if one.error is not None:
            one.future.set_exception(one.error)
        else:
            one.future.set_result(one.result)  # type: ignore[arg-type]
