"""Unmodified clients of x402 (npm) pay payment links and shops of ours on a real chain."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_account.signers.local import LocalAccount

from crossway.domain.intent import State
from crossway.usecases.developers import clients
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from tests.chains.live import ARBITRUM
from tests.processes import PATIENCE_SECONDS, ROOT, wait_until
from tests.x402.shop import BASE_NETWORK, X402Shop, new_customer, open_x402_shop

CLIENT = Path(__file__).parent / "client.mjs"
JSON = {"Accept": "application/json"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[X402Shop]:
    if not (ROOT / "node_modules" / "@x402" / "fetch").exists():
        pytest.skip(f"@x402/fetch is not installed: run `npm install` in {ROOT}")
    with open_x402_shop(tmp_path_factory.mktemp("x402")) as opened:
        yield opened


def run_client(url: str, customer: LocalAccount) -> Any:
    """What the client got in the end."""
    key = "0x" + bytes(customer.key).hex()
    command = ["node", str(CLIENT), url, key]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def link_of(shop: X402Shop, **more: Any) -> str:
    """The URL of a payment link, whose merchant has an address for refunds."""
    hands = shop.world.hands[ARBITRUM]
    facts = {"title": "A report", "amount": "200000", "destination_chain": ARBITRUM}
    facts |= {"token_out": hands.token, "recipient": hands.wallet("the shop")}
    link = links.create(shop.world.services, shop.world.caller, LinkRequest(**(facts | more)))
    return f"{shop.url}/pay/l/{link.id}"


def set_refund_address(shop: X402Shop, address: str | None) -> None:
    addresses = {"evm": address or ""}
    change = clients.ClientUpdate(refund_addresses=addresses)
    clients.update_client(shop.world.services, "c-1", change, shop.world.operator)


def test_an_unmodified_client_pays_a_payment_link(shop: X402Shop) -> None:
    set_refund_address(shop, shop.base.wallet("refunds of the shop"))
    customer, arbitrum = new_customer(shop, "fetch"), shop.world.hands[ARBITRUM]
    before = arbitrum.balance(arbitrum.wallet("the shop"))
    told = run_client(link_of(shop), customer)
    assert (told["status"], told["body"]["paid"], told["settled"]["success"]) == (200, True, True)
    assert told["settled"]["payer"] == customer.address
    paid = 100 * 10**6 - shop.base.balance(customer.address)
    assert paid == int(told["settled"]["amount"])
    wait_until(
        "the shop is paid",
        lambda: arbitrum.balance(arbitrum.wallet("the shop")) == before + 200_000,
    )
    page = httpx.get(told["body"]["payment_url"])
    assert page.status_code == 200


def test_a_link_answers_people_with_a_page_and_programs_with_an_offer(shop: X402Shop) -> None:
    set_refund_address(shop, shop.base.wallet("refunds of the shop"))
    url = link_of(shop)
    browser = {"Accept": "text/html,application/xhtml+xml,application/json;q=0.9"}
    page = httpx.get(url, headers=browser)
    assert (page.status_code, page.headers["content-type"][:9]) == (200, "text/html")
    asked = httpx.get(url, headers=JSON)
    [offer] = asked.json()["accepts"]
    assert (asked.status_code, offer["network"]) == (402, BASE_NETWORK)
    intent = shop.intent(offer)
    assert intent.terms.refund_address == shop.base.wallet("refunds of the shop")
    assert httpx.get(f"{url}?network=eip155:1", headers=JSON).status_code == 422
    again = httpx.get(url, headers=JSON).json()["accepts"][0]
    assert again["payTo"] != offer["payTo"]
    wrong = httpx.get(url, headers={"PAYMENT-SIGNATURE": "no base64"})
    assert (wrong.status_code, wrong.json()["error"]) == (402, "invalid_payload")
    assert shop.intent(offer).state is State.PENDING


def test_a_link_asks_for_no_more_payments_than_its_form_would(shop: X402Shop) -> None:
    set_refund_address(shop, shop.base.wallet("refunds of the shop"))
    url = link_of(shop, max_uses=8)
    answers = [httpx.get(url, headers=JSON).status_code for _ in range(4)]
    assert answers == [402, 402, 429, 429]
    assert httpx.get(link_of(shop, active=False), headers=JSON).status_code == 410


def test_a_merchant_without_a_refund_address_takes_no_x402(shop: X402Shop) -> None:
    set_refund_address(shop, None)
    answer = httpx.get(link_of(shop), headers=JSON)
    assert (answer.status_code, "refund address" in answer.json()["error"]) == (422, True)
