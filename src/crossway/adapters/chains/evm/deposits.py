"""Finding deposits on EVM chains: token logs block by block, and verifying inclusion."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.evm import native_deposits
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    block_request,
    read_blocks,
    receipt_request,
)
from crossway.adapters.chains.evm.give_backs import without_give_backs
from crossway.adapters.chains.evm.logs import (
    fetch_transfers,
    split_query,
    transfer_recipient,
)
from crossway.adapters.chains.evm.native_rounds import NativeRounds
from crossway.adapters.chains.evm.rpc_schemas import (
    TRANSFER,
    Block,
    Log,
    Receipt,
    parse_block,
    parse_receipt,
    topic_address,
)
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.deposit_scan import BlockScanner
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import ChainHead, Cursor, Scan


class EvmDeposits(BlockScanner[ChainContext]):
    """Reads token transfers from logs, and native ones by bisecting balances."""

    def __init__(self, context: ChainContext) -> None:
        super().__init__(context)
        self._rounds = NativeRounds()

    def _scan_range(
        self, session: RpcSession, head: ChainHead, after: Cursor, watch: AddressFilter
    ) -> Scan | None:
        context = self._context
        distance = min(context.limits.blocks, context.max_scan_blocks)
        last = min(head.height, after.height + distance)
        requests = [block_request(after.height), block_request(last)]
        requests += self._native_requests(watch, after, last)
        results = session.batch(requests)
        before, end = parse_block(results[0], after.height), parse_block(results[1], last)
        if before.hash != after.block_hash:
            return None
        logs = self._fetch_watched(session, after.height + 1, last, watch)
        context.block_hashes.remember(before)
        context.block_hashes.remember(end)
        incoming = _to_transfers(context, session, logs, {end.height: end})
        incoming += self._find_next_native(session, watch, before, end, results[2:])
        return Scan(sorted(incoming, key=_position), Cursor(end.height, end.hash), None)

    def _read_transfers(
        self, session: RpcSession, first: int, last: int, watch: AddressFilter
    ) -> list[IncomingTransfer]:
        end = read_blocks(session, {last})[last]
        logs = self._fetch_watched(session, first, last, watch)
        return _to_transfers(self._context, session, logs, {end.height: end})

    def _fetch_watched(
        self, session: RpcSession, first: int, last: int, watch: AddressFilter
    ) -> list[Log]:
        """The transfers to watched addresses: by a query that names these where one can; of more
        all transfers are read, and filtered here."""
        limits, tokens, count = self._context.limits, self._context.tokens, watch.count()
        if not count:
            return []
        is_named = count <= limits.recipients
        recipients = watch.list_part(0, count) if is_named else None
        return [
            log
            for query in split_query(limits, first, last, recipients)
            for log in fetch_transfers(
                session, limits, tokens, query, None if is_named else watch.find_watched
            )
        ]

    def _search_range(
        self, session: RpcSession, first: int, head: ChainHead, to: Sequence[str]
    ) -> list[IncomingTransfer]:
        context = self._context
        logs: list[Log] = []
        for query in split_query(context.limits, first, head.height, to):
            logs += fetch_transfers(session, context.limits, context.tokens, query)
        ends = read_blocks(session, {first, head.height})
        incoming = _to_transfers(context, session, logs, ends)
        incoming += self._find_native(session, to, ends[first], ends[head.height])
        return sorted(incoming, key=_position)

    def _verify(self, session: RpcSession, incoming: Sequence[IncomingTransfer]) -> list[bool]:
        context = self._context
        blocks = read_blocks(session, {transfer.block_height for transfer in incoming})
        hashes = sorted({t.tx_hash for t in incoming if not native_deposits.is_internal(t)})
        results = session.call(*(receipt_request(tx_hash) for tx_hash in hashes))
        receipts = {h: parse_receipt(result, h) for h, result in zip(hashes, results, strict=True)}
        logs = None if context.params.receipt_log_index else _read_logs(context, session, incoming)

        def is_included(transfer: IncomingTransfer) -> bool:
            if blocks[transfer.block_height].hash != transfer.block_hash:
                return False
            if native_deposits.is_native(context, transfer):
                receipt = receipts.get(transfer.tx_hash)
                return self._verify_native(session, transfer, receipt)
            receipt = receipts[transfer.tx_hash]
            if (
                receipt is None
                or receipt.block_hash != transfer.block_hash
                or not receipt.succeeded
            ):
                return False
            candidates = receipt.logs if logs is None else logs[transfer.block_height]
            return any(_is_same(log, transfer) for log in candidates)

        return [is_included(transfer) for transfer in incoming]

    def _read_blocks(self, session: RpcSession, heights: set[int]) -> Mapping[int, Block]:
        return read_blocks(session, heights)

    def _native_requests(
        self, watch: AddressFilter, after: Cursor, last: int
    ) -> Sequence[RpcRequest]:
        """What `_find_next_native` needs to know of a node, to be asked for with the blocks."""
        return self._rounds.begin(self._context, watch, after, last)

    def _find_next_native(
        self,
        session: RpcSession,
        watch: AddressFilter,
        before: Block,
        end: Block,
        results: Sequence[Any],
    ) -> list[IncomingTransfer]:
        """As `_find_native`, for the scan that continues where the last one ended."""
        return self._rounds.finish(self._context, session, watch, before, end, results)

    def _find_native(
        self, session: RpcSession, addresses: Sequence[str], before: Block, end: Block
    ) -> list[IncomingTransfer]:
        """The native deposits after the block `before` up to the block `end`."""
        return native_deposits.find(self._context, session, addresses, before, end)

    def _verify_native(
        self, session: RpcSession, transfer: IncomingTransfer, receipt: Receipt | None
    ) -> bool:
        """Whether a native transfer in a block that is on the chain was really made."""
        return native_deposits.verify(self._context, session, transfer, receipt)


def _position(transfer: IncomingTransfer) -> tuple[int, int]:
    return transfer.block_height, transfer.index


def _to_transfers(
    context: ChainContext, session: RpcSession, logs: Sequence[Log], known: dict[int, Block]
) -> list[IncomingTransfer]:
    """Logs as incoming transfers, without what the escrow returns. Raises `MalformedResponse` where
    a log's block is not the one on the chain."""
    missing = {log.height for log in logs} - known.keys()
    blocks = known | (read_blocks(session, missing) if missing else {})
    transfers = []
    for log in logs:
        block = blocks[log.height]
        if block.hash != log.block_hash:
            raise MalformedResponse(f"the node has two blocks {log.height}")
        transfers.append(
            IncomingTransfer(
                chain=context.chain.id,
                tx_hash=log.tx_hash,
                index=log.index,
                block_height=log.height,
                block_hash=log.block_hash,
                token=log.address,
                sender=topic_address(log.topics[1]),
                to=transfer_recipient(log),
                amount=int.from_bytes(log.data, "big"),
                at=block.time,
            )
        )
    return without_give_backs(context, session, transfers)


def _read_logs(
    context: ChainContext, session: RpcSession, incoming: Sequence[IncomingTransfer]
) -> dict[int, list[Log]]:
    """The transfers in the blocks of `incoming`, by height: for chains whose receipts count log
    indexes in another way than eth_getLogs."""
    logs: dict[int, list[Log]] = {}
    for height in sorted({transfer.block_height for transfer in incoming}):
        to = sorted({transfer.to for transfer in incoming if transfer.block_height == height})
        logs[height] = [
            log
            for query in split_query(context.limits, height, height, to)
            for log in fetch_transfers(session, context.limits, context.tokens, query)
        ]
    return logs


def _is_same(log: Log, transfer: IncomingTransfer) -> bool:
    return (
        log.index == transfer.index
        and (log.tx_hash, log.block_hash) == (transfer.tx_hash, transfer.block_hash)
        and log.address == transfer.token
        and len(log.topics) == 3
        and log.topics[0] == TRANSFER
        and transfer_recipient(log) == transfer.to
        and int.from_bytes(log.data, "big") == transfer.amount
    )
