"""The audit log: who changed what, how it was and how it is, and whether the log is whole."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.figures import millis
from crossway.dashboard.views.links import (
    client_href,
    intent_href,
    key_href,
    link,
    order_href,
    webhook_href,
)
from crossway.domain.clients import Caller
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.services import Services
from crossway.usecases.developers import clients
from crossway.usecases.people import audit

PAGE_SIZE = 50
EXPORT_MOST = 10_000
COLUMNS = (
    Column("What"),
    Column("Who"),
    Column("Detail"),
    Column("Before"),
    Column("After"),
    Column("When"),
)
_UNSET: Final[tuple[Any, ...]] = (None, "", [], {})
_CSV: Final = ("id", "at", "who", "what", "subject", "detail", "before", "after", "hash")
_HREFS: Final[Mapping[str, Callable[[str], str]]] = {
    "intent": intent_href,
    "order": order_href,
    "client": client_href,
    "key": lambda number: key_href(int(number)),
    "webhook": lambda number: webhook_href(int(number)),
    "chain": lambda _: link("chains"),
    "staff": lambda number: link("people", id=number),
    "route": lambda _: link("routes"),
}


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def wanted(
    who: str | None,
    what: str | None,
    about: str,
    first: date | None,
    last: date | None,
    before_id: int | None,
) -> AuditFilter:
    """The filters of the screen as the store understands them; days are those of UTC."""
    end = datetime.combine(last, time(), UTC) + timedelta(days=1) if last else None
    start = datetime.combine(first, time(), UTC) if first else None
    return AuditFilter(who or "", what or "", about.strip(), start, end, before_id)


def listing(services: Services, caller: Caller, filters: AuditFilter) -> Listing:
    """One page of entries, newest first."""
    found = audit.page(services, caller, filters, PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    older = shown[-1].id if len(found) > PAGE_SIZE else None
    names = {client.id: client.name for client in clients.every(services)}
    return Listing(tuple(_row(entry, names) for entry in shown), older)


def _row(entry: AuditEntry, names: Mapping[str, str]) -> Row:
    what = entry.what[:1].upper() + entry.what[1:]
    return Row(
        key=str(entry.id),
        href=_href(entry),
        label=f"{what} by {entry.who}, {entry.subject}",
        cells=(
            Cell(what, sub=_subject(entry)),
            Cell(entry.who),
            Cell(_told(_named(entry.detail, names)) or "–"),
            Cell(_changed(entry.before, entry.after)),
            Cell(_changed(entry.after, entry.before)),
            Cell(at=millis(entry.at)),
        ),
    )


def _subject(entry: AuditEntry) -> str:
    kind, _, number = entry.subject.partition(":")
    return f"{kind} {number}" if kind in ("intent", "order", "key", "webhook") else entry.subject


def _href(entry: AuditEntry) -> str:
    kind, _, number = entry.subject.partition(":")
    if not kind and "order" in entry.detail:
        kind, number = "order", str(entry.detail["order"])
    draw = _HREFS.get(kind)
    # A subject that was written by hand or by an older version may name no number.
    if draw is None or (kind in ("key", "webhook") and not number.isdigit()):
        return ""
    return draw(number)


def _named(detail: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The detail with clients by their names."""
    known = detail.get("client")
    return {**detail, "client": names.get(known, known)} if isinstance(known, str) else {**detail}


def _changed(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    """One side of a change; where there is no other side, without what was never set."""
    facts = one or {}
    if not other:
        facts = {name: value for name, value in facts.items() if value not in _UNSET}
    return _told(facts) or "–"


def _told(facts: Mapping[str, Any]) -> str:
    """Facts in one line: `app fee bps: 50, name: A shop`."""
    return ", ".join(f"{name.replace('_', ' ')}: {_value(facts[name])}" for name in facts)


def _value(value: Any) -> str:
    match value:
        case _ if value in _UNSET:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return " ".join(map(_value, value))
        case Mapping():
            return "(" + _told(value) + ")"
    return str(value)


def export(services: Services, caller: Caller, filters: AuditFilter) -> str:
    """The filtered entries as CSV, newest first, at most `EXPORT_MOST`."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_CSV)
    filters = replace(filters, before_id=None)
    for _ in range(EXPORT_MOST // audit.MOST_PAGE):
        found = audit.page(services, caller, filters, audit.MOST_PAGE)
        writer.writerows(map(_exported, found))
        if len(found) < audit.MOST_PAGE:
            break
        filters = replace(filters, before_id=found[-1].id)
    return out.getvalue()


def _exported(entry: AuditEntry) -> tuple[object, ...]:
    return (
        entry.id, entry.at.isoformat(), entry.who, entry.what, entry.subject,
        _json(entry.detail), _json(entry.before), _json(entry.after), entry.hash,
    )  # fmt: skip


def _json(facts: Mapping[str, Any] | None) -> str:
    return "" if facts is None else json.dumps(dict(facts), ensure_ascii=False)


def verdict(checked: audit.Checked, known: str) -> tuple[bool, str]:
    """Whether nothing speaks against the log, and that as a sentence."""
    count = f"{checked.entries:,} entr{'y' if checked.entries == 1 else 'ies'}"
    if checked.broken:
        where = ", ".join(f"#{number}" for number in checked.broken[:5])
        return False, f"The log was changed: what stands before {where} is not what was written."
    if not checked.holds_known:
        return False, f"None of the {count} has this hash: the log was cut short or written anew."
    if checked.bare:
        return False, f"None of the {count} has a hash: nothing shows whether any was changed."
    proven = f"{checked.entries - checked.unproven:,} of" if checked.unproven else "all"
    held = ", and the hash that you gave is among them" if known else ""
    old = (
        f" {checked.unproven:,} have none, as from before there were any."
        if checked.unproven
        else ""
    )
    return True, f"The log is whole: the hashes of {proven} {count} fit{held}.{old}"
