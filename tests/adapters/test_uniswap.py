"""What Uniswap is asked for, and the table of its quoters against what Uniswap publishes."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from crossway.adapters.chains.rpc.pool_paths import PoolPath
from crossway.adapters.exchanges.uniswap import UniswapExchange, uniswap_data
from crossway.domain.errors import Unreachable
from crossway.domain.swaps import SwapQuote
from crossway.ports.exchange import SwapRejected, SwapRequest
from tests.contracts.test_swap_chains import NAMES, published, table
from tests.services import CATALOGUE, PRICES

BASE = "BASE_MAINNET"
ETHER = PRICES.get_usd_prices(["ETH"])["ETH"].pico_usd // 10**6
# Of chains whose entry in the package is the first quoter: developers.uniswap.org, "Deployments".
QUOTER_V2 = "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"
# The package has an earlier one: developers.uniswap.org, "Deployments" on Monad.
MONAD_QUOTER = "0x661E93cca42AfacB172121EF892830cA3b70F08d"


class Pools:
    """Pools of ether and dollars: a thousandth above the price, and per dollar bought a
    hundred-millionth more; a fee of 500 alone exists."""

    def __init__(self) -> None:
        self.asked: list[tuple[PoolPath, int]] = []
        self.silent = False

    def quote(self, quoter: str, asked: Sequence[tuple[PoolPath, int]]) -> Sequence[int | None]:
        if self.silent:
            raise Unreachable("the node does not answer")
        self.asked += asked
        return [self._cost(path, output) for path, output in asked]

    def _cost(self, path: PoolPath, output: int) -> int | None:
        if path.fees != (500,):
            return None
        fair = output * 10**18 // ETHER
        return fair * (1_001_000_000 + 10 * output // 10**6) // 10**9


class Generous(Pools):
    """As a node says that lies: they ask for nothing."""

    def _cost(self, path: PoolPath, output: int) -> int | None:
        return 0


@pytest.fixture
def pools() -> Pools:
    return Pools()


def exchange(pools: Pools, seconds: Sequence[float] = ()) -> UniswapExchange:
    times = iter(seconds)
    return UniswapExchange(
        CATALOGUE, {BASE: pools}, PRICES, ThreadPoolExecutor(2), lambda: next(times, 0.0)
    )


def ask(on: UniswapExchange, micro_usd: int = 100_000_000) -> SwapQuote | SwapRejected:
    (answer,) = on.get_quotes([SwapRequest(BASE, "ETH", "USDC", micro_usd)])
    return answer


def test_a_quote_has_what_the_pools_ask_for_beyond_the_value_and_the_way(pools: Pools) -> None:
    answer = ask(exchange(pools))
    assert isinstance(answer, SwapQuote)
    # 0.1 % and 0.0001 %, rounded up to basis points of what is paid in.
    assert (answer.exchange, answer.cost_bps, answer.impact_bps) == ("Uniswap v3", 10, 1)
    usdc, weth = CATALOGUE.tokens[BASE, "USDC"].address, uniswap_data()["chain"][BASE]["wrapped"]
    assert answer.route == "0x" + usdc[2:].lower() + "0001f4" + weth[2:].lower()


def test_the_best_way_is_looked_for_once_in_ten_minutes(pools: Pools) -> None:
    on = exchange(pools, [0.0, 599.0, 601.0])
    ask(on)
    looked = len(pools.asked)
    ask(on)
    assert len(pools.asked) == looked + 2
    ask(on)
    assert len(pools.asked) == 2 * looked + 2


def test_a_swap_that_costs_more_than_three_percent_is_refused(pools: Pools) -> None:
    answer = ask(exchange(pools), micro_usd=4_000_000 * 10**6)
    assert isinstance(answer, SwapRejected)
    assert "more than 3% beyond the value of USDC bought with ETH" in answer.reason


def test_a_chain_that_does_not_answer_is_named(pools: Pools) -> None:
    pools.silent = True
    answer = ask(exchange(pools))
    assert isinstance(answer, SwapRejected)
    assert answer.reason == "Uniswap v3 on BASE_MAINNET gives no quote: the node does not answer"


def test_a_node_by_which_pools_ask_for_nothing_has_no_price() -> None:
    answer = ask(exchange(Generous()))
    assert isinstance(answer, SwapRejected)
    assert answer.reason == "Uniswap v3 has no pool that sells USDC for ETH on BASE_MAINNET"


def test_only_chains_with_pools_and_tokens_that_are_offered_are_sold(pools: Pools) -> None:
    on = exchange(pools)
    assert on.sells(BASE, "ETH", "USDC")
    assert not on.sells("BSC_MAINNET", "BNB", "USDC")
    assert not on.sells(BASE, "MON", "USDC")


def test_the_quoters_are_those_that_uniswap_publishes_on_the_chains_of_the_contract() -> None:
    text, chains = published("addresses.js"), {c.chain_id: c.id for c in CATALOGUE.chains.values()}
    listed = uniswap_data()["chain"]
    assert {chains[str(number)] for number in table()} == listed.keys()
    for number, name in NAMES.items():
        entry = listed[chains[str(number)]]
        assert entry["wrapped"] == table()[number][1]
        (fields,) = re.findall(
            rf"const {constant_of(name, text)} = {{\n(.*?)\n}};", text, re.DOTALL
        )
        own = re.findall(r"quoterAddress: '(0x\w{40})'", fields)
        if name == "MONAD":
            assert entry["quoter"] == MONAD_QUOTER
        else:
            assert entry["quoter"].lower() == (own or [QUOTER_V2])[0].lower(), name


def constant_of(name: str, text: str) -> str:
    """The constant of the package that has a chain's addresses."""
    (found,) = re.findall(rf"ChainId\.{name}\]: (\w+_ADDRESSES),", text)
    return str(found)
