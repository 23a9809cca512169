"""A viewer sees every page, and no page offers them an action that writes."""

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.events import render_events
from crossway.dashboard.page_registry import PAGES
from crossway.domain.clients import Mode, staff_principal
from crossway.engine.alerts import TaskHealth
from crossway.ports.sandbox import Faults
from crossway.ports.webhooks import WebhookServices
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.developers import api_keys, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.staff import members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import PAGES_FOLDER, configure, new_dashboard, sign_in
from tests.usecases.ramp_world import BASE, POLYGON, RampWorld

WORDS = "four words nobody expects"
MACHINE = staff_principal("command line")
# Actions that every role may take.
ALLOWED_ACTIONS = ("Sign out",)
# The only table that viewing pages may change.
ACTIVITY_TABLES = ("staff_sessions",)
DETAIL_PAGES = (
    "payment_link", "intent", "ramp_order", "widget", "key", "client", "webhook", "delivery",
    "request",
)  # fmt: skip
NAMES = [page.name for page in PAGES]


@dataclass
class BusyWorld:
    """A world, its database file, and the ids of the records that detail pages show."""

    world: RampWorld
    path: Path
    ids: dict[str, str]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyWorld]:
    """A world with something to do on every page."""
    path = tmp_path_factory.mktemp("busy") / "world.db"
    world = RampWorld(f"sqlite:///{path}")
    out = WebhookServices(render_events, HttpWebhookSender(), StandardSigner())
    world.services = replace(world.services, webhooks=out)
    short, foreign = world.create_intent(), world.create_intent()
    world.deposit(short, "short")
    usdt = world.services.catalogue.tokens[BASE, "USDT"].address
    world.deposit(foreign, "5000000", token=usdt)
    world.pass_time(20)
    world.machine.seconds += 3_700
    world.sandbox.inject_faults(BASE, Faults(refuse=[short.terms.refund_address]))
    world.pass_time(400, 20)
    world.deposit(world.create_intent(), "over")
    world.create_on_ramp()
    world.create_off_ramp()
    world.pass_time(20)
    api_keys.create_api_key(world.services, world.caller.client.id, Mode.TEST, world.operator)
    webhook = webhooks.create_webhook(
        world.services, world.caller, WebhookUpdate(url="https://8.8.8.8/b")
    )
    webhooks.update_webhook(
        world.services, world.caller, webhook.endpoint.id, WebhookUpdate(enabled=False)
    )
    to = world.wallet(BASE, "shop")
    shoes = LinkRequest(title="Shoes", amount="5000000", destination_chain=BASE, recipient=to)
    link = links.create(world.services, world.caller, shoes)
    set_kill_switch(world.services, world.operator, f"chain:{POLYGON}", True, "node upgrade")
    members.add_member(world.services, MACHINE, NewStaffMember("Ada", "admin", WORDS))
    members.add_member(world.services, MACHINE, NewStaffMember("Vic", "viewer", WORDS))
    TaskHealth(world.services, "webhook deliveries").record_failure(ZeroDivisionError("a defect"))
    configure(lambda: world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    yield BusyWorld(world, path, {"payment_link": link.id, "client": world.caller.client.id})
    world.store.close()


@pytest.fixture(scope="module")
def viewer(busy: BusyWorld) -> AppTest:
    """The dashboard with a viewer signed in."""
    return sign_in(new_dashboard(), "Vic", WORDS)


def table_digests(busy: BusyWorld) -> dict[str, str]:
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
            if name not in ACTIVITY_TABLES
        }


def open_page(at: AppTest, busy: BusyWorld, name: str) -> None:
    """Open a page, detail pages on their first record."""
    at.query_params.clear()
    if name in DETAIL_PAGES:
        at.query_params["id"] = str(busy.ids.get(name, 1))
    if name == "search":
        at.query_params["q"] = "1"
    at.switch_page(str(PAGES_FOLDER / f"{name}.py")).run()
    assert not at.exception, at.exception[0].message


def enabled_buttons(at: AppTest) -> list[str]:
    """The labels of the enabled buttons, without the allowed actions."""
    return [
        item.label for item in at.button if not item.disabled and item.label not in ALLOWED_ACTIONS
    ]


def refusals(at: AppTest) -> set[str]:
    return {str(item.value) for item in at.error if "needs the right" in str(item.value)}


def press(at: AppTest, label: str) -> None:
    next(item for item in at.button if item.label == label and not item.disabled).click()
    at.run()
    assert not at.exception, f"{label}: {at.exception[0].message}"


@pytest.mark.parametrize("name", NAMES)
def test_viewers_are_offered_no_writing_actions(
    viewer: AppTest, busy: BusyWorld, name: str
) -> None:
    open_page(viewer, busy, name)
    before, known = table_digests(busy), refusals(viewer)
    ways = [(label,) for label in enabled_buttons(viewer)]
    while ways:
        way = ways.pop()
        open_page(viewer, busy, name)
        there = enabled_buttons(viewer)
        for label in way:
            # A page that continues where it was left may not offer it any more.
            if label in enabled_buttons(viewer):
                press(viewer, label)
        assert refusals(viewer) <= known, way
        after = table_digests(busy)
        assert [table for table in after if after[table] != before[table]] == [], way
        if len(way) == 1:
            ways += [(*way, label) for label in enabled_buttons(viewer) if label not in there]
