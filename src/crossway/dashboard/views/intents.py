"""The list of payments: filters, rows, the chips of what is out of the ordinary, and pages."""

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import (
    about_usd,
    address_cell,
    amount,
    brief_amount,
    chain_name,
    millis,
    short,
)
from crossway.dashboard.views.links import intent_href
from crossway.domain.clients import Caller
from crossway.domain.deposits import Deposit, Purpose
from crossway.domain.intent import Intent, State, Weight, weigh
from crossway.domain.money import format_units
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.usecases import intents as payments

PAGE_SIZE = 25
EXPORT_MOST = 1000
EVERY = "All"
QUICK: Mapping[str, tuple[State, ...]] = {
    EVERY: (),
    "Pending": (State.PENDING,),
    "On its way": (State.FUNDED, State.INITIATED),
    "Completed": (State.COMPLETED,),
    "Expired": (State.EXPIRED,),
    "Refunded": (State.REFUNDED,),
    "Failed": (State.FAILED,),
}
COLUMNS = (
    Column("Payment"),
    Column("Status"),
    Column("To deposit", "right"),
    Column("Way"),
    Column("Recipient", wide=True),
    Column("Created", wide=True),
    Column("Time left"),
)


CSV_COLUMNS = (
    "id",
    "state",
    "address",
    "source_chain",
    "destination_chain",
    "asset",
    "total",
    "received",
    "recipient",
    "refund_address",
    "total_usd",
    "created_at",
    "expires_at",
    "tx_hash",
)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    total: int
    older_than: int | None


def wanted(
    quick: str = EVERY,
    source: str | None = None,
    destination: str | None = None,
    text: str = "",
    before_id: int | None = None,
) -> IntentFilter:
    """The filters of the screen as the store understands them."""
    return IntentFilter(
        states=QUICK.get(quick, ()),
        source_chain=source,
        destination_chain=destination,
        text=text.strip(),
        before_id=before_id,
    )


def listing(services: Services, caller: Caller, filters: IntentFilter) -> Listing:
    """One page of payments, newest first, reached by its key and never by counting rows."""
    found, total = payments.page(services, caller, filters, PAGE_SIZE + 1, 0)
    shown = found[:PAGE_SIZE]
    oddities = unusual(services, shown)
    return Listing(
        rows=tuple(row(services, intent, oddities[intent.id]) for intent in shown),
        total=total,
        older_than=shown[-1].id if len(found) > PAGE_SIZE else None,
    )


def unusual(services: Services, intents: Sequence[Intent]) -> dict[int, tuple[Chip, ...]]:
    """What is out of the ordinary about each payment, in two look-ups for all of them."""
    ids = [intent.id for intent in intents]
    if not ids:
        return {}
    with services.store.read() as unit:
        foreign = {deposit.intent_id for deposit in unit.deposits.open_foreign(ids)}
        transfers, deposits = unit.transfers.of(ids), unit.deposits.of(ids)
    return {
        intent.id: chips_of(
            intent,
            intent.id in foreign,
            [t for t in transfers if t.intent_id == intent.id],
            [d for d in deposits if d.intent_id == intent.id],
        )
        for intent in intents
    }


def chips_of(
    intent: Intent,
    holds_foreign: bool,
    transfers: Collection[Transfer],
    deposits: Collection[Deposit] = (),
) -> tuple[Chip, ...]:
    """The chips beside the status: short, over, late, foreign token, refund owed or failed."""
    chips = []
    weight = weigh(intent.terms.total_units, intent.received_units)
    if intent.state is State.PENDING and intent.received_units and weight is Weight.SHORT:
        chips.append(wording.SHORT)
    if weight is Weight.OVER:
        chips.append(wording.OVER)
    if any(deposit.purpose is Purpose.LATE for deposit in deposits):
        chips.append(wording.LATE)
    if holds_foreign:
        chips.append(wording.FOREIGN)
    returns = [t for t in transfers if t.duty in (Duty.REFUND, Duty.RETURN_EXCESS)]
    if any(t.state is TransferState.FAILED for t in returns):
        chips.append(wording.REFUND_FAILED)
    elif intent.state in (State.EXPIRED, State.FAILED) and intent.held_units:
        chips.append(wording.REFUND_OWED)
    waiting = (t for t in transfers if t.reason and t.state is TransferState.DUE)
    chips.extend(wording.WAITING for _ in list(waiting)[:1])
    return tuple(chips)


