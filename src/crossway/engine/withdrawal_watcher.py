"""Books what a coordinator has withdrawn of the amounts that contracts retain or owe to it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.ledger import NO_INTENT, Account, BalanceKey, Posting
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

INTERVAL: Final = timedelta(minutes=5)
WITHDRAWN: Final = "escrow:withdrawn"
"""What caused a posting of a withdrawal, whose transaction is not looked for."""
_HELD_BY_CONTRACTS: Final = (Account.OWED, Account.SPREAD)


class WithdrawalWatcher:
    """Compares what escrows retain for our coordinators with the spreads in the books, and what
    bridges' contracts owe to them with what the books have as owed, at intervals.

    What is missing at the nodes that must agree, and still is once that block is final, was
    withdrawn: only coordinators can, to any address. The books are read first, so that a settlement
    in between is not taken for money that is missing.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: dict[str, datetime] = {}
        # By account and chain, collecting account and coordinator of the payments concerned.
        self._parties: dict[tuple[str, str], set[tuple[str, str]]] = {}
        # By account, chain and token, what is missing, and the newest height when that was seen.
        self._missing: dict[BalanceKey, tuple[int, int]] = {}

    def check(self, heads: Mapping[str, ChainHead]) -> int:
        """Book what was withdrawn on these chains; returns how many tokens that was."""
        now = self._services.clock.now()
        due = [
            name
            for name in heads
            if (last := self._checked_at.get(name)) is None or abs(now - last) >= INTERVAL
        ]
        if not due:
            return 0
        with self._services.store.read() as unit:
            balances = unit.ledger.get_balances(accounts=_HELD_BY_CONTRACTS)
        booked = 0
        for name in due:
            held = {
                key: amount
                for key, amount in balances.items()
                if key[1] == name and amount > 0 and self._is_held(key)
            }
            try:
                booked += self._check_chain(self._services.chains[name], heads[name], held)
            except Unreachable:
                continue
            self._checked_at[name] = now
        return booked

    def _is_held(self, key: BalanceKey) -> bool:
        """Whether contracts hold an account's balance for a coordinator."""
        if key[0] == Account.OWED:
            return key[1] in self._services.bridge_ends
        return key[0] == Account.SPREAD

    def _check_chain(self, chain: Chain, head: ChainHead, held: Mapping[BalanceKey, int]) -> int:
        booked = 0
        for key, amount in held.items():
            missing = self._read_missing(chain, key, amount)
            if missing <= 0:
                self._missing.pop(key, None)
                continue
            first, height = self._missing.get(key, (missing, head.height))
            if head.finalized < height:
                self._missing[key] = min(first, missing), height
                continue
            self._missing.pop(key, None)
            booked += self._book(chain, key, amount, min(first, missing))
        return booked

    def _read_missing(self, chain: Chain, key: BalanceKey, booked: int) -> int:
        """How much less contracts hold than the books say; zero where that cannot be told."""
        accounts = chain.accounts
        if not accounts.redirect_seconds:
            return 0  # No contract asks for a coordinator.
        if self._read_held(chain, key, {accounts.coordinator, accounts.relayer}) >= booked:
            return 0
        if key[:2] not in self._parties:
            self._parties[key[:2]] = self._read_parties(key)
        return booked - self._sum_held(chain, key, booked)

    def _read_held(self, chain: Chain, key: BalanceKey, coordinators: set[str]) -> int:
        """What contracts hold for coordinators of what an account stands for."""
        if key[0] == Account.SPREAD:
            return sum(chain.retained(coordinators, key[2]).values())
        end, bridgers = self._services.bridge_ends[chain.id], chain.accounts.collectors.values()
        return sum(end.owed(bridger, coordinators, key[2]) for bridger in sorted(set(bridgers)))

    def _sum_held(self, chain: Chain, key: BalanceKey, booked: int) -> int:
        """What contracts hold for the coordinators of all payments; all of it where some payments
        have other contracts, which hold something of theirs."""
        parties, known = self._parties[key[:2]], set[str]()
        for name in self._sources(key):
            accounts = self._services.chains[name].accounts
            known |= {accounts.bridger, *accounts.old_bridgers, *accounts.collectors.values()}
        if any(bridger not in known for bridger, _ in parties):
            return booked
        return self._read_held(chain, key, {coordinator for _, coordinator in parties})

    def _sources(self, key: BalanceKey) -> list[str]:
        """The source chains of payments of which contracts hold something: an escrow is on the
        source chain, and a bridge's contract owes where the money arrives."""
        return list(self._services.bridge_ends) if key[0] == Account.OWED else [key[1]]

    def _read_parties(self, key: BalanceKey) -> set[tuple[str, str]]:
        with self._services.store.read() as unit:
            found = (unit.intents.list_settlement_accounts(name) for name in self._sources(key))
            return set().union(*found)

    def _book(self, chain: Chain, key: BalanceKey, expected: int, amount: int) -> int:
        # Another process may have created payments with another coordinator since.
        self._parties[key[:2]] = self._read_parties(key)
        amount = min(amount, expected - self._sum_held(chain, key, expected))
        if amount <= 0:
            return 0

        def work(unit: UnitOfWork) -> int:
            # What has changed meanwhile is looked at again.
            if unit.ledger.get_balances(key[1], key[:1]).get(key) != expected:
                return 0
            account, place, token = key
            posting = Posting(NO_INTENT, place, token, Account.EQUITY, account, amount, WITHDRAWN)
            unit.ledger.post([posting], self._services.clock.now())
            return 1

        return self._services.store.write(work)
