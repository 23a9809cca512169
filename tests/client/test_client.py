"""The client against the API behind a real port."""

from decimal import Decimal

import pytest

from crossway.bootstrap import Service
from crossway.client import Crossway
from crossway.client.errors import BadRequest, NotFound, Unauthorized
from crossway.client.intents import PAGE
from crossway.client.records import Intent
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET


def create(crossway: Crossway, **changes: object) -> Intent:
    asked: dict[str, object] = {
        "amount": 25_000_000,
        "token_in": USDC_BASE,
        "source_chain": "BASE_MAINNET",
        "destination_chain": "ARBITRUM_MAINNET",
        "recipient": WALLET,
        "sender": WALLET,
    }
    return crossway.intents.create(**{**asked, **changes})  # type: ignore[arg-type]


def test_a_payment_is_created_and_found_by_number_and_by_address(crossway: Crossway) -> None:
    made = create(crossway, metadata={"order": "A-1"})
    assert made.intent_status == "PENDING"
    assert made.total_amount_in_asset_token > 25_000_000
    assert made.amount_to_deposit == Decimal(made.total_amount_in_asset_token) / 1_000_000
    assert crossway.intents.get(made.id).intent_address == made.intent_address
    assert crossway.intents.get(made.intent_address).metadata == {"order": "A-1"}


def test_the_same_idempotency_key_makes_one_payment(crossway: Crossway) -> None:
    first = create(crossway, idempotency_key="order A-2")
    assert create(crossway, idempotency_key="order A-2").id == first.id


def test_a_list_walks_through_every_page(crossway: Crossway) -> None:
    made = [create(crossway).id for _ in range(PAGE + 3)]
    assert [intent.id for intent in crossway.intents.list()] == made[::-1]
    assert list(crossway.intents.list(status="completed")) == []


def test_a_watch_ends_with_the_payment(crossway: Crossway, service: Service) -> None:
    made = create(crossway)
    crossway.calls.post("/sandbox/deposits", {"address": made.intent_address, "amount": "exact"})

    def later(seconds: float) -> None:
        crossway.calls.post("/sandbox/clock", {"advanceSeconds": 2})
        service.engine.tick()

    seen = [intent.intent_status for intent in crossway.intents.watch(made.id, sleep=later)]
    assert seen[0] == "PENDING"
    assert seen[-1] == "COMPLETED"


def test_quotes_come_typed(crossway: Crossway) -> None:
    found = crossway.quotes.multi_source(
        destination_chain="ARBITRUM_MAINNET", amount="25.5", token_out=USDC_ARBITRUM,
        exclude_chains=["ETHEREUM_MAINNET"],
    )  # fmt: skip
    assert found.cheapest_option is not None
    assert found.cheapest_option.total_fee == min(option.total_fee for option in found.quotes)
    assert "ETHEREUM_MAINNET" not in {option.source_chain for option in found.quotes}
    best = crossway.quotes.best(
        token_in=USDC_BASE, token_out=USDC_ARBITRUM, source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET", amount=25_000_000,
    )  # fmt: skip
    assert best.deposit_amount >= 25_000_000 + best.total_fee
    assert crossway.quotes.single(
        best.route.bridge or "", token_in=USDC_BASE, token_out=USDC_ARBITRUM,
        source_chain="BASE_MAINNET", destination_chain="ARBITRUM_MAINNET", amount=25_000_000,
    ).total_fee == best.total_fee  # fmt: skip
    every = crossway.quotes.multiple(
        token_in=USDC_BASE, token_out=USDC_ARBITRUM, source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET", amount=25_000_000, exclude_bridges=["RHINOFI"],
    )  # fmt: skip
    assert best.route.bridge in {quote.route.bridge for quote in every}
    assert "RHINOFI" not in {quote.route.bridge for quote in every}


def test_refusals_are_exceptions(crossway: Crossway, url: str) -> None:
    with pytest.raises(BadRequest, match="amount"):
        create(crossway, amount=0)
    with pytest.raises(NotFound, match="Intent not found"):
        crossway.intents.get(WALLET)
    with pytest.raises(BadRequest, match="not funded"):
        crossway.intents.trigger_processing(create(crossway).intent_address)
    with pytest.raises(NotFound):
        crossway.intents.get("0x/../../chains?a=b")
    with Crossway("cr_test_wrong", url) as stranger, pytest.raises(Unauthorized):
        stranger.chains()


def test_chains_are_listed(crossway: Crossway) -> None:
    assert "BASE_MAINNET" in crossway.chains("mainnet")
    assert "BASE_MAINNET" not in crossway.chains("testnet")


def test_what_belongs_to_a_key_and_a_chain_is_known(crossway: Crossway) -> None:
    assert crossway.client_info().mode == "test"
    tokens = {token.symbol: token for token in crossway.tokens("BASE_MAINNET")}
    assert (tokens["USDC"].address, tokens["USDC"].decimals) == (USDC_BASE, 6)
    made = create(crossway)
    assert [one.id for one in crossway.intents.list_by_sender(WALLET)] == [made.id]
