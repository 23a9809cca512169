"""What many look at is read once for all, and told to whoever may look."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from crossway.dashboard import live, session, stream, watching
from crossway.dashboard.watching import Picture
from crossway.ports.services import Services
from tests.dashboard.conftest import Screen
from tests.usecases.ramp_worlds import RampWorld

PATIENCE_SECONDS = 10.0
LIST = "live_crossway.dashboard.components.payments_rows"


class Counted:
    """How many payments there are, as a reading; it counts how often it was worked out."""

    def __init__(self, world: RampWorld) -> None:
        self.world, self.worked = world, 0

    def read(self) -> int:
        return watching.read("how many", self._work, picture=_picture)

    def _work(self) -> int:
        self.worked += 1
        with self.world.services.store.read() as unit:
            return sum(unit.intents.counts().values())


def _picture(number: int) -> Picture:
    return Picture({"number": {"says": number}}, number > 1)


def watch() -> watching.Watch[int]:
    return next(iter(watching.watches().by_id.values()))


@contextmanager
def changing() -> Iterator[None]:
    """What is done inside is seen as a change before it goes on."""
    before = dict(live.changes().numbers())
    yield
    end = time.monotonic() + PATIENCE_SECONDS
    while live.changes().numbers() == before:
        assert time.monotonic() < end, "no change was seen"


def test_a_reading_is_worked_out_once_for_all_until_something_changes(world: RampWorld) -> None:
    counted = Counted(world)
    world.pay()
    assert [counted.read() for _ in range(5)] == [1] * 5
    assert counted.worked == 1
    with changing():
        world.pay()
    assert watch().follow(live.changes().numbers())
    assert counted.read() == 2
    assert counted.worked == 2


def test_what_changed_elsewhere_is_told_to_nobody(world: RampWorld) -> None:
    counted = Counted(world)
    made = world.pay()
    counted.read()
    before = watch().seen()
    with changing():
        world.deposit(made, "exact")
        world.pass_time(20)
    assert not watch().follow(live.changes().numbers())
    assert watch().seen() == before


def test_only_another_frame_has_to_be_drawn_by_the_server(world: RampWorld) -> None:
    counted, shapes = Counted(world), []
    for _ in range(3):
        with changing():
            world.pay()
        counted.read()
        shapes.append(watch().seen().shape)
    assert shapes[0] < shapes[1] == shapes[2]
    assert json.loads(watch().told()[0])["widgets"] == {"number": {"says": 3}}


@contextmanager
def line(ticket: str, said: str) -> Iterator[WebSocketTestSession]:
    """A browser that follows what it says."""
    client = TestClient(Starlette(routes=[stream.route()]))
    with client.websocket_connect("/live") as socket:
        socket.send_text(ticket)
        socket.send_text(said)
        yield socket


def test_rows_come_by_themselves_to_whoever_may_look_and_to_nobody_else(
    screen: Screen, world: RampWorld
) -> None:
    world.pay()
    drawn = screen.open("intents").widget(LIST)
    follows = {"seat": drawn["seat"], "watches": drawn["watches"]}
    with line(drawn["ticket"], json.dumps(follows)) as socket:
        new = world.pay()
        told = next(one for one in iter(socket.receive_json, None) if "watch" in one)
        assert told["widgets"]["intents"]["rows"][0]["key"] == str(new.id)
        assert told["shape"] == drawn["watches"][told["watch"]][1]
    with line(drawn["ticket"], json.dumps(follows | {"seat": "of nobody"})) as socket:
        world.pay()
        assert not any("watch" in socket.receive_json() for _ in range(2))


def test_what_is_the_matter_is_told_to_whoever_may_look_alone(
    screen: Screen, world: RampWorld
) -> None:
    at = screen.open("intents")
    ticket, seat = at.widget(LIST)["ticket"], at.widget("alarm_strip")["seat"]
    with line(ticket, json.dumps({"seat": seat, "watches": {}})) as socket:
        assert next(one for one in iter(socket.receive_json, None) if "strip" in one)
    with line(ticket, json.dumps({"seat": "of nobody", "watches": {}})) as socket:
        world.pay()
        assert [sorted(socket.receive_json()) for _ in range(2)] == [["change", "epoch"]] * 2


@pytest.mark.timeout(60)
def test_whoever_follows_is_told_again_once_what_failed_works(
    screen: Screen, world: RampWorld
) -> None:
    world.pay()
    drawn, failed = screen.open("intents").widget(LIST), threading.Event()

    def broken() -> Services:
        failed.set()
        raise RuntimeError("the service cannot be asked now")

    follows = json.dumps({"seat": drawn["seat"], "watches": drawn["watches"]})
    with line(drawn["ticket"], follows) as socket:
        session.provide(broken)
        session.services.clear()
        assert failed.wait(PATIENCE_SECONDS)
        session.provide(lambda: world.services)
        new = world.pay()
        told = next(one for one in iter(socket.receive_json, None) if "watch" in one)
        assert told["widgets"]["intents"]["rows"][0]["key"] == str(new.id)


@pytest.mark.parametrize(
    "said", ["{", "[]", '{"watches": {"a": 1}}', '{"watches": {"a": ["b", 1]}}']
)
def test_who_talks_nonsense_is_shown_out(screen: Screen, said: str) -> None:
    ticket = screen.open("intents").widget(LIST)["ticket"]
    with line(ticket, said) as socket, pytest.raises(WebSocketDisconnect):
        all(iter(socket.receive_json, None))
