"""Profit and loss of a period or a payment, from the ledger at the prices of its hours."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import is_unified, unified_location
from crossway.domain.profit_and_loss import (
    COSTS,
    PASSED_ON,
    REVENUE,
    Origin,
    ProfitLine,
    Result,
    contributions,
)
from crossway.domain.roles import Permission
from crossway.ports.payment_figures import ChangeLog
from crossway.ports.services import Services
from crossway.usecases.money.books import day_number
from crossway.usecases.money.profit_counting import PricesByHour, hour_number

K = TypeVar("K")
Route = tuple[str, str, str]
"""A route: source chain, bridge and destination chain."""
MAX_DAYS = 400
_NEWEST_POSTINGS = 1_000


@dataclass(frozen=True, slots=True)
class Margin:
    """Revenue and costs in nano-USD, of what has a known value."""

    revenue: int = 0
    costs: int = 0

    @property
    def result(self) -> int:
        """Revenue less costs."""
        return self.revenue - self.costs

    def plus(self, result: Result) -> "Margin":
        """With a daily result added; what is passed on adds nothing."""
        if result.line in REVENUE:
            return Margin(self.revenue + result.nano_usd, self.costs)
        if result.line in COSTS:
            return Margin(self.revenue, self.costs + result.nano_usd)
        return self


@dataclass(frozen=True, slots=True)
class LineAmount:
    """What a line came to in one token: signed smallest units, the value in nano-USD of those whose
    price was known, and the units of the others."""

    line: ProfitLine
    chain: str
    token: str
    units: int
    nano_usd: int
    unpriced: int

    @property
    def key(self) -> tuple[ProfitLine, str, str]:
        """The line and the token."""
        return self.line, self.chain, self.token


@dataclass(frozen=True, slots=True)
class ProfitReport:
    """Profit and loss of a range of days on main networks, or on test networks.

    `is_complete`: no posting waits to be counted. Routes are source chain, bridge and destination
    chain; a route or merchant is missing where there was no payment.
    """

    first: date
    last: date
    results: Sequence[Result]
    is_complete: bool

    @property
    def total(self) -> Margin:
        """Revenue and costs of all days."""
        return _sum(self.results, lambda _: 0).get(0, Margin())

    @property
    def amounts(self) -> list[LineAmount]:
        """What each line came to in each token, in the order of the lines."""
        return add_up(
            LineAmount(r.line, r.chain, r.token, r.units, r.nano_usd, r.unpriced)
            for r in self.results
        )

    def value_of(self, line: ProfitLine) -> int:
        """What a line came to in nano-USD, of what has a known value."""
        return sum(r.nano_usd for r in self.results if r.line is line)

    @property
    def unpriced(self) -> list[LineAmount]:
        """What has no known value and is in no sum."""
        counted = (*REVENUE, *COSTS, *PASSED_ON)
        return [a for a in self.amounts if a.unpriced and a.line in counted]

    @property
    def by_day(self) -> Mapping[int, Margin]:
        """By day since 1970, of days with postings."""
        return _sum(self.results, lambda r: r.day)

    @property
    def by_chain(self) -> Mapping[str, Margin]:
        """By the chain where it was earned or spent."""
        return _sum(self.results, lambda r: r.chain)

    @property
    def by_route(self) -> Mapping[Route, Margin]:
        """By route, of payments."""
        return sum_by_route(self.results)

    @property
    def by_merchant(self) -> Mapping[str, Margin]:
        """By the merchant's id, of payments."""
        return _sum(self._of_payments, lambda r: r.group.client_id)

    @property
    def by_origin(self) -> Mapping[Origin, Margin]:
        """Payments, rebalancing, and what the operator does."""
        return _sum(self.results, lambda r: r.group.origin)

    @property
    def _of_payments(self) -> list[Result]:
        return [r for r in self.results if r.group.origin is Origin.PAYMENT]


def add_up(amounts: Iterable[LineAmount]) -> list[LineAmount]:
    """The amounts by line and token, those of zero left out."""
    totals = defaultdict[tuple[ProfitLine, str, str], list[int]](lambda: [0, 0, 0])
    for amount in amounts:
        total = totals[amount.key]
        for index, more in enumerate((amount.units, amount.nano_usd, amount.unpriced)):
            total[index] += more
    order = {line: number for number, line in enumerate(ProfitLine)}
    keys = sorted(totals, key=lambda key: (order[key[0]], *key[1:]))
    return [LineAmount(*key, *totals[key]) for key in keys if any(totals[key])]


def _sum(results: Iterable[Result], key_of: Callable[[Result], K]) -> dict[K, Margin]:
    totals: dict[K, Margin] = {}
    for result in results:
        if result.line in REVENUE or result.line in COSTS:
            key = key_of(result)
            totals[key] = totals.get(key, Margin()).plus(result)
    return totals


def sum_by_route(results: Iterable[Result]) -> Mapping[Route, Margin]:
    """The margin of each route, of payments."""
    of_payments = (r for r in results if r.group.origin is Origin.PAYMENT)
    return _sum(of_payments, lambda r: r.group.route)


def get_report(
    services: Services, caller: Principal, first: date, last: date, testnets: bool = False
) -> ProfitReport:
    """Profit and loss of a range of UTC days, both included. Raises `InvalidInput` for a range that
    is reversed or too long."""
    caller.require_permission(Permission.VIEW)
    if last < first:
        raise InvalidInput("last day must not be before the first day")
    if (last - first).days >= MAX_DAYS:
        raise InvalidInput(f"a period has at most {MAX_DAYS} days")
    with services.store.read() as unit:
        results = unit.profit.list_days(day_number(first), day_number(last))
        newest = unit.payment_figures.newest_ids()[ChangeLog.POSTINGS]
        is_complete = unit.profit.counted_to() >= newest
    shown = [r for r in results if is_test_network(services, r.chain) == testnets]
    return ProfitReport(first, last, shown, is_complete)


def is_test_network(services: Services, location: str) -> bool:
    """Whether a chain is a test network, or a unified balance is of those."""
    if is_unified(location):
        return location == unified_location(testnet=True)
    chain = services.catalogue.chains.get(location)
    return chain is not None and chain.testnet


def get_payment_margin(services: Services, caller: Principal, intent_id: int) -> list[LineAmount]:
    """What a payment has brought and cost by now, by line and token; of one with very many
    deposits, the newest alone."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        booked = unit.ledger.list_by_intent(intent_id, _NEWEST_POSTINGS)
        hours = unit.profit.get_prices({hour_number(at) for at, _ in booked})
    postings, prices = [posting for _, posting in booked], PricesByHour(services, hours)
    amounts = []
    for at, posting in booked:
        for part in contributions(posting, postings):
            totals = part.totals(prices.value(at, part))
            amounts.append(LineAmount(part.line, *part.terms[0][0], *totals))
    return add_up(amounts)


def margin_of(amounts: Iterable[LineAmount]) -> Margin:
    """Revenue and costs of amounts, of what has a known value."""
    revenue = costs = 0
    for amount in amounts:
        revenue += amount.nano_usd if amount.line in REVENUE else 0
        costs += amount.nano_usd if amount.line in COSTS else 0
    return Margin(revenue, costs)
