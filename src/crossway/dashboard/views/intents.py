"""The list of payments: rows, the chips of what is out of the ordinary, pages, and the export."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.dashboard.views import conditions, wording
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
from crossway.domain.conditions import Conditions
from crossway.domain.deposits import Deposit, Purpose
from crossway.domain.intent import Intent, State, Weight, weigh
from crossway.domain.money import format_units
from crossway.domain.quotes import bridge_title
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.finding_records import Tally
from crossway.ports.services import Services
from crossway.usecases.payments import lists

PAGE_SIZE = 25
COLUMNS = (
    Column("Payment"),
    Column("Status"),
    Column("To deposit", "right"),
    Column("Way"),
    Column("Recipient", wide=True),
    Column("Created", wide=True),
    Column("Time left"),
)


EXPORTED = (
    "id", "state", "mode", "client", "reference", "address", "source_chain", "destination_chain",
    "bridge", "asset", "total", "received", "held", "recipient", "refund_address", "sender",
    "amount_usd", "fees_usd", "total_usd", "payment_link", "order", "created_at", "expires_at",
    "updated_at", "tx_hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last; `searched_to` how far
    the search came when it was cut short."""

    rows: tuple[Row, ...]
    total: Tally
    older_than: int | None
    searched_to: int | None

    @property
    def count(self) -> str:
        """How many there are, in words."""
        n = f"{self.total.n:,} payment{'' if self.total.n == 1 else 's'}"
        return f"More than {n}" if self.total.more else n


def listing(
    services: Services, caller: Caller, wanted: Conditions, before_id: int | None
) -> Listing:
    """One page of payments, newest first, reached by its key and never by counting rows."""
    page, total = lists.page(services, caller, wanted, before_id, PAGE_SIZE + 1)
    shown = page.intents[:PAGE_SIZE]
    oddities = unusual(services, shown)
    return Listing(
        rows=tuple(row(services, intent, oddities[intent.id]) for intent in shown),
        total=total,
        older_than=shown[-1].id if len(page.intents) > PAGE_SIZE else page.searched_to,
        searched_to=page.searched_to,
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
    if intent.received_units and weight is Weight.SHORT:
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
            Cell(f"{source} → {destination}", sub=f"{arrives} {_way(terms.bridge)}"),
            address_cell(names.chains.get(terms.destination_chain), terms.recipient, "recipient"),
            Cell(at=millis(intent.created_at)),
            Cell(at=millis(terms.expires_at), as_="left") if running else Cell("–"),
        ),
    )


def reference(intent: Intent) -> str:
    """What the merchant calls this payment, when its metadata says; else its short address."""
    return _called(intent)[:40] or short(intent.address)


def _called(intent: Intent) -> str:
    for name in ("reference", "orderId", "order_id", "order", "invoice"):
        if value := intent.metadata.get(name):
            return str(value)
    return ""


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


def exported(
    services: Services, caller: Caller, asked: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """All payments that the filter of an address leaves, however many, newest first."""
    wanted = conditions.asked(asked)
    return (_exported(intent) for intent in lists.every(services, caller, wanted))


def _exported(intent: Intent) -> dict[str, Any]:
    terms, costs = intent.terms, intent.costs
    fees = costs.total_micro_usd - costs.amount_micro_usd
    values = (
        intent.id, intent.state.value, intent.mode, intent.client_id, _called(intent),
        intent.address, terms.source_chain, terms.destination_chain, terms.bridge,
        intent.asset_symbol, format_units(terms.total_units, intent.asset_decimals),
        format_units(intent.received_units, intent.asset_decimals),
        format_units(intent.held_units, intent.asset_decimals), terms.recipient,
        terms.refund_address, intent.sender, format_units(costs.amount_micro_usd, 6),
        format_units(fees, 6), format_units(costs.total_micro_usd, 6),
        intent.payment_link_id, intent.order_id, intent.created_at.isoformat(),
        terms.expires_at.isoformat(), intent.updated_at.isoformat(), intent.tx_hash,
    )  # fmt: skip
    return dict(zip(EXPORTED, values, strict=True))


def _way(bridge: str | None) -> str:
    return f"by {bridge_title(bridge)}" if bridge else "on the same chain"
