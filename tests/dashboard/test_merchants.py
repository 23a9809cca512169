"""Merchants: their list, their page with figures, and the filter and the column of every list."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import streamlit as st

from crossway.dashboard.views import merchant_names, payment_columns
from crossway.dashboard.views.merchants import health_badge
from crossway.domain.clients import Client, Mode, OwnerFilter
from crossway.domain.intent import State
from crossway.domain.webhooks import ALL_EVENTS, Endpoint
from crossway.ports.records import Alert
from crossway.usecases.developers import clients
from crossway.usecases.operating.merchants import WebhookHealth
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from tests.dashboard.conftest import DashboardApp, configure, new_dashboard
from tests.usecases.ramp_world import ARBITRUM, BASE, RampWorld

SOLANA = "SOLANA_MAINNET"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RampWorld, Client]]:
    """Two merchants. The first has two completed payments of 25 USDC and an open one, the other an
    open one, a payment link and a webhook. The tests only read them."""
    folder = tmp_path_factory.mktemp("two")
    world = RampWorld(f"sqlite:///{folder / 'world.db'}", chains=(BASE, ARBITRUM, SOLANA))
    for intent in (world.create_intent(), world.create_intent(to=SOLANA)):
        world.deposit(intent)
        world.wait_for_state(intent, State.COMPLETED)
    world.create_intent()
    first, other = world.caller, clients.create_client(world.services, "Games & Co", world.operator)
    world.caller = replace(world.caller, client=other)
    world.create_intent()
    request = LinkRequest(
        title="Stall",
        destination_chain=ARBITRUM,
        recipient=world.wallet(ARBITRUM, "stall"),
        token_out=world.services.catalogue.token(ARBITRUM, "USDC").address,
    )
    links.create(world.services, world.caller, request)
    now = world.services.clock.now()
    hook = Endpoint(
        0, other.id, "https://hooks.games.example/x", (ALL_EVENTS,), "", b"", None, None, True, "",
        None, now, now, Mode.TEST,
    )  # fmt: skip
    world.store.write(lambda unit: unit.webhooks.add(hook))
    world.caller = first
    world.pass_time(60, step=20)
    yield world, other
    world.store.close()


@pytest.fixture
def page(two: tuple[RampWorld, Client]) -> DashboardApp:
    configure(lambda: two[0].services)
    st.cache_data.clear()
    st.cache_resource.clear()
    return DashboardApp(new_dashboard(), two[0]).rerun()


def texts(row: dict[str, object]) -> list[str]:
    cells = row["cells"]
    assert isinstance(cells, list)
    return [
        cell.get("text", "") or " ".join(b["text"] for b in cell.get("badges", []))
        for cell in cells
    ]


def merchants_of(page: DashboardApp, key: str) -> list[str]:
    """The cells of the column Merchant of a table."""
    data = page.widget(key)
    place = [column["title"] for column in data["columns"]].index("Merchant")
    return [row["cells"][place]["text"] for row in data["rows"]]


def test_merchants_are_listed_with_figures_the_largest_first(
    page: DashboardApp, two: tuple[RampWorld, Client]
) -> None:
    first, second = page.open("merchants").widget("merchants")["rows"]
    assert texts(first) == [
        "A shop", "50.00 USD", "50.00 USD", "50.00 USD", "3", "100%", "None",
    ]  # fmt: skip
    assert texts(second) == ["Games & Co", "–", "–", "–", "1", "–", "1 enabled"]
    assert second["href"] == f"client?id={two[1].id}"


def test_a_merchants_page_shows_its_figures_and_leads_to_its_records(page: DashboardApp) -> None:
    page.open("client", id="c-1")
    figures = {kpi["label"]: kpi["value"] for kpi in page.widget("merchant_figures")["kpis"]}
    assert (figures["Volume, 24 h, USD"], figures["Volume, 30 d, USD"]) == ("50.00", "50.00")
    assert (figures["Payments, 30 d"], figures["Success, 30 d"]) == ("3", "100%")
    routes = page.widget("merchant_routes")
    assert [texts(row)[1:4] for row in routes["rows"]] == [
        ["2", "1", "25.00"],
        ["1", "1", "25.00"],
    ]
    assert routes["caption"] == "Of all 3 payments, by volume."
    ways = {way["label"]: way["href"] for way in page.widget("merchant_ways")["links"]}
    assert ways["Payments (3, 1 open)"] == "intents?client=c-1"
    assert ways["Payment links (0)"] == "payment_links?client=c-1"
    assert [row["key"] for row in page.widget("merchant_payments")["rows"]] == ["3", "2", "1"]


def test_a_merchant_without_payments_says_what_will_appear(
    page: DashboardApp, two: tuple[RampWorld, Client]
) -> None:
    page.open("client", id=two[1].id)
    assert "No completed test payments in the last 30 days" in page.text
    figures = {kpi["label"]: kpi["value"] for kpi in page.widget("merchant_figures")["kpis"]}
    assert (figures["Volume, 30 d, USD"], figures["Median time"]) == ("–", "–")


def test_a_merchants_webhooks_are_on_its_page(
    page: DashboardApp, two: tuple[RampWorld, Client]
) -> None:
    page.open("client", id=two[1].id, tab="Integration")
    (row,) = page.widget("client_webhooks")["rows"]
    assert texts(row)[0] == "hooks.games.example/x"


@pytest.mark.parametrize(
    ("name", "key", "whole"),
    [("intents", "intents", 4), ("payment_links", "payment_links", 1), ("webhooks", "webhooks", 1)],
)
def test_a_list_names_the_merchant_and_filters_by_it(
    page: DashboardApp, two: tuple[RampWorld, Client], name: str, key: str, whole: int
) -> None:
    page.open(name)
    assert len(merchants_of(page, key)) == whole
    page.at.selectbox(key="client").set_value(two[1].id)
    assert merchants_of(page.rerun(), key) == ["Games & Co"]
    assert page.at.query_params["client"] in (two[1].id, [two[1].id])
    page.open(name, client=two[1].id)
    assert merchants_of(page, key) == ["Games & Co"]
    assert page.at.selectbox(key="client").value == two[1].id


def test_an_unknown_merchant_in_a_link_shows_nothing_of_others(page: DashboardApp) -> None:
    assert "No matching payments" in page.open("intents", client="nobody").text
    assert "No webhooks of this merchant" in page.open("webhooks", client="nobody").text


def test_a_payment_leads_to_its_merchant(page: DashboardApp) -> None:
    facts = page.open("intent", id="1").widget("facts")["details"]
    [cell] = [fact["cell"] for fact in facts if fact["label"] == "Merchant"]
    assert (cell["text"], cell["href"]) == ("A shop", "client?id=c-1")


def test_with_one_merchant_its_column_is_on_request_and_there_is_nothing_to_choose(
    screen: DashboardApp, world: RampWorld
) -> None:
    world.create_intent()
    screen.open("intents")
    assert [c["title"] for c in screen.widget("intents")["columns"]][:3] == [
        "Payment", "Status", "Amount due",
    ]  # fmt: skip
    assert "client" not in [box.key for box in screen.at.selectbox]
    offered = merchant_names.offer_columns({"c-1": "A shop"}, payment_columns.OFFERED)
    assert [one.column.title for one in offered if one.column.name == "merchant"] == ["Merchant"]


def test_the_worst_webhook_says_how_a_merchants_webhooks_are() -> None:
    healths = (WebhookHealth(3, 1, 2), WebhookHealth(3, 0, 2), WebhookHealth(0, 0, 2))
    texts_of = [health_badge(one).text for one in (*healths, WebhookHealth())]
    assert texts_of == ["1 failing", "3 enabled", "2 disabled", "None"]


def test_the_latest_payments_of_a_merchant_are_those_of_one_mode(
    two: tuple[RampWorld, Client],
) -> None:
    world = two[0]
    with world.store.read() as unit:
        latest = unit.analytics.list_latest(OwnerFilter("c-1", Mode.TEST), 2)
        none = unit.analytics.list_latest(OwnerFilter("c-1", Mode.LIVE), 2)
    assert [(one.destination, one.state) for one in latest] == [
        (ARBITRUM, State.PENDING),
        (SOLANA, State.COMPLETED),
    ]
    assert none == []


def test_an_alert_names_the_merchant_whose_payment_it_concerns(
    page: DashboardApp, two: tuple[RampWorld, Client]
) -> None:
    world, at = two[0], two[0].services.clock.now()
    keys = ("engine:4", "node:x")
    raised = [
        Alert(keys[0], "engine", "4", "Payment 4 failed.", at, at, None),
        Alert(keys[1], "node", ARBITRUM, "No answer.", at, at, None),
    ]
    world.store.write(lambda unit: [unit.alerts.raise_alert(one) for one in raised])
    assert sorted(merchants_of(page.open("alerts"), "standing")) == ["Games & Co", "–"]
    page.open("client", id=two[1].id)
    assert [row["key"] for row in page.widget("merchant_alerts")["rows"]] == [keys[0]]
    assert not page.open("client", id="c-1").has_widget("merchant_alerts")
    world.store.write(lambda unit: unit.alerts.resolve(keys, at))
