"""wire.md §1, live key and test network: a live key names no token of a test network anywhere."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode
from tests.api.conftest import INTENT, USDC_ARBITRUM, USDC_BASE, WALLET, Api, new_key

LIVE_MESSAGE = "A live key cannot be used with test networks"
USDC_BASE_TESTNET = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
USDC_SOLANA_TESTNET = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
QUOTE = {
    "tokenIn": USDC_BASE,
    "tokenOut": USDC_ARBITRUM,
    "sourceChain": "BASE_MAINNET",
    "destinationChain": "ARBITRUM_MAINNET",
    "amount": "25000000",
}
MULTI_SOURCE = {"destinationChain": "BASE_MAINNET", "amount": "25", "tokenOut": USDC_BASE}
LINK = {"title": "Coffee", "destination_chain": "BASE_MAINNET", "recipient": WALLET}
DEPOSIT = {"address": WALLET, "amount": "5", "chain": "BASE_MAINNET", "token": "USDC"}
REQUESTS: list[tuple[str, str, dict[str, str], str]] = [
    ("POST", "/intents", INTENT, "tokenIn"),
    ("POST", "/intents", INTENT, "tokenOut"),
    ("GET", "/quotes/single", {**QUOTE, "bridge": "CCTP"}, "tokenIn"),
    ("GET", "/quotes/single", {**QUOTE, "bridge": "CCTP"}, "tokenOut"),
    ("GET", "/quotes/multiple", QUOTE, "tokenIn"),
    ("GET", "/quotes/best", QUOTE, "tokenOut"),
    ("GET", "/router/optimal-route", QUOTE, "tokenIn"),
    ("GET", "/quotes/multi-source", MULTI_SOURCE, "tokenOut"),
    ("POST", "/payment-links", LINK, "token_out"),
    ("POST", "/sandbox/deposits", DEPOSIT, "token"),
]


@pytest.fixture
def live(http: TestClient, service: Service) -> Api:
    return Api(http, service, *new_key(service, Mode.LIVE))


@pytest.mark.parametrize("address", [USDC_BASE_TESTNET, USDC_SOLANA_TESTNET])
@pytest.mark.parametrize(("method", "path", "fields", "name"), REQUESTS)
def test_a_live_key_names_no_token_of_a_test_network(
    live: Api, method: str, path: str, fields: dict[str, str], name: str, address: str
) -> None:
    named = {**fields, name: address}
    answer = live.get(path, **named) if method == "GET" else live.post(path, named)
    assert answer.status_code == 400
    assert answer.json()["message"] == LIVE_MESSAGE
    assert answer.json()["code"] == "live_key_on_test_network"
    assert answer.json()["param"] == name


def test_a_token_of_main_networks_too_is_no_test_token(live: Api) -> None:
    """Starknet's ether has one address on both networks."""
    ether = "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
    query = {**MULTI_SOURCE, "destinationChain": "STARKNET_MAINNET", "amount": "0.01"}
    assert live.get("/quotes/multi-source", **{**query, "tokenOut": ether}).status_code == 200


def test_every_field_that_names_a_test_network_is_said_and_the_sentence_once(live: Api) -> None:
    chains: dict[str, Any] = {
        "source_chain": "BASE_TESTNET",
        "destination_chain": "ARBITRUM_TESTNET",
    }
    answer = live.create(**chains, amount="0")
    assert answer.json()["message"] == f"{LIVE_MESSAGE}; amount must be greater than zero"
    assert answer.json()["params"] == ["amount", "source_chain", "destination_chain"]
