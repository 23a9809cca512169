"""wire.md §2, POST /intents: a route's limits hold within one chain too."""

from typing import Any

import pytest

from tests.api.conftest import USDC_BASE, Api

ROUTE = {
    "tokenIn": USDC_BASE, "tokenOut": USDC_BASE, "sourceChain": "BASE_MAINNET",
    "destinationChain": "BASE_MAINNET",
}  # fmt: skip
TOO_LITTLE = "amount: a payment within one chain takes at least 0.01 USD"
TOO_MUCH = "amount: a payment within one chain takes at most 1000000 USD"
LIMITS = [
    ("9999", TOO_LITTLE), ("10000", ""), ("1000000000000", ""), ("1000000000001", TOO_MUCH),
    ("1" + "0" * 40, TOO_MUCH),
]  # fmt: skip


def refusal(answer: Any) -> str:
    """The message of a 400, empty for a success."""
    assert answer.status_code in (200, 201, 400), answer.text
    return str(answer.json()["message"]) if answer.status_code == 400 else ""


@pytest.mark.parametrize(("amount", "expected"), LIMITS)
def test_an_intent_within_one_chain_has_limits(api: Api, amount: str, expected: str) -> None:
    assert refusal(api.create(destination_chain="BASE_MAINNET", amount=amount)) == expected


@pytest.mark.parametrize(("amount", "expected"), LIMITS)
def test_quotes_within_one_chain_have_limits(api: Api, amount: str, expected: str) -> None:
    for path in ("/quotes/best", "/quotes/multiple", "/router/optimal-route"):
        assert refusal(api.get(path, **ROUTE, amount=amount)) == expected


def test_a_multi_source_quote_leaves_out_a_chain_beyond_its_limits(api: Api) -> None:
    def sources(amount: str) -> set[str]:
        params = {"destinationChain": "BASE_MAINNET", "tokenOut": USDC_BASE, "amount": amount}
        quotes = api.get("/quotes/multi-source", **params).json()["quotes"]
        return {quote["sourceChain"] for quote in quotes}

    assert "BASE_MAINNET" in sources("0.01")
    assert "BASE_MAINNET" in sources("1000000")
    assert "BASE_MAINNET" not in sources("1000001")
    assert sources("1000001"), "bridges carry it"
    assert sources("0.009") == set()
