"""Streamlit's requests of one browser, mended so that no click is lost to what comes after it."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequest,
    ScriptRequests,
    ScriptRequestType,
)

# How Streamlit marks the states that hold for one run, as opposed to what is typed or chosen.
_CLICKS = {"trigger_value", "string_trigger_value", "chat_input_value", "json_trigger_value"}
# The second press of a double click comes within this time, which a slow page may exceed.
_DOUBLE_CLICK_SECONDS: Final = 0.3


def run_every_click() -> None:
    """Let every click of a page that is opened from now on be carried out.

    Streamlit breaks a run off as soon as the browser asks for another. A click is a state of its
    own run alone: where that run had not come to its button yet, the click did nothing, and nobody
    was told. The same befell a click in one request with another whose action draws the page anew.
    """
    script_runner.ScriptRequests = ClickQueue  # type: ignore[attr-defined]


class ClickQueue(ScriptRequests):
    """Carries out clicks one after the other, each in a run that only its own script breaks off.
    Clicking a button again before the page shows what its action did, or twice as a double click,
    is one click."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._pressed_at: dict[str, float] = {}
        self._being_shown: list[WidgetState] = []  # The clicks whose outcome is being drawn.
        self._lock = threading.RLock()  # type: ignore[assignment]
        self._waiting: deque[RerunData] = deque()
        self._running: list[WidgetState] = []
        self._page = ""
        self._script_thread: int | None = None

    def on_scriptrunner_ready(self) -> ScriptRequest:
        """The next run: what the script asked for, then what waits, in its order."""
        with self._lock:
            self._script_thread = threading.get_ident()
            self._being_shown = []
            while self._state == ScriptRequestType.CONTINUE and self._waiting:
                data = self._waiting.popleft()
                if not self._is_of_page_left(data):
                    super()._request_rerun_locked(data)
            return self._started(super().on_scriptrunner_ready())

    def on_scriptrunner_yield(self) -> ScriptRequest | None:
        """What breaks the run off, if anything does."""
        with self._lock:
            request = super().on_scriptrunner_yield()
            if request is None:
                return None
            shown = self._running or self._being_shown
            self._being_shown = [] if _clicks(request._rerun_data) else shown
            return self._started(request)

    def _request_rerun_locked(self, new_data: RerunData) -> bool:
        clicks = _clicks(new_data)
        if new_data.is_auto_rerun:
            # A timer's request has what was clicked a moment ago; the browser sends that again.
            return self._take(_without(new_data, clicks))
        again = [click for click in clicks if self._is_double(click)]
        new_data, clicks = _without(new_data, again), [c for c in clicks if c not in again]
        if len(clicks) < 2:
            return self._take(new_data)
        others = ([each for each in clicks if each is not one] for one in clicks)
        return all(self._take(_without(new_data, each)) for each in others)

    def _is_double(self, click: WidgetState) -> bool:
        """Whether this is the second press of a double click on a button."""
        if click.WhichOneof("value") != "trigger_value":
            return False
        now, before = self._clock(), self._pressed_at.get(click.id)
        if click in self._being_shown:
            return True
        if before is not None and now - before < _DOUBLE_CLICK_SECONDS:
            return True
        self._pressed_at = {click.id: now}
        return False

    def _take(self, new_data: RerunData) -> bool:
        """Take one request with at most one click."""
        if self._state == ScriptRequestType.STOP or not self._must_wait():
            pending = self._rerun_data if self._state == ScriptRequestType.RERUN else None
            accepted = super()._request_rerun_locked(new_data)
            if pending is not None:
                self._rerun_data = _on_page_of(pending, new_data, self._rerun_data)
            return accepted
        known = [*self._running, *(state for data in self._ahead() for state in _clicks(data))]
        new_data = _without(new_data, known)
        if self._waiting and not _clicks(self._waiting[-1]) and not _clicks(new_data):
            self._waiting[-1] = _joined(self._waiting[-1], new_data)
        else:
            self._waiting.append(new_data)
        return True

    def _started(self, request: ScriptRequest) -> ScriptRequest:
        data = request._rerun_data
        self._running = _clicks(data)
        if data is not None:
            self._page = data.page_script_hash or self._page
        return request

    def _is_of_page_left(self, data: RerunData) -> bool:
        """Whether a part of another page is asked for: drawing it would clear the page."""
        return _is_of_fragment(data) and bool(self._page) and data.page_script_hash != self._page

    def _must_wait(self) -> bool:
        if threading.get_ident() == self._script_thread:
            return False  # The script draws its own page anew.
        return bool(self._running) or any(map(_clicks, self._ahead())) or bool(self._waiting)

    def _ahead(self) -> list[RerunData]:
        """The requests that come before a new one."""
        pending = [self._rerun_data] if self._state == ScriptRequestType.RERUN else []
        return [*pending, *self._waiting]


def _clicks(data: RerunData | None) -> list[WidgetState]:
    if data is None or data.widget_states is None:
        return []
    return [
        state
        for state in data.widget_states.widgets
        if (kind := state.WhichOneof("value")) in _CLICKS and getattr(state, kind)
    ]


def _without(data: RerunData, known: list[WidgetState]) -> RerunData:
    if data.widget_states is None or not known:
        return data
    states = [state for state in data.widget_states.widgets if state not in known]
    return replace(data, widget_states=WidgetStates(widgets=states))


def _joined(first: RerunData, second: RerunData) -> RerunData:
    """Both as one request, as Streamlit joins them."""
    requests = ScriptRequests()
    requests.request_rerun(first)
    requests.request_rerun(second)
    return _on_page_of(first, second, requests._rerun_data)


def _on_page_of(first: RerunData, second: RerunData, joined: RerunData) -> RerunData:
    """Two requests as one: a link to a page is followed although a part of the one before asked to
    be drawn after it."""
    if _is_of_fragment(first) or not _is_of_fragment(second):
        return joined
    return replace(
        joined,
        page_script_hash=first.page_script_hash,
        page_name=first.page_name,
        query_string=first.query_string,
    )


def _is_of_fragment(data: RerunData) -> bool:
    return bool(data.fragment_id or data.fragment_id_queue)
