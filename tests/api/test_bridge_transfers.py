"""Payments over bridges in the API: their progress, and what payers keep."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.adapters.bridges.cctp.networks import cctp_contracts
from crossway.api.schemas.events import render_events
from crossway.domain.attestations import MAIN_SERVICE, TEST_SERVICE
from crossway.domain.clients import Mode, staff_principal
from crossway.domain.intent import Intent
from crossway.usecases.developers import api_keys
from crossway.usecases.payments.self_service import get_self_service
from crossway_client.records.intents import Intent as IntentRecord
from tests.api.conftest import new_test_client
from tests.bridged import (
    DESTINATION_TX,
    SOURCE_TX,
    add_bridged,
    attest,
    delay,
    deliver,
    park,
    send,
)
from tests.contract_chain import with_contracts
from tests.harness import Harness
from tests.statements import recorded

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
Get = Callable[[str], Any]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


@contextmanager
def api_of(world: Harness, live: bool = False) -> Iterator[Get]:
    services = with_contracts(world, [BASE, ARBITRUM]) if live else world.services
    staff = staff_principal("test")
    key = api_keys.create_api_key(services, world.caller.owner.client_id, Mode.TEST, staff)
    headers = {"Authorization": f"Bearer {key.secret}"}
    client: TestClient
    with new_test_client(services) as client:

        def get(path: str) -> Any:
            answer = client.get(f"/api/v1{path}", headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.json()

        yield get


def read(world: Harness, intent: Intent) -> Any:
    with api_of(world) as get:
        return get(f"/intents/address/{intent.address}")


def test_a_payment_is_planned_before_there_is_anything_to_send(world: Harness) -> None:
    body = read(world, add_bridged(world))
    assert body["custody"] == "BRIDGE"
    assert body["bridge_transfer"] == {
        "bridge": "CCTP",
        "custody": "BRIDGE",
        "status": "planned",
        "source_tx": None,
        "destination_tx": None,
        "message_id": None,
        "steps": [],
        "expected_at": None,
        "reason": None,
    }


def test_payments_that_no_bridge_carries_have_no_transfer(world: Harness) -> None:
    body = read(world, world.create_intent())
    assert (body["custody"], body["bridge_transfer"]) == ("OPERATOR", None)


def test_each_step_of_a_transfer_is_shown_with_its_transaction(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    body = read(world, intent)
    assert (body["needs_relay"], body["relayer"], body["relayer_claimed"]) == (True, "", False)
    assert body["bridge_transfer"]["expected_at"] == "2026-11-21T12:00:20.000Z"
    world.machine.seconds += 90
    delay(world, intent, "Circle has not observed the send yet.")
    delayed = read(world, intent)["bridge_transfer"]
    assert (delayed["status"], delayed["reason"]) == (
        "delayed",
        "Circle has not observed the send yet.",
    )
    world.machine.seconds += 10
    attest(world, intent)
    deliver(world, intent)
    body = read(world, intent)
    transfer = body["bridge_transfer"]
    assert (body["intent_status"], body["needs_relay"]) == ("COMPLETED", False)
    assert (transfer["status"], transfer["reason"]) == ("delivered", None)
    assert (transfer["source_tx"], transfer["destination_tx"]) == (SOURCE_TX, DESTINATION_TX)
    assert [(step["name"], step["at"][11:19], step["tx"]) for step in transfer["steps"]] == [
        ("seen", "12:00:00", SOURCE_TX),
        ("delayed", "12:01:30", None),
        ("claimable", "12:01:40", None),
        ("delivered", "12:01:40", DESTINATION_TX),
    ]


def test_a_list_reads_transfers_and_steps_once_for_the_page(world: Harness) -> None:
    for _ in range(5):
        send(world, add_bridged(world))
    with api_of(world) as get:
        get("/intents?limit=1")
        with recorded(world.store.reader) as statements:
            page = get("/intents?limit=5")["intents"]
    assert [row["bridge_transfer"]["status"] for row in page] == ["seen"] * 5
    assert all("self_service" not in row for row in page)
    assert sum("FROM bridge_transfers" in text for text in statements) == 1
    assert sum("FROM bridge_steps" in text for text in statements) == 1


def rendered(world: Harness) -> dict[str, Any]:
    with world.store.read() as unit:
        events = unit.outbox.list_unsequenced(100)
        bodies = render_events(unit, events)
        return {one.type: json.loads(bodies[one.id]) for one in events}


def test_events_have_the_transfer_as_it_was_then(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    before = rendered(world)
    world.machine.seconds += 30
    attest(world, intent)
    deliver(world, intent)
    world.machine.seconds += 30
    after = rendered(world)
    assert {name: after[name] for name in before} == before
    transfers = {name: body["data"]["bridge_transfer"] for name, body in after.items()}
    assert transfers["intent_created"]["status"] == "planned"
    assert transfers["intent_initiated"]["status"] == "seen"
    assert len(transfers["intent_initiated"]["steps"]) == 1
    assert transfers["intent_completed"]["status"] == "delivered"
    assert transfers["intent_completed"]["destination_tx"] == DESTINATION_TX
    assert "self_service" not in after["intent_completed"]["data"]


def test_the_simulated_network_says_that_it_has_no_contracts(world: Harness) -> None:
    kept = read(world, add_bridged(world))["self_service"]
    assert kept["note"].startswith("The simulated network has no contracts.")
    assert (kept["calls"], kept["terms"], kept["attestation_url"]) == ([], {}, None)


def test_a_payer_keeps_terms_and_calls_from_the_creation_on(world: Harness) -> None:
    intent = add_bridged(world)
    with api_of(world, live=True) as get:
        body = get(f"/intents/address/{intent.address}")
        record = IntentRecord.parse(body)
    kept, expiry = body["self_service"], body["expires_at"]
    source, destination = kept["terms"]["source"], kept["terms"]["destination"]
    assert source["chain"] == "8453"
    assert source["total"] == body["total_amount_in_asset_token"]
    assert source["bridger"] == body["bridger"]
    assert source["expiry"] == str(int(intent.terms.expires_at.timestamp()))
    assert (destination["chain"], destination["recipient"]) == ("42161", body["recipient"])
    calls = {call["name"]: call for call in kept["calls"]}
    assert list(calls) == ["send", "give_back", "refund", "deliver", "release"]
    times = {n: (c["available_from"], c["available_until"]) for n, c in calls.items()}
    assert times["send"] == (None, expiry)
    assert times["give_back"] == times["refund"] == (expiry, None)
    assert [calls[name]["chain_id"] for name in ("send", "deliver")] == ["8453", "42161"]
    assert calls["send"]["contract"] == calls["deliver"]["contract"] == body["bridger"]
    assert calls["send"]["function"].startswith("startAndBridge((uint256,")
    assert calls["refund"]["contract"] != body["bridger"]
    assert (calls["deliver"]["function"], calls["deliver"]["data"]) == (
        "deliver(bytes,bytes)",
        None,
    )
    assert kept["attestation_url"].endswith("/v2/messages/6?transactionHash={transaction}")
    assert record.self_service is not None
    assert record.bridge_transfer is not None
    assert record.self_service.calls[0].available_until == record.expires_at


def test_the_attestation_url_names_the_transaction_that_sent_it(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    kept = get_self_service(with_contracts(world, [BASE, ARBITRUM]), intent)
    assert kept.attestation_url == f"{MAIN_SERVICE}/v2/messages/6?transactionHash={SOURCE_TX}"
    services = (cctp_contracts(testnet).attestation_service for testnet in (False, True))
    assert tuple(services) == (MAIN_SERVICE, TEST_SERVICE)


def test_over_across_and_without_a_bridge_only_the_way_back_is_the_payers(world: Harness) -> None:
    services = with_contracts(world, [BASE, ARBITRUM])
    across = get_self_service(services, add_bridged(world, "ACROSS"))
    assert [call.name for call in across.calls] == ["give_back", "refund"]
    plain = get_self_service(services, world.create_intent())
    assert [call.name for call in plain.calls] == ["refund"]
    assert "trusts the operator" in plain.note


def test_parked_money_is_released_by_anyone(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    attest(world, intent)
    park(world, intent, "The recipient cannot be paid.")
    body = read(world, intent)
    assert (body["intent_status"], body["bridge_transfer"]["status"]) == ("EXPIRED", "parked")
    kept = get_self_service(with_contracts(world, [BASE, ARBITRUM]), replace(intent))
    release = next(call for call in kept.calls if call.name == "release")
    assert release.available_from is None
    assert release.data.startswith("0x")
