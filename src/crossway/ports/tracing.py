"""What is being worked on right now: the ids that every log line of it carries."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# A request's handler runs in another thread with a copy of the context: both see this one dict.
_about: ContextVar[dict[str, Any] | None] = ContextVar("about", default=None)


def begin(**ids: Any) -> None:
    """From here on in this context: log lines carry these ids and no earlier ones."""
    _about.set(ids)


def note(**ids: Any) -> None:
    """Add ids to those of the work under way; without any under way nothing happens."""
    known = _about.get()
    if known is not None:
        known.update(ids)


def noted() -> Mapping[str, Any]:
    """The ids of the work under way."""
    return _about.get() or {}


@contextmanager
def about(**ids: Any) -> Iterator[None]:
    """For the length of a block: log lines carry these ids too."""
    before = _about.set({**noted(), **ids})
    try:
        yield
    finally:
        _about.reset(before)
