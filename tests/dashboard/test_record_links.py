"""Requests, payments, deliveries and audit entries lead to each other."""

import json
from pathlib import Path

import pytest

from crossway.dashboard.views import audit, request_records
from crossway.domain.clients import Mode, staff_principal
from crossway.domain.public_ids import RecordKind
from crossway.ports.logs import AuditFilter, LoggedRequest
from crossway.usecases.developers import api_keys
from crossway.usecases.public_numbers import ids_of
from tests.dashboard.conftest import DashboardApp, webhook_dashboard
from tests.usecases.ramp_world import RampWorld


def asked(world: RampWorld, path: str, body: object, **more: object) -> LoggedRequest:
    """A request of the log with this response."""
    at = world.services.clock.now()
    values = {
        "id": 0, "at": at, "request_id": "r-1", "method": "POST", "path": path, "status": 201,
        "microseconds": 900, "client_id": "c-1", "key_prefix": None, "request_body": "{}",
        "response_body": json.dumps(body), "mode": Mode.TEST,
    }  # fmt: skip
    return LoggedRequest(**(values | more))  # type: ignore[arg-type]


def ways_of(world: RampWorld, request: LoggedRequest) -> list[str]:
    return [way.href for way in request_records.record_links(world.services, request)]


def test_a_request_leads_to_what_it_made_its_key_and_its_merchant(
    screen: DashboardApp, world: RampWorld
) -> None:
    intent = world.create_intent()
    key = api_keys.create_api_key(world.services, "c-1", Mode.TEST, staff_principal("test")).key
    request = asked(world, "/v1/intents", {}, intent_id=intent.id, key_prefix=key.display_prefix)
    world.store.write(lambda unit: unit.request_log.add([request]))
    screen.open("request", id="1")
    hrefs = [way["href"] for way in screen.widget("request_ways")["links"]]
    assert hrefs == [
        f"intent?id={intent.id}", f"key?id={key.id}", "client?id=c-1",
        "requests?path=%2Fv1%2Fintents",
    ]  # fmt: skip
    screen.open("intent", id=str(intent.id), tab="Advanced")
    assert [row["href"] for row in screen.widget("asked")["rows"]] == ["request?id=1"]


def test_a_response_leads_to_the_order_link_or_webhook_it_names(world: RampWorld) -> None:
    order = ids_of(world.services).encode(RecordKind.ORDER, 7)
    for path, body, href in (
        ("/v1/ramp/orders", {"id": order}, "ramp_order?id=7"),
        ("/v1/ramp/orders/{id}/cancel", {"order": {"id": order}}, "ramp_order?id=7"),
        ("/v1/payment-links", {"id": "pl_1"}, "payment_link?id=pl_1"),
        ("/v1/webhooks", {"id": 3}, "webhook?id=3"),
    ):
        assert ways_of(world, asked(world, path, body))[0] == href


@pytest.mark.parametrize("body", [[], "x", {"id": "nonsense"}, {"id": 0}, {"id": None}, {}])
def test_a_response_that_names_no_record_leads_to_none(world: RampWorld, body: object) -> None:
    ways = ways_of(world, asked(world, "/v1/ramp/orders", body))
    assert ways == ["client?id=c-1", "requests?path=%2Fv1%2Framp%2Forders"]
    cut_off = asked(world, "/v1/ramp/orders", {}, response_body='{"id": 5, "ty…')
    assert ways_of(world, cut_off) == ways


def test_a_payment_shows_what_was_done_to_it_by_hand(
    screen: DashboardApp, world: RampWorld
) -> None:
    intent = world.create_intent()
    screen.open("intent", id=str(intent.id), tab="Advanced")
    assert "nobody has changed anything by hand" in screen.text
    detail, at = {"reason": "test"}, world.services.clock.now()
    world.store.write(
        lambda unit: unit.audit_log.record("Ada", "note", detail, at, f"intent:{intent.id}")
    )
    (row,) = screen.rerun().widget("payment_log")["rows"]
    assert (row["cells"][0]["text"], row["cells"][1]["text"]) == ("Note", "Ada")
    ways = screen.widget("payment_log_ways")["links"]
    assert [way["href"] for way in ways] == [f"audit?about=intent%3A{intent.id}"]
    (entry,) = screen.open("audit", about=f"intent:{intent.id}").widget("audit")["rows"]
    assert entry["href"] == f"intent?id={intent.id}"


def test_an_entry_leads_to_its_subject_whatever_that_is(world: RampWorld) -> None:
    pages = {
        "intent:4": "intent?id=4", "order:4": "ramp_order?id=4", "client:c-1": "client?id=c-1",
        "key:4": "key?id=4", "webhook:4": "webhook?id=4",
        "payment_link:pl_1": "payment_link?id=pl_1",
        "staff:4": "staff?id=4", "chain:BASE_MAINNET": "chains?chain=BASE_MAINNET",
        "bridge:CCTP": "routes",
        "route:CCTP:A:B": "routes", "cap:BASE_MAINNET:USDC": "treasury", "alert:stuck:4": "alerts",
        "address:BASE_MAINNET:0x1": "treasury", "run:4": "reconcile", "customer:4": "kyc",
        "view:4": "ramp_orders", "something:4": "",
    }  # fmt: skip
    at, detail = world.services.clock.now(), {"screen": "ramp_orders"}

    def record(subject: str) -> None:
        world.store.write(lambda unit: unit.audit_log.record("Ada", "x", detail, at, subject))

    for subject in pages:
        record(subject)
    page = audit.load_page(world.services, world.operator, AuditFilter())
    assert [row.href for row in reversed(page.rows)] == list(pages.values())


def test_an_entry_leads_to_the_key_that_made_it(world: RampWorld) -> None:
    key = api_keys.create_api_key(world.services, "c-1", Mode.TEST, staff_principal("test")).key
    at, actor = world.services.clock.now(), f"A shop ({key.display_prefix}…)"
    world.store.write(lambda unit: unit.audit_log.record(actor, "x", {}, at, "intent:1"))
    page = audit.load_page(world.services, world.operator, AuditFilter(subject="intent:1"))
    assert page.rows[0].cells[1].href == f"key?id={key.id}"


def test_a_delivery_leads_to_its_payment_webhook_and_merchant(tmp_path: Path) -> None:
    with webhook_dashboard(tmp_path) as (screen, world):
        endpoint = world.create_webhook("https://8.8.8.8/x").endpoint
        intent = world.create_intent()
        world.deliver()
        screen.open("delivery", id="1")
        facts = {f["label"]: f["cell"] for f in screen.widget("delivery_facts")["details"]}
        assert facts["Resource"]["href"] == f"intent?id={intent.id}"
        assert facts["Webhook"]["href"] == f"webhook?id={endpoint.id}"
        assert facts["Merchant"]["href"] == f"client?id={endpoint.client_id}"
