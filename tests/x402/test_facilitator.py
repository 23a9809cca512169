"""The facilitator on a real chain: offers, verified and settled once, paid out on another chain."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from crossway.domain.intent import State
from tests.chains.anvil import RELAYER
from tests.chains.live import ARBITRUM
from tests.processes import wait_until
from tests.x402.shop import BASE_NETWORK, X402Shop, asked, new_customer, open_x402_shop, pay


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[X402Shop]:
    with open_x402_shop(tmp_path_factory.mktemp("x402")) as opened:
        yield opened


def completes(shop: X402Shop, offer: dict[str, Any]) -> None:
    """The recipient gets exactly the amount that was asked for, on the other chain."""
    wait_until("it is paid out", lambda: shop.intent(offer).state is State.COMPLETED)
    terms = shop.intent(offer).terms
    assert shop.world.hands[ARBITRUM].balance(terms.recipient) == terms.payout_amount == 200_000


def test_a_payment_is_verified_settled_and_paid_out_on_another_chain(shop: X402Shop) -> None:
    offer, customer = shop.offer("one"), new_customer(shop, "one")
    assert (offer["scheme"], offer["network"]) == ("exact", BASE_NETWORK)
    payment = pay(shop, customer, offer)
    verdict = {"isValid": True, "payer": customer.address}
    assert shop.post("verify", asked(payment)).json() == verdict
    settled = shop.post("settle", asked(payment)).json()
    assert settled.pop("transaction").startswith("0x")
    assert settled == {
        "success": True, "network": BASE_NETWORK, "payer": customer.address,
        "amount": offer["amount"],
    }  # fmt: skip
    completes(shop, offer)
    assert shop.base.balance(customer.address) == 100 * 10**6 - int(offer["amount"])


def test_an_offer_pays_for_its_own_signature(shop: X402Shop) -> None:
    """The operator gives nothing for signatures here: its quote does."""
    offer = shop.offer("dear")
    plain = shop.world.ask("plain", shop.base.chain, ARBITRUM, amount="200000")
    price = int(shop.base.rpc("eth_gasPrice"), 16)
    extra = int(offer["amount"]) - plain.terms.deposit_amount
    # At about 2,000 dollars a coin at least, half of today's gas price counted.
    assert extra > 88_665 * price // 2 * 2_000 // 10**12


def test_the_facilitator_says_what_it_settles(shop: X402Shop) -> None:
    kind = {"x402Version": 2, "scheme": "exact", "network": BASE_NETWORK}
    signers = {"eip155:*": [RELAYER]}
    assert shop.get("supported") == {"kinds": [kind], "extensions": [], "signers": signers}


def test_a_payment_is_settled_once_however_often_it_is_handed_in(shop: X402Shop) -> None:
    offer, customer = shop.offer("twice"), new_customer(shop, "twice")
    payment = pay(shop, customer, offer)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: shop.post("settle", asked(payment)).json(), range(4)))
    assert sorted(answer["success"] for answer in answers) == [False, False, False, True]
    reasons = {answer["errorReason"] for answer in answers if not answer["success"]}
    assert reasons == {"invalid_exact_evm_nonce_already_used"}
    verdict = shop.post("verify", asked(payment)).json()
    assert (verdict["isValid"], verdict["invalidReason"]) == (False, reasons.pop())
    completes(shop, offer)
    # Another signature for the same offer comes too late, too.
    other = shop.post("settle", asked(pay(shop, customer, offer, validAfter="1"))).json()
    assert (other["success"], other["transaction"]) == (False, "")
    assert shop.base.balance(customer.address) == 100 * 10**6 - int(offer["amount"])


WRONG = {
    "value": ("1", "invalid_exact_evm_payload_authorization_value_mismatch"),
    "to": (RELAYER, "invalid_exact_evm_recipient_mismatch"),
    "validBefore": ("4000000000", "invalid_exact_evm_payload_authorization_valid_before"),
    "validAfter": ("3999999999", "invalid_exact_evm_payload_authorization_valid_before"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_signed_must_be_what_was_offered(shop: X402Shop, name: str) -> None:
    value, reason = WRONG[name]
    offer, customer = shop.offer(f"wrong {name}"), new_customer(shop, f"wrong {name}")
    payment = pay(shop, customer, offer, **{name: value})
    # Whoever hands it in may say that just this was offered.
    payment["accepted"] = offer | {"amount": payment["payload"]["authorization"]["value"]}
    assert shop.post("verify", asked(payment)).json()["invalidReason"] == reason
    answer = shop.post("settle", asked(payment)).json()
    assert (answer["success"], answer["errorReason"]) == (False, reason)
    assert shop.intent(offer).state is State.PENDING


def test_words_that_were_changed_after_signing_are_refused(shop: X402Shop) -> None:
    offer, customer = shop.offer("forged"), new_customer(shop, "forged")
    payment = pay(shop, customer, offer, value="1")
    payment["payload"]["authorization"]["value"] = offer["amount"]
    verdict = shop.post("verify", asked(payment)).json()
    assert verdict["invalidReason"] == "invalid_exact_evm_signature"


def test_an_offer_of_another_client_is_unknown(shop: X402Shop) -> None:
    offer, customer = shop.offer("foreign"), new_customer(shop, "foreign")
    payment, key = pay(shop, customer, offer), shop.new_key("Another shop")
    for path, member in (("verify", "invalidReason"), ("settle", "errorReason")):
        answer = shop.post(path, asked(payment), key).json()
        assert answer[member] == "invalid_exact_evm_recipient_mismatch"
    assert shop.intent(offer).state is State.PENDING


def test_a_customer_without_money_costs_nothing(shop: X402Shop) -> None:
    offer, customer = shop.offer("poor"), new_customer(shop, "poor", 5)
    coins = shop.base.coins(RELAYER)
    answer = shop.post("settle", asked(pay(shop, customer, offer))).json()
    assert answer["errorReason"] == "invalid_exact_evm_insufficient_balance"
    assert shop.base.coins(RELAYER) == coins


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"x402Version": 1}, "invalid_x402_version"),
        ({"accepted": None}, "invalid_payload"),
        ({"accepted": {"scheme": "upto"}}, "unsupported_scheme"),
        ({"accepted": {"scheme": "exact", "network": "eip155:1"}}, "invalid_network"),
        ({"payload": []}, "invalid_payload"),
        ({"payload": {"authorization": {"from": 1}}}, "invalid_payload"),
    ],
)
def test_what_is_no_payment_of_ours_is_refused_by_its_reason(
    shop: X402Shop, change: dict[str, Any], reason: str
) -> None:
    offer = shop.offer("unreadable")
    payment = pay(shop, new_customer(shop, "unreadable"), offer) | change
    body = {"x402Version": 2, "paymentPayload": payment, "paymentRequirements": offer}
    assert shop.post("verify", body).json()["invalidReason"] == reason
    assert shop.post("settle", body).json()["errorReason"] == reason


@pytest.mark.parametrize("payment", [None, {}, {"x402Version": 2, "accepted": {"network": [1]}}])
def test_a_payment_of_another_kind_is_no_error_of_the_service(shop: X402Shop, payment: Any) -> None:
    body = {"x402Version": 2, "paymentPayload": payment}
    assert shop.post("verify", body).json()["isValid"] is False
    answer = shop.post("settle", body).json()
    assert (answer["success"], answer["network"]) == (False, "")


def test_offers_need_a_refund_address_a_route_and_a_chain_that_takes_signatures(
    shop: X402Shop,
) -> None:
    asked_for = {"amount": "1", "destination_chain": ARBITRUM, "recipient": RELAYER}
    answer = shop.post("offers", {**asked_for, "source_chains": [shop.base.chain]})
    assert (answer.status_code, "refund_address" in answer.json()["message"]) == (400, True)
    answer = shop.post("offers", {**asked_for, "source_chains": [ARBITRUM]})
    assert (answer.status_code, "takes signatures" in answer.json()["message"]) == (400, True)


def test_what_would_cost_more_than_the_payments_fees_is_not_carried_out(shop: X402Shop) -> None:
    offer, customer = shop.offer("spike"), new_customer(shop, "spike")
    payment = pay(shop, customer, offer)
    assert shop.post("verify", asked(payment)).json()["isValid"] is True

    def is_too_dear() -> bool:
        shop.base.rpc("anvil_setNextBlockBaseFeePerGas", hex(300 * 10**9))
        verified = shop.post("verify", asked(payment)).json()
        return bool(verified.get("invalidReason") == "settle_unavailable")

    wait_until("gas is seen to be dear", is_too_dear, every=1)
    answer = shop.post("settle", asked(payment)).json()
    assert (answer["success"], answer["errorReason"]) == (False, "settle_unavailable")
    assert shop.intent(offer).state is State.PENDING
