"""Quotes of Gateway by Circle's estimates, which are kept for a minute."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crossway.adapters.bridges.gateway.quotes import GatewayQuotes
from crossway.adapters.live_bridges import gateway_ends, open_gateway_apis
from crossway.adapters.live_environment import open_live_environment
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeQuote, QuoteRejected, RouteRequest
from tests.bridges.gateway_service import GatewayService, running_gateway
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW

ACCOUNT = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
BSC, ETHEREUM = "BSC_MAINNET", "ETHEREUM_MAINNET"
REQUEST = RouteRequest(BASE, ARBITRUM, 25_000_000)


@dataclass
class World:
    service: GatewayService
    quotes: GatewayQuotes
    seconds: float = 0.0

    def quote(self, request: RouteRequest = REQUEST) -> BridgeQuote:
        (answer,) = self.quotes.get_quotes([request], NOW)
        assert isinstance(answer, BridgeQuote), answer
        return answer

    def reason(self, request: RouteRequest) -> str:
        (answer,) = self.quotes.get_quotes([request], NOW)
        assert isinstance(answer, QuoteRejected), answer
        return answer.reason


@contextmanager
def opened(folder: Path, wait_seconds: float = 30.0) -> Iterator[World]:
    with running_gateway({}) as service, ThreadPoolExecutor(4) as pool:
        lines = [f'bridges = ["GATEWAY"]\n[gateway]\nurl = "{service.url}"']
        for chain in (BASE, ARBITRUM, ETHEREUM, BSC):
            lines.append(
                f'[chains.{chain}]\nrpc = ["http://127.0.0.1:9"]\nkey = "env:NO_KEY"\n'
                f'treasury = "{ACCOUNT}"\nrelayer = "{ACCOUNT}"'
            )
        path = folder / "profile.toml"
        path.write_text("\n".join(lines))
        live = open_live_environment(path, CATALOGUE, signs=False)
        apis = open_gateway_apis(live.profile.gateway)
        world = World(service, None)  # type: ignore[arg-type]
        world.quotes = GatewayQuotes(
            live.catalogue,
            gateway_ends(live),
            apis,
            pool,
            timer=lambda: world.seconds,
            wait_seconds=wait_seconds,
        )
        yield world
        world.quotes.close()
        live.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as made:
        yield made


def test_a_quote_has_circles_charge_and_says_whom_the_payer_trusts(world: World) -> None:
    quote = world.quote()
    # Half a basis point, and what Circle takes for a burn on Base.
    assert quote.details == {"pctFee": 5 * 10**13, "gasFee": "10000"}
    assert quote.fee_micro_usd == 1_250 + 10_000 + quote.network_micro_usd
    assert (quote.custody, quote.collector) == ("OPERATOR", "")
    assert (quote.fill_seconds, quote.settle_seconds) == (1, 1140)
    assert world.quote(RouteRequest(ETHEREUM, BASE, 25_000_000)).details["gasFee"] == "2000000"


def test_an_estimate_is_kept_for_a_minute_and_serves_every_amount(world: World) -> None:
    for amount in (1_000_000, 25_000_000, 777_000_000):
        world.quote(replace(REQUEST, amount_micro_usd=amount))
    assert len(world.service.requests) == 1
    world.seconds, world.service.gas_factor = 61.0, 2
    assert world.quote().details["gasFee"] == "20000"


def test_what_gateway_does_not_carry_is_refused_without_asking(world: World) -> None:
    assert "GATEWAY carries USDC only" in world.reason(
        RouteRequest(BASE, ARBITRUM, 25_000_000, "USDT", "USDT")
    )
    assert "does not support" in world.reason(RouteRequest(BASE, BSC, 25_000_000))
    assert world.service.requests == []


def test_without_an_answer_there_is_no_quote(world: World) -> None:
    world.service.silent = True
    with pytest.raises(Unreachable, match="Circle Gateway did not respond"):
        world.quote()


def test_a_charge_far_above_the_documented_one_is_not_quoted(world: World) -> None:
    world.service.gas_factor = 100
    with pytest.raises(Unreachable, match="far above what it documents"):
        world.quote()


def test_a_refusal_to_estimate_is_told(world: World) -> None:
    world.service.status, world.service.body = 400, b'{"message": "not today"}'
    with pytest.raises(Unreachable, match="refuses to estimate its fee: not today"):
        world.quote()
