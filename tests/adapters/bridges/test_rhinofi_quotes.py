"""Quotes of rhino.fi by its own prices, from a service of ours."""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from crossway.adapters.bridges.live_models import live_models
from crossway.adapters.bridges.rhinofi.api import RhinofiApi
from crossway.adapters.bridges.rhinofi.networks import bridge_contracts, carried_symbols
from crossway.adapters.bridges.rhinofi.quotes import RhinofiQuotes
from crossway.adapters.bridges.rhinofi.transfer_quotes import TransferQuotes
from crossway.adapters.bridges.service_limits import ServiceLimits
from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.money import Price
from crossway.domain.quotes import (
    BridgeQuote,
    BridgeUnavailable,
    QuoteRejected,
    RouteRequest,
)
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW
from tests.bridges.rhinofi_service import KEY, RhinofiService, listed, running_rhinofi

BSC, ETHEREUM, AVALANCHE = "BSC_MAINNET", "ETHEREUM_MAINNET", "AVALANCHE_MAINNET"
ACCOUNT = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
PRICES = {"USDC": 10**12, "USDT": 10**12, "WBTC": 100_000 * 10**12}
THOUSAND = 1_000_000_000
QUOTE_PATH = "/bridge/quote/bridge-swap/user"


@dataclass
class Prices:
    """Prices in pico-USD that a test changes."""

    pico_usd: dict[str, int]

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        return FixedPrices(self.pico_usd, NOW).get_usd_prices(symbols)

    def max_age_seconds(self) -> float | None:
        return None


@dataclass
class World:
    """Quotes at a time that a test says."""

    service: RhinofiService
    quotes: RhinofiQuotes
    prices: dict[str, int]
    now: datetime = NOW

    def answer(self, request: RouteRequest) -> BridgeQuote | QuoteRejected:
        (answer,) = self.quotes.get_quotes([request], self.now)
        return answer

    def ask(self, source: str, to: str, micro_usd: int, symbol: str = "USDC") -> BridgeQuote:
        answer = self.answer(RouteRequest(source, to, micro_usd, symbol, symbol))
        assert isinstance(answer, BridgeQuote), answer
        return answer

    def refused(self, source: str, to: str, micro_usd: int, symbol: str = "USDC") -> str:
        answer = self.answer(RouteRequest(source, to, micro_usd, symbol, symbol))
        assert isinstance(answer, QuoteRejected), answer
        return answer.reason

    def exchange(self, paid: str, received: str) -> BridgeQuote:
        answer = self.answer(RouteRequest(BASE, ARBITRUM, THOUSAND, paid, received))
        assert isinstance(answer, BridgeQuote), answer
        return answer

    def asked(self) -> int:
        return sum(path == QUOTE_PATH for _, path, _ in self.service.requests)


@pytest.fixture
def world() -> Iterator[World]:
    chains = {f"CHAIN_{number}": listed(c) for number, c in enumerate(bridge_contracts())}
    with running_rhinofi(chains=chains, now=lambda: NOW) as service:
        limits = ServiceLimits(30, requests_per_second=1_000, pause_seconds=30, cache_seconds=60)
        api = RhinofiApi(service.url, limits, KEY)
        transfer_quotes = TransferQuotes(api, dict.fromkeys(bridge_contracts(), ACCOUNT))
        executor, prices = ThreadPoolExecutor(4), Prices(dict(PRICES))
        # A busy machine answers late.
        quotes = RhinofiQuotes(
            CATALOGUE, list(CATALOGUE.chains), transfer_quotes, prices, executor, wait_seconds=30
        )
        yield World(service, quotes, prices.pico_usd)
        quotes.close()
        api.close()


def test_a_quote_is_what_the_service_asks_and_the_payer_trusts_the_operator(world: World) -> None:
    quote = world.ask(BASE, ARBITRUM, THOUSAND)
    assert (quote.custody, quote.collector) == (Custody.OPERATOR, "")
    # 8 basis points of 1,000 USDC, and 0.02 USDC.
    assert quote.fee_micro_usd - quote.network_micro_usd == 820_000
    assert quote.details == {"pctFee": 8 * 10**14, "gasFee": "20000", "vaultId": 4}
    assert int(quote.extra_data[2:66], 16) == 8 * 10**14
    assert (quote.fill_seconds, quote.settle_seconds) == (15, 60)
    costs = [CATALOGUE.chains[chain].transfer_cost_micro_usd for chain in (BASE, ARBITRUM)]
    assert quote.network_micro_usd == costs[0] + 2 * costs[1]
    (body,) = [body for _, path, body in world.service.requests if path == QUOTE_PATH]
    assert body == {
        "chainIn": "CHAIN_3",
        "chainOut": "CHAIN_1",
        "tokenIn": "USDC",
        "tokenOut": "USDC",
        "amount": "1000",
        "mode": "receive",
        "depositor": ACCOUNT,
        "recipient": ACCOUNT,
        "refundAddress": ACCOUNT,
        "amountNative": "0",
    }
    assert not any(bridged.committed for bridged in world.service.bridged.values())


def test_tokens_are_counted_in_the_units_of_their_chain(world: World) -> None:
    # USDC has 18 decimals there.
    for source, to in ((BSC, BASE), (BASE, BSC)):
        quote = world.ask(source, to, THOUSAND)
        assert quote.fee_micro_usd - quote.network_micro_usd == 820_000
    world.service.gas, world.service.share = Decimal("0.00000001"), Decimal("0.001")
    quote = world.ask(ARBITRUM, ETHEREUM, THOUSAND, "WBTC")
    assert quote.fee_micro_usd - quote.network_micro_usd == 1_001_000


