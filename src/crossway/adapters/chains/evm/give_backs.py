"""What the escrow and bridges' contracts return to deposit addresses, which is no deposit: the
transaction that made them do so is booked."""

from collections.abc import Collection, Sequence

from crossway.adapters.chains.evm.abi import TOKENS_MOVED
from crossway.adapters.chains.evm.chain_context import ChainContext, receipt_request
from crossway.adapters.chains.evm.rpc_schemas import Log, parse_address, parse_receipt
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.deposits import IncomingTransfer


def is_give_back(context: ChainContext, log: Log) -> bool:
    """Whether one of these contracts reports that it paid a payment's deposit to that payment's own
    address. It may pay one to the address of another payment, where it is a deposit like any
    other."""
    if log.address not in _returning(context) or log.topics[:1] != (TOKENS_MOVED.topic,):
        return False
    to = parse_address(TOKENS_MOVED.decode(log.data)[2])
    return to == context.deposit_address(bytes.fromhex(log.topics[1][2:]))


def without_give_backs(
    context: ChainContext, session: RpcSession, transfers: Sequence[IncomingTransfer]
) -> list[IncomingTransfer]:
    """Leave out token transfers that return a deposit. Raises `Unreachable`."""
    contracts = _returning(context)
    tx_ids = sorted({t.tx_hash for t in transfers if t.sender in contracts})
    if not tx_ids:
        return list(transfers)
    results = session.call(*(receipt_request(tx_id) for tx_id in tx_ids))
    returned: set[tuple[str, str, str]] = set()
    for tx_id, result in zip(tx_ids, results, strict=True):
        receipt = parse_receipt(result, tx_id)
        if receipt is None:
            raise MalformedResponse("the node does not have a transaction that it reports")
        returned |= {
            (tx_id, log.address, parse_address(TOKENS_MOVED.decode(log.data)[2]))
            for log in receipt.logs
            if is_give_back(context, log)
        }
    return [t for t in transfers if (t.tx_hash, t.sender, t.to) not in returned]


def _returning(context: ChainContext) -> Collection[str]:
    at = context.deployment
    return {*at.bridges.values(), at.escrow2} - {""}
