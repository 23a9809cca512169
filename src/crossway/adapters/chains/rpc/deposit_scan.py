"""Finding deposits: scanning after a cursor, again after a reorg, and verifying inclusion."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Generic

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.block_scan import (
    BlockHeader,
    blocks_in,
    start_height,
)
from crossway.adapters.chains.rpc.chain_context import ContextT, ContractContextT
from crossway.adapters.chains.rpc.head_tracker import LOWER_HEAD_SECONDS
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.second_reading import SecondReading, merge_reports
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import ChainHead, Cursor, Scan


class DepositReader(ABC, Generic[ContextT]):
    """Reads the deposits of one chain from its nodes."""

    def __init__(self, context: ContextT) -> None:
        self._context = context

    def scan(self, head: ChainHead, after: Cursor | None, watch: AddressFilter) -> Scan:
        """The transfers after a cursor, up to a head; without a cursor, the head is the first."""
        if after is None:
            return Scan([], Cursor(head.height, head.block_hash), None)
        return self._scan_after(head, after, watch)

    def transfers_to(
        self, head: ChainHead, addresses: Collection[str], since: datetime | None
    ) -> Sequence[IncomingTransfer]:
        """Every transfer to these addresses since a time that any node of the quorum still has."""
        if not addresses:
            return []
        to = sorted(addresses)
        found = self._context.pool.quorum(lambda session: self._search(session, head, to, since))
        return sorted(merge_reports(found), key=lambda transfer: transfer.block_height)

    def cursor_before(self, head: ChainHead) -> Cursor:
        """A cursor from which a scan to this head reads as much as from one head to the next."""
        return Cursor(head.height, head.block_hash)

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        """Whether each transfer is in its block, according to every node of the quorum."""
        read = partial(self._verify, incoming=incoming)
        return quorum_reads.verify_inclusion(self._context.pool, incoming, read)

    @abstractmethod
    def _scan_after(self, head: ChainHead, after: Cursor, watch: AddressFilter) -> Scan:
        """The transfers after a cursor, up to a head."""

    @abstractmethod
    def _search(
        self, session: RpcSession, head: ChainHead, to: Sequence[str], since: datetime | None
    ) -> Sequence[IncomingTransfer]:
        """The transfers to these addresses since a time."""

    @abstractmethod
    def _verify(self, session: RpcSession, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        """Whether each transfer is in its block, according to one node."""


class BlockScanner(DepositReader[ContractContextT]):
    """Reads the deposits of a chain whose token transfers can be queried by block range.

    Every block is read twice: at once by one node, and again a little later by the quorum, so that
    a node that leaves a log out hides no deposit."""

    def __init__(self, context: ContractContextT) -> None:
        super().__init__(context)
        self._second_reading = SecondReading(context.chain.block_time_seconds)

    def cursor_before(self, head: ChainHead) -> Cursor:
        height = max(head.height - 1, 0)
        blocks = self._context.pool.first(lambda session: self._read_blocks(session, {height}))
        return Cursor(height, blocks[height].hash)

    def _scan_after(self, head: ChainHead, after: Cursor, watch: AddressFilter) -> Scan:
        scan = self._context.pool.first(lambda s: self._scan_or_rewind(s, head, after, watch))
        missed = self._reread(after, scan, watch)
        self._context.limits.grow()
        return replace(scan, incoming=[*scan.incoming, *missed])

    def _scan_or_rewind(
        self, session: RpcSession, head: ChainHead, after: Cursor, watch: AddressFilter
    ) -> Scan:
        """Scans again from the last common block where the cursor's block was replaced."""
        pace = self._context.chain.block_time_seconds
        if 0 < after.height - head.height <= blocks_in(LOWER_HEAD_SECONDS, pace):
            raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
        if head.height >= after.height:
            scan = self._scan_range(session, head, after, watch)
            if scan is not None:
                return scan
            self._confirm_reorg(after)
        ancestor = self._rewind(session, head, after)
        cursor = Cursor(ancestor.height, ancestor.hash)
        rescanned = self._scan_or_rewind(session, head, cursor, watch)
        return Scan(rescanned.incoming, rescanned.cursor, ancestor.height + 1)

    def _confirm_reorg(self, after: Cursor) -> None:
        """Raises `Unreachable` where another node still has the cursor's block."""
        pool, height = self._context.pool, after.height
        if pool.quorum_size == 1:
            return
        blocks = pool.quorum(lambda session: self._read_blocks(session, {height})[height])
        if any(block.hash == after.block_hash for block in blocks):
            raise Unreachable(f"the nodes have different blocks {height}")

    def _reread(
        self, after: Cursor, scan: Scan, watch: AddressFilter
    ) -> Sequence[IncomingTransfer]:
        """The transfers in blocks that were scanned a little earlier, as any of several nodes finds
        them, that no scan returned; none where it is too early."""
        blocks = self._second_reading.find_due(after, scan, self._context.limits.blocks)
        if blocks is None or not watch.count():
            return []
        first, last = blocks
        pool = self._context.pool
        several = max(pool.quorum_size, 2)
        found, _ = pool.gather(
            lambda session: self._read_transfers(session, first, last, watch),
            lambda results: len(results) == several,
        )
        complete = len(found) >= pool.quorum_size
        return self._second_reading.find_missed(last, found, complete)

    def _rewind(self, session: RpcSession, head: ChainHead, after: Cursor) -> BlockHeader:
        """The last common block, or else the final one; forgets the blocks above it."""
        hashes, read = self._context.block_hashes, partial(self._read_blocks, session)
        # A cursor above the head was scanned from a false one.
        reached = Cursor(min(after.height, head.height + 1), after.block_hash)
        ancestor = hashes.last_common_block(head, reached, self._context.params.batch_size, read)
        if ancestor is None:
            final = min(head.finalized, after.height - 1)
            ancestor = read({final})[final]
        hashes.remember(ancestor)
        hashes.forget(ancestor.height, after.height)
        return ancestor

    def _search(
        self, session: RpcSession, head: ChainHead, to: Sequence[str], since: datetime | None
    ) -> Sequence[IncomingTransfer]:
        pace, read = self._context.chain.block_time_seconds, partial(self._read_blocks, session)
        return self._search_range(session, start_height(head, since, pace, read), head, to)

    @abstractmethod
    def _scan_range(
        self, session: RpcSession, head: ChainHead, after: Cursor, watch: AddressFilter
    ) -> Scan | None:
        """The transfers in the next blocks after a cursor, as many as one scan covers; None where
        the cursor's block was replaced."""

    @abstractmethod
    def _read_transfers(
        self, session: RpcSession, first: int, last: int, watch: AddressFilter
    ) -> Sequence[IncomingTransfer]:
        """The token transfers in these blocks, by one node that has the last of them."""

    @abstractmethod
    def _search_range(
        self, session: RpcSession, first: int, head: ChainHead, to: Sequence[str]
    ) -> Sequence[IncomingTransfer]:
        """The transfers to these addresses from the block `first` up to the head."""

    @abstractmethod
    def _read_blocks(self, session: RpcSession, heights: set[int]) -> Mapping[int, BlockHeader]:
        """The headers of these heights. Raises `Unreachable` where the node is behind."""
