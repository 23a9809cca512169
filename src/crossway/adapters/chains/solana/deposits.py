"""Deposit detection: changed balances, and the transactions that explain them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.deposit_scan import DepositReader
from crossway.adapters.chains.rpc.head_tracker import LOWER_HEAD_SECONDS
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.accounts import (
    AMOUNT_AT,
    AMOUNT_SIZE,
    fetch_account_slices,
    fetch_accounts,
    token_amount,
)
from crossway.adapters.chains.solana.chain_context import (
    ChainContext,
    block_request,
    read_blocks,
    require_block,
)
from crossway.adapters.chains.solana.deposit_transactions import (
    deposits_in,
    sort_key,
    verify_deposits,
)
from crossway.adapters.chains.solana.pdas import is_native
from crossway.adapters.chains.solana.rpc_schemas import Account, Block, parse_block
from crossway.adapters.chains.solana.third_party_calls import find_paid_out
from crossway.adapters.chains.solana.transaction_parser import (
    ParsedTransaction,
    fetch_signatures,
    fetch_transactions,
)
from crossway.adapters.chains.solana.watched_accounts import (
    MAX_POLLS,
    DepositMemory,
    WatchedAccount,
    WatchedOwners,
    accounts_of,
    accounts_to_poll,
)
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import ChainHead, Cursor, Scan

# After that, missing entries block nothing and are requested at every so-many-th poll.
_RARE_POLL_INTERVAL = 16
_OWNERS_PER_REQUEST = 50
# Error codes for blocks that a node pruned or that never existed.
_PRUNED, _LONG_AGO_SLOTS = (-32001, -32007, -32009, -32011), 1_000
_BLOCKS_AT_ONCE = 20


class SolanaDeposits(DepositReader[ChainContext]):
    """Polls the balances of deposit addresses, and reads the transactions behind changed ones."""

    def __init__(self, context: ChainContext, memory: DepositMemory) -> None:
        super().__init__(context)
        self._memory = memory

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        verified = super().verify_inclusion(incoming)
        if not all(verified):
            # What is cached came from the node that reported what is not there.
            self._memory.forget()
        return verified

    def _scan_after(self, head: ChainHead, after: Cursor, watch: AddressFilter) -> Scan:
        owners, pool = WatchedOwners(watch.list_recent(), watch.list_all()), self._context.pool
        if self._memory.reached != after:
            # The result of the last scan was not stored, or another process scanned.
            self._memory.forget()
        try:
            scan, transfers = pool.first(lambda s: self._scan_from(s, head, after, owners))
            if pool.quorum_size > 1:
                if scan.reorged_from is not None:
                    self._confirm_reorg(head, after)
                # A single node's answer must not count as an explanation.
                self.verify_inclusion(transfers)
        except Unreachable:
            self._memory.forget()
            raise
        self._memory.reached = scan.cursor
        return scan

    def _scan_from(
        self, session: RpcSession, head: ChainHead, after: Cursor, owners: WatchedOwners
    ) -> tuple[Scan, Sequence[IncomingTransfer]]:
        """The scan and all transactions read, including those before the cursor."""
        context, memory = self._context, self._memory
        cursor = Cursor(head.height, head.block_hash)
        if not self._continues(session, head, after):
            rescan = self._rescan(session, head, after, owners.all)
            return rescan, rescan.incoming
        watched, is_complete_poll = accounts_to_poll(context, memory, owners)
        accounts = [entry.account for entry in watched]
        slot, accounts_now = fetch_account_slices(
            context, session, accounts, AMOUNT_AT, AMOUNT_SIZE
        )
        changed = _changed_accounts(memory, watched, accounts_now)
        memory.doubt({entry.account: units for entry, units in changed.items()})
        to_explain, passed = _accounts_to_explain(memory, changed), set(memory.passed)
        transfers = _explain_changes(context, session, memory, to_explain) if to_explain else []
        new_transfers = [
            t for t in transfers if not is_complete_poll or _is_new(context, t, after, passed)
        ]
        explained = {entry.owner for entry in to_explain}
        emptied, newest = find_paid_out(
            context, session, memory.program_cursor, after.height, owners.all, explained
        )
        if emptied:
            known_refs = {entry.tx_ref for entry in new_transfers}
            extra = fetch_all_deposits(context, session, sorted(emptied))
            new_transfers += [entry for entry in extra if entry.tx_ref not in known_refs]
            transfers = [*transfers, *extra]
        # Unexplained changes, and those read before the head, stay above the cursor.
        unexplained = any(tried < MAX_POLLS for tried, _ in memory.tries.values())
        complete = not unexplained and (slot >= head.height or not watched)
        if complete:
            memory.finish_scan(newest)
        if len(memory.balances) > 2 * len(watched) + context.params.max_accounts:
            memory.forget()
        return Scan(new_transfers, cursor if complete else after, None), transfers

    def _continues(self, session: RpcSession, head: ChainHead, after: Cursor) -> bool:
        """Whether the cursor is on the chain: not replaced, nor far above the head, as it was
        scanned from a false one. Raises `Unreachable` where the node is behind."""
        if head.height >= after.height:
            return _is_cursor_valid(session, after, head.finalized)
        tolerated = int(LOWER_HEAD_SECONDS / self._context.chain.block_time_seconds)
        if after.height - head.height <= tolerated:
            raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
        return False

    def _confirm_reorg(self, head: ChainHead, after: Cursor) -> None:
        """Raises `Unreachable` where a node of the quorum still has the cursor's block."""
        if head.height < after.height:
            return
        read = partial(_is_cursor_valid, after=after, final=head.finalized)
        if any(self._context.pool.quorum(read)):
            raise Unreachable(f"the nodes have different blocks {after.height}")

    def _rescan(
        self, session: RpcSession, head: ChainHead, after: Cursor, addresses: Sequence[str]
    ) -> Scan:
        """After a reorg: scan again from the last block that is still on the chain."""
        hashes, read = self._context.block_hashes, partial(read_blocks, session)
        reached = Cursor(min(after.height, head.height + 1), after.block_hash)
        common = hashes.last_common_block(head, reached, _BLOCKS_AT_ONCE, read)
        root = min(head.finalized, after.height - 1) if common is None else common.height
        hashes.forget(root, after.height)
        hashes.remember(Block(head.height, head.block_hash, head.time))
        self._memory.forget()
        transfers = fetch_all_deposits(self._context, session, addresses)
        incoming = [transfer for transfer in transfers if transfer.block_height > root]
        return Scan(incoming, Cursor(head.height, head.block_hash), root + 1)

    def _search(
        self, session: RpcSession, head: ChainHead, to: Sequence[str], since: datetime | None
    ) -> Sequence[IncomingTransfer]:
        """Every transfer that the node still has, whenever it was made."""
        return fetch_all_deposits(self._context, session, to)

    def _verify(self, session: RpcSession, incoming: Sequence[IncomingTransfer]) -> list[bool]:
        return verify_deposits(self._context, session, incoming)


