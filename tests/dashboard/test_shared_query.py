"""Shared queries are computed once for all browsers and pushed to signed-in ones."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from crossway.dashboard import broadcaster, push, session, shared_query
from crossway.dashboard.shared_query import RenderState
from crossway.domain.clients import OwnerFilter
from crossway.ports.services import Services
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import RampWorld

TIMEOUT_SECONDS = 10.0
PAYMENT_LIST = "live_crossway.dashboard.components.payment_list_rows"


class PaymentCount:
    """The number of payments as a shared query; it counts how often it was computed."""

    def __init__(self, world: RampWorld) -> None:
        self.world, self.compute_count = world, 0

    def read(self) -> int:
        return shared_query.read("payment count", self._compute, render=_render)

    def _compute(self) -> int:
        self.compute_count += 1
        with self.world.services.store.read() as unit:
            return sum(unit.intents.count_by_state(OwnerFilter()).values())


def _render(count: int) -> RenderState:
    return RenderState({"number": {"says": count}}, count > 1)


def only_query() -> shared_query.SharedQuery[int]:
    return next(iter(shared_query.query_registry().by_id.values()))


@contextmanager
def change_is_counted() -> Iterator[None]:
    """Wait until what is done inside has changed a counter."""
    before = dict(push.change_counters().current())
    yield
    end = time.monotonic() + TIMEOUT_SECONDS
    while push.change_counters().current() == before:
        assert time.monotonic() < end, "no change was counted"


def test_a_query_is_computed_once_for_all_until_something_changes(world: RampWorld) -> None:
    count = PaymentCount(world)
    world.create_intent()
    assert [count.read() for _ in range(5)] == [1] * 5
    assert count.compute_count == 1
    with change_is_counted():
        world.create_intent()
    assert only_query().refresh(push.change_counters().current())
    assert count.read() == 2
    assert count.compute_count == 2


def test_an_unchanged_result_is_not_pushed(world: RampWorld) -> None:
    count = PaymentCount(world)
    intent = world.create_intent()
    count.read()
    before = only_query().current_version()
    with change_is_counted():
        world.deposit(intent, "exact")
        world.pass_time(20)
    assert not only_query().refresh(push.change_counters().current())
    assert only_query().current_version() == before


def test_the_server_redraws_only_when_the_frame_changes(world: RampWorld) -> None:
    count, frame_versions = PaymentCount(world), []
    for _ in range(3):
        with change_is_counted():
            world.create_intent()
        count.read()
        frame_versions.append(only_query().current_version().frame_version)
    assert frame_versions[0] < frame_versions[1] == frame_versions[2]
    assert json.loads(only_query().message()[0])["widgets"] == {"number": {"says": 3}}


@contextmanager
def connection(ticket: str, subscription: str) -> Iterator[WebSocketTestSession]:
    """A browser that sends its ticket and its subscription."""
    client = TestClient(Starlette(routes=[broadcaster.route()]))
    with client.websocket_connect("/live") as socket:
        socket.send_text(ticket)
        socket.send_text(subscription)
        yield socket


def next_message(socket: WebSocketTestSession, key: str) -> dict[str, Any]:
    """The next message that has this key."""
    return dict(next(item for item in iter(socket.receive_json, None) if key in item))


def newest_rows(message: dict[str, Any]) -> list[str]:
    """The keys of the rows that a message of the list brings."""
    return [row["key"] for row in message["widgets"].get("intents", {}).get("rows", [])]


def messages_before_and_after(socket: WebSocketTestSession, world: RampWorld) -> set[str]:
    """The keys of the message on connecting and of the one after a new payment."""
    # Received one after the other: a change before the first message is sent is part of it.
    messages = (item for item in iter(socket.receive_json, None) if set(item) != {"kept"})
    keys = set(next(messages))
    world.create_intent()
    return keys | set(next(messages))


def test_new_rows_are_pushed_to_signed_in_browsers_only(
    screen: DashboardApp, world: RampWorld
) -> None:
    world.create_intent()
    drawn = screen.open("intents").widget(PAYMENT_LIST)
    subscription = {"session": drawn["session"], "queries": drawn["queries"]}
    with connection(drawn["ticket"], json.dumps(subscription)) as socket:
        new = world.create_intent()
        message = next_message(socket, "query")
        assert message["widgets"]["intents"]["rows"][0]["key"] == str(new.id)
        assert message["frame_version"] == drawn["queries"][message["query"]][1]
    with connection(drawn["ticket"], json.dumps(subscription | {"session": "unknown"})) as socket:
        assert not messages_before_and_after(socket, world) & {"query", "widgets"}


def test_alerts_are_pushed_to_signed_in_browsers_only(
    screen: DashboardApp, world: RampWorld
) -> None:
    at = screen.open("intents")
    ticket = at.widget(PAYMENT_LIST)["ticket"]
    session_id = at.widget("alert_strip")["session"]
    with connection(ticket, json.dumps({"session": session_id, "queries": {}})) as socket:
        assert next_message(socket, "alerts")
    with connection(ticket, json.dumps({"session": "unknown", "queries": {}})) as socket:
        assert messages_before_and_after(socket, world) == {"counters", "epoch"}


def test_a_browser_is_told_every_second_that_the_service_is_there(
    screen: DashboardApp,
) -> None:
    drawn = screen.open("intents").widget(PAYMENT_LIST)
    # Two beats may be sent at once: before the subscription and upon it. The third comes later.
    began = time.monotonic()
    with connection(drawn["ticket"], json.dumps({"session": "unknown", "queries": {}})) as socket:
        beats = [next_message(socket, "kept") for _ in range(3)]
        assert beats[-1] == {"kept": False}, "no browser is connected with that session"
        assert time.monotonic() - began >= broadcaster.BEAT_SECONDS


@pytest.mark.timeout(60)
def test_results_are_pushed_again_after_a_failure(screen: DashboardApp, world: RampWorld) -> None:
    world.create_intent()
    drawn, failed = screen.open("intents").widget(PAYMENT_LIST), threading.Event()

    def broken() -> Services:
        failed.set()
        raise RuntimeError("the service is unavailable")

    subscription = json.dumps({"session": drawn["session"], "queries": drawn["queries"]})
    with connection(drawn["ticket"], subscription) as socket:
        session.configure(broken)
        session.services.clear()
        assert failed.wait(TIMEOUT_SECONDS)
        session.configure(lambda: world.services)
        new = world.create_intent()
        # What was read between the failure and the new payment may be pushed before it.
        while str(new.id) not in newest_rows(next_message(socket, "query")):
            pass


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"queries": {"a": 1}}', '{"queries": {"a": ["b", 1]}}']
)
def test_a_malformed_subscription_closes_the_connection(screen: DashboardApp, text: str) -> None:
    ticket = screen.open("intents").widget(PAYMENT_LIST)["ticket"]
    with connection(ticket, text) as socket, pytest.raises(WebSocketDisconnect):
        all(iter(socket.receive_json, None))


def test_a_browser_that_leaves_before_its_ticket_is_no_error_of_the_server() -> None:
    received = iter(({"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}))

    async def receive() -> Message:
        return next(received)

    async def send(message: Message) -> None:
        """As uvicorn does it: nothing can be sent to a browser that has left."""
        if message["type"] == "websocket.close":
            raise OSError

    socket = WebSocket({"type": "websocket", "path": "/live"}, receive, send)
    # In a thread of its own: a browser of an earlier test may have a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, broadcaster.Broadcaster().serve(socket)).result()
