"""Reads what moved inventory in the past, and which payments needed it, for a replay."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.domain.ledger import Account, Posting
from crossway.domain.rebalancing import Location, LocationBalance, is_rebalancing
from crossway.domain.rebalancing_replay import Demand, InventoryHistory, Movement
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import PostingFilter, StoredPosting

MAX_POSTINGS: Final = 100_000
"""Of one location: where there are more, the replay begins later."""
MAX_UNPAID: Final = 2_000
_PAGE, _BATCH = 5_000, 500
_SECONDS_IN_DAY: Final = 86_400
WAITED: Final = timedelta(seconds=60)
"""What takes longer from funding to start has waited; without a lack it takes some seconds."""
_ENDED: Final = (State.EXPIRED, State.REFUNDED, State.FAILED)
_UNPAID: Final = (State.FUNDED, *_ENDED)


@dataclass(frozen=True, slots=True)
class _Needed:
    """What a payment needs where, until when if it was paid, and from when if a bridge brought it
    for this very payment."""

    location: Location
    units: int
    paid_at: datetime | None
    brought_at: datetime | None = None


def read_history(
    services: Services,
    balances: Sequence[LocationBalance],
    since: datetime,
    on_progress: Callable[[float], None],
    most: int = MAX_POSTINGS,
) -> InventoryHistory:
    """What happened at these locations since a time, back from the balances of now, which are all
    known: the balance at the beginning is what the postings lead to that of now from. Rebalancing
    transfers that were made are left out. Begins later than `since` where a location has more than
    `most` postings."""
    now = services.clock.now()
    postings: dict[Location, list[StoredPosting]] = {}
    began = since
    for number, balance in enumerate(balances, 1):
        found, is_complete = _read_postings(services, balance.location, since, most)
        postings[balance.location] = found
        if not is_complete:
            began = max(began, found[-1].at)
        on_progress(number / len(balances))
    opening, movements = [], []
    for balance in balances:
        of_period = [p for p in postings[balance.location] if p.at > began]
        moved = sum(_signed(one.posting) for one in of_period)
        opening.append(_alone(balance, (balance.balance or 0) - moved))
        movements += [
            Movement(one.at, balance.location, _signed(one.posting))
            for one in of_period
            if not is_rebalancing(one.posting.intent_id)
        ]
    paid = _find_payouts(postings, began)
    demands = _read_demands(services, paid, postings.keys(), began, now)
    return InventoryHistory(began, now, opening, sorted(movements, key=lambda m: m.at), demands)


def _read_postings(
    services: Services, location: Location, since: datetime, most: int
) -> tuple[list[StoredPosting], bool]:
    """The postings of a location's inventory, newest first, and whether these are all."""
    first_day = int(since.timestamp()) // _SECONDS_IN_DAY
    found: list[StoredPosting] = []
    key = (Account.INVENTORY, *location)
    while (limit := min(_PAGE, most - len(found))) > 0:
        before = found[-1].id if found else None
        with services.store.read() as unit:
            page = unit.ledger.list_page(PostingFilter(key, first_day, before_id=before), limit)
        found += page
        if len(page) < limit:
            return found, True
    return found, False


def _alone(balance: LocationBalance, units: int) -> LocationBalance:
    """So much at a location, and nothing else known of it."""
    return replace(
        balance,
        balance=units,
        reserved=0,
        waiting=0,
        leaving=0,
        sending=0,
        arriving=0,
        expected=0,
    )


def _signed(posting: Posting) -> int:
    return posting.amount if posting.debit is Account.INVENTORY else -posting.amount


def _find_payouts(
    postings: Mapping[Location, Iterable[StoredPosting]], began: datetime
) -> Mapping[int, _Needed]:
    """What was paid to recipients out of inventory, by payment."""
    payouts: dict[int, _Needed] = {}
    for location, of_location in postings.items():
        of_period = [one for one in of_location if one.at > began]
        brought = {
            one.posting.intent_id: one.at
            for one in of_period
            if (one.posting.debit, one.posting.credit) == (Account.INVENTORY, Account.CROSSED)
        }
        for one in of_period:
            if one.posting.debit is Account.RECIPIENT:
                id, units = one.posting.intent_id, one.posting.amount
                payouts[id] = _Needed(location, units, one.at, brought.get(id))
    return payouts


def _read_demands(
    services: Services,
    paid: Mapping[int, _Needed],
    locations: Collection[Location],
    began: datetime,
    now: datetime,
) -> list[Demand]:
    demands: list[Demand] = []
    with services.store.read() as unit:
        needed = dict(_find_unpaid(unit, locations, began)) | dict(paid)
    listed = sorted(needed)
    for first in range(0, len(listed), _BATCH):
        ids = listed[first : first + _BATCH]
        with services.store.read() as unit:
            over_bridges = unit.intents.find_over_bridges(ids)
            states = _read_states(unit, [id for id in ids if id not in over_bridges])
        for id, times in states.items():
            demand = _demand(id, needed[id], times, now)
            if demand is not None and demand.funded_at >= began:
                demands.append(demand)
    return sorted(demands, key=lambda demand: demand.funded_at)


def _demand(
    id: int, needed: _Needed, times: Mapping[State, datetime], now: datetime
) -> Demand | None:
    """The demand of a payment; None for one that needed nothing. What a bridge brought for one that
    had not to wait is its own from its arrival on, and before that it needed nothing."""
    funded_at, started_at = times.get(State.FUNDED), times.get(State.INITIATED)
    if funded_at is None or (needed.paid_at is None and started_at is not None):
        return None
    ends = [at for state, at in times.items() if state in _ENDED and at > funded_at]
    ended_at = needed.paid_at or min(ends, default=now)
    if needed.brought_at and started_at and started_at - funded_at <= WAITED:
        funded_at = started_at = min(needed.brought_at, ended_at)
    return Demand(id, needed.location, needed.units, funded_at, started_at, ended_at)


def _find_unpaid(
    unit: UnitOfWork, locations: Collection[Location], began: datetime
) -> Iterable[tuple[int, _Needed]]:
    """The newest payments that may have been funded and were not started."""
    for intent in unit.intents.list_page(IntentFilter(states=_UNPAID), MAX_UNPAID):
        location = (intent.terms.destination_chain, intent.terms.token_out)
        is_ours = intent.custody is Custody.OPERATOR and location in locations
        if is_ours and intent.created_at >= began:
            yield intent.id, _Needed(location, intent.terms.payout_amount, None)


def _read_states(unit: UnitOfWork, ids: Collection[int]) -> Mapping[int, Mapping[State, datetime]]:
    """When each payment came into each of its states first."""
    times: dict[int, dict[State, datetime]] = {}
    for record in unit.intents.list_transitions(ids):
        times.setdefault(record.intent_id, {}).setdefault(record.to_state, record.at)
    return times
