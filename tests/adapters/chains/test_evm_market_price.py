"""What a transaction offers above the base fee: as much as the market pays, within a bound."""

from dataclasses import replace
from typing import Any

import pytest

from crossway.adapters.chains.evm.chain_context import load_chain_params
from crossway.adapters.chains.evm.market_price import MarketPrice, parse_price, price_requests
from crossway.adapters.chains.rpc.client import RpcError
from crossway.domain.errors import Unreachable

GWEI = 10**9
NOT_OFFERED = RpcError(-32601, "the method does not exist")


def answers(base: float, suggested: float | None, *paid: float) -> list[Any]:
    """What a node answers, in gwei; `paid` are the usual tips of its newest blocks."""
    block = {
        "number": "0x10",
        "hash": "0x" + "1" * 64,
        "parentHash": "0x" + "2" * 64,
        "timestamp": "0x6900000",
        "baseFeePerGas": hex(int(base * GWEI)),
    }
    history = {"reward": [[hex(int(tip * GWEI))] for tip in paid]}
    return [
        block,
        NOT_OFFERED if suggested is None else hex(int(suggested * GWEI)),
        history if paid else NOT_OFFERED,
    ]


@pytest.mark.parametrize(
    ("chain", "base", "suggested", "paid", "tip"),
    [
        ("ETHEREUM_MAINNET", 20, 1.5, (1, 1, 2), 1.5),
        # Not ten per cent of the maximum: a rollup pays next to nothing.
        ("BASE_MAINNET", 0.02, 0.001, (0, 0.001, 0), 0.001),
        ("ETHEREUM_MAINNET", 1, 90, (0.1, 0.1, 0.3), 2),
        ("ETHEREUM_MAINNET", 30, 25, (0.1,), 25),
        ("BSC_MAINNET", 0, 1, (1, 1, 1), 1),
        ("BSC_MAINNET", 0, 40, (5, 5, 5), 40),
        ("POLYGON_MAINNET", 50, 25, (30, 30), 30),
        ("HYPEREVM_MAINNET", 0.1, 0, (), 0),
        ("BASE_MAINNET", 0.02, None, (), 0),
    ],
)
def test_the_tip_follows_the_market(
    chain: str, base: float, suggested: float | None, paid: tuple[float, ...], tip: float
) -> None:
    params = load_chain_params(chain)
    assert len(price_requests(params)) == 3
    price = parse_price(params, answers(base, suggested, *paid))
    assert price == MarketPrice(int(base * GWEI), int(tip * GWEI))


def test_a_price_that_is_not_believed_is_no_answer() -> None:
    params = load_chain_params("BASE_MAINNET")
    for base, suggested in ((501, 0), (1, 600)):
        with pytest.raises(Unreachable, match="gwei: more than 500 is not believed"):
            parse_price(params, answers(base, suggested))


def test_a_chain_without_a_base_fee_pays_what_the_node_asks_for_and_a_quarter() -> None:
    params = replace(load_chain_params("BASE_MAINNET"), fees="legacy")
    assert parse_price(params, [hex(8 * GWEI)]) == MarketPrice(10 * GWEI + 1, 0)
