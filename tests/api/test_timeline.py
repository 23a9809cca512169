"""The timeline of an intent over HTTP: its steps, what is next, and whose it is."""

from typing import Any

from crossway.domain.clients import Mode
from tests.api.conftest import USDC_BASE, Api, new_key


def story(api: Api, intent: Any) -> Any:
    answer = api.get(f"/intents/{intent['id']}/timeline")
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(told: Any) -> list[str]:
    return [step["name"] for step in told["steps"]]


def run(api: Api, intent: Any, status: str) -> None:
    for _ in range(60):
        if api.get(f"/intents/{intent['id']}").json()["intent_status"] == status:
            return
        api.post("/sandbox/clock", {"advanceSeconds": 30})
        api.tick()
    raise AssertionError(f"never {status}")


def test_a_new_intent_waits_for_its_payer(api: Api) -> None:
    intent = api.create().json()
    told = story(api, intent)
    [created] = told["steps"]
    assert (created["name"], created["at"]) == ("created", intent["created_at"])
    assert created["amount"]["amount"] == intent["total_amount_in_asset_token"]
    assert created["amount"]["token"] == USDC_BASE
    assert told["next_step"]["sentence"].startswith("Payer: send")
    assert told["next_step"]["due_at"] == intent["expires_at"]
    assert (told["intent_id"], told["intent_status"], told["truncated"]) == (
        intent["id"], "PENDING", False,
    )  # fmt: skip


def test_a_paid_intent_tells_how_it_was_paid(api: Api) -> None:
    intent = api.create().json()
    sent = api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
    run(api, intent, "COMPLETED")
    told = story(api, intent)
    assert names(told)[:3] == ["created", "deposit_credited", "funded"]
    assert names(told)[-1] in {"paid_out", "delivery_final"}
    deposit = told["steps"][1]
    assert (deposit["chain"], deposit["tx"]) == ("BASE_MAINNET", sent.json()["txHash"])
    paid = next(step for step in told["steps"] if step["name"] == "paid_out")
    assert (paid["chain"], paid["amount"]["formatted"]) == ("ARBITRUM_MAINNET", "25 USDC")
    assert paid["tx"]
    times = [step["at"] for step in told["steps"]]
    assert times == sorted(times)
    assert told["next_step"] is None


def test_what_was_paid_too_much_is_told_to_the_unit(api: Api) -> None:
    intent = api.create().json()
    due = int(intent["total_amount_in_asset_token"])
    api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": str(due + 77)})
    run(api, intent, "COMPLETED")
    told = story(api, intent)
    [step] = [step for step in told["steps"] if step["name"] == "excess_returned"]
    assert step["amount"]["amount"] == "77"
    assert step["sentence"] == "0.000077 USDC more than was due went back to the refund address."
    start = next(s for s in told["steps"] if s["name"] in {"started", "sent_over_bridge"})
    assert step["tx"] == start["tx"]


def test_an_expired_intent_tells_of_its_refund(api: Api) -> None:
    intent = api.create().json()
    api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "1000000"})
    api.post("/sandbox/clock", {"advanceSeconds": 7_200})
    for _ in range(60):
        told = story(api, intent)
        if "refunded" in names(told):
            break
        api.post("/sandbox/clock", {"advanceSeconds": 30})
        api.tick()
    assert {"deposit_credited", "deposit_late"} & set(names(told))
    refund = told["steps"][-1]
    assert (refund["name"], refund["chain"]) == ("refunded", "BASE_MAINNET")
    assert refund["tx"]
    assert "refund address on Base" in refund["sentence"]


def test_a_deposit_of_another_token_is_told(api: Api) -> None:
    intent = api.create().json()
    tokens = api.get("/chains/BASE_MAINNET/tokens").json()
    other = next(one for one in tokens if one["symbol"] not in {"USDC", "ETH"})
    api.post(
        "/sandbox/deposits",
        {"address": intent["intent_address"], "amount": "1000000", "token": other["symbol"]},
    )
    for _ in range(20):
        api.post("/sandbox/clock", {"advanceSeconds": 10})
        api.tick()
        if "deposit_wrong_token" in names(story(api, intent)):
            break
    step = next(s for s in story(api, intent)["steps"] if s["name"] == "deposit_wrong_token")
    assert step["amount"]["symbol"] == other["symbol"]
    assert "this payment takes USDC" in step["sentence"]


def test_nobody_else_reads_it(api: Api) -> None:
    intent = api.create().json()
    for key in (new_key(api.service), new_key(api.service, Mode.LIVE)):
        other = Api(api.http, api.service, *key)
        assert other.get(f"/intents/{intent['id']}/timeline").status_code == 404
