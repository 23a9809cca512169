"""The books as files for accountants: CSV and JSON, written piece by piece."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import OF_NO_INTENT, BalanceKey
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.ports.services import Services
from crossway.usecases.money.books import Entry, Opened, export, money_of

FORMS = ("csv", "json")
COLUMNS = (
    "kind", "number", "at", "account", "debit", "credit", "chain", "symbol", "token", "amount",
    "units", "usd", "intent", "tx", "counterpart",
)  # fmt: skip
_OPENING, _POSTING, _CLOSING = "opening", "posting", "closing"


def pieces(
    services: Services,
    caller: Caller,
    form: str,
    first: date | None,
    last: date | None,
    key: BalanceKey | None = None,
) -> Iterator[str]:
    """An export as text, some lines at a time.

    Opening balances, then postings oldest first, then closing balances: opening and postings add
    up to closing for every account, chain and token. Amounts are exact, a debit balance is more
    than nothing; `units` are smallest units; `usd` is at the price of the payment's terms.
    """
    if form not in FORMS:
        raise InvalidInput(f"form must be one of {', '.join(FORMS)}")
    opened = export(services, caller, first, last, key)
    write = _csv if form == "csv" else _json
    return write(services, opened, first, last)


def _csv(
    services: Services, opened: Opened, first: date | None, last: date | None
) -> Iterator[str]:
    line = _csv_line()
    yield line(dict(zip(COLUMNS, COLUMNS, strict=True)))
    for row in _balances(services, _OPENING, opened.opening, _day(first)):
        yield line(row)
    for entry in opened.entries:
        yield line(_posting(entry))
    for row in _balances(services, _CLOSING, opened.closing, _day(last, end=True)):
        yield line(row)


def _csv_line() -> Callable[[Mapping[str, Any]], str]:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)

    def line(row: Mapping[str, Any]) -> str:
        out.seek(0)
        out.truncate()
        writer.writerow({name: _plain(row.get(name)) for name in COLUMNS})
        return out.getvalue()

    return line


def _plain(value: object) -> object:
    """What a spreadsheet does not take for a formula."""
    risky = isinstance(value, str) and value.startswith(("=", "+", "@"))
    return f"'{value}" if risky else value


def _json(
    services: Services, opened: Opened, first: date | None, last: date | None
) -> Iterator[str]:
    yield f'{{"from": {json.dumps(_iso(first))}, "to": {json.dumps(_iso(last))},\n"opening": ['
    yield from _listed(_balances(services, _OPENING, opened.opening, _day(first)))
    yield '],\n"postings": ['
    yield from _listed(_posting(entry) for entry in opened.entries)
    yield '],\n"closing": ['
    yield from _listed(_balances(services, _CLOSING, opened.closing, _day(last, end=True)))
    yield "]}\n"


def _listed(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    before = "\n"
    for row in rows:
        facts = {name: value for name, value in row.items() if name != "kind" and value is not None}
        yield before + json.dumps(facts, ensure_ascii=False)
        before = ",\n"


def _posting(entry: Entry) -> dict[str, Any]:
    made, usd = entry.posted.posting, entry.micro_usd
    return {
        "kind": _POSTING,
        "number": entry.posted.id,
        "at": entry.posted.at.isoformat(),
        "debit": made.debit.value,
        "credit": made.credit.value,
        "chain": made.chain,
        "symbol": entry.money.symbol,
        "token": made.token,
        "amount": entry.money.formatted(made.units),
        "units": str(made.units),
        "usd": None if usd is None else format_units(usd, MICRO_USD_DECIMALS, 2),
        "intent": made.intent_id if made.intent_id != OF_NO_INTENT else None,
        "tx": made.tx,
        "counterpart": entry.counterpart or None,
    }


def _balances(
    services: Services, kind: str, of: Mapping[BalanceKey, int], at: str | None
) -> Iterator[dict[str, Any]]:
    for (account, chain, token), units in sorted(of.items()):
        if units:
            money = money_of(services, chain, token)
            yield {
                "kind": kind,
                "at": at,
                "account": account.value,
                "chain": chain,
                "symbol": money.symbol,
                "token": token,
                "amount": money.formatted(units),
                "units": str(units),
            }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day(day: date | None, end: bool = False) -> str | None:
    """When a day begins, or ends."""
    if day is None:
        return None
    return f"{(day + timedelta(days=1) if end else day).isoformat()}T00:00:00+00:00"
