"""Lists that people work with: their own columns and order, and what is done with selected rows."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crossway.dashboard import downloads
from crossway.dashboard.components.list_table import SelectedRows
from crossway.dashboard.views import list_columns, merchant_names, payment_columns
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.roles import Role
from crossway.domain.staff import AuthMethod, StaffSession
from crossway.ports.table_preferences import TablePreference
from crossway.usecases.developers import deliveries, resending
from crossway.usecases.developers.webhooks import WebhookUpdate, update_webhook
from crossway.usecases.staff import table_preferences
from tests.dashboard.conftest import DashboardApp, WebhookDashboard
from tests.receivers import Receiver
from tests.usecases.ramp_world import RampWorld

ONE_MERCHANT = merchant_names.offer_columns({}, payment_columns.OFFERED)
USUAL = ["Payment", "Status", "Amount due", "Route", "Recipient", "Created", "Time left"]


def person(member_id: int) -> Principal:
    """A viewer who has signed in."""
    now = datetime.now(UTC)
    session = StaffSession(member_id, member_id, AuthMethod.PASSWORD, now, now)
    return replace(staff_principal(f"Person {member_id}", Role.VIEWER), session=session)


def choose(world: RampWorld, *columns: str, sort: str = "") -> None:
    """What the one operator of an installation without accounts chooses for payments."""
    preference = TablePreference(columns, sort)
    table_preferences.save_preference(world.services, world.operator, "intents", preference)


def titles(screen: DashboardApp) -> list[str]:
    return [column["title"] for column in screen.widget("intents")["columns"]]


def test_everybody_has_their_own_columns_and_order(world: RampWorld) -> None:
    services, ann, bea = world.services, person(1), person(2)
    chosen = TablePreference(("status", "fees"), "-amount")
    table_preferences.save_preference(services, ann, "intents", chosen)
    assert table_preferences.get_preference(services, ann, "intents") == chosen
    for caller, name in ((bea, "intents"), (ann, "orders"), (world.operator, "intents")):
        assert table_preferences.get_preference(services, caller, name) == TablePreference()
    again = TablePreference(("route",))
    table_preferences.save_preference(services, ann, "intents", again)
    assert table_preferences.get_preference(services, ann, "intents") == again


def test_a_preference_has_limits(world: RampWorld) -> None:
    for columns, sort in ((("x",) * 51, ""), (("x" * 61,), ""), ((), "x" * 61)):
        with pytest.raises(InvalidInput, match="columns"):
            choose(world, *columns, sort=sort)


def test_columns_come_in_the_order_of_the_list_and_unknown_ones_are_left_out() -> None:
    offered = ONE_MERCHANT
    names = [one.column.name for one in list_columns.choose(offered, ("fees", "gone", "status"))]
    assert names == ["id", "status", "fees"]
    usual = [one.column.title for one in list_columns.choose(offered, ())]
    assert usual == [one.column.title for one in list_columns.choose(offered, ("gone",))] == USUAL
    assert len({one.column.name for one in offered}) == len(offered)


def test_the_list_of_payments_shows_the_columns_that_were_chosen(
    screen: DashboardApp, world: RampWorld
) -> None:
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(20)
    assert titles(screen.open("intents")) == USUAL
    menu = screen.widget("intents")["controls"]["menu"]
    assert [one["title"] for one in menu if one["shown"]] == USUAL[1:]
    everything = [one.column.name for one in ONE_MERCHANT[1:]]
    choose(world, *everything, sort="-amount")
    assert titles(screen.rerun()) == [one.column.title for one in ONE_MERCHANT]
    [row] = screen.widget("intents")["rows"]
    cells = dict(zip(["id", *everything], row["cells"], strict=True))
    assert cells["refund_address"]["copy"] == intent.terms.refund_address
    assert cells["received"]["text"].endswith("USDC")
    assert cells["fees"]["order"] == intent.costs.total_micro_usd - intent.costs.amount_micro_usd
    assert screen.widget("intents")["controls"]["sort"] == "-amount"


def test_selected_payments_are_exported(screen: DashboardApp, world: RampWorld) -> None:
    numbers = [world.create_intent().id for _ in range(3)]
    screen.open("intents")
    actions = {one["name"]: one for one in screen.widget("intents")["controls"]["actions"]}
    browser = TestClient(Starlette(routes=downloads.routes()))
    url = f"/{actions['export']['download']}"
    answer = browser.get(f"{url}{numbers[0]},{numbers[2]}")
    addresses = [line["address"] for line in csv.DictReader(io.StringIO(answer.text))]
    with world.store.read() as unit:
        stored = unit.intents.get_many(numbers)
    assert addresses == [stored[numbers[2]].address, stored[numbers[0]].address]
    for wrong in ("", "1,", "x", "-1", ",".join(["1"] * 201), "999"):
        assert browser.get(f"{url}{wrong}").status_code == 400, wrong


def test_selected_deliveries_are_resent_in_their_order(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    for _ in range(3):
        deliveries.send_test_event(world.services, world.caller, 1)
    world.deliver()
    screen.open("webhook", id="1")
    controls = screen.widget("deliveries")["controls"]
    assert [one["label"] for one in controls["actions"]] == ["Resend"]
    screen.at.session_state["deliveries_selected"] = SelectedRows("resend", ("3", "1"))
    assert "2 events queued again." in screen.rerun().text
    resent = [(one.id, one.replay_of) for one in world.list_deliveries(1)[3:]]
    assert resent == [(4, 1), (5, 3)]
    assert screen.widget("deliveries")["controls"]["scope"] != controls["scope"], "emptied"


def test_what_cannot_be_resent_is_left_out_and_said(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    _, world = dashboard
    world.create_webhook(receiver.url)
    world.create_webhook(receiver.url)
    for number in (1, 2):
        deliveries.send_test_event(world.services, world.caller, number)
    world.deliver()
    update_webhook(world.services, world.caller, 1, WebhookUpdate(enabled=False))
    with pytest.raises(InvalidStatus, match="disabled"):
        resending.resend_deliveries(world.services, world.caller, [1])
    done = resending.resend_deliveries(world.services, world.caller, [2, 1, 2])
    assert (done.count, done.refused, "disabled" in done.reason) == (1, 1, True)
    with pytest.raises(InvalidInput, match="at once"):
        resending.resend_deliveries(world.services, world.caller, range(1, 1_002))


def test_an_event_is_queued_once_however_often_it_is_resent(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    _, world = dashboard
    world.create_webhook(receiver.url)
    deliveries.send_test_event(world.services, world.caller, 1)
    world.deliver()
    for _ in range(2):
        assert resending.resend_deliveries(world.services, world.caller, [1]).count == 1
    assert [one.replay_of for one in world.list_deliveries(1)] == [None, 1]
    world.deliver()
    # Selected with its resend, an event is one event; resent later, it is sent again.
    assert resending.resend_deliveries(world.services, world.caller, [1, 2]).count == 1
    assert [one.replay_of for one in world.list_deliveries(1)] == [None, 1, 2]
    world.deliver()
    assert len(receiver.requests) == 3


def test_the_webhooks_of_selected_payments_are_resent_after_confirmation(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    first, second = world.create_intent(), world.create_intent()
    world.deliver()
    before = len(receiver.requests)
    screen.open("intents")
    selected = SelectedRows("resend", (str(first.id),))
    screen.at.session_state["intents_selected"] = selected
    screen.rerun()
    assert "Every event of 1 payment is sent again" in screen.text
    assert len(world.list_deliveries(1)) == before
    # A test runs the whole page, where a browser runs the dialog alone.
    screen.at.session_state["intents_selected"] = selected
    screen.at.button(key="confirm_yes").click()
    assert "1 event queued again." in screen.rerun().text
    world.deliver()
    sent = [request.body for request in receiver.requests]
    assert len(sent) == before + 1
    assert first.address.encode() in sent[-1]
    assert second.address.encode() not in sent[-1]
    # An event that was sent again counts once.
    done = resending.resend_of_payments(world.services, world.caller, [first.id])
    assert done.count == 1
