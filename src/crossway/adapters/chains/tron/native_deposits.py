"""Deposits of TRX, which emit no log: found in the blocks themselves, each read once."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.evm import balances, native_deposits
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.logs import fetch_events
from crossway.adapters.chains.evm.rpc_schemas import Block, Receipt, parse_address
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.tron.address_format import add_0x, strip_0x
from crossway.adapters.chains.tron.blocks import (
    BlockPage,
    BlockReader,
    TrxTransfer,
    is_internal,
    parse_internal_transfers,
)
from crossway.adapters.chains.tron.tx_results import read_info
from crossway.domain.deposits import IncomingTransfer

# A search for single addresses goes back an hour, the usual lifetime of a payment.
MAX_LOOK_BACK_BLOCKS = 1_200


class ScannedNativeDeposits:
    """`evm.chain_context.NativeDepositReader` by reading blocks; addresses in EVM form."""

    def __init__(self, blocks: BlockReader) -> None:
        self._blocks = blocks

    def find_next(
        self,
        context: ChainContext,
        session: RpcSession,
        addresses: Sequence[str],
        before: Block,
        end: Block,
    ) -> list[IncomingTransfer]:
        """As `find`."""
        return self.find(context, session, addresses, before, end)

    def find(
        self,
        context: ChainContext,
        session: RpcSession,
        addresses: Sequence[str],
        before: Block,
        end: Block,
    ) -> list[IncomingTransfer]:
        """The deposits after the block `before` up to the block `end`. Over a range longer than a
        scan, only the last hour, and only addresses that hold or paid out something."""
        if not context.native_token or not addresses or end.height <= before.height:
            return []
        if end.height - before.height > context.max_scan_blocks:
            return self._find_recent(context, session, addresses, before, end)
        watched = {address[2:].lower() for address in addresses}
        pages = self._blocks.read(session, before.height, end.height, end.hash)
        if pages[0].parent != before.hash:
            raise MalformedResponse("the node returned blocks that do not form a chain")
        return [
            _to_transfer(context, transfer, page)
            for page in pages
            for transfer in self._all_transfers(session, page)
            if transfer.to in watched
        ]

    def _all_transfers(self, session: RpcSession, page: BlockPage) -> tuple[TrxTransfer, ...]:
        return *page.transfers, *self._blocks.internal_transfers(session, page)

    def _find_recent(
        self,
        context: ChainContext,
        session: RpcSession,
        addresses: Sequence[str],
        before: Block,
        end: Block,
    ) -> list[IncomingTransfer]:
        low = max(before.height, end.height - MAX_LOOK_BACK_BLOCKS)
        received = _received(context, session, addresses, low, end.height)
        if not received:
            return []
        pages = self._blocks.read(session, low, end.height, end.hash)
        found = [(t, page) for page in pages for t in page.transfers if t.to in received]
        if _sum_by_address(found) != received:
            # Direct transfers do not explain everything, so internal ones are read, too.
            found = [
                (transfer, page)
                for page in pages
                for transfer in self._all_transfers(session, page)
                if transfer.to in received
            ]
        return [_to_transfer(context, transfer, page) for transfer, page in found]

    def verify(
        self,
        context: ChainContext,
        session: RpcSession,
        transfer: IncomingTransfer,
        receipt: Receipt | None,
    ) -> bool:
        """Whether a transfer in a block that is on the chain was really made, by this node."""
        if not is_internal(transfer.index):
            return native_deposits.verify(context, session, transfer, receipt)
        if receipt is None or receipt.block_hash != transfer.block_hash or not receipt.succeeded:
            return False
        info = read_info(session, strip_0x(transfer.tx_hash))
        internal = parse_internal_transfers(info) if info else ()
        expected = (transfer.index, transfer.to[2:].lower(), transfer.amount)
        return any((one.index, one.to, one.amount) == expected for one in internal)


def _received(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], low: int, high: int
) -> dict[str, int]:
    """What each address holds plus what our contracts took out lately, where that is not 0."""
    held = balances.read_balances(context, session, addresses, ZERO)
    received = {address[2:].lower(): amount for address, amount in held.items()}
    log_filter = {
        "address": context.deployment.factory,
        "topics": [native_deposits.TOKENS_MOVED],
    }
    for log in fetch_events(session, context.limits, log_filter, low + 1, high):
        token, source, _, amount = native_deposits.parse_tokens_moved(log)
        if token == ZERO and source[2:].lower() in received:
            received[source[2:].lower()] += amount
    return {address: amount for address, amount in received.items() if amount}


def _sum_by_address(transfers: Sequence[tuple[TrxTransfer, BlockPage]]) -> Mapping[str, int]:
    sums: dict[str, int] = {}
    for transfer, _ in transfers:
        sums[transfer.to] = sums.get(transfer.to, 0) + transfer.amount
    return sums


def _to_transfer(context: ChainContext, transfer: TrxTransfer, page: BlockPage) -> IncomingTransfer:
    return IncomingTransfer(
        chain=context.chain.id,
        tx_hash=add_0x(transfer.tx_id),
        index=transfer.index,
        block_height=page.height,
        block_hash=page.hash,
        token=context.native_token,
        sender=parse_address("0x" + transfer.sender),
        to=parse_address("0x" + transfer.to),
        amount=transfer.amount,
        at=page.time,
    )
