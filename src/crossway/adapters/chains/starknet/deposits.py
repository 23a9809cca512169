"""Finding deposits on Starknet: token transfers block by block, and verifying inclusion.

Events tell which transactions contain deposits; the transfers themselves are read from receipts.
"""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.rpc.block_scan import MAX_FILTERED_ADDRESSES
from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.deposit_scan import BlockScanner
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.starknet import balance_bisection
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    block_request,
    read_blocks,
)
from crossway.adapters.chains.starknet.events import (
    EventQuery,
    events_request,
    fetch_events,
    queries_by_receiver,
    query_by_token,
    read_events,
    read_if_few,
)
from crossway.adapters.chains.starknet.rpc_schemas import (
    Block,
    LocatedEvent,
    Receipt,
    parse_block,
    parse_transfer,
)
from crossway.adapters.chains.starknet.tx_results import read_receipts
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import ChainHead, Cursor, Scan


class StarknetDeposits(BlockScanner[ChainContext]):
    """Finds the transactions with deposits by their events, and reads the receipts of those."""

    def _scan_range(
        self, session: RpcSession, head: ChainHead, after: Cursor, watch: AddressFilter
    ) -> Scan | None:
        context, addresses = self._context, watch.list_all()
        first, last = after.height + 1, min(head.height, after.height + context.limits.blocks)
        queries = _queries(context, first, last, addresses) if first <= last and addresses else []
        requests = [block_request(after.height), block_request(last)]
        requests += [events_request(context.limits, query) for query in queries]
        results = session.batch(requests)
        before, end = _parse_header(results[0], after.height), _parse_header(results[1], last)
        if before.hash != after.block_hash:
            return None
        events = _read_events(context, session, queries, results[2:], addresses)
        context.layouts.learn(events)
        context.block_hashes.remember(before)
        context.block_hashes.remember(end)
        incoming = _to_transfers(context, session, events, set(addresses), {end.height: end})
        return Scan(incoming, Cursor(end.height, end.hash), None)

    def _read_transfers(
        self, session: RpcSession, first: int, last: int, watch: AddressFilter
    ) -> list[IncomingTransfer]:
        context, addresses = self._context, watch.list_all()
        queries = _queries(context, first, last, addresses)
        requests = [events_request(context.limits, query) for query in queries]
        newest, *results = session.batch([block_request(last), *requests])
        end = _parse_header(newest, last)
        events = _read_events(context, session, queries, results, addresses)
        return _to_transfers(context, session, events, set(addresses), {end.height: end})

    def _search_range(
        self, session: RpcSession, first: int, head: ChainHead, to: Sequence[str]
    ) -> list[IncomingTransfer]:
        context, step = self._context, self._context.params.event_blocks
        events: list[LocatedEvent] = []
        for low in range(first, head.height + 1, step):
            high = min(low + step - 1, head.height)
            queries = queries_by_receiver(context.limits, low, high, to)
            events += fetch_events(session, context.limits, queries)
        unsure = context.layouts.unsure(context.tokens)
        find = balance_bisection.find_events
        events += find(context, session, to, unsure, first, head.height)
        return _to_transfers(context, session, events, set(to), {})

    def _verify(self, session: RpcSession, incoming: Sequence[IncomingTransfer]) -> list[bool]:
        blocks = read_blocks(session, {transfer.block_height for transfer in incoming})
        receipts = read_receipts(session, sorted({transfer.tx_hash for transfer in incoming}))

        def is_included(transfer: IncomingTransfer) -> bool:
            receipt = receipts[transfer.tx_hash]
            if blocks[transfer.block_height].hash != transfer.block_hash or receipt is None:
                return False
            if receipt.block_hash != transfer.block_hash or transfer.index >= len(receipt.events):
                return False
            event = receipt.events[transfer.index]
            reported = parse_transfer(event)
            return (
                event.address == transfer.token
                and reported is not None
                and (reported.to, reported.amount) == (transfer.to, transfer.amount)
            )

        return [is_included(transfer) for transfer in incoming]

    def _read_blocks(self, session: RpcSession, heights: set[int]) -> Mapping[int, Block]:
        return read_blocks(session, heights)


def _queries(
    context: ChainContext, first: int, last: int, addresses: Sequence[str]
) -> list[EventQuery]:
    if len(addresses) > MAX_FILTERED_ADDRESSES:
        return [query_by_token(first, last, token) for token in sorted(context.tokens)]
    unsure = context.layouts.unsure(context.tokens)
    return [
        *queries_by_receiver(context.limits, first, last, addresses),
        *(query_by_token(first, last, token) for token in unsure),
    ]


def _read_events(
    context: ChainContext,
    session: RpcSession,
    queries: Sequence[EventQuery],
    results: Sequence[object],
    addresses: Sequence[str],
) -> list[LocatedEvent]:
    """The events in these results; of a token with very many transfers, only those of blocks in
    which balances rose."""
    events: list[LocatedEvent] = []
    busy: list[EventQuery] = []
    for query, result in zip(queries, results, strict=True):
        if not query.address or len(addresses) > MAX_FILTERED_ADDRESSES:
            events += read_events(session, context.limits, query, result)
        elif (few := read_if_few(session, context.limits, query, result)) is not None:
            events += few
        else:
            busy.append(query)
    if busy:
        tokens, low, high = [query.address for query in busy], busy[0].first - 1, busy[0].last
        find = balance_bisection.find_events
        events += find(context, session, addresses, tokens, low, high)
    return events


def _parse_header(result: object, height: int) -> Block:
    if isinstance(result, RpcError):
        raise Unreachable(f"the node has no block {height}: {result.message}")
    return parse_block(result, height)


def _to_transfers(
    context: ChainContext,
    session: RpcSession,
    events: Sequence[LocatedEvent],
    to: set[str],
    known: dict[int, Block],
) -> list[IncomingTransfer]:
    """The transfers to these addresses in the transactions of these events, in chain order."""
    own = [event for event in events if _is_deposit(context, event, to)]
    by_tx_hash = {event.tx_hash: event for event in own}
    missing = {event.height for event in own} - known.keys()
    blocks = known | (read_blocks(session, missing) if missing else {})
    transfers = []
    for receipt in read_receipts(session, sorted(by_tx_hash)).values():
        if receipt is None:
            raise MalformedResponse("the node has an event and lacks its transaction")
        block, event = blocks.get(receipt.height), by_tx_hash[receipt.tx_hash]
        if block is None or not block.hash == receipt.block_hash == event.block_hash:
            raise MalformedResponse(f"the node has two blocks {event.height}")
        transfers += _transfers_in(context, receipt, block, to)
    return sorted(transfers, key=lambda t: (t.block_height, t.tx_hash, t.index))


def _is_deposit(context: ChainContext, located: LocatedEvent, to: set[str]) -> bool:
    transfer = parse_transfer(located.event)
    accepted = located.event.address in context.tokens
    return accepted and transfer is not None and transfer.to in to


def _transfers_in(
    context: ChainContext, receipt: Receipt, block: Block, to: set[str]
) -> list[IncomingTransfer]:
    transfers = []
    for index, event in enumerate(receipt.events):
        transfer = parse_transfer(event)
        if event.address not in context.tokens or transfer is None or transfer.to not in to:
            continue
        transfers.append(
            IncomingTransfer(
                chain=context.chain.id,
                tx_hash=receipt.tx_hash,
                index=index,
                block_height=receipt.height,
                block_hash=receipt.block_hash,
                token=event.address,
                sender=transfer.source,
                to=transfer.to,
                amount=transfer.amount,
                at=block.time,
            )
        )
    return transfers
