"""The running balances of deposit addresses while a batch of changes is being made."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crossway.domain.ledger import Account, AddressBalance, AddressKey, Posting
from crossway.ports.store import UnitOfWork


class AddressBalances:
    """The stored balances and what the postings of a batch change in them."""

    def __init__(self) -> None:
        self._balances: dict[AddressKey, AddressBalance] = {}
        self._changes: dict[AddressKey, tuple[int, int]] = {}

    def load(self, unit: UnitOfWork, keys: Iterable[AddressKey]) -> None:
        """Read the balances that are not known yet, in one query."""
        missing = sorted({key for key in keys if key not in self._balances})
        stored = unit.ledger.get_address_balances(missing)
        for key in missing:
            before = stored.get(key) or AddressBalance(*key, 0, 0, misdirected=False)
            held, dust = self._changes.get(key, (0, 0))
            after = replace(before, held=before.held + held, dust=before.dust + dust)
            self._balances[key] = after

    def get(self, unit: UnitOfWork, key: AddressKey) -> AddressBalance:
        """The balance at an address with the postings of the batch so far."""
        self.load(unit, [key])
        return self._balances[key]

    def add(self, postings: Sequence[Posting]) -> None:
        """Count postings that the batch will store."""
        for posting in postings:
            held, dust = (
                posting.amount * ((posting.debit is account) - (posting.credit is account))
                for account in (Account.HELD, Account.DUST)
            )
            key = (posting.intent_id, posting.chain, posting.token)
            changed = self._changes.get(key, (0, 0))
            self._changes[key] = (changed[0] + held, changed[1] + dust)
            if (balance := self._balances.get(key)) is not None:
                self._balances[key] = replace(
                    balance, held=balance.held + held, dust=balance.dust + dust
                )
