"""Attacks across modes: a test key and a live key of one client see, list and change nothing of
each other's."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from starlette.testclient import TestClient

import crossway.ports
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Owner, OwnerFilter, staff_principal
from crossway.domain.public_ids import RecordKind
from crossway.engine.fan_out import fan_out
from crossway.ports.logs import RequestFilter
from crossway.storage.all_tables import METADATA
from crossway.usecases.developers import api_keys
from crossway.usecases.developers.request_log import write_batch
from tests.api.conftest import INTENT, USDC_BASE, WALLET, Api, new_key, new_service, new_test_client
from tests.api.ramp_requests import create_order

LIVE_MESSAGE = "A live key cannot be used with test networks"
STANDING = {"source_chain": "BASE_MAINNET", "destination_chain": "ARBITRUM_MAINNET",
            "recipient": WALLET, "recovery_address": WALLET}  # fmt: skip
LINK = {"title": "Coffee", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET}
INVOICE = {
    "lines": [{"description": "Hosting", "unit_amount": "5000000"}],
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": LINK["recipient"],
}
# The record that a path names, by the beginning of the path; the longest beginning decides.
RECORDS = {
    "/v1/intents/{id}": "intent",
    "/v1/intents/address/{address}": "address",
    "/v1/intents/destination-address/{address}": "address",
    "/v1/intents/{intentAddress}": "address",
    "/v1/ramp/orders/{id}": "order",
    "/v1/ramp/orders/by-intent/{intentAddress}": "order_address",
    "/v1/sandbox/ramp/orders/{id}": "order",
    "/v1/payment-links/{id}": "link",
    "/v1/invoices/{id}": "invoice",
    "/v1/subscriptions/{id}": "subscription",
    "/v1/webhooks/{id}": "webhook",
    "/v1/webhooks/deliveries/{id}": "delivery",
    "/v1/exports/{id}": "export",
    "/v1/standing-addresses/{id}": "standing",
    "/v1/standing-deposits/{id}": "standing_deposit",
}
LISTS = ("/v1/intents", "/v1/intents/user/{sender}", "/v1/ramp/orders", "/v1/payment-links",
         "/v1/invoices", "/v1/subscriptions", "/v1/webhooks", "/v1/exports",
         "/v1/standing-addresses", "/v1/standing-deposits")  # fmt: skip
# What concerns no record of a client, or has a test of its own below or in test_kyc_tenants.py.
OTHERS = (
    "/v1/quotes/", "/v1/router/", "/v1/chains", "/v1/client/", "/v1/events", "/v1/ramp/quotes",
    "/v1/ramp/currencies", "/v1/ramp/countries", "/v1/ramp/webhooks/", "/v1/ramp/kyc", "/v1/kyc/",
    "/v1/sandbox/deposits", "/v1/sandbox/clock", "/v1/sandbox/chains/", "/v1/sandbox/bridges/",
    "/v1/sandbox/balances/", "/v1/sandbox/kyc", "/v1/sandbox/ramp/providers/", "/v1/search",
    "/v1/export-files/", "/v1/intents/batch", "/v1/x402/",
)  # fmt: skip
BODIES: dict[str, Any] = {
    "/v1/sandbox/ramp/orders/{id}": {"outcome": "delivered"},
    "/v1/webhooks/{id}/replay": {"from": "2020-01-01T00:00:00.000Z"},
    "PATCH /v1/webhooks/{id}": {"description": "taken over"},
    "PATCH /v1/payment-links/{id}": {"title": "taken over"},
    "POST /v1/payment-links": LINK,
    "PATCH /v1/standing-addresses/{id}": {"reference": "taken over"},
    "POST /v1/invoices": INVOICE,
    "POST /v1/subscriptions": {**INVOICE, "interval": "month"},
    "PATCH /v1/subscriptions/{id}": {"state": "paused"},
}
IN_URL = ("query", "path")
_QUOTE = {"tokenIn": USDC_BASE, "tokenOut": USDC_BASE, "amount": "1000000"}
# What else a query must hold before its chains are looked at.
QUERIES: dict[str, dict[str, str]] = {
    **{f"/v1/quotes/{one}": _QUOTE for one in ("single", "multiple", "best")},
    "/v1/router/optimal-route": _QUOTE,
    "/v1/quotes/multi-source": {"amount": "1", "tokenOut": USDC_BASE},
}


@dataclass(frozen=True)
class World:
    """The key of one mode, and the records made with it by kind."""

    api: Api
    records: dict[str, Any]

    def fetch(self, kind: str) -> Any:
        """A record as its own key reads it."""
        path = {"intent": "intents", "order": "ramp/orders", "link": "payment-links"}
        path |= {"webhook": "webhooks", "delivery": "webhooks/deliveries", "export": "exports"}
        path |= {"standing": "standing-addresses"}
        path |= {"invoice": "invoices", "subscription": "subscriptions"}
        return self.api.get(f"/{path[kind]}/{self.records[kind]}").json()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture(scope="module")
def http(service: Service) -> Iterator[TestClient]:
    with new_test_client(service.services) as client:
        yield client


@pytest.fixture(scope="module")
def document(http: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = http.get("/api/openapi.json").json()
    return found


@pytest.fixture(scope="module")
def keys(service: Service, http: TestClient) -> dict[Mode, Api]:
    """A test key and a live key of one client."""
    client_id, key_id, secret = new_key(service)
    live = api_keys.create_api_key(service.services, client_id, Mode.LIVE, staff_principal("test"))
    return {
        Mode.TEST: Api(http, service, client_id, key_id, secret),
        Mode.LIVE: Api(http, service, client_id, live.key.id, live.secret),
    }


@pytest.fixture(scope="module")
def worlds(keys: dict[Mode, Api]) -> dict[Mode, World]:
    return {mode: World(api, make_records(api)) for mode, api in keys.items()}


def make_records(api: Api) -> dict[str, Any]:
    intent = api.create().json()
    order = create_order(api)
    link = api.post("/payment-links", LINK).json()
    repeating = {**INVOICE, "interval": "month", "first_due_date": "2030-01-31"}
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()
    delivery = api.post(f"/webhooks/{webhook['id']}/test").json()
    standing = api.post("/standing-addresses", STANDING).json()
    api.post("/sandbox/deposits", {"address": standing["address"], "amount": "100"})
    api.tick()
    deposits = api.get("/standing-deposits").json()["standing_deposits"]
    return {
        "intent": intent["id"],
        "address": intent["intent_address"],
        "order": order["id"],
        "order_address": order["intentAddress"],
        "link": link["id"],
        "invoice": api.post("/invoices", INVOICE).json()["id"],
        "subscription": api.post("/subscriptions", repeating).json()["id"],
        "webhook": webhook["id"],
        "delivery": delivery["id"],
        "standing": standing["id"],
        "standing_deposit": deposits[0]["id"],
        "export": api.post("/exports", {"resource": "intents"}).json()["id"],
    }


def other(mode: Mode) -> Mode:
    return Mode.LIVE if mode is Mode.TEST else Mode.TEST


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, methods in document["paths"].items():
        for method in methods:
            yield method.upper(), path


def record_kind(path: str) -> str | None:
    named = [beginning for beginning in RECORDS if path.startswith(beginning)]
    return RECORDS[max(named, key=len)] if named else None


def call(api: Api, method: str, path: str, body: Any = None) -> Any:
    return api.http.request(method, f"/api{path}", json=body, headers=api.headers())


def test_every_operation_is_sorted(document: dict[str, Any]) -> None:
    """A new endpoint is added to one of the tables above, and so is attacked."""
    unsorted = [
        path
        for _, path in operations(document)
        if record_kind(path) is None and path not in LISTS and not path.startswith(OTHERS)
    ]
    assert unsorted == []


@pytest.mark.parametrize("mode", Mode)
def test_no_operation_finds_a_record_of_the_other_mode(
    mode: Mode, worlds: dict[Mode, World], document: dict[str, Any]
) -> None:
    attacked, attacker = worlds[mode], worlds[other(mode)].api
    kinds = ("intent", "order", "link", "webhook", "delivery", "export", "standing")
    before = {kind: attacked.fetch(kind) for kind in kinds}
    tried = 0
    for method, path in operations(document):
        kind = record_kind(path)
        if kind is None:
            continue
        aimed = re.sub(r"\{.*?\}", str(attacked.records[kind]), path)
        body = BODIES.get(f"{method} {path}", BODIES.get(path))
        answer = call(attacker, method, aimed, body)
        assert answer.status_code == 404, (method, path, answer.text)
        tried += 1
    assert tried >= 20
    assert {kind: attacked.fetch(kind) for kind in kinds} == before


@pytest.mark.parametrize("mode", Mode)
def test_no_list_and_no_total_mixes_the_modes(mode: Mode, worlds: dict[Mode, World]) -> None:
    own, strange = worlds[mode], worlds[other(mode)]
    for path in LISTS:
        body = call(own.api, "GET", path.replace("{sender}", WALLET)).json()
        items = body if isinstance(body, list) else next(v for v in body.values() if v != [])
        ids = {item["id"] for item in items}
        kind = {"/v1/ramp/orders": "order", "/v1/payment-links": "link", "/v1/webhooks": "webhook"}
        kind |= {"/v1/exports": "export", "/v1/invoices": "invoice"}
        kind["/v1/subscriptions"] = "subscription"
        kind |= {"/v1/standing-addresses": "standing", "/v1/standing-deposits": "standing_deposit"}
        name = kind.get(path, "intent")
        assert own.records[name] in ids
        assert strange.records[name] not in ids
        if isinstance(body, dict) and "total" in body:
            assert body["total"] == len(items), path


@pytest.mark.parametrize("mode", Mode)
def test_a_cursor_of_the_other_mode_is_refused(mode: Mode, worlds: dict[Mode, World]) -> None:
    cursor = worlds[other(mode)].records["link"]
    answer = worlds[mode].api.get("/payment-links", cursor=cursor)
    assert (answer.status_code, "cursor" in answer.json()["message"]) == (400, True)


def test_one_idempotency_key_is_two_in_two_modes(keys: dict[Mode, Api]) -> None:
    bodies = []
    for api in keys.values():
        first = api.post("/intents", INTENT, Idempotency_Key="once")
        again = api.post("/intents", INTENT, Idempotency_Key="once")
        assert "idempotent-replayed" not in first.headers
        assert again.headers["idempotent-replayed"] == "true"
        assert again.json() == first.json()
        bodies.append(first.json())
    assert bodies[0]["id"] != bodies[1]["id"]


@pytest.mark.parametrize("mode", Mode)
def test_a_webhook_is_sent_the_events_of_its_mode_only(
    mode: Mode, worlds: dict[Mode, World], keys: dict[Mode, Api]
) -> None:
    made = {each: api.create().json()["id"] for each, api in keys.items()}
    while fan_out(keys[mode].service.services):
        pass
    webhook, unit_filter = worlds[mode].records["webhook"], OwnerFilter(keys[mode].client_id, mode)
    deliveries = keys[mode].get(f"/webhooks/{webhook}/deliveries", limit=100).json()["deliveries"]
    details = [keys[mode].get(f"/webhooks/deliveries/{d['id']}").json() for d in deliveries]
    told = {detail["payload"]["data"].get("id") for detail in details}
    assert made[mode] in told
    assert made[other(mode)] not in told
    with keys[mode].service.store.read() as unit:
        own = unit.webhooks.list_by_owner(unit_filter)
        assert [unit.public_ids.encode(RecordKind.WEBHOOK, one.id) for one in own] == [webhook]


@pytest.mark.parametrize("mode", Mode)
def test_a_replay_of_a_period_sends_no_event_of_the_other_mode(
    mode: Mode, worlds: dict[Mode, World], keys: dict[Mode, Api]
) -> None:
    for api in keys.values():
        api.create()
    while fan_out(keys[mode].service.services):
        pass
    webhook = keys[mode].post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
    replayed = keys[mode].post(f"/webhooks/{webhook}/replay", {"from": "2020-01-01T00:00:00.000Z"})
    assert replayed.status_code in (200, 202), replayed.text
    page = keys[mode].get(f"/webhooks/{webhook}/deliveries", limit=100).json()["deliveries"]
    with keys[mode].service.store.read() as unit:
        numbers = [unit.public_ids.decode(RecordKind.DELIVERY, one["id"]) for one in page]
        events = [unit.deliveries.get(number).event_id for number in numbers]
        assert {event.mode for event in unit.outbox.get_many(events).values()} == {mode}
    call(keys[mode], "DELETE", f"/v1/webhooks/{webhook}")


@pytest.mark.parametrize("mode", Mode)
def test_no_stream_resumes_after_an_event_of_the_other_mode(
    mode: Mode, keys: dict[Mode, Api]
) -> None:
    keys[other(mode)].create()
    while fan_out(keys[mode].service.services):
        pass
    owner = Owner(keys[mode].client_id, other(mode))
    with keys[mode].service.store.read() as unit:
        event = unit.outbox.list_after(0, owner, 10_000, 10_000)[-1]
    headers = keys[mode].headers(**{"Last-Event-ID": event.event_id})
    answer = keys[mode].http.get("/api/v1/events", headers=headers)
    assert (answer.status_code, "Last-Event-ID" in answer.json()["message"]) == (400, True)


@pytest.mark.parametrize("mode", Mode)
def test_no_deposit_is_simulated_for_an_intent_of_the_other_mode(
    mode: Mode, worlds: dict[Mode, World]
) -> None:
    address = worlds[other(mode)].records["address"]
    for more in ({}, {"chain": "BASE_MAINNET", "token": "USDC"}):
        body = {"address": address, "amount": "1000000", **more}
        assert worlds[mode].api.post("/sandbox/deposits", body).status_code == 404


def test_the_request_log_says_the_mode(keys: dict[Mode, Api]) -> None:
    services = keys[Mode.TEST].service.services
    for api in keys.values():
        api.get("/client/auth/client-info")
    keys[Mode.TEST].http.get("/api/v1/chains")
    while write_batch(services):
        pass
    with services.store.read() as unit:
        for mode in Mode:
            logged = unit.request_log.list_page(RequestFilter(mode=mode), 1_000)
            assert {(line.mode, bool(line.key_prefix)) for line in logged} == {
                (mode, True),
                (None, False),
            }


def named_chains(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where and under which names an operation takes chains."""
    for parameter in operation.get("parameters", []):
        if "$ref" in parameter:
            parameter = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
        if re.search("chain(?!Type)", parameter["name"], re.I) and parameter["in"] in IN_URL:
            yield parameter["in"], parameter["name"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = body.get("schema", {})
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for name in schema.get("properties", {}):
        if re.search("chain", name, re.I):
            yield "body", name


def test_a_live_key_names_no_test_network_anywhere(
    keys: dict[Mode, Api], worlds: dict[Mode, World], document: dict[str, Any]
) -> None:
    tried = set()
    for method, path in operations(document):
        operation = document["paths"][path][method.lower()]
        for place, name in named_chains(operation, document):
            chain: Any = "BASE_TESTNET"
            aimed, params, body = path, {}, BODIES.get(f"{method} {path}")
            if place == "path":
                aimed = path.replace(f"{{{name}}}", chain)
            elif place == "query":
                params = {**QUERIES.get(path, {}), name: chain}
            else:
                body = {**(body or {}), name: [chain] if name.endswith("chains") else chain}
                body |= {"type": "off-ramp"} if name == "sourceChain" else {}
                body |= {"address": WALLET, "amount": "1"} if "deposits" in path else {}
            if place != "path" and (kind := record_kind(path)) is not None:
                aimed = re.sub(r"\{.*?\}", str(worlds[Mode.LIVE].records[kind]), path)
            if "/ramp/quotes" in path and name == "sourceChain":
                params["type"] = "off-ramp"
            body = {"dropNext": 1} if path.endswith("/faults") else body
            answer = keys[Mode.LIVE].http.request(
                method, f"/api{aimed.replace('{sender}', WALLET)}", params=params, json=body,
                headers=keys[Mode.LIVE].headers(),
            )  # fmt: skip
            assert answer.status_code == 400, (method, path, name, answer.text)
            assert LIVE_MESSAGE in json.dumps(answer.json()), (method, path, name, answer.text)
            tried.add((path, name))
    answer = keys[Mode.LIVE].get("/chains", network="testnet")
    assert (answer.status_code, answer.json()["message"]) == (400, LIVE_MESSAGE)
    assert len(tried) >= 24


def test_every_list_filter_has_an_owner() -> None:
    """A new filter of records with an owner takes it from `Principal.narrow`."""
    for module in iter_modules(crossway.ports.__path__):
        for name, thing in vars(import_module(f"crossway.ports.{module.name}")).items():
            if name.endswith("Filter") and is_dataclass(thing):
                has_client = any(field.name == "client_id" for field in fields(thing))
                assert not has_client or issubclass(thing, OwnerFilter), name  # type: ignore[arg-type]


def test_every_table_of_a_clients_records_has_a_mode() -> None:
    both_modes = {"branding"}
    for table in METADATA.tables.values():
        if "client_id" in table.c and table.name not in both_modes:
            assert "mode" in table.c, table.name


def test_no_use_case_applies_the_mode_by_itself() -> None:
    """`Principal.narrow`, `can_access` and `lists` are the only places."""
    folder = Path(crossway.ports.__path__[0]).parent / "usecases"
    texts = {path: path.read_text() for path in folder.rglob("*.py")}
    assert [path for path, text in texts.items() if "client_id=caller.client.id" in text] == []
