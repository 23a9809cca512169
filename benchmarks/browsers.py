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
    drawn: dict[str, int]
    queries: dict[str, list[int]]
    rest: float
    at: float
    asked: bool = False


@dataclass
class Tab:
    """One open page; `seen` is when each text of `wanted` first arrived."""

    port: int
    page: str
    query: str = ""
    seen: dict[str, float] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    drawn: asyncio.Event = field(default_factory=asyncio.Event)
    runs: int = 0
    _script: str = ""
    _clocks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    # Live fragments, by their widget.
    _parts: dict[str, _Part] = field(default_factory=dict)
    _counters: dict[str, int] = field(default_factory=dict)
    _query_versions: dict[str, tuple[int, int]] = field(default_factory=dict)
    _subscribed: set[str] = field(default_factory=set)
    _ticket: str = ""
    _session: str = ""
    _line: ClientConnection | None = None
    _looking: asyncio.Task[None] | None = None
    _stream: asyncio.Task[None] | None = None

    async def stay(self) -> None:
        """Open the page and keep it open until cancelled."""
        url = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        try:
            async with connect(url, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
                asked = BackMsg()
                asked.rerun_script.page_name = self.page
                asked.rerun_script.query_string = self.query
                await socket.send(asked.SerializeToString())
                async for raw in socket:
                    self._hear(socket, bytes(raw))  # type: ignore[arg-type]
        finally:
            for task in (*self._clocks.values(), self._stream):
                if task is not None:
                    task.cancel()

    def _find(self, raw: bytes) -> None:
        now = time.perf_counter()
        for text in [text for text in self.wanted if text.encode() in raw]:
            self.seen.setdefault(text, now)

    def _hear(self, socket: ClientConnection, raw: bytes) -> None:
        self._find(raw)
        told = ForwardMsg()
        told.ParseFromString(raw)
        messages = told.parent_message.messages if told.HasField("parent_message") else [told]
        for message in messages:
            self._take(socket, message)

    def _take(self, socket: ClientConnection, told: ForwardMsg) -> None:
        kind = told.WhichOneof("type")
        if kind == "new_session":
            self._script = told.new_session.page_script_hash
        elif kind == "auto_rerun":
            every, fragment = told.auto_rerun.interval, told.auto_rerun.fragment_id
            if fragment in self._clocks:
                self._clocks[fragment].cancel()
            self._clocks[fragment] = asyncio.create_task(self._clock(socket, fragment, every))
        elif kind == "script_finished":
            self.runs += 1
            self.drawn.set()
        elif kind == "delta" and told.delta.new_element.HasField("bidi_component"):
            widget = told.delta.new_element.bidi_component
            if widget.component_name.endswith("crossway_live"):
                data = json.loads(widget.json)
                self._ticket, self._session = data["ticket"], data.get("session", "")
                self._parts[widget.id] = _Part(
                    told.delta.fragment_id,
                    data["drawn"]["counters"],
                    data.get("queries", {}),
                    data.get("min_interval_seconds", 0),
                    time.perf_counter(),
                )
                self._stream = self._stream or asyncio.create_task(self._follow(socket))
                self._looking = asyncio.create_task(self._look(socket, widget.id))

    async def _clock(self, socket: ClientConnection, fragment: str, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            await self._ask(socket, fragment)

    async def _follow(self, socket: ClientConnection) -> None:
        """Request outdated fragments, as assets/stream.js does: once until they are drawn."""
        async with connect(f"ws://127.0.0.1:{self.port}/live", max_size=None) as stream:
            await stream.send(self._ticket)
            self._line = stream
            resting = asyncio.create_task(self._again(socket))
            try:
                async for raw in stream:
                    self._find(raw if isinstance(raw, bytes) else raw.encode())
                    message = json.loads(raw)
                    if "query" in message:
                        versions = message["version"], message["frame_version"]
                        self._query_versions[message["query"]] = versions
                    else:
                        self._counters = message["counters"]
                    for widget in list(self._parts):
                        await self._look(socket, widget)
            finally:
                resting.cancel()

    async def _again(self, socket: ClientConnection) -> None:
        """Once a second, subscribe to new queries and request fragments that are due."""
        while True:
            queries = {k: v for part in self._parts.values() for k, v in part.queries.items()}
            if self._line is not None and set(queries) != self._subscribed:
                self._subscribed = set(queries)
                await self._line.send(json.dumps({"session": self._session, "queries": queries}))
            for widget in list(self._parts):
                await self._look(socket, widget)
            await asyncio.sleep(1)

    async def _look(self, socket: ClientConnection, widget: str) -> None:
        part = self._parts[widget]
        outdated = any(at != self._counters.get(topic, at) for topic, at in part.drawn.items())
        for query, (version, frame_version) in part.queries.items():
            latest = self._query_versions.get(query)
            if latest is not None and latest[0] > version and latest[1] != frame_version:
                outdated = True
        rested = time.perf_counter() - part.at >= part.rest
        if outdated and rested and not part.asked:
            part.asked = True
            await self._ask(socket, part.fragment, widget)

    async def _ask(self, socket: ClientConnection, fragment: str, widget: str = "") -> None:
        asked = BackMsg()
        asked.rerun_script.fragment_id = fragment
        asked.rerun_script.page_script_hash = self._script
        asked.rerun_script.query_string = self.query
        asked.rerun_script.is_auto_rerun = not widget
        if widget:
            state = asked.rerun_script.widget_states.widgets.add()
            state.id = _TRIGGER.format(widget)
            state.json_trigger_value = json.dumps({"event": "changed", "value": time.time()})
        with contextlib.suppress(Exception):
            await socket.send(asked.SerializeToString())
