"""Books what somebody else has returned from standing addresses."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.owners import owner_subject
from crossway.engine.alerts import raise_alert
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.standing_held import (
    HeldThere,
    Place,
    book_returned_by_others,
    read_held,
)

INTERVAL: Final = timedelta(minutes=5)
_MOST: Final = 500
_DOES_NOT_ADD_UP: Final = (
    "{} units are missing at the standing address {}, which no number of its deposits makes up. "
    "Compare what the chain shows with its deposits and its recovery address."
)


class StandingWatcher:
    """Reads the balances of standing addresses at which the books have something, some of each
    chain at intervals.

    What is gone at the nodes that must agree, and still is once that block is final, was sent by
    somebody else: the contract pays it to the recovery address alone, unless an agent of the
    coordinator moved it, which the contract shows. While something new is not confirmed, or a
    transaction of ours may have moved something, an address is left for later.
    """

    def __init__(self, services: Services, interval: timedelta = INTERVAL) -> None:
        self._services, self._interval = services, interval
        self._checked_at: dict[str, datetime] = {}
        # By chain, the address to go on with.
        self._position: dict[str, int] = {}
        # By chain, where something is missing, and the newest height when that was seen first.
        self._missing: dict[str, dict[Place, int]] = {}

    def check(self, heads: Mapping[str, ChainHead]) -> int:
        """Book what was returned by others on these chains; returns how many deposits."""
        now, booked = self._services.clock.now(), 0
        for chain_id, head in heads.items():
            chain, last = self._services.chains[chain_id], self._checked_at.get(chain_id)
            if chain.standing is None or (last is not None and abs(now - last) < self._interval):
                continue
            try:
                booked += self._check_chain(chain, head)
            except Unreachable:
                continue
            self._checked_at[chain_id] = now
        return booked

    def _check_chain(self, chain: Chain, head: ChainHead) -> int:
        missing_since = self._missing.get(chain.id, {})
        with self._services.store.read() as unit:
            page = unit.standing.list_paid_to(chain.id, self._position.get(chain.id, 0), _MOST)
            # What is missing is looked at each time, whatever the number of addresses.
            held = read_held(unit, chain.id, {*page, *(number for number, _ in missing_since)})
        resting = {key: there for key, there in held.items() if not there.unsettled}
        left = _read_left(chain, resting)
        gone = {key for key, units in left.items() if units < resting[key].units}
        final = {key for key in gone if head.finalized >= missing_since.get(key, head.height + 1)}
        final -= self._find_moved_by_agents(chain, {key: held[key] for key in final})
        self._position[chain.id] = page[-1] + 1 if len(page) == _MOST else 0
        self._missing[chain.id] = {k: missing_since.get(k, head.height) for k in gone - final}
        return sum(
            self._services.store.write(partial(self._book, chain.id, key, held[key], left[key]))
            for key in sorted(final)
        )

    def _find_moved_by_agents(self, chain: Chain, held: Mapping[Place, HeldThere]) -> set[Place]:
        """The places of which a deposit left by its own name, as its contract shows: our
        transaction for it finds that out."""
        if not held or chain.standing is None:
            return set()
        with self._services.store.read() as unit:
            addresses = unit.standing.get_many({number for number, _ in held})
        markers = {
            chain.standing.marker(addresses[key[0]].standing_hash, deposit.deposit_id): key
            for key, there in held.items()
            for deposit in there.resting
        }
        return {markers[marker] for marker in chain.executed(markers)}

    def _book(self, chain: str, key: Place, there: HeldThere, left: int, unit: UnitOfWork) -> int:
        if read_held(unit, chain, [key[0]]).get(key) != there:
            return 0  # What has changed meanwhile is looked at again.
        missing = there.units - left
        if returned := there.find_returned(missing):
            return book_returned_by_others(unit, self._services, returned)
        subject = owner_subject(there.resting[0].owner)
        message = _DOES_NOT_ADD_UP.format(missing, there.address)
        raise_alert(unit, self._services, f"outside:{subject}", "outside", subject, message)
        return 0


def _read_left(chain: Chain, held: Mapping[Place, HeldThere]) -> dict[Place, int]:
    """What is at each place now, where the nodes agree."""
    by_token: dict[str, dict[str, Place]] = defaultdict(dict)
    for key, there in held.items():
        by_token[key[1]][there.address] = key
    left: dict[Place, int] = {}
    for token, places in by_token.items():
        on_chain = chain.agreed_balances(places.keys(), token)
        left |= {places[address]: units for address, units in on_chain.items()}
    return left
