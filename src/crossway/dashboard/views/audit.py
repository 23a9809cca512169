"""The audit log on screen: entries with before and after values, export and verification."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from crossway.dashboard.views.audit_values import AuditValues
from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import capitalize_first, to_millis
from crossway.dashboard.views.links import (
    chain_href,
    client_href,
    intent_href,
    key_href,
    order_href,
    page_href,
    payment_link_href,
    rebalancing_href,
    standing_href,
    webhook_href,
)
from crossway.dashboard.views.periods import TimeRange
from crossway.domain.clients import Principal
from crossway.domain.roles import Permission
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.services import Services
from crossway.usecases.csv_lines import CsvLines
from crossway.usecases.developers import api_keys
from crossway.usecases.staff import audit, members

PAGE_SIZE = 50
MAX_EXPORT_ROWS = 10_000
COLUMNS = (
    Column("Action", name="action"),
    Column("Actor", name="actor"),
    Column("Details", name="details"),
    Column("Before", name="before"),
    Column("After", name="after"),
    Column("Time", name="time"),
)
_CSV: Final = ("id", "at", "actor", "action", "subject", "detail", "before", "after", "hash")
_HREFS: Final[Mapping[str, Callable[[str], str]]] = {
    "intent": intent_href,
    "order": order_href,
    "client": client_href,
    "key": lambda number: key_href(int(number)),
    "webhook": lambda number: webhook_href(int(number)),
    "chain": chain_href,
    "staff": lambda number: page_href("staff", id=number),
    "route": lambda _: page_href("routes"),
    "place": lambda _: page_href("treasury"),
    "cap": lambda _: page_href("treasury"),
    "address": lambda _: page_href("treasury"),
    "payment_link": payment_link_href,
    "standing_address": standing_href,
    "bridge": lambda _: page_href("routes"),
    "alert": lambda _: page_href("alerts"),
    "run": lambda _: page_href("reconcile"),
    "customer": lambda _: page_href("kyc"),
    "rebalancing": lambda id: rebalancing_href(id) if id else page_href("treasury"),
}


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of the log; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def build_filter(
    actor: str | None,
    action: str | None,
    subject: str,
    made: TimeRange,
    before_id: int | None,
) -> AuditFilter:
    """The page's filters as an `AuditFilter`."""
    return AuditFilter(actor or "", action or "", subject.strip(), made.start, made.end, before_id)


def load_page(services: Services, caller: Principal, filters: AuditFilter) -> ListPage:
    """One page of entries, newest first."""
    entries = audit.list_entries(services, caller, filters, PAGE_SIZE + 1)
    page_entries = entries[:PAGE_SIZE]
    older = page_entries[-1].id if len(entries) > PAGE_SIZE else None
    names = client_names(services)
    actors = _find_actors(services, caller, names)
    rows = (_row(AuditValues(services.catalogue, names, one), actors) for one in page_entries)
    return ListPage(tuple(rows), older)


def load_of(services: Services, caller: Principal, subject: str, limit: int) -> tuple[Row, ...]:
    """The newest entries about one record, such as `intent:12`; they lead to who made them."""
    entries = audit.list_entries(services, caller, AuditFilter(subject=subject), limit)
    names = client_names(services)
    actors = _find_actors(services, caller, names)
    rows = (_row(AuditValues(services.catalogue, names, one), actors) for one in entries)
    return tuple(replace(row, href="") for row in rows)


def _find_actors(services: Services, caller: Principal, names: Mapping[str, str]) -> dict[str, str]:
    """The pages of merchants, whose `names` these are, of their API keys, and of staff where the
    caller may see them, by the name that the log has of each."""
    actors = {name: client_href(client_id) for client_id, name in names.items()}
    actors |= {
        f"{names.get(key.client_id, '')} ({key.display_prefix}…)": key_href(key.id)
        for key in api_keys.list_api_keys(services)
    }
    if caller.can(Permission.MANAGE):
        people = members.list_members(services, caller)
        actors |= {one.name: page_href("staff", id=str(one.id)) for one in people}
    return actors


