"""The lifecycle of a payment over HTTP."""

from typing import Any

import pytest

from crossway.domain.money import format_units
from tests.api.conftest import Api

USDC_BASE_TESTNET = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"


def pay(api: Api, address: str, amount: str = "exact", **more: Any) -> Any:
    answer = api.post("/sandbox/deposits", {"address": address, "amount": amount, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def status(api: Api, address: str) -> str:
    intent_status: str = api.get(f"/intents/address/{address}").json()["intent_status"]
    return intent_status


def let_pass(api: Api, seconds: float, times: int = 1) -> None:
    for _ in range(times):
        assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
        api.tick()


def test_an_exact_deposit_completes_the_intent(api: Api) -> None:
    intent = api.create().json()
    sent = pay(api, intent["intent_address"])
    assert set(sent) == {"txHash", "chain", "block"}
    assert sent["chain"] == "BASE_MAINNET"
    let_pass(api, 2, times=20)
    read = api.get(f"/intents/address/{intent['intent_address']}").json()
    assert read["intent_status"] == "COMPLETED"
    assert read["tx_hash"]
    # The bridge's contract has paid: nobody needs to relay any more.
    assert read["needs_relay"] is False
    assert read["bridge_transfer"]["status"] in ("delivered", "closed")
    assert api.get("/intents", status="completed").json()["total"] == 1


def test_trigger_on_a_completed_intent_names_its_status(api: Api) -> None:
    intent = api.create().json()
    pay(api, intent["intent_address"])
    let_pass(api, 2, times=20)
    answer = api.post(f"/intents/{intent['intent_address']}/trigger-processing")
    assert answer.status_code == 400
    assert answer.json() == {
        "success": False,
        "message": "Intent has invalid status: COMPLETED",
        "code": "invalid_status",
    }


def test_trigger_on_an_unfunded_intent_states_the_missing_amount(api: Api) -> None:
    intent = api.create().json()
    answer = api.post(f"/intents/{intent['intent_address']}/trigger-processing")
    assert answer.status_code == 400
    total = format_units(int(intent["total_amount_in_asset_token"]), 6)
    message = f"Intent is not funded: received 0 of {total} USDC"
    assert answer.json() == {"success": False, "message": message, "code": "intent_not_funded"}


def test_a_test_network_payment_waits_for_the_trigger(api: Api) -> None:
    intent = api.create(
        source_chain="BASE_TESTNET",
        destination_chain="ARBITRUM_TESTNET",
        tokenIn=USDC_BASE_TESTNET,
    ).json()
    address = intent["intent_address"]
    pay(api, address)
    let_pass(api, 5, times=4)
    assert status(api, address) == "PENDING"
    answer = api.post(f"/intents/{address}/trigger-processing")
    assert (answer.status_code, answer.json()) == (
        200,
        {"success": True, "message": "Intent started successfully"},
    )
    let_pass(api, 2, times=20)
    assert status(api, address) == "COMPLETED"


def test_a_refund_before_expiry_or_without_funds_is_rejected(api: Api) -> None:
    intent = api.create().json()
    path = f"/intents/{intent['intent_address']}/refund"
    early = api.post(path)
    assert (early.status_code, early.json()["success"]) == (400, False)
    assert "not expired" in early.json()["message"]
    let_pass(api, 3700, times=2)
    empty = api.post(path)
    assert (empty.status_code, empty.json()["success"]) == (400, False)
    assert "Nothing to refund" in empty.json()["message"]
    assert api.get("/intents", status="failed").json()["total"] == 1


def test_the_reason_of_a_refund_is_one_short_line_and_may_be_left_out(api: Api) -> None:
    path = f"/intents/{api.create().json()['intent_address']}/refund"
    for wrong in (7, ["x"], "two\nlines", "r" * 201, "\u202egnorw"):
        refused = api.post(path, {"reason": wrong})
        assert refused.status_code == 400
        assert refused.json()["message"] == (
            "reason must be one line of at most 200 printable characters"
        )
    unknown = api.post(path, {"cause": "Sold out"})
    assert (unknown.status_code, unknown.json()["success"]) == (400, False)
    assert unknown.json()["message"].startswith("cause is not a known field")
    for accepted in ({}, {"reason": None}, {"reason": "r" * 200}):
        assert "not expired" in api.post(path, accepted).json()["message"]


def test_a_short_deposit_is_refunded_after_expiry_and_only_once(api: Api) -> None:
    intent = api.create().json()
    pay(api, intent["intent_address"], "short")
    let_pass(api, 5, times=3)
    assert status(api, intent["intent_address"]) == "PENDING"
    let_pass(api, 3700)
    let_pass(api, 5, times=6)
    assert status(api, intent["intent_address"]) == "EXPIRED"
    again = api.post(f"/intents/{intent['intent_address']}/refund")
    assert again.status_code == 400
    assert "already refunded" in again.json()["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sandbox/deposits", {"address": "0x12", "amount": "exact"}),
        ("/sandbox/deposits", {"amount": "exact"}),
        ("/sandbox/deposits", {"address": "x", "amount": "1", "extra": 1}),
        ("/sandbox/clock", {}),
        ("/sandbox/clock", {"advanceSeconds": -1}),
        ("/sandbox/clock", {"frozen": "yes"}),
        ("/sandbox/chains/MARS/faults", {"dropNext": 1}),
        ("/sandbox/chains/BASE/faults", {"dropNext": "x"}),
        ("/sandbox/chains/BASE/faults", {"unknown": 1}),
        ("/sandbox/chains/BASE/faults", {"lie": "politely"}),
    ],
)
def test_the_sandbox_rejects_invalid_input_with_the_reason(
    api: Api, path: str, body: dict[str, Any]
) -> None:
    answer = api.post(path, body)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_faults_are_set_and_shown(api: Api) -> None:
    answer = api.post("/sandbox/chains/POLYGON/faults", {"slowBlocks": 3})
    assert answer.status_code == 200
    assert answer.json()["chain"] == "POLYGON_MAINNET"
    assert answer.json()["faults"] == {"slowBlocks": 3}
    assert api.post("/sandbox/chains/POLYGON/faults", {"slowBlocks": 0}).status_code == 200


LIES = ("forged", "chain_id", "stale", "missed_logs", "no_logs", "time_ahead", "height_ahead")


@pytest.mark.parametrize("lie", LIES)
def test_nodes_report_wrongly_what_they_are_told_to(api: Api, lie: str) -> None:
    answer = api.post("/sandbox/chains/POLYGON/faults", {"lie": lie})
    assert answer.json()["faults"] == {"lie": lie}
    assert api.post("/sandbox/chains/POLYGON/faults", {"lie": ""}).json()["faults"] == {}


def test_balances_show_the_tokens_at_an_address(api: Api) -> None:
    intent = api.create().json()
    pay(api, intent["intent_address"], "12")
    balances = api.get(f"/sandbox/balances/{intent['intent_address']}").json()
    assert [(b["chain"], b["token"], b["amount"]) for b in balances["balances"]] == [
        ("BASE_MAINNET", "USDC", "12")
    ]
    balance = api.get(f"/chains/balances/{intent['intent_address']}").json()
    assert balance["BASE_MAINNET"][0]["formatted"] == "0.000012"
