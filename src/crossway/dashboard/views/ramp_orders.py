"""The list of ramp orders: filters, rows and the export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from crossway.dashboard.views import list_columns, periods, ramp_status_labels
from crossway.dashboard.views.cells import Cell, Column, Row, RowAction
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.fiat import country_name, format_fiat
from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_usd,
    time_cell,
    to_millis,
)
from crossway.dashboard.views.links import IDS_PARAM, export_selected_href, order_href, parse_ids
from crossway.dashboard.views.list_columns import ListColumn
from crossway.dashboard.views.list_pages import OLDEST_FIRST, describe_count, take_page
from crossway.dashboard.views.marks import mark_provider
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, name_cell
from crossway.domain.clients import Mode, Principal
from crossway.domain.ramps import Direction, OrderState, RampOrder, provider_name
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.search_repository import Count
from crossway.ports.services import Services
from crossway.usecases.kyc import customers
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps import order_list
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.export_rows import order_row, user_chain

PAGE_SIZE = 25
ALL = "All"
S = OrderState
QUICK_FILTERS: Mapping[str, tuple[OrderState, ...]] = {
    ALL: (),
    "Awaiting payment": (S.PENDING, S.INITIATED),
    "Processing": (S.PROCESSING,),
    "Completed": (S.COMPLETED,),
    "Cancelled or expired": (S.CANCELLED, S.EXPIRED),
    "Failed": (S.FAILED, S.REFUNDED),
}
_UNPAID_STATES = (S.PENDING, S.INITIATED)


@dataclass(frozen=True, slots=True)
class ListedOrder:
    """An order of the list, the masked e-mail addresses of customers and the names of merchants."""

    services: Services
    order: RampOrder
    emails: Mapping[str, str]
    merchants: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of orders; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    total: Count
    older_than: int | None

    @property
    def count(self) -> str:
        """The number of orders as text."""
        return describe_count(self.total, "order")


def build_filter(
    params: Mapping[str, str], now: datetime, cursor: int | None, sort: str = ""
) -> OrderFilter:
    """The filters of the query string as an `OrderFilter` of what is behind a cursor. Raises
    `InvalidInput`."""
    oldest_first = sort in OLDEST_FIRST
    created = periods.parse_list_range(params, now)
    return OrderFilter(
        client_id=params.get("client") or None,
        states=QUICK_FILTERS.get(params.get("show", ALL), ()),
        direction=params.get("type") or None,
        provider=params.get("provider") or None,
        currency=params.get("currency") or None,
        text=params.get("search", "").strip(),
        start=created.start,
        end=created.end,
        before_id=None if oldest_first else cursor,
        after_id=cursor if oldest_first else None,
        oldest_first=oldest_first,
    )


def load_page(
    services: Services,
    caller: Principal,
    filters: OrderFilter,
    columns: Sequence[ListColumn[ListedOrder]],
) -> ListPage:
    """One page of orders with these columns, in the order of the filter."""
    orders = ramp_orders.list_orders(services, caller, filters, PAGE_SIZE + 1)
    page_orders, last = take_page(orders, PAGE_SIZE)
    emails, names = _masked_emails(services, page_orders), client_names(services)
    return ListPage(
        rows=tuple(
            _row(columns, ListedOrder(services, order, emails, names)) for order in page_orders
        ),
        total=order_list.count_orders(services, caller, filters),
        older_than=last.id if last else None,
    )


def load_customer_orders(services: Services, caller: Principal, email: str) -> ListPage:
    """The latest orders of the customer with this e-mail address; it never appears in a URL."""
    known = customers.list_customers(services, caller, email)
    if not known:
        return ListPage((), Count(0), None)
    ids = tuple(customer.id for customer in known)
    return load_page(services, caller, OrderFilter(customer_ids=ids), USUAL)


def _masked_emails(services: Services, orders: Sequence[RampOrder]) -> dict[str, str]:
    """The masked e-mail addresses of the orders' customers, by customer id."""
    ids = {order.customer_id for order in orders if order.customer_id}
    with services.store.read() as unit:
        known = unit.kyc_customers.get_many(ids)
    return {id_: customers.masked_email(services, customer) for id_, customer in known.items()}


def _status(of: ListedOrder) -> Cell:
    order, status = of.order, ramp_status_labels.STATES[of.order.state]
    reason = order.failure_reason or order.delay_reason
    return Cell(
        badges=(status, ramp_status_labels.LATE) if order.delay_reason else (status,),
        sub=ramp_status_labels.with_provider_name(order, reason),
    )


