"""What a transaction of anybody's paid to an account, by the logs of tokens."""

from collections.abc import Callable

from crossway.adapters.chains.evm.chain_context import ChainContext, read_blocks
from crossway.adapters.chains.evm.logs import transfer_recipient
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER, Log, topic_address
from crossway.adapters.chains.evm.tx_results import read_receipts
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import agreed
from crossway.adapters.chains.words import WORD
from crossway.domain.deposits import IncomingTransfer


def find_token_transfers(
    context: ChainContext, require_current: Callable[[RpcSession], None], tx_id: str, to: str
) -> list[IncomingTransfer]:
    """As `HasTokenTransfers.token_transfers`. `require_current` raises `Unreachable` where a node
    is behind: that it lacks a transaction says nothing."""

    def read(session: RpcSession) -> list[IncomingTransfer]:
        require_current(session)
        receipt = read_receipts(session, [tx_id]).get(tx_id.lower())
        if receipt is None or not receipt.succeeded:
            return []
        block = read_blocks(session, {receipt.height})[receipt.height]
        if block.hash != receipt.block_hash:
            return []
        return [
            IncomingTransfer(
                chain=context.chain.id,
                tx_hash=log.tx_hash,
                index=log.index,
                block_height=log.height,
                block_hash=log.block_hash,
                token=log.address,
                sender=topic_address(log.topics[1]),
                to=to,
                amount=int.from_bytes(log.data, "big"),
                at=block.time,
            )
            for log in receipt.logs
            if _is_transfer(log) and transfer_recipient(log) == to
        ]

    return agreed(context.pool, read, f"on what {tx_id} paid")


def _is_transfer(log: Log) -> bool:
    """Whether it has the form of an ERC-20 token's; other standards index the amount, too."""
    return len(log.topics) == 3 and log.topics[0] == TRANSFER and len(log.data) == WORD
