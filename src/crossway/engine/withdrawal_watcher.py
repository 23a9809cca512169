"""Books what a coordinator has withdrawn of the amounts that the contracts retain."""

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


class WithdrawalWatcher:
    """Compares what the contracts retain for our coordinators with the bridge fees in the books, at
    intervals.

    What is missing at the nodes that must agree, and still is once that block is final, was
    withdrawn: only coordinators can, to any address. The books are read first, so that a settlement
    in between is not taken for money that is missing.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: dict[str, datetime] = {}
        # By chain, collecting account and coordinator of its payments.
        self._parties: dict[str, set[tuple[str, str]]] = {}
        # By chain and token, what is missing, and the newest height when that was seen first.
        self._missing: dict[tuple[str, str], tuple[int, int]] = {}

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
            balances = unit.ledger.get_balances()
        booked = 0
        for name in due:
            fees = {
                key: amount
                for key, amount in balances.items()
                if key[:2] == (Account.BRIDGE_FEES, name) and amount > 0
            }
            try:
                booked += self._check_chain(self._services.chains[name], heads[name], fees)
            except Unreachable:
                continue
            self._checked_at[name] = now
        return booked

    def _check_chain(self, chain: Chain, head: ChainHead, fees: Mapping[BalanceKey, int]) -> int:
        booked = 0
        for key, amount in fees.items():
            place = chain.id, key[2]
            missing = self._read_missing(chain, key[2], amount)
            if missing <= 0:
                self._missing.pop(place, None)
                continue
            first, height = self._missing.get(place, (missing, head.height))
            if head.finalized < height:
                self._missing[place] = min(first, missing), height
                continue
            self._missing.pop(place, None)
            booked += self._book(chain, key, amount, min(first, missing))
        return booked

    def _read_missing(self, chain: Chain, token: str, booked: int) -> int:
        """How much less the contracts retain than the books say; zero where that cannot be told."""
        accounts = chain.accounts
        if not accounts.redirect_seconds:
            return 0  # No contract asks for a coordinator.
        retained = chain.retained({accounts.coordinator, accounts.relayer}, token)
        if sum(retained.values()) >= booked:
            return 0
        if chain.id not in self._parties:
            self._parties[chain.id] = self._read_parties(chain)
        return booked - self._sum_retained(chain, token, booked)

    def _sum_retained(self, chain: Chain, token: str, booked: int) -> int:
        """What is retained for the coordinators of all payments; all of it where some payments have
        other contracts, which retain fees of theirs."""
        parties = self._parties[chain.id]
        if any(bridger != chain.accounts.bridger for bridger, _ in parties):
            return booked
        coordinators = {coordinator for _, coordinator in parties}
        return sum(chain.retained(coordinators, token).values())

    def _read_parties(self, chain: Chain) -> set[tuple[str, str]]:
        with self._services.store.read() as unit:
            return unit.intents.list_settlement_accounts(chain.id)

    def _book(self, chain: Chain, key: BalanceKey, expected: int, amount: int) -> int:
        # Another process may have created payments with another coordinator since.
        self._parties[chain.id] = self._read_parties(chain)
        amount = min(amount, expected - self._sum_retained(chain, key[2], expected))
        if amount <= 0:
            return 0

        def work(unit: UnitOfWork) -> int:
            # What has changed meanwhile is looked at again.
            if unit.ledger.get_balances().get(key) != expected:
                return 0
            account, place, token = key
            posting = Posting(NO_INTENT, place, token, Account.EQUITY, account, amount, WITHDRAWN)
            unit.ledger.post([posting], self._services.clock.now())
            return 1

        return self._services.store.write(work)