def _changed_accounts(
    memory: DepositMemory, watched: Sequence[WatchedAccount], accounts: Sequence[Account | None]
) -> dict[WatchedAccount, int]:
    """Current balances that differ from the explained ones."""
    now = [token_amount(a, is_native(p.token)) for p, a in zip(watched, accounts, strict=True)]
    balance = memory.balances
    return {p: n for p, n in zip(watched, now, strict=True) if n != balance.get(p.account, 0)}


def _is_new(
    context: ChainContext, transfer: IncomingTransfer, after: Cursor, passed: Collection[str]
) -> bool:
    """Whether it is after the cursor, or in an account that the cursor passed unexplained."""
    return (
        transfer.block_height > after.height
        or context.mints.account_of(transfer.to, transfer.token) in passed
    )


def _accounts_to_explain(
    memory: DepositMemory, changed: Mapping[WatchedAccount, int]
) -> dict[WatchedAccount, int]:
    """The changes to explain now; those with many failed attempts only rarely."""
    every = memory.turn % _RARE_POLL_INTERVAL == 0
    return {p: n for p, n in changed.items() if every or not memory.is_doubtful(p.account)}


def _explain_changes(
    context: ChainContext,
    session: RpcSession,
    memory: DepositMemory,
    changed: Mapping[WatchedAccount, int],
) -> list[IncomingTransfer]:
    """The deposits behind changed balances. Changes that do not add up stay for the next poll."""
    accounts = [entry.account for entry in changed]
    listed = fetch_signatures(session, accounts, memory.newest)
    names = {e.tx_id for entries in listed.values() for e in entries if e.succeeded}
    transactions = fetch_transactions(session, sorted(names))
    incoming = deposits_in(
        context, session, transactions.values(), {entry.owner for entry in changed}
    )
    for entry, units in changed.items():
        entries = listed[entry.account]
        owners = [transactions[e.tx_id] for e in entries if e.tx_id in transactions]
        gained = sum(_gain_of(transaction, entry) for transaction in owners)
        if memory.balances.get(entry.account, 0) + gained != units:
            memory.tries[entry.account] = memory.tries.get(entry.account, (0, 0))[0] + 1, units
            continue
        memory.tries.pop(entry.account, None)
        memory.passed.discard(entry.account)
        memory.balances[entry.account] = units
        if entries:
            memory.newest[entry.account] = entries[0].tx_id
    return incoming


