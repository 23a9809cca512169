"""Several calls that anyone may make, in one transaction by the contract `CallBatch`."""

from collections.abc import Sequence
from typing import Final

from crossway.adapters.chains.evm.abi import ARRIVED, RUN_BATCH, SENT
from crossway.adapters.chains.evm.call_costs import measured_gas
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain_context import ChainParams
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.rpc_schemas import Receipt

_MAX_CALLS: Final = 50
_BASE_GAS: Final = 60_000
CALL_GAS: Final = 450_000
"""The gas of each call: more than the first delivery on a chain takes with real tokens. A call that
gets less could run dry where another would not."""
_MOST_WEI: Final = 10**18 // 2
"""Half a coin: nodes refuse a transaction that may cost more than one (geth, --rpc.txfeecap)."""


def calls_per_tx(params: ChainParams, fee_units: int) -> int:
    """How many calls fit into one transaction at the price at which one call costs at most so
    much."""
    affordable = _MOST_WEI // max(fee_units // params.gas_limit, 1)
    room = min(params.max_tx_gas, affordable) - _BASE_GAS - CALL_GAS
    return max(1, min(_MAX_CALLS, room // _usual_gas(params)))


def batch_gas(params: ChainParams, count: int) -> int:
    """The gas limit of a transaction that makes so many calls: never more than by themselves. What
    calls usually leave of their gas is there for the next ones; a call for which it is not left is
    not made."""
    together = _BASE_GAS + count * _usual_gas(params) + CALL_GAS
    return min(together, count * params.gas_limit)


def encode_batch(at: Deployment, calls: Sequence[Call]) -> Call:
    """The call that makes these in order, each with its own gas."""
    items = [(call.to, CALL_GAS, call.data) for call in calls]
    return Call(at.call_batch, RUN_BATCH.encode(items))


def carried_out(at: Deployment, receipt: Receipt) -> frozenset[str] | None:
    """The intents of which the contracts of bridges report a send or an arrival, in a transaction
    that makes several calls; None for others. Its receipt does not say which calls failed."""
    if not at.call_batch or receipt.to != at.call_batch:
        return None
    contracts, topics = set(at.bridges.values()), {SENT.topic, ARRIVED.topic}
    return frozenset(
        log.topics[1]
        for log in receipt.logs
        if log.address in contracts and len(log.topics) > 1 and log.topics[0] in topics
    )


def _usual_gas(params: ChainParams) -> int:
    """What a call usually takes. Where gas also pays for data on L1, as much as a transaction may
    take that makes this call alone."""
    if params.l1_fee == "arbitrum":
        return params.gas_limit
    costs = measured_gas()
    return max(costs["send"], costs["deliver"])
