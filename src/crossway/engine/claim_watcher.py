"""Books what somebody else has sent back from deposit addresses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import AddressBalance, AddressKey
from crossway.domain.outbound_call import start_marker
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.claims import book_carried_out
from crossway.usecases.payments.lifecycle import IntentBatch

INTERVAL: Final = timedelta(minutes=5)
_MOST: Final = 500


class ClaimWatcher:
    """Reads the balances of addresses with dust or a sweep that waits unsigned or failed, some of
    each chain at intervals.

    What is gone at the nodes that must agree, and still is once that block is final, was sent by
    somebody else: the contracts pay it to the refund address alone, unless the payment was started
    or its coordinator redirected the refund.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: dict[str, datetime] = {}
        # By chain, the payment to go on with: its other tokens may not have been looked at.
        self._position: dict[str, int] = {}
        # By chain, where something is missing, and the newest height when that was seen first.
        self._missing: dict[str, dict[AddressKey, int]] = {}

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
        missing_since = self._missing.get(chain.id, {})
        with self._services.store.read() as unit:
            page = unit.ledger.list_claimable(chain.id, self._position.get(chain.id, 0), _MOST)
            # What is missing is looked at each time, whatever the number of addresses.
            missing = unit.ledger.get_address_balances(missing_since)
            balances = {_key(b): b for b in (*page, *missing.values())}
            intents = unit.intents.get_many({b.intent_id for b in balances.values()})
        left = _read_left(chain, balances, intents)
        gone = {key for key, amount in left.items() if amount < _booked(balances[key])}
        final = {key for key in gone if head.finalized >= missing_since.get(key, head.height + 1)}
        final -= _find_started(chain, [intents[key[0]] for key in final], final)
        self._position[chain.id] = page[-1].intent_id if len(page) == _MOST else 0
        self._missing[chain.id] = {k: missing_since.get(k, head.height) for k in gone - final}
        if not final:
            return 0
        seen = [(balances[key], left[key]) for key in sorted(final)]
        self._services.store.write(lambda unit: _book(unit, self._services, seen))
        return len(seen)


def _key(balance: AddressBalance) -> AddressKey:
    return balance.intent_id, balance.chain, balance.token


def _booked(balance: AddressBalance) -> int:
    return balance.held + balance.dust


def _read_left(
    chain: Chain, balances: Mapping[AddressKey, AddressBalance], intents: Mapping[int, Intent]
) -> dict[AddressKey, int]:
    """What is at each address now, where the nodes agree; not where more has left than was held,
    whose deposit is not credited yet."""
    by_token: dict[str, list[AddressKey]] = defaultdict(list)
    for key, balance in balances.items():
        if balance.held >= 0:
            by_token[balance.token].append(key)
    left: dict[AddressKey, int] = {}
    for token, keys in by_token.items():
        on_chain = chain.agreed_balances([intents[key[0]].address for key in keys], token)
        left |= {k: on_chain[a] for k in keys if (a := intents[k[0]].address) in on_chain}
    return left


def _find_started(
    chain: Chain, intents: Sequence[Intent], keys: set[AddressKey]
) -> set[AddressKey]:
    """Those of expired payments that the chain shows to have been started: that, and not a refund,
    may have taken their deposit."""
    expired = {start_marker(i): i.id for i in intents if i.state is State.EXPIRED}
    if not expired:
        return set()
    started = {expired[marker] for marker in chain.executed(expired)}
    return {key for key in keys if key[0] in started}


def _book(unit: UnitOfWork, services: Services, seen: Sequence[tuple[AddressBalance, int]]) -> None:
    batch = IntentBatch(
        services, services.clock.now(), unit.intents.lock({b.intent_id for b, _ in seen})
    )
    current = unit.ledger.get_address_balances([_key(balance) for balance, _ in seen])
    unsettled = unit.deposits.sum_seen({b.intent_id for b, _ in seen})
    for balance, left in seen:
        # What has changed meanwhile is looked at again.
        if current.get(_key(balance)) == balance and _key(balance) not in unsettled:
            book_carried_out(unit, batch, balance, left)
    batch.store(unit)