def describe_action(action: str) -> str:
    """A recorded action on screen, where a client is a merchant."""
    return capitalize_first(action.replace("client", "merchant"))


def _row(values: AuditValues, actors: Mapping[str, str]) -> Row:
    entry, action = values.entry, describe_action(values.entry.action)
    subject = values.describe_subject()
    return Row(
        key=str(entry.id),
        href=_href(entry),
        label=f"{action} by {entry.actor}, {subject}",
        cells=(
            Cell(action, sub=subject),
            Cell(entry.actor, href=actors.get(entry.actor, "")),
            Cell(values.describe_detail()),
            Cell(values.describe_before()),
            Cell(values.describe_after()),
            Cell(at=to_millis(entry.at)),
        ),
    )


def _href(entry: AuditEntry) -> str:
    kind, _, number = entry.subject.partition(":")
    if not kind and "order" in entry.detail:
        kind, number = "order", str(entry.detail["order"])
    if kind == "view":
        return page_href(str(entry.detail.get("screen") or "intents"))
    draw = _HREFS.get(kind)
    # A subject from the command line or an older version may lack a number.
    if draw is None or (kind in ("key", "webhook") and not number.isdigit()):
        return ""
    return draw(number)


def export_csv(services: Services, caller: Principal, filters: AuditFilter) -> str:
    """The filtered entries as CSV, newest first, at most `MAX_EXPORT_ROWS`."""
    lines = CsvLines()
    parts = [lines.format(_CSV)]
    filters = replace(filters, before_id=None)
    for _ in range(MAX_EXPORT_ROWS // audit.MAX_PAGE_SIZE):
        entries = audit.list_entries(services, caller, filters, audit.MAX_PAGE_SIZE)
        parts += [lines.format(_export_row(entry)) for entry in entries]
        if len(entries) < audit.MAX_PAGE_SIZE:
            break
        filters = replace(filters, before_id=entries[-1].id)
    return "".join(parts)


def _export_row(entry: AuditEntry) -> tuple[object, ...]:
    return (
        entry.id,
        entry.at.isoformat(),
        entry.actor,
        entry.action,
        entry.subject,
        _json(entry.detail),
        _json(entry.before),
        _json(entry.after),
        entry.hash,
    )


def _json(facts: Mapping[str, Any] | None) -> str:
    return "" if facts is None else json.dumps(dict(facts), ensure_ascii=False)


def describe_verification(
    verification: audit.AuditVerification, known_hash: str
) -> tuple[bool, str]:
    """Whether the log's hash chain is intact, and the result as a sentence."""
    count = f"{verification.entries:,} entr{'y' if verification.entries == 1 else 'ies'}"
    if verification.broken:
        entry_numbers = ", ".join(f"#{number}" for number in verification.broken[:5])
        return False, f"Log modified: the entries before {entry_numbers} do not match their hashes."
    if not verification.holds_known:
        return False, f"None of the {count} has this hash: the log was truncated or rewritten."
    if verification.unhashed:
        return False, f"None of the {count} has a hash, so the log cannot be verified."
    if not verification.signed:
        return False, "Log rewritten: the newest entry has no signature of the secret key."
    if verification.unsigned:
        numbers = ", ".join(f"#{number}" for number in verification.unsigned[:5])
        return False, f"Entries without signature: {numbers} were not written by Crossway."
    proven = (
        f"{verification.entries - verification.unhashed_entries:,} of "
        if verification.unhashed_entries
        else ""
    )
    known_found = " The hash you entered is one of them." if known_hash else ""
    without_hash = (
        f" {verification.unhashed_entries:,} older entries have no hash."
        if verification.unhashed_entries
        else ""
    )
    signed_later = (
        f" Entries before #{verification.signed_from} were signed with it, not by themselves."
        if verification.signed_from > verification.first
        else ""
    )
    return True, f"Log verified: {proven}{count} intact.{known_found}{without_hash}{signed_later}"
