"""What our account and the program did on Solana, whoever signed it, and sequence numbers."""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_history import TxHistory
from crossway.adapters.chains.solana.accounts import fetch_accounts
from crossway.adapters.chains.solana.chain_context import ChainContext, read_blocks
from crossway.adapters.chains.solana.instructions import sequence_in
from crossway.adapters.chains.solana.rpc_schemas import Account
from crossway.adapters.chains.solana.transaction_parser import (
    ParsedTransaction,
    SignatureEntry,
    fetch_signatures,
    fetch_transactions,
    parse_signatures,
    signatures_request,
)
from crossway.adapters.chains.solana.tx_results import included_of
from crossway.ports.chain import AccountTx, ChainHead

_AT_ONCE = 50
# Transactions of one account land roughly in sequence: within this many slots.
_SEARCH_SLOTS = 400
_MAX_READ = 5_000


class SequenceTracker:
    """The highest sequence number in a block, read forward from the newest known transaction.
    `known` returns the numbers of transactions of this process."""

    def __init__(self, context: ChainContext, known: Callable[[str], int | None]) -> None:
        self._context, self._known, self._lock = context, known, Lock()
        self._newest: dict[str, str] = {}
        self._highest: dict[str, int] = {}

    def next_nonce(self, account: str) -> int:
        """One more than the highest number; 0 for a new account."""
        with self._lock:
            return self._context.pool.first(lambda session: self._read(session, account)) + 1

    def _read(self, session: RpcSession, account: str) -> int:
        if account in self._newest:
            listed = fetch_signatures(session, [account], self._newest)[account]
            numbers = self._numbers(session, listed, account)
        else:
            listed = parse_signatures(session.call(signatures_request(account))[0])
            numbers = self._first(session, listed, account)
        highest = max([self._highest.get(account, -1), *numbers])
        if listed:
            self._newest[account] = listed[0].tx_id
        self._highest[account] = highest
        return highest

    def _numbers(
        self, session: RpcSession, listed: Sequence[SignatureEntry], account: str
    ) -> list[int]:
        known = {entry.tx_id: self._known(entry.tx_id) for entry in listed}
        unknown = [tx_id for tx_id, number in known.items() if number is None]
        parsed = fetch_transactions(session, unknown)
        numbers = [sequence_of(self._context, entry, account) for entry in parsed.values()]
        numbers += [number for number in known.values() if number is not None]
        return [number for number in numbers if number >= 0]

    def _first(
        self, session: RpcSession, listed: Sequence[SignatureEntry], account: str
    ) -> list[int]:
        """After a start: read backwards until the numbers of enough slots are known."""
        all_numbers: list[int] = []
        lowest: int | None = None
        for start in range(0, len(listed), _AT_ONCE):
            part = listed[start : start + _AT_ONCE]
            numbers = self._numbers(session, part, account)
            if numbers and lowest is None:
                lowest = part[0].slot - _SEARCH_SLOTS
            all_numbers += numbers
            if lowest is not None and part[-1].slot < lowest:
                break
        return all_numbers


def sequence_of(context: ChainContext, transaction: ParsedTransaction, account: str) -> int:
    """The sequence number of this account's transaction; -1 if it carries none."""
    if transaction.keys[0] != account:
        return -1
    for call in transaction.calls:
        if call.program == context.program.id and (number := sequence_in(call.data)) is not None:
            return number
    return -1


class SolanaTxHistory(TxHistory[ChainContext]):
    """Reads the program's marker accounts, and transactions with their sequence numbers. One
    without a number has that of its predecessor."""

    def _read_executed(self, session: RpcSession, markers: Sequence[str]) -> set[str]:
        context, program = self._context, self._context.program.id
        addresses = [_marker_address(context, marker) for marker in markers]
        accounts = fetch_accounts(context, session, addresses, 0, 2)
        return {m for m, a in zip(markers, accounts, strict=True) if _is_marker_of(m, a, program)}

    def _read_transactions(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> Sequence[AccountTx]:
        context = self._context
        newest_first: list[ParsedTransaction] = []
        for part in _history_backwards(session, account):
            entries = fetch_transactions(session, [entry.tx_id for entry in part])
            parsed = [entries[entry.tx_id] for entry in part if entry.tx_id in entries]
            numbers = [n for t in parsed if (n := sequence_of(context, t, account)) >= 0]
            newest_first += parsed
            older = newest_first and part[-1].slot + _SEARCH_SLOTS < newest_first[0].slot
            if numbers and max(numbers) < from_nonce and older:
                break
        own = [entry for entry in reversed(newest_first) if entry.keys[0] == account]
        numbered = list(_with_sequence(context, own, account, from_nonce))
        blocks = read_blocks(session, {entry.slot for _, entry in numbered})
        included = included_of(context, [entry for _, entry in numbered], blocks)
        return [
            AccountTx(t.tx_id, n, included[t.tx_id]) for n, t in numbered if t.tx_id in included
        ]


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
    before, count = "", 0
    while count < _MAX_READ:
        page = parse_signatures(session.call(signatures_request(account, before=before))[0])
        for start in range(0, len(page), _AT_ONCE):
            yield page[start : start + _AT_ONCE]
        if not page:
            return
        before, count = page[-1].tx_id, count + len(page)


def _marker_address(context: ChainContext, marker: str) -> str:
    kind, key = marker.split(":")[:2]
    at = bytes.fromhex(key.removeprefix("0x"))
    return context.program.marker(at) if kind == "fill" else context.program.state(at)


def _is_marker_of(marker: str, account: Account | None, program: str) -> bool:
    if account is None or account.owner != program or len(account.data) != 2:
        return False
    if marker.startswith("fill:"):
        return account.data[:1] == b"F"
    return account.data[:1] == b"S" and (marker.startswith("start:") or account.data[1] == 1)