def _fiat(of: ListedOrder) -> Cell:
    order, is_on_ramp = of.order, of.order.direction is Direction.ON
    return Cell(
        format_fiat(order.fiat_minor, order.digits, order.currency),
        sub="the customer pays" if is_on_ramp else "the customer gets",
    )


def _crypto(of: ListedOrder) -> Cell:
    order = of.order
    return Cell(
        format_amount(order.crypto_units, order.decimals, order.symbol),
        sub=f"on {chain_name(of.services.catalogue, user_chain(order))}",
    )


def _time_left(of: ListedOrder) -> Cell:
    if of.order.state not in _UNPAID_STATES:
        return Cell("–")
    return Cell(at=to_millis(of.order.expires_at), as_="left")


def _row(columns: Sequence[ListColumn[ListedOrder]], of: ListedOrder) -> Row:
    order = of.order
    status, kind = (
        ramp_status_labels.STATES[order.state],
        ramp_status_labels.DIRECTIONS[order.direction],
    )
    return Row(
        key=str(order.id),
        href=order_href(order.id),
        label=f"Order {order.id}, {kind}, {status.text}, {provider_name(order.provider)}",
        cells=list_columns.cells_of(columns, of),
    )


OFFERED: Final[Sequence[ListColumn[ListedOrder]]] = (
    ListColumn(
        Column("Order", name="id", sorts_all=True),
        lambda of: Cell(
            f"#{of.order.id}",
            sub=ramp_status_labels.DIRECTIONS[of.order.direction],
            order=of.order.id,
        ),
    ),
    ListColumn(Column("Status", name="status"), _status),
    ListColumn(
        Column("Merchant", name=MERCHANT_COLUMN),
        lambda of: name_cell(of.merchants, of.order.client_id),
    ),
    ListColumn(Column("Fiat", "right", name="fiat"), _fiat),
    ListColumn(Column("Crypto", "right", name="crypto"), _crypto),
    ListColumn(
        Column("Fees", "right", name="fees"),
        lambda of: Cell(format_usd(of.order.fees_micro_usd), order=of.order.fees_micro_usd),
        on_request=True,
    ),
    ListColumn(
        Column("Provider", name="provider"),
        lambda of: Cell(
            provider_name(of.order.provider),
            sub=country_name(of.services.fiat, of.order.country),
            marks=mark_provider(of.order.provider),
        ),
    ),
    ListColumn(
        Column("Provider’s reference", name="reference"),
        lambda of: Cell(of.order.provider_reference or "–", mono=True),
        on_request=True,
    ),
    ListColumn(
        Column("Customer", wide=True, name="customer"),
        lambda of: Cell(of.emails.get(of.order.customer_id or "") or "–"),
    ),
    ListColumn(
        Column("Created", wide=True, name="created", sorts_all=True),
        lambda of: Cell(at=to_millis(of.order.created_at)),
    ),
    ListColumn(
        Column("Completed", wide=True, name="completed"),
        lambda of: time_cell(of.order.completed_at),
        on_request=True,
    ),
    ListColumn(Column("Time left", name="left"), _time_left),
)
"""All columns; those on request are offered in the columns menu."""
USUAL: Final = list_columns.without(list_columns.choose(OFFERED, ()), MERCHANT_COLUMN)


def export_action(mode: Mode) -> RowAction:
    """The export of selected orders."""
    href = export_selected_href("ramp_orders", mode)
    return RowAction("export", "Export as CSV", "download", download=href)


def export_rows(
    services: Services, caller: Principal, params: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """The orders with the ids of the query string, else all that match its filters, newest first,
    without personal data."""
    ids = ids_of(services)
    if IDS_PARAM in params:
        found = [
            ramp_orders.get_order(services, caller, order_id)
            for order_id in parse_ids(params[IDS_PARAM])
        ]
        yield from (order_row(ids, order) for order in found)
        return
    filters: OrderFilter | None = build_filter(params, services.clock.now(), None)
    while filters is not None:
        orders = ramp_orders.list_orders(services, caller, filters, ramp_orders.MAX_PAGE_SIZE)
        yield from (order_row(ids, order) for order in orders)
        has_more = len(orders) == ramp_orders.MAX_PAGE_SIZE
        filters = replace(filters, before_id=orders[-1].id) if has_more else None
