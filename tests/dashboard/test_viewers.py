"""A viewer sees every screen, and no screen offers them anything that changes something."""

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from crossway.adapters.webhooks.sender import HttpSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.announcements import present
from crossway.dashboard import session
from crossway.dashboard.screens import SCREENS
from crossway.domain.clients import Mode, insider
from crossway.engine.alarms import Working
from crossway.ports.sandbox import Faults
from crossway.ports.webhooks import Outgoing
from crossway.usecases.developers import keys, webhooks
from crossway.usecases.developers.webhooks import WebhookChange
from crossway.usecases.network.switches import switch
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkChange
from crossway.usecases.people import staff
from crossway.usecases.people.staff import NewMember
from tests.dashboard.conftest import PAGES
from tests.usecases.ramp_worlds import BASE, POLYGON, RampWorld

WORDS = "four words nobody expects"
MACHINE = insider("command line")
# Leads nowhere but out.
OWN = ("Sign out",)
# That somebody is there is written down; nothing else may be.
OF_BEING_THERE = ("staff_stays",)
NUMBERED = (
    "payment_link", "intent", "ramp_order", "widget", "key", "client", "webhook", "delivery",
    "request",
)  # fmt: skip
NAMES = [screen.name for screen in SCREENS]


@dataclass
class Office:
    """A world, where it is stored, and the names of what its screens show."""

    world: RampWorld
    path: Path
    named: dict[str, str]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A world in which there is something to do on every screen."""
    path = tmp_path_factory.mktemp("busy") / "world.db"
    world = RampWorld(f"sqlite:///{path}")
    out = Outgoing(present, HttpSender(), StandardSigner())
    world.services = replace(world.services, outgoing=out)
    short, foreign = world.pay(), world.pay()
    world.deposit(short, "short")
    usdt = world.services.catalogue.tokens[BASE, "USDT"].address
    world.deposit(foreign, "5000000", token=usdt)
    world.pass_time(20)
    world.hand.seconds += 3_700
    world.sandbox.misbehave(BASE, Faults(refuse=[short.terms.refund_address]))
    world.pass_time(400, 20)
    world.deposit(world.pay(), "over")
    world.buy()
    world.sell()
    world.pass_time(20)
    keys.make(world.services, world.caller.client.id, Mode.TEST, world.operator)
    told = webhooks.create(world.services, world.caller, WebhookChange(url="https://a.example/b"))
    webhooks.change(world.services, world.caller, told.endpoint.id, WebhookChange(enabled=False))
    to = world.address(BASE, "shop")
    shoes = LinkChange(title="Shoes", amount="5000000", destination_chain=BASE, recipient=to)
    link = links.create(world.services, world.caller, shoes)
    switch(world.services, world.operator, f"chain:{POLYGON}", True, "node upgrade")
    staff.add(world.services, MACHINE, NewMember("Ada", "admin", WORDS))
    staff.add(world.services, MACHINE, NewMember("Vic", "viewer", WORDS))
    Working(world.services, "webhook deliveries").broken(ZeroDivisionError("a defect"))
    session.provide(lambda: world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    yield Office(world, path, {"payment_link": link.id, "client": world.caller.client.id})
    world.store.close()


@pytest.fixture(scope="module")
def viewer(busy: Office) -> AppTest:
    """The dashboard with a viewer before it."""
    at = AppTest.from_file(str(PAGES / "_shell.py"), default_timeout=60).run()
    for field, text in zip(at.text_input, ("Vic", WORDS), strict=True):
        field.set_value(text)
    next(button for button in at.button if button.label == "Sign in").click()
    return at.run()


def stored(busy: Office) -> dict[str, str]:
    """A digest of each table."""
    with sqlite3.connect(f"file:{busy.path}?mode=ro", uri=True) as db:
        names = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        return {
            name: hashlib.sha256(
                repr(db.execute(f"SELECT * FROM {name}").fetchall()).encode()
            ).hexdigest()
            for name in names
            if name not in OF_BEING_THERE
        }


def shown(at: AppTest, busy: Office, name: str) -> None:
    """Open a screen on the first thing that there is of its kind."""
    at.query_params.clear()
    if name in NUMBERED:
        at.query_params["id"] = str(busy.named.get(name, 1))
    if name == "search":
        at.query_params["q"] = "1"
    at.switch_page(str(PAGES / f"{name}.py")).run()
    assert not at.exception, at.exception[0].message


def offered(at: AppTest) -> list[str]:
    """What can be pressed, but for what is the business of whoever is signed in."""
    return [one.label for one in at.button if not one.disabled and one.label not in OWN]


def refusals(at: AppTest) -> set[str]:
    return {str(one.value) for one in at.error if "needs the right" in str(one.value)}


def press(at: AppTest, label: str) -> None:
    next(one for one in at.button if one.label == label and not one.disabled).click()
    at.run()
    assert not at.exception, f"{label}: {at.exception[0].message}"


@pytest.mark.parametrize("name", NAMES)
def test_a_viewer_is_offered_nothing_that_writes(viewer: AppTest, busy: Office, name: str) -> None:
    shown(viewer, busy, name)
    before, known = stored(busy), refusals(viewer)
    ways = [(label,) for label in offered(viewer)]
    while ways:
        way = ways.pop()
        shown(viewer, busy, name)
        there = offered(viewer)
        for label in way:
            # A screen that goes on where it was left may offer it no more.
            if label in offered(viewer):
                press(viewer, label)
        assert refusals(viewer) <= known, way
        after = stored(busy)
        assert [table for table in after if after[table] != before[table]] == [], way
        if len(way) == 1:
            ways += [(*way, label) for label in offered(viewer) if label not in there]
