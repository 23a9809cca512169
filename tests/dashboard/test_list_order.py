"""Long lists sorted by the database: over all pages, by the page's URL or by what was chosen."""

from dataclasses import replace

import pytest

from crossway.domain.clients import Mode
from crossway.ports.table_preferences import TablePreference
from crossway.usecases.developers import api_keys, clients, deliveries
from crossway.usecases.staff import table_preferences
from tests.dashboard.conftest import DashboardApp, WebhookDashboard
from tests.receivers import Receiver
from tests.storage.ramp_records import an_order
from tests.usecases.ramp_world import RampWorld

PAGE = 25


@pytest.fixture
def payments(world: RampWorld) -> list[tuple[int, int]]:
    """The amounts and numbers of more payments than a page holds."""
    units = [(7 * number) % 29 + 1 for number in range(PAGE + 5)]
    return [(one, world.create_intent(amount=str(one * 10**6)).id) for one in units]


def keys(screen: DashboardApp, table: str) -> list[int]:
    return [int(row["key"]) for row in screen.widget(table)["rows"]]


def both_pages(screen: DashboardApp, table: str, following: str = "Next") -> list[int]:
    first = keys(screen, table)
    assert len(first) == PAGE
    return first + keys(screen.click(following), table)


def test_payments_are_sorted_over_all_pages(
    screen: DashboardApp, payments: list[tuple[int, int]]
) -> None:
    by_value = [number for _, number in sorted(payments)]
    assert both_pages(screen.open("intents", sort="amount"), "intents") == by_value
    assert "Smallest first, by value before fees." in screen.widget("intents")["caption"]
    screen.click("Previous")
    assert keys(screen, "intents") == by_value[:PAGE]
    # Another order begins with its first page.
    screen.at.query_params["sort"] = "-amount"
    screen.rerun()
    assert both_pages(screen, "intents") == by_value[::-1]
    by_number = [number for _, number in payments]
    assert both_pages(screen.open("intents", sort="created"), "intents") == by_number
    newest = screen.open("intents", sort="status")
    assert both_pages(newest, "intents", "Older") == by_number[::-1]


def test_the_order_of_the_url_comes_before_that_of_the_person(
    screen: DashboardApp, world: RampWorld, payments: list[tuple[int, int]]
) -> None:
    chosen = TablePreference((), "-amount")
    table_preferences.save_preference(world.services, world.operator, "intents", chosen)
    largest = max(payments)[1]
    assert keys(screen.open("intents"), "intents")[0] == largest
    assert screen.widget("intents")["controls"]["sort"] == "-amount"
    assert keys(screen.open("intents", sort="id"), "intents")[0] == payments[0][1]
    assert screen.widget("intents")["controls"]["sort"] == "id"
    # A column that is not shown sorts nothing.
    hidden = replace(chosen, columns=("status", "route"))
    table_preferences.save_preference(world.services, world.operator, "intents", hidden)
    assert keys(screen.open("intents"), "intents")[0] == payments[-1][1]


def test_columns_say_whether_they_sort_the_list_or_the_page(
    screen: DashboardApp, payments: list[tuple[int, int]]
) -> None:
    columns = screen.open("intents").widget("intents")["columns"]
    whole = [column["name"] for column in columns if column.get("sorts_all")]
    assert whole == ["id", "amount", "created"]
    assert {"status", "route", "left"} < {column["name"] for column in columns}


def test_ramp_orders_are_sorted_over_all_pages(screen: DashboardApp, world: RampWorld) -> None:
    made = [
        world.store.write(lambda unit: unit.orders.add(an_order(client_id=world.caller.client.id)))
        for _ in range(PAGE + 3)
    ]
    numbers = [order.id for order in made]
    assert both_pages(screen.open("ramp_orders", sort="created"), "orders") == numbers
    assert "Oldest first." in screen.widget("orders")["caption"]
    assert both_pages(screen.open("ramp_orders"), "orders", "Older") == numbers[::-1]


SMALL = {
    "merchants": ("merchants", "Merchant"),
    "keys": ("keys", "Key"),
    "audit": ("audit", "Action"),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_lists_offer_their_columns_too(
    screen: DashboardApp, world: RampWorld, name: str
) -> None:
    table, first = SMALL[name]
    made = clients.create_client(world.services, "Kijani Market", world.operator)
    api_keys.create_api_key(world.services, made.id, Mode.TEST, world.operator)
    shown = screen.open(name).widget(table)
    menu = [one["name"] for one in shown["controls"]["menu"]]
    assert shown["columns"][0]["title"] == first
    assert len(menu) == len(shown["columns"]) - 1
    chosen = TablePreference((menu[1],))
    table_preferences.save_preference(world.services, world.operator, name, chosen)
    less = screen.rerun().widget(table)
    assert [column.get("name") for column in less["columns"][1:]] == [menu[1]]
    for before, after in zip(shown["rows"], less["rows"], strict=True):
        assert after["cells"] == [before["cells"][0], before["cells"][2]]


def test_deliveries_are_sorted_over_all_pages(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    for _ in range(PAGE + 2):
        deliveries.send_test_event(world.services, world.caller, 1)
    numbers = list(range(1, PAGE + 3))
    assert both_pages(screen.open("webhook", id="1", sort="id"), "deliveries") == numbers
    assert screen.widget("deliveries")["caption"] == "Oldest first."
    assert both_pages(screen.open("webhook", id="1"), "deliveries", "Older") == numbers[::-1]
