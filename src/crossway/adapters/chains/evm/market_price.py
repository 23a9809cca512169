"""What gas costs on an EVM chain now: the base fee, and the tip that the market pays."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, Final

from crossway.adapters.chains.evm.chain_context import ChainParams, block_request
from crossway.adapters.chains.evm.rpc_schemas import parse_block, parse_quantity
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.rpc_schemas import as_list, as_object
from crossway.domain.errors import Unreachable

GWEI: Final = 10**9
_HISTORY_BLOCKS = 20
# A suggested tip is believed up to the base fee, so many times what blocks paid, or this.
_MAX_TIMES_PAID, _MAX_UNUSUAL_TIP = 10, 2 * GWEI


@dataclass(frozen=True, slots=True)
class MarketPrice:
    """The price of a unit of gas in wei; `tip` is the part above the base fee."""

    base: int
    tip: int


@dataclass(slots=True)
class MarketTip:
    """The tip that was read last, in wei, for all senders of a chain; None before the first."""

    wei: int | None = None


def price_requests(params: ChainParams) -> list[RpcRequest]:
    """What asks for the price."""
    if params.fees == "legacy":
        return [RpcRequest("eth_gasPrice")]
    history = (hex(_HISTORY_BLOCKS), "latest", [50])
    return [
        block_request("latest"),
        RpcRequest("eth_maxPriorityFeePerGas"),
        RpcRequest("eth_feeHistory", history),
    ]


def parse_price(params: ChainParams, results: Sequence[Any]) -> MarketPrice:
    """The price in the results of `price_requests`. Raises `Unreachable`, also for a price that is
    not believed, so that no node can make us overpay."""
    if isinstance(results[0], RpcError):
        raise Unreachable(f"the node returned an error: {results[0].message}")
    if params.fees == "legacy":
        price = MarketPrice(parse_quantity(results[0], "a gas price") * 5 // 4 + 1, 0)
        _check(params, price.base)
        return price
    base = parse_block(results[0]).base_fee
    suggested = 0 if isinstance(results[1], RpcError) else parse_quantity(results[1], "a tip")
    _check(params, base + suggested)
    paid = _usual_tip(results[2])
    bound = max(base, _MAX_TIMES_PAID * paid, _MAX_UNUSUAL_TIP)
    return MarketPrice(base, max(min(suggested, bound), params.min_tip_gwei * GWEI))


def _check(params: ChainParams, price: int) -> None:
    if price > params.max_gwei * GWEI:
        raise Unreachable(
            f"the node asks for a gas price of {price // GWEI} gwei: more than {params.max_gwei} "
            "is not believed"
        )


def _usual_tip(result: Any) -> int:
    """The tip that half of the transactions of usual blocks paid at most; 0 where the node does not
    tell."""
    if isinstance(result, RpcError) or result is None:
        return 0
    rewards = as_object(result, "a fee history").get("reward")
    listed = [as_list(of_block, "tips") for of_block in as_list(rewards or [], "tips")]
    tips = [parse_quantity(of_block[0], "a tip") for of_block in listed if of_block]
    return median_low(tips) if tips else 0
