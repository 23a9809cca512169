"""Protocol-level browsers: they open a page and keep it updated as a real browser does."""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

_TRIGGER = "$$STREAMLIT_INTERNAL_KEY_{}__events"


@dataclass
class _Part:
    """A fragment of the page: the topic counters and query versions it was drawn at, its minimum
    interval in seconds, when it was drawn, and whether it was requested."""

    fragment: str
    drawn_at_counters: dict[str, int]
    queries: dict[str, list[int]]
    min_interval_seconds: float
    at: float
    requested: bool = False


@dataclass
class Tab:
    """One open page; `arrived_at` is when each of `expected_texts` first arrived."""

    port: int
    page: str
    query: str = ""
    arrived_at: dict[str, float] = field(default_factory=dict)
    expected_texts: set[str] = field(default_factory=set)
    drawn: asyncio.Event = field(default_factory=asyncio.Event)
    runs: int = 0
    _script: str = ""
    _timers: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    # Live fragments, by their widget.
    _parts: dict[str, _Part] = field(default_factory=dict)
    _counters: dict[str, int] = field(default_factory=dict)
    _query_versions: dict[str, tuple[int, int]] = field(default_factory=dict)
    _subscribed: set[str] = field(default_factory=set)
    _ticket: str = ""
    _session: str = ""
    _live_socket: ClientConnection | None = None
    _looking: asyncio.Task[None] | None = None
    _stream: asyncio.Task[None] | None = None

    async def stay(self) -> None:
        """Open the page and keep it open until cancelled."""
        url = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        try:
            async with connect(url, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
                request = BackMsg()
                request.rerun_script.page_name = self.page
                request.rerun_script.query_string = self.query
                await socket.send(request.SerializeToString())
                async for raw in socket:
                    self._receive(socket, bytes(raw))  # type: ignore[arg-type]
        finally:
            for task in (*self._timers.values(), self._stream):
                if task is not None:
                    task.cancel()

    def _find(self, raw: bytes) -> None:
        now = time.perf_counter()
        for text in [text for text in self.expected_texts if text.encode() in raw]:
            self.arrived_at.setdefault(text, now)

    def _receive(self, socket: ClientConnection, raw: bytes) -> None:
        self._find(raw)
        envelope = ForwardMsg()
        envelope.ParseFromString(raw)
        messages = (
            envelope.parent_message.messages if envelope.HasField("parent_message") else [envelope]
        )
        for message in messages:
            self._handle(socket, message)

    def _handle(self, socket: ClientConnection, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._script = message.new_session.page_script_hash
        elif kind == "auto_rerun":
            every, fragment = message.auto_rerun.interval, message.auto_rerun.fragment_id
            if fragment in self._timers:
                self._timers[fragment].cancel()
            self._timers[fragment] = asyncio.create_task(self._rerun_every(socket, fragment, every))
        elif kind == "script_finished":
            self.runs += 1
            self.drawn.set()
        elif kind == "delta" and message.delta.new_element.HasField("bidi_component"):
            widget = message.delta.new_element.bidi_component
            if widget.component_name.endswith("crossway_live"):
                [data] = json.loads(widget.json)
                self._ticket, self._session = data["ticket"], data.get("session", "")
                self._parts[widget.id] = _Part(
                    message.delta.fragment_id,
                    data["drawn"]["counters"],
                    data.get("queries", {}),
                    data.get("min_interval_seconds", 0),
                    time.perf_counter(),
                )
                self._stream = self._stream or asyncio.create_task(self._follow(socket))
                self._looking = asyncio.create_task(self._request_if_outdated(socket, widget.id))

    async def _rerun_every(self, socket: ClientConnection, fragment: str, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            await self._request_rerun(socket, fragment)

    async def _follow(self, socket: ClientConnection) -> None:
        """Request outdated fragments, as assets/stream.js does: once until they are drawn."""
        async with connect(f"ws://127.0.0.1:{self.port}/live", max_size=None) as stream:
            await stream.send(self._ticket)
            self._live_socket = stream
            resting = asyncio.create_task(self._poll(socket))
            try:
                async for raw in stream:
                    self._find(raw if isinstance(raw, bytes) else raw.encode())
                    message = json.loads(raw)
                    if "query" in message:
                        versions = message["version"], message["frame_version"]
                        self._query_versions[message["query"]] = versions
                    elif "counters" in message:
                        self._counters = message["counters"]
                    for widget in list(self._parts):
                        await self._request_if_outdated(socket, widget)
            finally:
                resting.cancel()

    async def _poll(self, socket: ClientConnection) -> None:
        """Once a second, subscribe to new queries and request fragments that are due."""
        while True:
            queries = {k: v for part in self._parts.values() for k, v in part.queries.items()}
            if self._live_socket is not None and set(queries) != self._subscribed:
                self._subscribed = set(queries)
                await self._live_socket.send(
                    json.dumps({"session": self._session, "queries": queries})
                )
            for widget in list(self._parts):
                await self._request_if_outdated(socket, widget)
            await asyncio.sleep(1)

    async def _request_if_outdated(self, socket: ClientConnection, widget: str) -> None:
        part = self._parts[widget]
        outdated = any(
            at != self._counters.get(topic, at) for topic, at in part.drawn_at_counters.items()
        )
        for query, (version, frame_version) in part.queries.items():
            latest = self._query_versions.get(query)
            if latest is not None and latest[0] > version and latest[1] != frame_version:
                outdated = True
        rested = time.perf_counter() - part.at >= part.min_interval_seconds
        if outdated and rested and not part.requested:
            part.requested = True
            await self._request_rerun(socket, part.fragment, widget)

    async def _request_rerun(
        self, socket: ClientConnection, fragment: str, widget: str = ""
    ) -> None:
        request = BackMsg()
        request.rerun_script.fragment_id = fragment
        request.rerun_script.page_script_hash = self._script
        request.rerun_script.query_string = self.query
        request.rerun_script.is_auto_rerun = not widget
        if widget:
            state = request.rerun_script.widget_states.widgets.add()
            state.id = _TRIGGER.format(widget)
            state.json_trigger_value = json.dumps({"event": "changed", "value": time.time()})
        with contextlib.suppress(Exception):
            await socket.send(request.SerializeToString())
