"""Counts what postings add to profit and loss, at the prices of their hour, a slice at a time."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.ledger import NO_INTENT, Posting
from crossway.domain.profit_and_loss import (
    Contribution,
    Group,
    Origin,
    ProfitLine,
    Result,
    TokenKey,
    UnitPrice,
    contributions,
    origin_of,
    value_of,
)
from crossway.ports.payment_figures import ChangeLog
from crossway.ports.profit_repository import HourlyPrices
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import StoredPosting
from crossway.usecases.money.books import get_denomination

SLICE: Final = 500
_SECONDS_IN_HOUR: Final = 3_600
_HOURS_IN_DAY: Final = 24
_Key = tuple[int, ProfitLine, str, str, Group]


# The postings of a pass have one time.
@lru_cache(maxsize=1_024)
def hour_number(at: datetime) -> int:
    """The number of whole hours since 1970 at a time."""
    return int(at.timestamp()) // _SECONDS_IN_HOUR


def record_prices(services: Services) -> bool:
    """Record the prices of the running hour, once; returns whether they are recorded. Prices that
    are too old are left out, and what the source does not know."""
    now = services.clock.now()
    hour = hour_number(now)
    with services.store.read() as unit:
        if unit.profit.has_prices(hour):
            return True
    try:
        prices = services.prices.get_usd_prices(services.catalogue.symbols)
    except Unreachable:
        return False
    max_age = services.prices.max_age_seconds()
    fresh = {
        symbol: price.pico_usd
        for symbol, price in prices.items()
        if max_age is None or (now - price.as_of).total_seconds() <= max_age
    }
    if not fresh:
        return False
    services.store.write(lambda unit: unit.profit.record_prices(hour, fresh))
    return True


def count_slice(services: Services, limit: int = SLICE) -> int:
    """Count the oldest postings that are not counted; returns how many, 0 where all are.

    Postings of the running hour wait until its prices are recorded; those of an hour that ended
    without prices are counted as of unknown value. Of several engines that count the same slice,
    one stores it.
    """
    with services.store.read() as unit:
        counted_to, newest = unit.profit.counted_to(), unit.payment_figures.newest_ids()
    if newest[ChangeLog.POSTINGS] <= counted_to:
        return 0
    find = ChangeLog.POSTINGS
    settled = services.store.write(lambda unit: unit.payment_figures.find_settled_id(find))
    if settled is None:
        return 0
    with services.store.read() as unit:
        counted_to = unit.profit.counted_to()
        slice_ = _without_open_hour(services, unit, unit.profit.list_uncounted(settled, limit))
        results = _count(services, unit, slice_)
    if not slice_:
        return 0
    last = slice_[-1].id
    stored = services.store.write(lambda unit: unit.profit.add(results, counted_to, last))
    return len(slice_) if stored else 0


def _without_open_hour(
    services: Services, unit: UnitOfWork, postings: Sequence[StoredPosting]
) -> list[StoredPosting]:
    """Those before the first posting of an hour that still waits for its prices."""
    running = hour_number(services.clock.now())
    if unit.profit.has_prices(running):
        return list(postings)
    first = next((i for i, p in enumerate(postings) if hour_number(p.at) >= running), None)
    return list(postings[:first])


def _count(services: Services, unit: UnitOfWork, postings: Sequence[StoredPosting]) -> list[Result]:
    owners = {p.posting.intent_id for p in postings} - {NO_INTENT}
    related = unit.profit.list_of_owners(owners)
    intents = unit.intents.get_many({owner for owner in owners if owner > 0})
    prices = PricesByHour(services, unit.profit.get_prices({hour_number(p.at) for p in postings}))
    groups: dict[int, Group] = {}
    totals: dict[_Key, Result] = {}
    for stored in postings:
        owner = stored.posting.intent_id
        for part in contributions(stored.posting, related.get(owner, ())):
            if owner not in groups:
                groups[owner] = group_of(stored.posting, intents.get(owner))
            _add(totals, stored.at, groups[owner], part, prices.value(stored.at, part))
    return list(totals.values())


class PricesByHour:
    """The prices of some hours, of whole tokens as the ledger names them."""

    def __init__(self, services: Services, prices: HourlyPrices) -> None:
        self._services, self._prices = services, prices
        self._found: dict[int, dict[TokenKey, UnitPrice | None]] = {}

    def value(self, at: datetime, part: Contribution) -> int | None:
        """The value of a contribution in nano-USD at the prices of its hour; None where one of them
        is unknown."""
        found = self._found.setdefault(hour := hour_number(at), {})
        needed = {}
        for key in part.tokens:
            if key not in found:
                found[key] = self._find(hour, key)
            if (price := found[key]) is not None:
                needed[key] = price
        return value_of(part, needed)

    def _find(self, hour: int, key: TokenKey) -> UnitPrice | None:
        denomination = get_denomination(self._services, *key)
        price = self._prices.get((hour, denomination.symbol))
        return None if price is None else UnitPrice(price, denomination.decimals)


def group_of(posting: Posting, intent: Intent | None) -> Group:
    """What a posting is counted by."""
    if intent is None:
        return Group(origin_of(posting))
    terms = intent.terms
    route = (terms.source_chain, terms.destination_chain, terms.bridge)
    return Group(Origin.PAYMENT, intent.client_id, intent.mode, *route)


def _add(
    totals: dict[_Key, Result],
    at: datetime,
    group: Group,
    part: Contribution,
    value: int | None,
) -> None:
    chain, token = part.terms[0][0]
    day = hour_number(at) // _HOURS_IN_DAY
    key = (day, part.line, chain, token, group)
    before = totals.get(key) or Result(*key, 0, 0, 0)
    more = part.totals(value)
    if any(more) or key in totals:
        totals[key] = Result(
            *key, before.units + more[0], before.nano_usd + more[1], before.unpriced + more[2]
        )
