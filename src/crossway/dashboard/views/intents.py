"""The list of payments: pages of rows, exception badges and the export."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.dashboard.views import payment_filters, status_labels
from crossway.dashboard.views.cells import Badge, Row, RowAction
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import format_usd
from crossway.dashboard.views.links import IDS_PARAM, export_selected_href, parse_ids
from crossway.dashboard.views.list_columns import ListColumn
from crossway.dashboard.views.list_pages import describe_count, take_page
from crossway.dashboard.views.payment_columns import (
    USUAL,
    ListedPayment,
    build_row,
)
from crossway.domain.clients import Mode, Principal
from crossway.domain.filters import FilterSet
from crossway.domain.funding_level import FundingLevel, compare_funding
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.roles import Permission
from crossway.ports.search_repository import Count, PaymentOrder, PaymentPlace
from crossway.ports.services import Services
from crossway.usecases.payments import listing as lists
from crossway.usecases.payments.export_rows import payment_row
from crossway.usecases.payments.intents import get_by_id
from crossway.usecases.public_numbers import ids_of

PAGE_SIZE = 25
_MAX_MISDIRECTED = 1_000

_ORDERS: Final[Mapping[PaymentOrder, str]] = {
    PaymentOrder.NEWEST: "Newest first.",
    PaymentOrder.OLDEST: "Oldest first.",
    PaymentOrder.LARGEST: "Largest first, by value before fees.",
    PaymentOrder.SMALLEST: "Smallest first, by value before fees.",
}
RESEND = RowAction("resend", "Resend webhooks…", "replay")


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of the list. `older_than` is the cursor of the next page, None on the last;
    `searched_to` is how far the search got when it was cut short."""

    rows: tuple[Row, ...]
    total: Count
    older_than: PaymentPlace | None
    searched_to: PaymentPlace | None
    order: PaymentOrder = PaymentOrder.NEWEST

    @property
    def description(self) -> str:
        """The order in words."""
        return _ORDERS[self.order]

    @property
    def searched(self) -> str:
        """How far the search got, in words; empty when it was not cut short."""
        if self.searched_to is None:
            return ""
        way = "up" if self.order.ascending else "down"
        place = f"#{self.searched_to.id:,}"
        if self.order.by_value:
            place = f"{format_usd(self.searched_to.micro_usd)} before fees"
        return f"Searched payments {way} to {place}."

    @property
    def count(self) -> str:
        """The number of payments as text."""
        return describe_count(self.total, "payment")


def offered_actions(caller: Principal) -> tuple[RowAction, ...]:
    """What the caller can do with selected payments."""
    mode = caller.mode or Mode.LIVE
    export = RowAction(
        "export", "Export as CSV", "download", download=export_selected_href("payments", mode)
    )
    return (export, RESEND) if caller.can(Permission.OPERATE) else (export,)


def load_page(
    services: Services,
    caller: Principal,
    filters: FilterSet,
    after: PaymentPlace | None,
    columns: Sequence[ListColumn[ListedPayment]] = USUAL,
    order: PaymentOrder = PaymentOrder.NEWEST,
) -> ListPage:
    """One page of payments with these columns, in this order, by keyset pagination."""
    page, total = lists.list_page(services, caller, filters, after, PAGE_SIZE + 1, order)
    page_intents, last = take_page(page.intents, PAGE_SIZE)
    badges, names = exception_badges(services, page_intents), client_names(services)
    return ListPage(
        rows=tuple(
            build_row(columns, ListedPayment(services, intent, badges[intent.id], names))
            for intent in page_intents
        ),
        total=total,
        older_than=place_of(last) if last else page.searched_to,
        searched_to=page.searched_to,
        order=order,
    )


def place_of(intent: Intent) -> PaymentPlace:
    """The place of a payment in the list."""
    return PaymentPlace(intent.id, intent.costs.amount_micro_usd)


def exception_badges(services: Services, intents: Sequence[Intent]) -> dict[int, tuple[Badge, ...]]:
    """The exception badges of each payment by id, read in bulk."""
    ids = [intent.id for intent in intents]
    if not ids:
        return {}
    with services.store.read() as unit:
        misdirected = {b.intent_id for b in unit.ledger.list_misdirected(ids, _MAX_MISDIRECTED)}
        outbound_txs, late = unit.outbound_txs.list_unsettled(ids), unit.deposits.find_late(ids)
    return {
        intent.id: badges_for(
            intent,
            intent.id in misdirected,
            [t for t in outbound_txs if t.intent_id == intent.id],
            intent.id in late,
        )
        for intent in intents
    }


def badges_for(
    intent: Intent,
    has_misdirected: bool,
    outbound_txs: Collection[OutboundTx],
    has_late: bool = False,
) -> tuple[Badge, ...]:
    """The badges beside the status: short, over, late, wrong token, refund due, blocked, …"""
    badges = []
    funding = compare_funding(intent.terms.deposit_amount, intent.received_amount)
    if intent.received_amount and funding is FundingLevel.SHORT:
        badges.append(status_labels.SHORT)
    if funding is FundingLevel.OVER:
        badges.append(status_labels.OVER)
    if has_late:
        badges.append(status_labels.LATE)
    if has_misdirected:
        badges.append(status_labels.MISDIRECTED)
    returns = [
        t for t in outbound_txs if t.kind in (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)
    ]
    if any(t.state is OutboundTxState.FAILED for t in returns):
        badges.append(status_labels.REFUND_FAILED)
    elif intent.state in (State.EXPIRED, State.FAILED) and intent.balance_at_address:
        badges.append(status_labels.REFUND_OWED)
    waiting = (t for t in outbound_txs if t.reason and t.state is OutboundTxState.DUE)
    badges.extend(status_labels.HELD_UP for _ in list(waiting)[:1])
    return tuple(badges)


def export_rows(
    services: Services, caller: Principal, params: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """The payments with the ids of the query string, else all that match its filters, newest
    first."""
    ids = ids_of(services)
    if IDS_PARAM in params:
        found = [
            get_by_id(services, caller, intent_id) for intent_id in parse_ids(params[IDS_PARAM])
        ]
        return (payment_row(ids, intent) for intent in found)
    filters = payment_filters.parse_params(params, services.clock.now())
    return (payment_row(ids, intent) for intent in lists.list_all(services, caller, filters))
