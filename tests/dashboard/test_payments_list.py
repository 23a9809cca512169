"""The list of payments: building filters, saving views and exporting files."""

import csv
import io
import json

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crossway.dashboard import downloads
from crossway.domain.intent import State
from crossway.domain.public_ids import RecordKind
from tests.dashboard.conftest import DashboardApp
from tests.record_numbers import public_id
from tests.usecases.ramp_world import RampWorld

SOLANA = "SOLANA_MAINNET"


def listed(screen: DashboardApp) -> list[int]:
    return [int(row["key"]) for row in screen.widget("intents")["rows"]]


def built(screen: DashboardApp, subject: str, value: str, side: str = "all") -> None:
    screen.at.segmented_control(key="filter_side").set_value(side)
    screen.at.selectbox(key="filter_subject").set_value(subject)
    screen.rerun()
    screen.at.multiselect(key=f"filter_{subject}").set_value([value])
    screen.rerun().click("Add")


@pytest.fixture
def three(screen: DashboardApp, world: RampWorld) -> list[int]:
    """Three payments: pending, underpaid, and to another chain."""
    made = [world.create_intent(), world.create_intent(), world.create_intent(to=SOLANA)]
    world.deposit(made[1], "short")
    world.pass_time(20)
    return [item.id for item in made]


def test_filters_are_added_removed_and_kept_in_the_url(
    screen: DashboardApp, three: list[int]
) -> None:
    screen.open("intents")
    built(screen, "exception", "short")
    assert listed(screen) == [three[1]]
    assert screen.at.query_params["all"] == "exception:short"
    built(screen, "to", SOLANA)
    assert "No matching payments" in screen.text
    screen.click("Exception is Underpaid")
    assert listed(screen) == [three[2]]
    screen.click("To chain is Solana")
    assert listed(screen) == three[::-1]


def test_filters_can_match_any(screen: DashboardApp, three: list[int]) -> None:
    screen.open("intents")
    built(screen, "exception", "short", "any")
    built(screen, "to", SOLANA, "any")
    assert listed(screen) == [three[2], three[1]]
    assert "2 payments" in screen.widget("intents")["caption"]


def test_invalid_filters_in_the_url_show_an_error(screen: DashboardApp) -> None:
    screen.open("intents", all="colour:red")
    assert "All: colour is not a filter field" in screen.text


def test_a_saved_view_is_shared_and_can_be_the_default(
    screen: DashboardApp, three: list[int]
) -> None:
    screen.open("intents", all="exception:short")
    screen.at.text_input(key="intents_view_name").set_value("Too little")
    screen.at.checkbox(key="intents_view_first").set_value(True)
    screen.rerun().click("Save view")
    assert listed(screen.open("intents")) == [three[1]]
    assert screen.at.query_params["all"] == "exception:short"
    screen.at.selectbox(key="intents_view").set_value(None)
    assert listed(screen.rerun()) == three[::-1]
    screen.open("intents", view="all")
    assert listed(screen) == three[::-1]
    view_id = screen.at.selectbox(key="intents_view").options
    assert view_id == ["Too little (default)"]
    screen.at.selectbox(key="intents_view").select_index(0)
    screen.rerun().click("Delete view")
    assert listed(screen.open("intents")) == three[::-1]
    with screen.world.store.read() as unit:
        audited = [what for _, _, what, _ in unit.audit_log.list_recent(3)]
    assert audited[:2] == ["view deleted", "view saved"]


def test_an_export_contains_exactly_the_filtered_payments(
    screen: DashboardApp, three: list[int]
) -> None:
    client = TestClient(Starlette(routes=downloads.routes()))
    screen.open("intents", all="exception:short")
    hrefs = [
        link["href"] for link in screen.widget("intents_ways")["links"] if link.get("download")
    ]
    lines = list(csv.DictReader(io.StringIO(client.get(hrefs[0]).text)))
    # Exports leave the house: their numbers are those of the API.
    numbers = [public_id(screen.world.services, RecordKind.INTENT, number) for number in three]
    assert [int(line["id"]) for line in lines] == [numbers[1]]
    assert lines[0]["state"] == State.PENDING
    assert [item["id"] for item in client.get(hrefs[1]).json()] == [numbers[1]]
    everything = client.get("/download/payments.json?mode=test")
    assert [item["id"] for item in everything.json()] == numbers[::-1]
    assert "attachment" in everything.headers["content-disposition"]
    assert client.get("/download/payments.json?mode=test&all=to:nowhere").json() == []
    assert client.get("/download/payments.csv?mode=test&all=colour:red").status_code == 400
    assert client.get("/download/secrets.csv").status_code == 404
    assert json.loads(client.get("/download/ramp_orders.json?mode=test").text) == []


def test_invalid_list_requests_are_rejected(screen: DashboardApp) -> None:
    app = Starlette(routes=downloads.routes())
    client = TestClient(app, raise_server_exceptions=False)
    nonsense = ("", "%00", "a" * 5_000, "amount:1e400..-1", "created:9999-99-99", "state:,", "%ff")
    for text in nonsense:
        for field in ("all", "any", "q", "state", "cursor"):
            for name in ("payments.csv", "ramp_orders.json"):
                answer = client.get(f"/download/{name}?mode=test&{field}={text}")
                assert answer.status_code in (200, 400), (name, field, text)
