"""The running balances of deposit addresses while a batch of changes is being made."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from crossway.domain.ledger import Account, AddressBalance, AddressKey, Posting
from crossway.ports.store import UnitOfWork

_KEPT: Final = (Account.HELD, Account.DUST)


class AddressBalances:
    """The stored balances and what the postings of a batch change in them."""

    def __init__(self) -> None:
        self._stored: dict[AddressKey, AddressBalance] = {}
        self._changes: dict[AddressKey, dict[Account, int]] = {}

    def load(self, unit: UnitOfWork, keys: Iterable[AddressKey]) -> None:
        """Read the balances that are not known yet, in one query."""
        missing = sorted({key for key in keys if key not in self._stored})
        if missing:
            stored = unit.ledger.get_address_balances(missing)
            self._stored |= {key: stored.get(key) or _empty(key) for key in missing}

    def get(self, unit: UnitOfWork, key: AddressKey) -> AddressBalance:
        """The balance at an address with the postings of the batch so far."""
        self.load(unit, [key])
        stored, change = self._stored[key], self._changes.get(key)
        if change is None:
            return stored
        held, dust = (change[account] for account in _KEPT)
        return replace(stored, held=stored.held + held, dust=stored.dust + dust)

    def add(self, postings: Sequence[Posting]) -> None:
        """Count postings that the batch will store."""
        for posting in postings:
            if posting.debit not in _KEPT and posting.credit not in _KEPT:
                continue
            key = (posting.intent_id, posting.chain, posting.token)
            change = self._changes.setdefault(key, dict.fromkeys(_KEPT, 0))
            if posting.debit in _KEPT:
                change[posting.debit] += posting.amount
            if posting.credit in _KEPT:
                change[posting.credit] -= posting.amount


def _empty(key: AddressKey) -> AddressBalance:
    return AddressBalance(*key, 0, 0, misdirected=False)
