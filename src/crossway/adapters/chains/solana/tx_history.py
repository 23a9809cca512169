"""Transactions of our account, whoever signed them, and their sequence numbers."""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.chain_context import ChainContext, fetch_blocks
from crossway.adapters.chains.solana.instructions import sequence_in
from crossway.adapters.chains.solana.transaction_parser import (
    ParsedTransaction,
    SignatureEntry,
    fetch_signatures,
    fetch_transactions,
    parse_signatures,
    signatures_request,
)
from crossway.adapters.chains.solana.tx_results import included_of
from crossway.ports.chain import AccountTx

_AT_ONCE = 50
# Transactions of one account land roughly in sequence: within this many slots.
_SEARCH_BATCH = 400
_MAX_READ = 5_000


class SequenceTracker:
    """The highest sequence number in a block, read forward from the newest known transaction.
    `known` returns the numbers of transactions of this process."""

    def __init__(self, context: ChainContext, known: Callable[[str], int | None]) -> None:
        self._ground, self._known, self._lock = context, known, Lock()
        self._newest: dict[str, str] = {}
        self._highest: dict[str, int] = {}

    def next_nonce(self, account: str) -> int:
        """One more than the highest number; 0 for a new account."""
        with self._lock:
            return self._ground.pool.first(lambda line: self._read(line, account)) + 1

    def _read(self, session: RpcSession, account: str) -> int:
        if account in self._newest:
            listed = fetch_signatures(session, [account], self._newest)[account]
            found = self._numbers(session, listed, account)
        else:
            listed = parse_signatures(session.call(signatures_request(account))[0])
            found = self._first(session, listed, account)
        highest = max([self._highest.get(account, -1), *found])
        if listed:
            self._newest[account] = listed[0].name
        self._highest[account] = highest
        return highest

    def _numbers(
        self, session: RpcSession, listed: Sequence[SignatureEntry], account: str
    ) -> list[int]:
        sequence = {entry.name: self._known(entry.name) for entry in listed}
        read = fetch_transactions(
            session, [name for name, number in sequence.items() if number is None]
        )
        numbers = [sequence_of(self._ground, entry, account) for entry in read.values()]
        numbers += [number for number in sequence.values() if number is not None]
        return [number for number in numbers if number >= 0]

    def _first(
        self, session: RpcSession, listed: Sequence[SignatureEntry], account: str
    ) -> list[int]:
        """After a start: read backwards until the numbers of enough slots are known."""
        found: list[int] = []
        lowest: int | None = None
        for start in range(0, len(listed), _AT_ONCE):
            part = listed[start : start + _AT_ONCE]
            numbers = self._numbers(session, part, account)
            if numbers and lowest is None:
                lowest = part[0].slot - _SEARCH_BATCH
            found += numbers
            if lowest is not None and part[-1].slot < lowest:
                break
        return found


def sequence_of(context: ChainContext, transaction: ParsedTransaction, account: str) -> int:
    """The sequence number of this account's transaction; -1 if it carries none."""
    if transaction.keys[0] != account:
        return -1
    for call in transaction.calls:
        if call.program == context.program.id and (number := sequence_in(call.data)) is not None:
            return number
    return -1


def transactions_from(context: ChainContext, account: str, from_nonce: int) -> Sequence[AccountTx]:
    """Transactions that an account paid for, from a number on, oldest first. One without a number
    has that of its predecessor."""

    def work(session: RpcSession) -> list[AccountTx]:
        read: list[ParsedTransaction] = []
        for part in _history_backwards(session, account):
            entries = fetch_transactions(session, [entry.name for entry in part])
            of_part = [entries[entry.name] for entry in part if entry.name in entries]
            numbers = [n for t in of_part if (n := sequence_of(context, t, account)) >= 0]
            read += of_part
            older = part[-1].slot + _SEARCH_BATCH < read[0].slot if read else False
            if numbers and max(numbers) < from_nonce and older:
                break
        own = [entry for entry in reversed(read) if entry.keys[0] == account]
        transactions = list(_with_sequence(context, own, account, from_nonce))
        in_blocks = fetch_blocks(session, {entry.slot for _, entry in transactions})
        outcomes = included_of(context, [entry for _, entry in transactions], in_blocks)
        results = [
            AccountTx(t.name, n, outcomes[t.name]) for n, t in transactions if t.name in outcomes
        ]
        return sorted(results, key=lambda entry: entry.nonce)

    return context.pool.first(work)


def _with_sequence(
    context: ChainContext, oldest_first: Sequence[ParsedTransaction], account: str, from_nonce: int
) -> Iterator[tuple[int, ParsedTransaction]]:
    last: int | None = None
    for entry in oldest_first:
        number = sequence_of(context, entry, account)
        if number >= from_nonce:
            last = number
            yield number, entry
        elif number < 0 and last is not None:
            yield last, entry


def _history_backwards(session: RpcSession, account: str) -> Iterator[Sequence[SignatureEntry]]:
    """The transactions of an account in batches, newest first."""
    before, read = "", 0
    while read < _MAX_READ:
        page = parse_signatures(session.call(signatures_request(account, before=before))[0])
        for start in range(0, len(page), _AT_ONCE):
            yield page[start : start + _AT_ONCE]
        if not page:
            return
        before, read = page[-1].name, read + len(page)
