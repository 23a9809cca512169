"""The ids that every log line of the current request or task carries."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# A handler runs in another thread with a copy of the context; both share this one dict.
_about: ContextVar[dict[str, Any] | None] = ContextVar("about", default=None)


def set_context(**ids: Any) -> None:
    """Replace the ids of the current context."""
    _about.set(ids)


def add_context(**ids: Any) -> None:
    """Add ids to the current context; does nothing without one."""
    known = _about.get()
    if known is not None:
        known.update(ids)


def current_context() -> Mapping[str, Any]:
    """The ids of the current context."""
    return _about.get() or {}


@contextmanager
def log_context(**ids: Any) -> Iterator[None]:
    """Add ids for the length of a `with` block."""
    before = _about.set({**current_context(), **ids})
    try:
        yield
    finally:
        _about.reset(before)
