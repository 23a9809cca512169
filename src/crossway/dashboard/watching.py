"""Readings that many browsers show alike: read once for all, told to them when they change."""

import json
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast

import streamlit as st

from crossway.dashboard import live
from crossway.domain.errors import Refusal
from crossway.ports.changes import Topic

log = logging.getLogger("crossway.dashboard")

T = TypeVar("T")
# As many readings are remembered that nobody follows any more.
MOST_KEPT: Final = 200
# What only time changes, such as the figures of the last day, is looked at anew after so long.
OLD_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Picture:
    """What is shown of a reading: the data of the widgets, by their key, that browsers draw anew
    by themselves, and the `frame`, all else: of another frame the server draws the part anew."""

    widgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    frame: object = None


@dataclass(frozen=True, slots=True)
class Seen:
    """At which numbers a reading was shown: its own, which tells every change, and its frame's."""

    watch: str
    number: int
    shape: int


@dataclass(eq=False)
class Watch(Generic[T]):
    """One reading; browsers know it by its `id`, which cannot be guessed."""

    work: Callable[[], T]
    topics: tuple[Topic, ...]
    picture: Callable[[T], Picture]
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    number: int = 0
    shape: int = 0
    _lost: bool = True
    _value: T | None = None
    _drawn: Picture | None = None
    _told: tuple[str, tuple[int, int]] = ("", (0, 0))
    _at: tuple[int | None, ...] = ()
    _looked: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, fresh_seconds: float = live.FRESH_SECONDS) -> tuple[T, Seen]:
        """The reading and its numbers; worked out again once its topics have changed or it is so
        old. Raises what its work raises."""
        with self._lock:
            at = self._of(live.changes().numbers())
            if self._lost or at != self._at or time.monotonic() - self._looked > fresh_seconds:
                self._look(at)
            return cast(T, self._value), self.seen()

    def follow(self, numbers: Mapping[str, int]) -> bool:
        """Look anew where its topics have changed or it is old; whether it is another now. What
        cannot be read counts as changed: the server says why when it draws what shows it."""
        with self._lock:
            at, before = self._of(numbers), self.number
            if at == self._at and time.monotonic() - self._looked < OLD_SECONDS:
                return False
            try:
                self._look(at)
            except Exception as error:
                if not isinstance(error, Refusal):
                    log.exception("what browsers follow could not be read")
                self._lost, self._at, self._looked = True, at, time.monotonic()
                self._become(Picture(frame=object()))
            return self.number != before

    def give_up(self, numbers: Mapping[str, int]) -> bool:
        """Where its topics have changed, have the server draw what shows it; whether they have."""
        with self._lock:
            at = self._of(numbers)
            if at == self._at:
                return False
            self._lost, self._at = True, at
            self._become(Picture(frame=object()))
            return True

    def told(self) -> tuple[str, tuple[int, int]]:
        """What browsers are told of it, and the numbers that this tells."""
        return self._told

    def _of(self, numbers: Mapping[str, int]) -> tuple[int | None, ...]:
        return tuple(numbers.get(topic.value) for topic in self.topics)

    def _look(self, at: tuple[int | None, ...]) -> None:
        value = self.work()
        self._lost, self._value, self._at, self._looked = False, value, at, time.monotonic()
        picture = self.picture(value)
        if picture != self._drawn:
            self._become(picture)

    def _become(self, picture: Picture) -> None:
        self.number += 1
        if self._drawn is None or picture.frame != self._drawn.frame:
            self.shape = self.number
        self._drawn = picture
        told = {"watch": self.id, "number": self.number, "shape": self.shape}
        text = json.dumps(told | {"widgets": picture.widgets})
        self._told = (text, (self.number, self.shape))

    def seen(self) -> Seen:
        """Its numbers now."""
        return Seen(self.id, self.number, self.shape)

    def shows(self, key: str) -> bool:
        """Whether browsers draw the widget with this key by themselves."""
        return self._drawn is not None and key in self._drawn.widgets


@dataclass
class Watches:
    """All readings of this process, by what they are of and by the id that browsers know."""

    by_name: OrderedDict[str, Watch[Any]] = field(default_factory=OrderedDict)
    by_id: dict[str, Watch[Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def named(self, name: str, made: Callable[[], Watch[Any]]) -> Watch[Any]:
        """The reading of this name, made where there is none."""
        with self.lock:
            watch = self.by_name.get(name)
            if watch is None:
                watch = self.by_name[name] = made()
                self.by_id[watch.id] = watch
            self.by_name.move_to_end(name)
            while len(self.by_name) > MOST_KEPT:
                # Whoever still follows it is told that it is gone, and drawn anew.
                _, oldest = self.by_name.popitem(last=False)
                del self.by_id[oldest.id]
            return watch


@st.cache_resource(show_spinner=False)
def watches() -> Watches:
    """What this process reads for all."""
    return Watches()


_noted: ContextVar[dict[str, tuple[Watch[Any], Seen]] | None] = ContextVar("noted", default=None)


def _whole(value: object) -> Picture:
    return Picture(frame=value)


def read(
    name: str,
    work: Callable[[], T],
    topics: tuple[Topic, ...] = live.EVERYTHING,
    picture: Callable[[T], Picture] = _whole,
) -> T:
    """What `work` answers, for all who ask by this name, and noted of the part that is drawn now:
    it is drawn anew only when this has changed. `work` is called in other threads, too, and must
    ask nothing of a session. The answer is nobody's to change."""
    watch = watches().named(name, lambda: Watch(work, topics, picture))
    noted = _noted.get()
    if noted is not None:
        # Also of what cannot be read: the part is drawn anew when it can.
        noted[watch.id] = (watch, watch.seen())
    value, seen = watch.read()
    if noted is not None:
        noted[watch.id] = (watch, seen)
    return cast(T, value)


@contextmanager
def noting() -> Iterator[dict[str, tuple[Watch[Any], Seen]]]:
    """Collect what is read while a part is drawn."""
    found: dict[str, tuple[Watch[Any], Seen]] = {}
    mark = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(mark)


def followed(key: str) -> dict[str, Any] | None:
    """What a widget with this key needs to follow its reading by itself; None for all others."""
    for watch, seen in (_noted.get() or {}).values():
        if watch.shows(key):
            return {"watch": seen.watch, "number": seen.number, "key": key}
    return None
