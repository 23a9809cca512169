"""Requests that wait for what the engine does, without a thread of their own."""

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")
MOST_SECONDS, LOOK_SECONDS = 25.0, 0.2


async def wait_for(read: Callable[[], T | None]) -> T | None:
    """What `read` returns once that is something; None where that takes longer than 25 seconds."""
    with anyio.move_on_after(MOST_SECONDS):
        while True:
            found = await anyio.to_thread.run_sync(read)
            if found is not None:
                return found
            await anyio.sleep(LOOK_SECONDS)
    return None
