"""What calls cost on an EVM chain: gas at the current price, and what a rollup charges for L1."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.chain_context import ChainParams
from crossway.adapters.chains.evm.market_price import parse_price, price_requests
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.words import WORD
from crossway.domain.errors import Unreachable
from crossway.ports.chain_calls import CallCosts

CALLS: Final = (
    *("start", "fill", "settle", "refund", "send"),
    *("deliver", "swap", "pay_in", "forward"),
)
# docs.optimism.io: the predeploy that knows what L1 costs, from the Fjord upgrade on.
OP_GAS_PRICE_ORACLE: Final = "0x420000000000000000000000000000000000000F"
# docs.arbitrum.io: a contract that only nodes answer for; its first word is gas at the L2 price.
ARBITRUM_NODE_INTERFACE: Final = "0x00000000000000000000000000000000000000C8"
_L1_FEE: Final = keccak256(b"getL1FeeUpperBound(uint256)")[:4]
_L1_GAS: Final = keccak256(b"gasEstimateL1Component(address,bool,bytes)")[:4]


@cache
def measured_gas() -> Mapping[str, int]:
    """The gas of each call with real tokens."""
    data = cost_data()
    extra: int = data["transfer_gas"]
    return {call: data["gas"][call] + extra * data["transfers"][call] for call in CALLS}


@cache
def transaction_bytes() -> Mapping[str, int]:
    """The size of each call's signed transaction."""
    sizes: Mapping[str, int] = cost_data()["bytes"]
    return sizes


def read_call_costs(session: RpcSession, params: ChainParams) -> CallCosts:
    """The cost of each call in wei at a node's current prices. Raises `Unreachable`, also for a
    price that is not believed."""
    prices = price_requests(params)
    results = session.batch([*prices, *_l1_requests(params)])
    price = parse_price(params, results[: len(prices)])
    gas_price = price.base + price.tip
    l1 = [_first_word(result) for result in results[len(prices) :]]
    costs = {}
    for index, call in enumerate(CALLS):
        gas = params.gas_limit if params.charges_limit else measured_gas()[call]
        if params.l1_fee == "arbitrum":
            gas += l1[index]
        costs[call] = gas * gas_price + (l1[index] if params.l1_fee == "optimism" else 0)
    return CallCosts(**costs)


def _l1_requests(params: ChainParams) -> list[RpcRequest]:
    """What asks for the L1 part of each call; none where the gas price is all there is."""
    sizes = [transaction_bytes()[call] for call in CALLS]
    if params.l1_fee == "optimism":
        data = [_L1_FEE + size.to_bytes(WORD, "big") for size in sizes]
        return [_call(OP_GAS_PRICE_ORACLE, content) for content in data]
    if params.l1_fee == "arbitrum":
        # Bytes that do not compress, as hashes and addresses do not.
        noise = [b"".join(keccak256(bytes([n])) for n in range(-(-s // WORD)))[:s] for s in sizes]
        types = ["address", "bool", "bytes"]
        to = OP_GAS_PRICE_ORACLE
        data = [_L1_GAS + encode(types, [to, False, content]) for content in noise]
        return [_call(ARBITRUM_NODE_INTERFACE, content) for content in data]
    return []


def _call(to: str, data: bytes) -> RpcRequest:
    return RpcRequest("eth_call", ({"to": to, "data": "0x" + data.hex()}, "latest"))


def _first_word(result: Any) -> int:
    if isinstance(result, RpcError):
        raise Unreachable(f"the node does not tell what L1 costs: {result.message}")
    word = parse_data(result)[:WORD]
    if len(word) < WORD:
        raise Unreachable("the node does not tell what L1 costs")
    return int.from_bytes(word, "big")


def cost_data() -> Mapping[str, Any]:
    """The content of call_costs.toml."""
    text = files(__package__).joinpath("call_costs.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
