"""Books dust at deposit addresses that somebody else has sent back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.ledger import AddressBalance, AddressKey
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.claims import book_carried_out
from crossway.usecases.payments.lifecycle import IntentBatch

INTERVAL: Final = timedelta(minutes=5)
_MOST: Final = 500


class ClaimWatcher:
    """Reads the balances of addresses with dust, some of each chain at intervals.

    What is gone at the nodes that must agree, and still is once that block is final, was sent by
    somebody else: the contracts pay it to the refund address alone.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: dict[str, datetime] = {}
        # By chain, the last payment that was looked at; 0 for the first.
        self._position: dict[str, int] = {}
        # What is missing, and the newest height when that was seen first.
        self._missing: dict[AddressKey, int] = {}

    def check(self, heads: Mapping[str, ChainHead]) -> int:
        """Book what was sent by others on these chains; returns at how many addresses."""
        now, booked = self._services.clock.now(), 0
        for chain_id, head in heads.items():
            last = self._checked_at.get(chain_id)
            if last is not None and abs(now - last) < INTERVAL:
                continue
            try:
                booked += self._check_chain(self._services.chains[chain_id], head)
            except Unreachable:
                continue
            self._checked_at[chain_id] = now
        return booked

    def _check_chain(self, chain: Chain, head: ChainHead) -> int:
        with self._services.store.read() as unit:
            page = unit.ledger.list_dust(chain.id, self._position.get(chain.id, 0), _MOST)
            intents = unit.intents.get_many({b.intent_id for b in page})
        self._position[chain.id] = page[-1].intent_id if len(page) == _MOST else 0
        by_token: dict[str, list[AddressBalance]] = defaultdict(list)
        for balance in page:
            if balance.held == 0:
                by_token[balance.token].append(balance)
        gone: list[tuple[AddressBalance, int]] = []
        for token, balances in by_token.items():
            addresses = [intents[b.intent_id].address for b in balances]
            on_chain = chain.agreed_balances(addresses, token)
            for balance, address in zip(balances, addresses, strict=True):
                left = on_chain.get(address, balance.dust)
                if self._is_final(balance, left < balance.dust, head):
                    gone.append((balance, balance.dust - left))
        if not gone:
            return 0
        self._services.store.write(lambda unit: _book(unit, self._services, gone))
        return len(gone)

    def _is_final(self, balance: AddressBalance, is_missing: bool, head: ChainHead) -> bool:
        """Whether it is missing, and was when we looked before, in a block that is final now."""
        key = (balance.intent_id, balance.chain, balance.token)
        seen_at = self._missing.pop(key, None)
        if not is_missing or (seen_at is not None and head.finalized >= seen_at):
            return is_missing
        self._missing[key] = head.height if seen_at is None else seen_at
        return False


def _book(unit: UnitOfWork, services: Services, gone: Sequence[tuple[AddressBalance, int]]) -> None:
    batch = IntentBatch(
        services, services.clock.now(), unit.intents.lock({b.intent_id for b, _ in gone})
    )
    keys = [(b.intent_id, b.chain, b.token) for b, _ in gone]
    current = unit.ledger.get_address_balances(keys)
    unsettled = unit.deposits.sum_seen({b.intent_id for b, _ in gone})
    for key, (balance, amount) in zip(keys, gone, strict=True):
        # What has changed meanwhile is looked at again.
        if current.get(key) == balance and key not in unsettled:
            book_carried_out(batch, balance, amount)
    batch.store(unit)