def row(services: Services, intent: Intent, chips: tuple[Chip, ...] = ()) -> Row:
    """One payment as a line of the list."""
    terms, names = intent.terms, services.catalogue
    source, destination = (
        chain_name(names, terms.source_chain),
        chain_name(names, terms.destination_chain),
    )
    status = wording.STATES[intent.state]
    arrives = brief_amount(terms.out_units, intent.out_decimals, intent.out_symbol)
    running = intent.state in (State.PENDING, State.FUNDED)
    return Row(
        key=str(intent.id),
        href=intent_href(intent.id),
        label=f"Payment {intent.id}, {status.text}, from {source} to {destination}",
        cells=(
            Cell(f"#{intent.id}", sub=reference(intent)),
            Cell(chips=(status, *chips)),
            _owed(intent),
            Cell(f"{source} → {destination}", sub=f"{arrives} by {terms.bridge or 'same chain'}"),
            address_cell(names.chains.get(terms.destination_chain), terms.recipient, "recipient"),
            Cell(at=millis(intent.created_at)),
            Cell(at=millis(terms.expires_at), as_="left") if running else Cell("–"),
        ),
    )


def reference(intent: Intent) -> str:
    """What the merchant calls this payment, when its metadata says; else its short address."""
    for name in ("reference", "orderId", "order_id", "order", "invoice"):
        if value := intent.metadata.get(name):
            return str(value)[:40]
    return short(intent.address)


def _owed(intent: Intent) -> Cell:
    total, decimals = intent.terms.total_units, intent.asset_decimals
    worth = about_usd(intent.costs.total_micro_usd)
    exact = amount(total, decimals, intent.asset_symbol)
    brief = brief_amount(total, decimals, intent.asset_symbol)
    if intent.state is State.PENDING and 0 < intent.received_units < total:
        came = brief_amount(intent.received_units, decimals, intent.asset_symbol)
        return Cell(
            brief,
            f"{came} came in",
            hint=exact,
            share=round(100 * intent.received_units / total, 1),
        )
    return Cell(brief, worth, hint=exact)


def _all(services: Services, caller: Caller, filters: IntentFilter) -> Iterator[Intent]:
    """The filtered payments page by page, at most `EXPORT_MOST`."""
    filters = replace(filters, before_id=None)
    for _ in range(EXPORT_MOST // payments.MOST_PAGE):
        found, _total = payments.page(services, caller, filters, payments.MOST_PAGE, 0)
        yield from found
        if len(found) < payments.MOST_PAGE:
            return
        filters = replace(filters, before_id=found[-1].id)


def export(services: Services, caller: Caller, filters: IntentFilter) -> str:
    """The filtered payments as CSV, newest first, at most `EXPORT_MOST`."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    for intent in _all(services, caller, filters):
        terms = intent.terms
        writer.writerow(
            (
                intent.id,
                intent.state,
                intent.address,
                terms.source_chain,
                terms.destination_chain,
                intent.asset_symbol,
                format_units(terms.total_units, intent.asset_decimals),
                format_units(intent.received_units, intent.asset_decimals),
                terms.recipient,
                terms.refund_address,
                format_units(intent.costs.total_micro_usd, 6),
                intent.created_at.isoformat(),
                terms.expires_at.isoformat(),
                intent.tx_hash or "",
            )
        )
    return out.getvalue()
