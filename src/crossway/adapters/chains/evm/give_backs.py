"""What the escrow returns to deposit addresses, which is no deposit: the transaction that made it
do so is booked."""

from collections.abc import Sequence

from crossway.adapters.chains.evm.abi import TOKENS_MOVED
from crossway.adapters.chains.evm.chain_context import ChainContext, receipt_request
from crossway.adapters.chains.evm.rpc_schemas import Log, parse_address, parse_receipt
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.deposits import IncomingTransfer


def is_give_back(context: ChainContext, log: Log) -> bool:
    """Whether the escrow reports that it paid a payment's deposit to that payment's own address. It
    may pay one to the address of another payment, where it is a deposit like any other."""
    if log.address != context.deployment.escrow2 or log.topics[:1] != (TOKENS_MOVED.topic,):
        return False
    to = parse_address(TOKENS_MOVED.decode(log.data)[2])
    return to == context.deposit_address(bytes.fromhex(log.topics[1][2:]))


def without_give_backs(
    context: ChainContext, session: RpcSession, transfers: Sequence[IncomingTransfer]
) -> list[IncomingTransfer]:
    """Leave out token transfers that return a deposit. Raises `Unreachable`."""
    escrow = context.deployment.escrow2
    tx_ids = sorted({t.tx_hash for t in transfers if escrow and t.sender == escrow})
    if not tx_ids:
        return list(transfers)
    results = session.call(*(receipt_request(tx_id) for tx_id in tx_ids))
    returned: set[tuple[str, str]] = set()
    for tx_id, result in zip(tx_ids, results, strict=True):
        receipt = parse_receipt(result, tx_id)
        if receipt is None:
            raise MalformedResponse("the node does not have a transaction that it reports")
        returned |= {
            (tx_id, parse_address(TOKENS_MOVED.decode(log.data)[2]))
            for log in receipt.logs
            if is_give_back(context, log)
        }
    return [t for t in transfers if t.sender != escrow or (t.tx_hash, t.to) not in returned]
