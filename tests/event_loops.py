"""Runs coroutines for tests without an event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine where no event loop runs."""
    return run_apart(lambda: asyncio.run(work))


def run_apart(work: Callable[[], T]) -> T:
    """Run what has an event loop of its own in its own thread, as Playwright may keep one running
    in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()
