"""Both clients against the API behind a real port."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from crossway.bootstrap import Service
from crossway_client import BadRequest, Crossway, Intent, NotFound, Unauthorized
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, new_key


def create(crossway: Crossway, **changes: object) -> Intent:
    params: dict[str, object] = {
        "amount": 25_000_000,
        "token_in": USDC_BASE,
        "source_chain": "BASE_MAINNET",
        "destination_chain": "ARBITRUM_MAINNET",
        "recipient": WALLET,
        "sender": WALLET,
    }
    return crossway.intents.create(**{**params, **changes})  # type: ignore[arg-type]


def test_a_payment_is_created_and_found_by_number_and_by_address(crossway: Crossway) -> None:
    created = create(crossway, metadata={"order": "A-1"})
    assert created.intent_status == "PENDING"
    assert created.total_amount_in_asset_token > 25_000_000
    assert created.amount_to_deposit == Decimal(created.total_amount_in_asset_token) / 1_000_000
    assert crossway.intents.get(created.id).intent_address == created.intent_address
    assert crossway.intents.get(created.intent_address).metadata == {"order": "A-1"}


def test_the_same_idempotency_key_makes_one_payment(crossway: Crossway) -> None:
    first = create(crossway, idempotency_key="order A-2")
    assert create(crossway, idempotency_key="order A-2").id == first.id


def test_a_list_walks_through_every_page(crossway: Crossway) -> None:
    ids = [create(crossway).id for _ in range(7)]
    assert [intent.id for intent in crossway.intents.list(page_size=3)] == ids[::-1]
    assert [intent.id for intent in crossway.intents.list()] == ids[::-1]
    assert list(crossway.intents.list(status="completed")) == []


def test_a_watch_ends_with_the_payment(service: Service, url: str, connect: Any) -> None:
    secret = new_key(service)[2]

    def later(seconds: float) -> None:
        with Crossway(secret, url) as simulator:
            simulator.sandbox.set_clock(advance_seconds=2)
        service.engine.tick()

    with connect(secret, url, sleep=later) as crossway:
        created = create(crossway)
        crossway.sandbox.deposit(created.intent_address)
        statuses = [intent.intent_status for intent in crossway.intents.watch(created.id)]
    assert statuses[0] == "PENDING"
    assert statuses[-1] == "COMPLETED"


def test_quotes_are_typed(crossway: Crossway) -> None:
    quotes = crossway.quotes.multi_source(
        destination_chain="ARBITRUM_MAINNET",
        amount="25.5",
        token_out=USDC_ARBITRUM,
        exclude_chains=["ETHEREUM_MAINNET"],
    )
    assert quotes.cheapest_option is not None
    assert quotes.cheapest_option.total_fee == min(option.total_fee for option in quotes.quotes)
    assert "ETHEREUM_MAINNET" not in {option.source_chain for option in quotes.quotes}
    best = crossway.quotes.best(
        token_in=USDC_BASE,
        token_out=USDC_ARBITRUM,
        source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET",
        amount=25_000_000,
    )
    assert best.deposit_amount >= 25_000_000 + best.total_fee
    assert (
        crossway.quotes.single(
            best.route.bridge or "",
            token_in=USDC_BASE,
            token_out=USDC_ARBITRUM,
            source_chain="BASE_MAINNET",
            destination_chain="ARBITRUM_MAINNET",
            amount=25_000_000,
        ).total_fee
        == best.total_fee
    )
    every = crossway.quotes.multiple(
        token_in=USDC_BASE,
        token_out=USDC_ARBITRUM,
        source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET",
        amount=25_000_000,
        exclude_bridges=["RHINOFI"],
    )
    assert quotes.quotes[0].response_json["totalFee"] == str(quotes.quotes[0].total_fee)
    assert best.route.bridge in {quote.route.bridge for quote in every}
    assert "RHINOFI" not in {quote.route.bridge for quote in every}
    assert {q.custody for q in every if q.route.bridge == "GATEWAY"} == {"OPERATOR"}


def test_errors_are_exceptions(crossway: Crossway, url: str, connect: Any) -> None:
    with pytest.raises(BadRequest, match="amount"):
        create(crossway, amount=0)
    with pytest.raises(NotFound, match="Intent not found"):
        crossway.intents.get(WALLET)
    with pytest.raises(BadRequest, match="not funded"):
        crossway.intents.trigger(create(crossway).intent_address)
    with pytest.raises(NotFound):
        crossway.intents.get("0x/../../chains?a=b")
    with connect("cr_test_wrong", url) as stranger, pytest.raises(Unauthorized):
        stranger.chains.list()


def test_chains_are_listed(crossway: Crossway) -> None:
    assert "BASE_MAINNET" in crossway.chains.list("mainnet")
    assert "BASE_MAINNET" not in crossway.chains.list("testnet")
    tokens = {token.symbol: token for token in crossway.chains.tokens("BASE_MAINNET")}
    assert (tokens["USDC"].address, tokens["USDC"].decimals) == (USDC_BASE, 6)
    assert crossway.chains.all_tokens()["BASE_MAINNET"] == list(tokens.values())


def test_bridges_and_their_routes_are_listed(crossway: Crossway) -> None:
    bridges = crossway.router.bridges()
    assert bridges.metadata.total_bridges == len(bridges.bridges)
    between = crossway.router.bridges_between("BASE_MAINNET", "ARBITRUM_MAINNET")
    assert "ACROSS" in between.supported_bridges
    routes = crossway.router.routes_of("ACROSS")
    assert routes.bridge_info.route_count == len(routes.supported_routes)


def test_the_timeline_of_a_payment_is_typed_and_it_is_found(crossway: Crossway) -> None:
    created = create(crossway, metadata={"order": "found-me"})
    timeline = crossway.intents.timeline(created.id)
    assert (timeline.intent_id, timeline.steps[0].at.tzinfo) == (created.id, UTC)
    found = crossway.search.find("found-me")
    assert [(result.type, result.id) for result in found.results] == [("intent", created.id)]
    assert crossway.search.find("nobody@example.com").results == ()


def test_lists_are_filtered_and_expanded(crossway: Crossway) -> None:
    created = create(crossway, metadata={"order": "A-7"})
    create(crossway)
    [found] = crossway.intents.list(
        reference="A-7", created_after=date(2020, 1, 1), expand=["order", "deliveries"]
    )
    assert (found.id, found.order, found.deliveries) == (created.id, None, ())
    later = datetime.now(UTC) + timedelta(days=365)
    assert list(crossway.intents.list(created_after=later)) == []
    with pytest.raises(ValueError, match="needs a time zone"):
        next(crossway.intents.list(created_before=later.replace(tzinfo=None)))


def test_a_list_is_exported_to_a_file(service: Service, url: str, connect: Any) -> None:
    secret = new_key(service)[2]
    with connect(secret, url, sleep=lambda seconds: service.engine.tick()) as crossway:
        created = create(crossway)
        asked = crossway.exports.create("intents", format="json", filters={"status": "pending"})
        with pytest.raises(ValueError, match="has no file"):
            next(crossway.exports.download(asked))
        *_, export = crossway.exports.watch(asked.id)
        assert (export.status, export.rows, export.progress) == ("completed", 1, 100)
        [row] = json.loads(b"".join(crossway.exports.download(export)))
        assert created.intent_address in row.values()
        assert [found.id for found in crossway.exports.list()] == [export.id]
        crossway.exports.delete(export.id)
        with pytest.raises(NotFound):
            list(crossway.exports.download(export))


def test_what_the_client_has_no_method_for_can_be_requested(crossway: Crossway) -> None:
    listed = crossway.request("get", "/chains", query={"network": "mainnet"})
    assert "BASE_MAINNET" in listed


def test_an_expired_payment_is_refunded(crossway: Crossway, service: Service) -> None:
    created = create(crossway)
    assert crossway.intents.destination_address(created.intent_address).destination_address
    with pytest.raises(BadRequest, match="not expired") as refused:
        crossway.intents.refund(created.intent_address)
    assert refused.value.body["success"] is False
    held = crossway.sandbox.balances(WALLET)
    assert {balance.chain for balance in held.balances} <= set(crossway.chains.list())
