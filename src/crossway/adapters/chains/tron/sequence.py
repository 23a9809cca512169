"""Sequence numbers of our transactions, which take the place of nonces.

Tron does not count an account's transactions, so each of ours has a number appended to its call
data. Blocks are read forward from a final one; older transactions are found by our contracts'
events, which name the caller.
"""

from collections.abc import Iterator
from threading import Lock

from crossway.adapters.chains.evm.abi import TOKENS_MOVED
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.logs import address_topic, fetch_events
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.tron.address_format import strip_0x
from crossway.adapters.chains.tron.blocks import BlockReader
from crossway.adapters.chains.tron.tx_results import read_transaction
from crossway.ports.chain import ChainHead

# So many of the newest blocks are read at the start, and again after a gap of more than MAX_GAP.
NEWEST_BLOCKS, MAX_GAP_BLOCKS = 40, 1_200
DAY_BLOCKS, WEEK_BLOCKS = 28_800, 201_600
_NEWEST_TRANSACTIONS = 20


class SequenceTracker:
    """The sequence numbers of one account; a new process reads them again."""

    def __init__(self, context: ChainContext, blocks: BlockReader) -> None:
        self._context, self._blocks = context, blocks
        self._lock = Lock()
        self._final_height, self._highest = -1, -1

    def next_number(self, session: RpcSession, head: ChainHead) -> int:
        """One more than the highest number of an included transaction."""
        with self._lock:
            if self._final_height < 0 or head.height - self._final_height > MAX_GAP_BLOCKS:
                low = max(head.height - NEWEST_BLOCKS, 0)
                self._highest = self._highest_in_events(session, low)
                self._final_height = min(low, head.finalized)
            pages = self._blocks.read(session, self._final_height, head.height, head.block_hash)
            newest = self._highest
            for page in pages:
                own = [t.sequence for t in page.own_transactions if t.sequence is not None]
                newest = max([newest, *own])
                if page.height <= head.finalized:
                    self._highest, self._final_height = newest, page.height
            return newest + 1

    def _highest_in_events(self, session: RpcSession, last: int) -> int:
        """The highest number in a day of events, -1 where there is none; the books have older
        ones."""
        for tx_ids in self._own_tx_ids(session, last, DAY_BLOCKS):
            numbers = self._read_numbers(session, tx_ids[-_NEWEST_TRANSACTIONS:])
            if numbers:
                return max(numbers.values())
        return -1

    def numbers_from(
        self, session: RpcSession, head: ChainHead, from_number: int
    ) -> dict[str, int]:
        """Numbers by transaction id, from `from_number` on."""
        low = max(head.height - NEWEST_BLOCKS, 0)
        pages = self._blocks.read(session, low, head.height, head.block_hash)
        sequence = {
            transaction.tx_id: transaction.sequence
            for page in pages
            for transaction in page.own_transactions
            if transaction.sequence is not None and transaction.sequence >= from_number
        }
        if from_number not in sequence.values():
            for tx_ids in self._own_tx_ids(session, low, WEEK_BLOCKS):
                numbers = self._read_numbers(session, tx_ids)
                sequence |= {tx_id: n for tx_id, n in numbers.items() if n >= from_number}
                if any(number <= from_number for number in numbers.values()):
                    break
        return sequence

    def _own_tx_ids(self, session: RpcSession, last: int, blocks: int) -> Iterator[list[str]]:
        """Transactions that our account sent according to our contracts' events, range by range
        backwards."""
        limits = self._context.limits
        log_filter = {
            "address": list(self._context.deployment.contracts),
            "topics": [TOKENS_MOVED.topic, None, address_topic(self._context.accounts.relayer)],
        }
        lowest = max(last - blocks, 0)
        while last > lowest:
            first = max(last - limits.blocks + 1, lowest)
            logs = fetch_events(session, limits, log_filter, first, last)
            if logs:
                yield list(dict.fromkeys(strip_0x(log.tx_hash) for log in logs))
            last = first - 1

    def _read_numbers(self, session: RpcSession, tx_ids: list[str]) -> dict[str, int]:
        numbers = {}
        for tx_id in tx_ids:
            transaction = read_transaction(session, tx_id)
            if transaction is not None and transaction.sequence is not None:
                numbers[tx_id] = transaction.sequence
        return numbers
