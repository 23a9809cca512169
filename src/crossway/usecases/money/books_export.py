"""Exports of the books for accountants as CSV or JSON, streamed."""

import json
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import NO_INTENT, BalanceKey
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.ports.services import Services
from crossway.usecases.csv_lines import CsvLines
from crossway.usecases.money.books import (
    LedgerExport,
    PostingDetail,
    export_postings,
    get_denomination,
)

FORMATS = ("csv", "json")
COLUMNS = (
    "kind", "number", "at", "account", "debit", "credit", "chain", "symbol", "token", "amount",
    "units", "usd", "intent", "tx", "counterpart", "rebalancing",
)  # fmt: skip
_OPENING, _POSTING, _CLOSING = "opening", "posting", "closing"


def export_file(
    services: Services,
    caller: Principal,
    file_format: str,
    first: date | None,
    last: date | None,
    key: BalanceKey | None = None,
) -> Iterator[str]:
    """Stream an export as chunks of text.

    It holds opening balances, postings oldest first, and closing balances; opening balances and
    postings add up to the closing balances of every account, chain and token. Debit balances are
    positive; `units` counts smallest units; `usd` is the value at the payment's agreed price.
    Raises `InvalidInput` for an unknown format.
    """
    if file_format not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}")
    ledger_export = export_postings(services, caller, first, last, key)
    write = _write_csv if file_format == "csv" else _write_json
    return write(services, ledger_export, first, last)


def _write_csv(
    services: Services, ledger_export: LedgerExport, first: date | None, last: date | None
) -> Iterator[str]:
    lines = CsvLines()
    yield lines.format(COLUMNS)
    for row in _balance_rows(services, _OPENING, ledger_export.opening, _day_boundary(first)):
        yield lines.format(map(row.get, COLUMNS))
    for detail in ledger_export.postings:
        yield lines.format(map(_posting_row(detail).get, COLUMNS))
    for row in _balance_rows(
        services, _CLOSING, ledger_export.closing, _day_boundary(last, end=True)
    ):
        yield lines.format(map(row.get, COLUMNS))


def _write_json(
    services: Services, ledger_export: LedgerExport, first: date | None, last: date | None
) -> Iterator[str]:
    days = f'"from": {json.dumps(_iso_date(first))}, "to": {json.dumps(_iso_date(last))}'
    yield f'{{{days},\n"opening": ['
    yield from _json_items(
        _balance_rows(services, _OPENING, ledger_export.opening, _day_boundary(first))
    )
    yield '],\n"postings": ['
    yield from _json_items(_posting_row(detail) for detail in ledger_export.postings)
    yield '],\n"closing": ['
    yield from _json_items(
        _balance_rows(services, _CLOSING, ledger_export.closing, _day_boundary(last, end=True))
    )
    yield "]}\n"


def _json_items(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    separator = "\n"
    for row in rows:
        fields = {
            name: value for name, value in row.items() if name != "kind" and value is not None
        }
        yield separator + json.dumps(fields, ensure_ascii=False)
        separator = ",\n"


def _posting_row(detail: PostingDetail) -> dict[str, Any]:
    posting, micro_usd = detail.posted.posting, detail.micro_usd
    owner = posting.intent_id
    return {
        "kind": _POSTING,
        "number": detail.posted.id,
        "at": detail.posted.at.isoformat(),
        "debit": posting.debit.value,
        "credit": posting.credit.value,
        "chain": posting.chain,
        "symbol": detail.denomination.symbol,
        "token": posting.token,
        "amount": detail.denomination.format(posting.amount),
        "units": str(posting.amount),
        "usd": None if micro_usd is None else format_units(micro_usd, MICRO_USD_DECIMALS, 2),
        "intent": owner if owner > NO_INTENT else None,
        "tx": posting.tx,
        "counterpart": detail.counterparty or None,
        "rebalancing": rebalancing_id(owner) if is_rebalancing(owner) else None,
    }


def _balance_rows(
    services: Services, kind: str, balances: Mapping[BalanceKey, int], at: str | None
) -> Iterator[dict[str, Any]]:
    for (account, chain, token), amount in sorted(balances.items()):
        if amount:
            denomination = get_denomination(services, chain, token)
            yield {
                "kind": kind,
                "at": at,
                "account": account.value,
                "chain": chain,
                "symbol": denomination.symbol,
                "token": token,
                "amount": denomination.format(amount),
                "units": str(amount),
            }


def _iso_date(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day_boundary(day: date | None, end: bool = False) -> str | None:
    """The time at which a UTC day begins, or ends."""
    if day is None:
        return None
    return f"{(day + timedelta(days=1) if end else day).isoformat()}T00:00:00+00:00"