def _gain_of(transaction: ParsedTransaction, watched: WatchedAccount) -> int:
    if watched.account not in transaction.keys:
        return 0
    return transaction.lamports_gained(
        transaction.keys.index(watched.account), is_native(watched.token)
    )


def _is_cursor_valid(session: RpcSession, after: Cursor, final: int) -> bool:
    """Whether the cursor's block still exists. A block so old that nodes pruned it was final long
    ago."""
    result = session.batch([block_request(after.height)])[0]
    if not isinstance(result, RpcError):
        return result is not None and parse_block(result, after.height).hash == after.block_hash
    if result.code in _PRUNED and after.height + _LONG_AGO_SLOTS < final:
        return True
    require_block(result, after.height)
    return False


def fetch_all_deposits(
    context: ChainContext, session: RpcSession, addresses: Sequence[str]
) -> list[IncomingTransfer]:
    """Every transfer to these addresses, from the transactions of each address, which created or
    emptied its token accounts, and of the token accounts themselves."""
    deposits: list[IncomingTransfer] = []
    for start in range(0, len(addresses), _OWNERS_PER_REQUEST):
        deposits += _fetch_deposits(
            context, session, addresses[start : start + _OWNERS_PER_REQUEST]
        )
    return sorted(deposits, key=sort_key)


def _fetch_deposits(
    context: ChainContext, session: RpcSession, owners: Sequence[str]
) -> list[IncomingTransfer]:
    split = [accounts_of(context, owner) for owner in owners]
    watched = [p for both in split for part in both for p in part if p.account != p.owner]
    accounts = fetch_accounts(context, session, [entry.account for entry in watched])
    pending = [
        *owners,
        *(p.account for p, a in zip(watched, accounts, strict=True) if a is not None),
    ]
    transactions: dict[str, ParsedTransaction] = {}
    requested: set[str] = set()
    deposit_owners, of_accounts = set(owners), {entry.account for entry in watched}
    while pending:
        requested |= set(pending)
        listed = fetch_signatures(session, pending, {})
        names = {e.tx_id for entries in listed.values() for e in entries if e.succeeded}
        transactions |= fetch_transactions(session, sorted(names - transactions.keys()))
        # Closed token accounts are found by the transactions that closed them.
        touched = {
            key for entry in transactions.values() for key in entry.keys if key in of_accounts
        }
        pending = sorted(touched - requested)
    return deposits_in(context, session, transactions.values(), deposit_owners)
