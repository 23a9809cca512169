"""A payment from its creation to its end, all over HTTP (service.md §7, §9; wire.md §7)."""

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
    found: str = api.get(f"/intents/address/{address}").json()["intent_status"]
    return found


def let_pass(api: Api, seconds: float, times: int = 1) -> None:
    for _ in range(times):
        assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
        api.tick()


def test_an_exact_deposit_completes_the_intent(api: Api) -> None:
    made = api.create().json()
    sent = pay(api, made["intent_address"])
    assert set(sent) == {"txHash", "chain", "block"}
    assert sent["chain"] == "BASE_MAINNET"
    let_pass(api, 5, times=8)
    read = api.get(f"/intents/address/{made['intent_address']}").json()
    assert read["intent_status"] == "COMPLETED"
    assert read["tx_hash"]
    assert read["needs_relay"] is True
    assert api.get("/intents", status="completed").json()["total"] == 1


def test_trigger_on_a_completed_intent_names_its_status(api: Api) -> None:
    made = api.create().json()
    pay(api, made["intent_address"])
    let_pass(api, 5, times=8)
    answer = api.post(f"/intents/{made['intent_address']}/trigger-processing")
    assert answer.status_code == 400
    assert answer.json() == {
        "success": False,
        "message": "Intent has invalid status: COMPLETED",
    }


def test_trigger_on_an_unfunded_intent_says_what_is_missing(api: Api) -> None:
    made = api.create().json()
    answer = api.post(f"/intents/{made['intent_address']}/trigger-processing")
    assert answer.status_code == 400
    total = format_units(int(made["total_amount_in_asset_token"]), 6)
    message = f"Intent is not funded: received 0 of {total} USDC"
    assert answer.json() == {"success": False, "message": message}


def test_on_a_test_network_nothing_happens_until_it_is_triggered(api: Api) -> None:
    made = api.create(
        source_chain="BASE_TESTNET",
        destination_chain="ARBITRUM_TESTNET",
        tokenIn=USDC_BASE_TESTNET,
    ).json()
    address = made["intent_address"]
    pay(api, address)
    let_pass(api, 5, times=4)
    assert status(api, address) == "PENDING"
    answer = api.post(f"/intents/{address}/trigger-processing")
    assert (answer.status_code, answer.json()) == (
        200,
        {"success": True, "message": "Intent started successfully"},
    )
    let_pass(api, 5, times=8)
    assert status(api, address) == "COMPLETED"


def test_a_refund_before_expiry_and_one_of_nothing_are_refused(api: Api) -> None:
    made = api.create().json()
    path = f"/intents/{made['intent_address']}/refund"
    early = api.post(path)
    assert (early.status_code, early.json()["success"]) == (400, False)
    assert "not expired" in early.json()["message"]
    let_pass(api, 3700, times=2)
    empty = api.post(path)
    assert (empty.status_code, empty.json()["success"]) == (400, False)
    assert "Nothing to refund" in empty.json()["message"]
    assert api.get("/intents", status="failed").json()["total"] == 1


def test_a_short_deposit_is_refunded_after_expiry_and_only_once(api: Api) -> None:
    made = api.create().json()
    pay(api, made["intent_address"], "short")
    let_pass(api, 5, times=3)
    assert status(api, made["intent_address"]) == "PENDING"
    let_pass(api, 3700)
    let_pass(api, 5, times=6)
    assert status(api, made["intent_address"]) == "EXPIRED"
    again = api.post(f"/intents/{made['intent_address']}/refund")
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
    ],
)
def test_the_sandbox_refuses_nonsense_in_words(api: Api, path: str, body: dict[str, Any]) -> None:
    answer = api.post(path, body)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_faults_are_switched_and_shown(api: Api) -> None:
    answer = api.post("/sandbox/chains/POLYGON/faults", {"slowBlocks": 3})
    assert answer.status_code == 200
    assert answer.json()["chain"] == "POLYGON_MAINNET"
    assert api.post("/sandbox/chains/POLYGON/faults", {"slowBlocks": 0}).status_code == 200


def test_balances_show_what_lies_at_an_address(api: Api) -> None:
    made = api.create().json()
    pay(api, made["intent_address"], "12")
    held = api.get(f"/sandbox/balances/{made['intent_address']}").json()
    assert [(b["chain"], b["token"], b["amount"]) for b in held["balances"]] == [
        ("BASE_MAINNET", "USDC", "12")
    ]
    shown = api.get(f"/chains/balances/{made['intent_address']}").json()
    on_base = next(b for b in shown["balances"] if b["chain"] == "BASE_MAINNET")
    assert on_base["tokens"][0]["amountFormatted"] == "0.000012"
