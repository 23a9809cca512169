"""The request log and the audit log on screen: filters, one entry, verification and export."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
import streamlit as st
from sqlalchemy import update

from crossway.dashboard.views import audit as audit_view
from crossway.dashboard.views import periods
from crossway.dashboard.views import requests as view
from crossway.dashboard.views.periods import TimeRange
from crossway.domain.clients import Mode, staff_principal
from crossway.ports.logs import AuditEntry, LoggedRequest
from crossway.storage.service_tables import audit_log as audit_table
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.developers.clients import ClientUpdate
from tests.dashboard.conftest import DashboardApp
from tests.harness import Harness


def asked(world: Harness, **more: Any) -> None:
    facts: dict[str, Any] = {
        "at": world.clock.now(),
        "request_id": "r-1",
        "method": "POST",
        "path": "/v1/intents",
        "status": 201,
        "microseconds": 12_400,
        "client_id": "c-1",
        "key_prefix": "cr_test_abcd",
        "request_body": '{"amount":"25000000","sender":"…"}',
        "response_body": '{"id":7}',
    }
    world.store.write(lambda unit: unit.request_log.add([LoggedRequest(0, **(facts | more))]))


def requests_of(screen: DashboardApp) -> list[str]:
    return [row["cells"][0]["text"] for row in screen.widget("requests")["rows"]]


def text_of(screen: DashboardApp, key: str) -> str:
    return json.dumps(screen.widget(key), ensure_ascii=False)


def test_requests_are_listed_newest_first_and_filtered(screen: DashboardApp) -> None:
    assert "No test requests yet" in screen.open("requests").text
    asked(screen.world)
    asked(screen.world, method="GET", path="/v1/quotes/best", status=400, request_id="r-2")
    asked(screen.world, path="/v1/webhooks", status=401, client_id=None, key_prefix=None)
    assert requests_of(screen.rerun()) == [
        "POST /v1/webhooks",
        "GET /v1/quotes/best",
        "POST /v1/intents",
    ]
    screen.at.text_input(key="path").set_value("quotes")
    assert requests_of(screen.rerun()) == ["GET /v1/quotes/best"]
    screen.at.text_input(key="path").set_value("")
    screen.at.session_state["answer"] = "4xx"
    assert len(requests_of(screen.rerun())) == 2
    screen.at.selectbox(key="client").set_value("c-1")
    assert requests_of(screen.rerun()) == ["GET /v1/quotes/best"]
    screen.at.text_input(key="request_id").set_value("r-9")
    assert "No matching requests" in screen.rerun().text


def test_one_request_shows_its_masked_bodies(screen: DashboardApp) -> None:
    asked(screen.world)
    row = screen.open("requests").widget("requests")["rows"][0]
    assert (row["href"], row["cells"][2]["text"]) == ("request?id=1", "12 ms")
    screen.open("request", id="1")
    question, answer = (json.loads(code.value) for code in screen.at.code)
    assert (question["sender"], answer) == ("…", {"id": 7})
    assert "A shop" in text_of(screen, "request_facts")


def test_a_body_that_was_not_stored_is_marked(screen: DashboardApp) -> None:
    asked(screen.world, method="GET", status=200, request_body=None, response_body=None)
    assert "only the bodies of writes and failed requests" in screen.open("request", id="1").text


@pytest.mark.parametrize("number", ["", "9", "x", "9" * 30])
def test_an_unknown_request_shows_a_message(screen: DashboardApp, number: str) -> None:
    text = screen.open("request", id=number).text
    assert "No request" in text or "Request not found" in text


def test_a_truncated_body_is_shown_unchanged() -> None:
    assert view.format_body('{"a":"b…') == '{"a":"b…'
    assert view.format_latency(
        LoggedRequest(1, datetime.now(UTC), "", "", "", 200, 800, *[None] * 4)
    ) == ("0.8 ms")


def test_the_audit_log_shows_actor_change_and_previous_values(screen: DashboardApp) -> None:
    services = screen.world.services
    clients.update_client(
        services, "c-1", ClientUpdate(app_fee_bps=50, name="The shop"), staff_principal("ada")
    )
    (row,) = screen.open("audit").widget("audit")["rows"]
    assert row["href"] == "client?id=c-1"
    assert [row["cells"][n]["text"] for n in range(5)] == [
        "Merchant changed",
        "ada",
        "merchant: The shop",
        "name: A shop; app fee (bps): 0",
        "name: The shop; app fee (bps): 50",
    ]


def test_the_audit_log_is_filtered_by_actor_action_and_subject(screen: DashboardApp) -> None:
    services = screen.world.services
    new_key = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("ada")).key
    api_keys.revoke_api_key(services, new_key.id, staff_principal("bob"))
    set_kill_switch(services, screen.world.operator, "chain:BASE_MAINNET", True, "node is down")
    screen.open("audit", about=f"key:{new_key.id}")
    rows = screen.widget("audit")["rows"]
    assert [row["cells"][0]["text"] for row in rows] == ["Key revoked", "Key created"]
    screen.at.selectbox(key="actor").set_value("bob")
    (row,) = screen.rerun().widget("audit")["rows"]
    assert row["href"] == f"key?id={new_key.id}"
    screen.at.selectbox(key="action").set_value("disabled")
    assert "No matching entries" in screen.rerun().text


def test_a_date_filter_includes_both_days() -> None:
    asked = {"from": "2026-11-21", "to": "2026-11-21"}
    made = periods.parse_list_range(asked, datetime(2026, 11, 28, tzinfo=UTC))
    expected = audit_view.build_filter(None, None, "", made, None)
    assert expected.start == datetime(2026, 11, 21, tzinfo=UTC)
    assert expected.end == datetime(2026, 11, 22, tzinfo=UTC)


def test_a_changed_audit_log_names_the_first_bad_entry(screen: DashboardApp) -> None:
    services = screen.world.services
    for name in ("one", "two", "three"):
        clients.create_client(services, name, staff_principal("ada"))
    assert "Log verified: 3 entries intact." in screen.open("audit").text
    with screen.world.store.writer.begin() as db:
        db.execute(update(audit_table).where(audit_table.c.id == 2).values(actor="nobody"))
    st.cache_data.clear()
    assert "Log modified: the entries before #2" in screen.rerun().text


def test_a_missing_hash_shows_that_the_log_was_truncated(screen: DashboardApp) -> None:
    clients.create_client(screen.world.services, "one", staff_principal("ada"))
    screen.open("audit")
    newest = screen.at.code[0].value
    screen.at.text_input(key="known_hash").set_value(newest)
    assert "The hash you entered is one of them" in screen.rerun().text
    screen.at.text_input(key="known_hash").set_value("0" * 64)
    assert "the log was truncated or rewritten" in screen.rerun().text


def test_the_export_contains_every_field_and_the_hash(screen: DashboardApp) -> None:
    world = screen.world
    clients.create_client(world.services, "one", staff_principal("ada"))
    filters = audit_view.build_filter(None, None, "", TimeRange("all"), None)
    text = audit_view.export_csv(world.services, world.operator, filters)
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["actor"], row["action"]) == ("ada", "client created")
    assert len(row["hash"]) == 64


@pytest.mark.parametrize(
    ("subject", "detail", "href"),
    [
        ("intent:12", {}, "intent?id=12"),
        ("", {"order": 5}, "ramp_order?id=5"),
        ("route:CCTP:A:B", {}, "routes"),
        ("key:strange", {}, ""),
        ("alarms:all", {}, ""),
    ],
)
def test_an_entry_links_to_its_subject(subject: str, detail: dict[str, Any], href: str) -> None:
    entry = AuditEntry(1, datetime.now(UTC), "ada", "x", subject, detail, None, None, "")
    assert audit_view._href(entry) == href