def test_a_quote_is_used_until_it_expires(world: World) -> None:
    world.ask(BASE, ARBITRUM, THOUSAND)
    world.now = NOW + timedelta(seconds=279)
    world.ask(BASE, ARBITRUM, THOUSAND)
    assert world.asked() == 1
    # Our margin before the service's five minutes are over.
    world.now = NOW + timedelta(seconds=280)
    world.ask(BASE, ARBITRUM, THOUSAND)
    assert world.asked() == 2
    world.ask(BASE, ARBITRUM, THOUSAND + 1)
    assert world.asked() == 3


def test_each_token_is_carried_as_itself_where_rhinofi_and_the_catalogue_have_it(
    world: World,
) -> None:
    routes = {(r.source, r.destination): r.symbols for r in world.quotes.routes()}
    assert {chain for pair in routes for chain in pair} == set(bridge_contracts())
    assert routes[ETHEREUM, AVALANCHE] == {"USDC", "USDT"}
    assert routes[BASE, ARBITRUM] == {"USDC", "USDT", "WBTC"}
    # Native coins are no tokens, and nothing reaches these.
    for chain in ("HYPEREVM_MAINNET", "MONAD_MAINNET", "LISK_MAINNET", "TRON_MAINNET"):
        assert chain not in carried_symbols(CATALOGUE, [chain])
    assert "does not carry ETH" in world.refused(BASE, ARBITRUM, THOUSAND, "ETH")
    assert world.asked() == 0


@pytest.mark.parametrize(
    ("code", "kind", "param"),
    [
        ("WithdrawLimitReached", QuoteRejected, "amount"),
        ("NoRouteFoundError", QuoteRejected, "tokenIn"),
        # Nothing is known of the price, so a model's may be shown.
        ("InvalidRequest", BridgeUnavailable, ""),
    ],
)
def test_a_refusal_is_passed_on(code: str, kind: type, param: str, world: World) -> None:
    world.ask(BASE, ARBITRUM, THOUSAND)
    world.service.refusal = 422, {"_tag": code, "message": "too much"}
    requests = [RouteRequest(BASE, ARBITRUM, amount) for amount in (THOUSAND, 2 * THOUSAND)]
    kept, refused = world.quotes.get_quotes(requests, NOW)
    assert isinstance(kept, BridgeQuote)
    assert isinstance(refused, QuoteRejected)
    words = f"rhino.fi refused: {code}: too much"
    assert (type(refused), refused.reason, refused.param) == (kind, words, param)


def test_its_model_estimates_what_the_service_serves_and_nothing_else(world: World) -> None:
    model = live_models(CATALOGUE, [world.quotes])["RHINOFI"]
    requests = [RouteRequest(BASE, ARBITRUM, THOUSAND, paid, "USDC") for paid in ("USDC", "USDT")]
    for request, estimate in zip(requests, model.get_quotes(requests, NOW), strict=True):
        live = world.answer(request)
        assert isinstance(live, BridgeQuote)
        assert isinstance(estimate, BridgeQuote)
        assert estimate.custody is live.custody
        assert estimate.details.keys() == live.details.keys()
    beyond = RouteRequest("TRON_MAINNET", BASE, THOUSAND, "USDT", "USDC")
    (refused,) = model.get_quotes([beyond], NOW)
    assert isinstance(refused, QuoteRejected)


def test_a_silent_service_is_none(world: World) -> None:
    world.service.silent = True
    with pytest.raises(Unreachable, match="did not respond"):
        world.quotes.get_quotes([RouteRequest(BASE, ARBITRUM, THOUSAND)], NOW)


def test_dollars_are_exchanged_on_the_way_at_the_prices_of_both(world: World) -> None:
    quote = world.exchange("USDT", "USDC")
    # 8 basis points of 1,000 USDC, and 0.02 USDT.
    assert quote.fee_micro_usd - quote.network_micro_usd == 820_000
    # As dear as a USDC is, as much more USDT the service asks for it: no fee of anybody.
    world.prices["USDC"], world.service.rate = 1_020_000_000_000, Decimal("1.02")
    quote = world.exchange("USDT", "USDC")
    assert quote.fee_micro_usd - quote.network_micro_usd == 820_000
    assert quote.details["pctFee"] == pytest.approx(8 * 10**14, rel=1e-4)


def test_an_exchange_of_a_token_without_a_price_is_not_priced(world: World) -> None:
    del world.prices["USDT"]
    requests = [RouteRequest(BASE, ARBITRUM, THOUSAND, s, "USDC") for s in ("USDC", "USDT")]
    _, unpriced = world.quotes.get_quotes(requests, NOW)
    assert isinstance(unpriced, BridgeUnavailable)
    assert unpriced.reason == "no price of USDT is known"


def test_more_than_we_pay_is_not_quoted(world: World) -> None:
    world.service.share = Decimal("0.02")
    words = "RHINOFI asks for more than we pay now"
    assert world.refused(BASE, ARBITRUM, THOUSAND) == "RHINOFI asks for more than we pay now"
    # One per cent, and ten dollars.
    world.service.share, world.service.gas = Decimal("0.01"), Decimal(10)
    world.ask(BASE, ARBITRUM, THOUSAND + 1)
    world.service.gas = Decimal("10.000001")
    assert world.refused(BASE, ARBITRUM, THOUSAND + 2) == words


def test_a_transfer_that_costs_nothing_has_no_fee_below_zero(world: World) -> None:
    world.service.share, world.service.gas = Decimal("-0.01"), Decimal(0)
    quote = world.ask(BASE, ARBITRUM, THOUSAND)
    assert quote.fee_micro_usd == quote.network_micro_usd
    assert quote.details["pctFee"] == 0
