"""Watched token accounts of deposit addresses, and what is known of their balances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.third_party_calls import ProgramCursor
from crossway.ports.chain import Cursor

# Transaction lists may lag behind accounts; missing entries are requested this many times.
MAX_POLLS = 20
# Cached accounts of addresses that are no longer watched, before the cache is dropped.
_UNWATCHED_MARGIN = 50
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class WatchedAccount:
    """The account that receives an address's deposits of one token."""

    owner: str
    token: str
    account: str


@dataclass
class DepositMemory:
    """Explained balances by account, the newest known transactions, and counts of failed
    explanations. A cache: without it, everything is read again."""

    balances: dict[str, int] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    tries: dict[str, tuple[int, int]] = field(default_factory=dict)
    # Accounts whose change was not explained before the cursor moved on.
    passed: set[str] = field(default_factory=set)
    turn: int = 0
    reached: Cursor | None = None
    program_cursor: ProgramCursor = field(default_factory=ProgramCursor)
    # By address: its accounts of common tokens, and of the others.
    accounts: dict[str, tuple[list[WatchedAccount], list[WatchedAccount]]] = field(
        default_factory=dict
    )

    def doubt(self, changed: Mapping[str, int]) -> None:
        """Count another failed explanation; a different difference starts again."""
        self.tries = {a: entry for a, entry in self.tries.items() if changed.get(a) == entry[1]}

    def is_doubtful(self, account: str) -> bool:
        """Whether the limit of explanation attempts is reached."""
        return self.tries.get(account, (0, 0))[0] >= MAX_POLLS

    def finish_scan(self, newest: str) -> None:
        """Note that everything up to the head was explained or given up."""
        self.program_cursor.newest = newest
        self.passed |= self.tries.keys()

    def forget(self) -> None:
        """Forget everything except what is still unexplained."""
        self.balances, self.newest, self.tries, self.reached = {}, {}, {}, None
        self.program_cursor.newest = ""


@dataclass(frozen=True, slots=True)
class WatchedOwners:
    """Deposit addresses: those of payments that are open or ended lately, and all."""

    recent: Sequence[str]
    all: Sequence[str]


def accounts_to_poll(
    context: ChainContext, memory: DepositMemory, owners: WatchedOwners
) -> tuple[list[WatchedAccount], bool]:
    """The accounts of this poll, and whether these are all. Those of payments that ended a while
    ago take turns, a few in each poll; with very many open payments, some of theirs, too."""
    if len(memory.accounts) > 2 * len(owners.recent) + _UNWATCHED_MARGIN:
        memory.accounts = {}
    recent = set(owners.recent)
    ended = [owner for owner in owners.all if owner not in recent]
    polled, is_complete = _recent_accounts(context, memory, owners.recent)
    for owner in _next_slice(ended, memory.turn, context.params.late_owners):
        polled += [account for part in accounts_of(context, owner) for account in part]
    return polled, is_complete and not ended


def _recent_accounts(
    context: ChainContext, memory: DepositMemory, recent: Sequence[str]
) -> tuple[list[WatchedAccount], bool]:
    usual: list[WatchedAccount] = []
    others: list[WatchedAccount] = []
    for owner in recent:
        if owner not in memory.accounts:
            memory.accounts[owner] = accounts_of(context, owner)
        often, seldom = memory.accounts[owner]
        usual += often
        others += seldom
    room, memory.turn = context.params.max_accounts, memory.turn + 1
    if len(usual) + len(others) <= room:
        return usual + others, True
    most = room * 3 // 4
    first = usual if len(usual) <= most else _next_slice(usual, memory.turn, most)
    return first + _next_slice(others, memory.turn, room - len(first)), False


def accounts_of(
    context: ChainContext, owner: str
) -> tuple[list[WatchedAccount], list[WatchedAccount]]:
    symbols = {t.address: t.symbol for t in context.catalogue.by_chain[context.chain.id]}
    usual = [WatchedAccount(owner, context.native, owner)] if context.native else []
    others: list[WatchedAccount] = []
    for token in context.tokens:
        account = WatchedAccount(owner, token, context.mints.account_of(owner, token))
        (usual if symbols.get(token) in context.params.usual else others).append(account)
    return usual, others


def _next_slice(places: Sequence[P], turn: int, count: int) -> list[P]:
    if count >= len(places):
        return list(places)
    start = turn * count % len(places)
    return [*places[start : start + count], *places[: max(0, start + count - len(places))]]
