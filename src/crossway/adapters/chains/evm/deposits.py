"""Finding deposits on EVM chains: token logs block by block, and verifying inclusion."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from crossway.adapters.chains.evm import native_deposits
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    block_request,
    read_blocks,
    receipt_request,
)
from crossway.adapters.chains.evm.logs import (
    fetch_transfers,
    read_transfers,
    split_query,
    transfer_recipient,
    transfers_request,
)
from crossway.adapters.chains.evm.rpc_schemas import (
    TRANSFER,
    Block,
    Log,
    parse_block,
    parse_receipt,
    topic_address,
)
from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.block_scan import MAX_FILTERED_ADDRESSES, start_height
from crossway.adapters.chains.rpc.client import PayloadTooLarge
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import AddressFilter, ChainHead, Cursor, Scan

# One scan covers at most this many log queries; the next scan continues.
_MAX_QUERIES = 20


def scan(
    context: ChainContext, head: ChainHead, after: Cursor | None, watch: AddressFilter
) -> Scan:
    """The transfers after a cursor, up to a head."""
    if after is None:
        return Scan([], Cursor(head.height, head.block_hash), None)
    addresses = watch.list_all()
    found = context.pool.first(lambda session: _scan(context, session, head, after, addresses))
    if len(addresses) > MAX_FILTERED_ADDRESSES and found.incoming:
        known = watch.filter_known({transfer.to for transfer in found.incoming})
        incoming = [transfer for transfer in found.incoming if transfer.to in known]
        found = Scan(incoming, found.cursor, found.reorged_from)
    context.limits.grow(context.params)
    return found


def _scan(
    context: ChainContext,
    session: RpcSession,
    head: ChainHead,
    after: Cursor,
    addresses: Sequence[str],
) -> Scan:
    if head.height < after.height:
        raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
    recipients = None if len(addresses) > MAX_FILTERED_ADDRESSES else addresses
    distance = min(context.limits.blocks * _MAX_QUERIES, context.max_scan_blocks)
    last = min(head.height, after.height + distance)
    queries = split_query(context.limits, after.height + 1, last, recipients)
    requests = [block_request(after.height), block_request(last)]
    requests += [transfers_request(context.tokens, query) for query in queries]
    try:
        results = session.batch(requests)
    except PayloadTooLarge:
        context.limits.halve()
        raise
    before, end = parse_block(results[0], after.height), parse_block(results[1], last)
    if before.hash != after.block_hash:
        return _rescan(context, session, head, after, addresses)
    logs: list[Log] = []
    for query, result in zip(queries, results[2:], strict=True):
        logs += read_transfers(session, context.limits, context.tokens, query, result)
    context.block_hashes.remember(before)
    context.block_hashes.remember(end)
    incoming = _to_transfers(context, session, logs, {end.height: end})
    incoming += context.native_deposits.find_next(context, session, addresses, before, end)
    return Scan(sorted(incoming, key=_position), Cursor(end.height, end.hash), None)


def _position(transfer: IncomingTransfer) -> tuple[int, int]:
    return transfer.block_height, transfer.index


def _rescan(
    context: ChainContext,
    session: RpcSession,
    head: ChainHead,
    after: Cursor,
    addresses: Sequence[str],
) -> Scan:
    """Scan again from the last common block, because the cursor's block was replaced."""
    ancestor = context.block_hashes.rewind(
        head, after, context.params.batch_size, partial(read_blocks, session)
    )
    cursor = Cursor(ancestor.height, ancestor.hash)
    rescanned = _scan(context, session, head, cursor, addresses)
    return Scan(rescanned.incoming, rescanned.cursor, ancestor.height + 1)


def _to_transfers(
    context: ChainContext, session: RpcSession, logs: Sequence[Log], known: dict[int, Block]
) -> list[IncomingTransfer]:
    """Logs as incoming transfers. Raises `MalformedResponse` where a log's block is not the one on
    the chain."""
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
    return transfers


def transfers_to(
    context: ChainContext, head: ChainHead, addresses: Collection[str], since: datetime | None
) -> Sequence[IncomingTransfer]:
    """Every transfer to these addresses since a time, as far as the node still has it."""
    if not addresses:
        return []
    to = sorted(addresses)

    def read(session: RpcSession) -> list[IncomingTransfer]:
        pace, read_headers = context.chain.block_time_seconds, partial(read_blocks, session)
        first = start_height(head, since, pace, read_headers)
        logs: list[Log] = []
        for query in split_query(context.limits, first, head.height, to):
            result = session.batch([transfers_request(context.tokens, query)])[0]
            logs += read_transfers(session, context.limits, context.tokens, query, result)
        ends = read_blocks(session, {first, head.height})
        incoming = _to_transfers(context, session, logs, ends)
        before, end = ends[first], ends[head.height]
        incoming += context.native_deposits.find(context, session, to, before, end)
        return sorted(incoming, key=_position)

    return context.pool.first(read)


def verify_inclusion(context: ChainContext, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
    """Whether each transfer is in its block, according to every node of the quorum."""
    read = partial(_verify_inclusion, context, incoming=incoming)
    return quorum_reads.verify_inclusion(context.pool, incoming, read)


def _verify_inclusion(
    context: ChainContext, session: RpcSession, incoming: Sequence[IncomingTransfer]
) -> list[bool]:
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
            return context.native_deposits.verify(context, session, transfer, receipt)
        receipt = receipts[transfer.tx_hash]
        if receipt is None or receipt.block_hash != transfer.block_hash or not receipt.succeeded:
            return False
        candidates = receipt.logs if logs is None else logs[transfer.block_height]
        return any(_is_same(log, transfer) for log in candidates)

    return [is_included(transfer) for transfer in incoming]


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
