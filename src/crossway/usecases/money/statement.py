"""The monthly statement: result in USD, its parts, and balances at its beginning and end."""

from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, TypeVar

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import BalanceKey
from crossway.domain.profit_and_loss import NANO_USD_DECIMALS
from crossway.ports.services import Services
from crossway.usecases.money.books import day_number, get_denomination
from crossway.usecases.money.locations import location_name
from crossway.usecases.money.profit_and_loss import (
    LineAmount,
    Margin,
    ProfitReport,
    get_report,
    is_test_network,
)
from crossway.usecases.money.profit_lines import ORIGINS, SECTIONS, TITLES, section_of
from crossway.usecases.money.sheets import Sheet, Value, exact

K = TypeVar("K")
_EPOCH: Final = date(1970, 1, 1)
_MARGIN: Final = ("revenue_usd", "costs_usd", "result_usd")


@dataclass(frozen=True, slots=True)
class AccountMovement:
    """The balance of an account before and after a month in smallest units; positive is debit."""

    key: BalanceKey
    opening: int
    closing: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A month's report and the balances around it. `ended`: the month is over, and counted."""

    report: ProfitReport
    testnets: bool
    movements: tuple[AccountMovement, ...]
    made_at: datetime

    @property
    def ended(self) -> bool:
        """Whether nothing can change any more."""
        return self.report.is_complete and self.made_at.date() > self.report.last


def parse_month(text: str) -> tuple[date, date]:
    """The first and the last day of a month such as `2026-11`. Raises `InvalidInput`."""
    try:
        first = date.fromisoformat(f"{text}-01")
    except ValueError:
        raise InvalidInput("month must be a year and a month, such as 2026-11") from None
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def make_statement(
    services: Services, caller: Principal, month: str, testnets: bool = False
) -> Statement:
    """The statement of a month of main or test networks. Raises `InvalidInput`."""
    first, last = parse_month(month)
    report = get_report(services, caller, first, last, testnets)
    with services.store.read() as unit:
        opening = unit.ledger.get_balances_before(day_number(first))
        closing = unit.ledger.get_balances_before(day_number(last) + 1)
    movements = tuple(
        AccountMovement(key, opening.get(key, 0), closing.get(key, 0))
        for key in sorted(opening.keys() | closing.keys())
        if (opening.get(key) or closing.get(key)) and is_test_network(services, key[1]) == testnets
    )
    return Statement(report, testnets, movements, services.clock.now())


def make_sheets(services: Services, statement: Statement) -> list[Sheet]:
    """The statement as sheets: about it, result, its parts, balances, and notes."""
    report = statement.report
    routes = {" – ".join(route): margin for route, margin in report.by_route.items()}
    days = {str(_EPOCH + timedelta(days=day)): of for day, of in report.by_day.items()}
    origins = {ORIGINS[origin]: margin for origin, margin in report.by_origin.items()}
    return [
        Sheet("About", ("about", "value"), list(_about(statement))),
        Sheet("Result", ("section", "line", "usd"), list(_result_rows(report))),
        Sheet("By token", _TOKEN_COLUMNS, [_token_row(services, a) for a in report.amounts]),
        Sheet("By chain", ("chain", *_MARGIN), _margin_rows(report.by_chain)),
        Sheet("By route", ("route", *_MARGIN), _margin_rows(routes)),
        Sheet("By merchant", ("merchant", *_MARGIN), _margin_rows(report.by_merchant)),
        Sheet("By cause", ("cause", *_MARGIN), _margin_rows(origins)),
        Sheet("By day", ("day", *_MARGIN), _margin_rows(days)),
        Sheet("Balances", _BALANCE_COLUMNS, list(_balance_rows(services, statement))),
        Sheet("Notes", ("note",), [(note,) for note in notes(services, statement)]),
    ]


def usd(nano_usd: int) -> Decimal:
    """Nano-USD as exact USD, so that the lines add up to their totals."""
    return exact(nano_usd, NANO_USD_DECIMALS)


def _about(statement: Statement) -> Iterator[tuple[Value, ...]]:
    report = statement.report
    yield "Month", f"{report.first:%Y-%m}"
    yield "From", str(report.first)
    yield "To, included", str(report.last)
    yield "Networks", "test networks" if statement.testnets else "main networks"
    yield "Made at (UTC)", f"{statement.made_at:%Y-%m-%d %H:%M:%S}"
    yield "State", "final" if statement.ended else "so far: the figures still change"


def _result_rows(report: ProfitReport) -> Iterator[tuple[Value, ...]]:
    total = report.total
    sums = dict(zip(SECTIONS, (total.revenue, total.costs, None), strict=True))
    for section, lines in SECTIONS.items():
        for line in lines:
            yield section, TITLES[line], usd(report.value_of(line))
        if (of := sums[section]) is not None:
            yield section, "Total", usd(of)
    yield "Result", "Revenue less costs", usd(total.result)


_TOKEN_COLUMNS: Final = (
    "section", "line", "chain", "currency", "token", "amount", "usd", "amount_without_price",
)  # fmt: skip


def _token_row(services: Services, of: LineAmount) -> tuple[Value, ...]:
    denomination = get_denomination(services, of.chain, of.token)
    amount, unpriced = (exact(units, denomination.decimals) for units in (of.units, of.unpriced))
    about = (section_of(of.line), TITLES[of.line], of.chain, denomination.symbol, of.token)
    # What several tokens were worth together has no amount.
    return *about, amount if of.units else None, usd(of.nano_usd), unpriced if unpriced else None


def _margin_rows(of: Mapping[K, Margin]) -> list[tuple[Value, ...]]:
    return [
        (str(key), usd(margin.revenue), usd(margin.costs), usd(margin.result))
        for key, margin in sorted(of.items(), key=lambda item: str(item[0]))
    ]


_BALANCE_COLUMNS: Final = ("account", "chain", "currency", "token", "opening", "closing")


def _balance_rows(services: Services, statement: Statement) -> Iterator[tuple[Value, ...]]:
    for of in statement.movements:
        account, chain, token = of.key
        denomination = get_denomination(services, chain, token)
        opening, closing = (
            exact(units, denomination.decimals) for units in (of.opening, of.closing)
        )
        yield account.value, chain, denomination.symbol, token, opening, closing


def notes(services: Services, statement: Statement) -> list[str]:
    """What a reader has to know: what is not final, and what has no known value."""
    found = []
    if not statement.ended:
        found.append("The month has not ended, or some postings are not counted yet.")
    found += [describe_unpriced(services, of) for of in statement.report.unpriced]
    return found or ["Every posting was valued at the price of its hour."]


def describe_unpriced(services: Services, of: LineAmount) -> str:
    """What has no known value, as a sentence."""
    amount, place = format_unpriced(services, of), location_name(services, of.chain)
    return (
        f"{TITLES[of.line]}: {amount} on {place} had no known price then, and is in no sum in USD."
    )


def format_unpriced(services: Services, of: LineAmount) -> str:
    """The amount that has no known value, with its symbol."""
    denomination = get_denomination(services, of.chain, of.token)
    return f"{denomination.format(of.unpriced)} {denomination.symbol}"
