"""The columns that the list of payments offers. Each shows what a stored payment has: none asks the
database for more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crossway.dashboard.views import list_columns, status_labels
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.custody import describe_bridge
from crossway.dashboard.views.formatting import (
    address_cell,
    amount_cell,
    chain_name,
    format_approx_usd,
    format_short_amount,
    format_usd,
    route_cell,
    shorten,
    time_cell,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.list_columns import ListColumn
from crossway.dashboard.views.marks import mark_bridge
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, name_cell
from crossway.domain.catalogue import Chain
from crossway.domain.intent import Intent, State
from crossway.domain.quotes import bridge_title
from crossway.ports.search_repository import PaymentOrder
from crossway.ports.services import Services
from crossway.usecases.payments.export_rows import metadata_reference


@dataclass(frozen=True, slots=True)
class ListedPayment:
    """A payment of the list, with the badges beside its status, and the names of merchants."""

    services: Services
    intent: Intent
    badges: tuple[Badge, ...] = ()
    merchants: Mapping[str, str] = field(default_factory=dict)

    def chain(self, name: str) -> Chain | None:
        """A chain of the catalogue."""
        return self.services.catalogue.chains.get(name)


def reference(intent: Intent) -> str:
    """The merchant's reference from the metadata, else the shortened deposit address."""
    return metadata_reference(intent)[:40] or shorten(intent.address)


def _amount_due(of: ListedPayment) -> Cell:
    intent, order = of.intent, of.intent.costs.total_micro_usd
    total, decimals = intent.terms.deposit_amount, intent.asset_decimals
    if intent.state is State.PENDING and 0 < intent.received_amount < total:
        received = format_short_amount(intent.received_amount, decimals, intent.asset_symbol)
        cell = amount_cell(total, decimals, intent.asset_symbol, f"{received} received")
        share = round(100 * intent.received_amount / total, 1)
        return replace(cell, share=share, order=order)
    usd_value = format_approx_usd(order)
    return replace(amount_cell(total, decimals, intent.asset_symbol, usd_value), order=order)


def _received(of: ListedPayment) -> Cell:
    intent, units = of.intent, of.intent.received_amount
    if not units:
        return Cell("–")
    order = intent.costs.total_micro_usd * units / max(intent.terms.deposit_amount, 1)
    return replace(amount_cell(units, intent.asset_decimals, intent.asset_symbol), order=order)


def _fees(of: ListedPayment) -> Cell:
    costs = of.intent.costs
    micro_usd = costs.total_micro_usd - costs.amount_micro_usd
    return Cell(format_usd(micro_usd), order=micro_usd)


def _route(of: ListedPayment) -> Cell:
    intent, terms = of.intent, of.intent.terms
    arrives = format_short_amount(terms.payout_amount, intent.out_decimals, intent.out_symbol)
    return route_cell(
        of.services.catalogue,
        terms.source_chain,
        terms.destination_chain,
        sub=f"{arrives} {_bridge_of(of)}",
    )


def _bridge_of(of: ListedPayment) -> str:
    bridge = of.intent.terms.bridge
    return describe_bridge(bridge) if bridge else "on the same chain"


def _time_left(of: ListedPayment) -> Cell:
    if of.intent.state not in (State.PENDING, State.FUNDED):
        return Cell("–")
    return Cell(at=to_millis(of.intent.terms.expires_at), as_="left")


def _status(of: ListedPayment) -> Cell:
    return Cell(badges=(status_labels.INTENT_STATES[of.intent.state], *of.badges))


OFFERED: Final[Sequence[ListColumn[ListedPayment]]] = (
    ListColumn(
        Column("Payment", name="id", sorts_all=True),
        lambda of: Cell(f"#{of.intent.id}", sub=reference(of.intent), order=of.intent.id),
    ),
    ListColumn(Column("Status", name="status"), _status),
    ListColumn(
        Column("Merchant", name=MERCHANT_COLUMN),
        lambda of: name_cell(of.merchants, of.intent.client_id),
    ),
    ListColumn(Column("Amount due", "right", name="amount", sorts_all=True), _amount_due),
    ListColumn(Column("Route", name="route"), _route),
    ListColumn(
        Column("Bridge", name="bridge"),
        lambda of: Cell(
            bridge_title(of.intent.terms.bridge or "") or "–",
            marks=mark_bridge(of.intent.terms.bridge or ""),
        ),
        on_request=True,
    ),
    ListColumn(
        Column("Reference", name="reference"),
        lambda of: Cell(metadata_reference(of.intent) or "–"),
        on_request=True,
    ),
    ListColumn(Column("Received", "right", name="received"), _received, on_request=True),
    ListColumn(Column("Fees", "right", name="fees"), _fees, on_request=True),
    ListColumn(
        Column("Recipient", wide=True, name="recipient"),
        lambda of: address_cell(
            of.chain(of.intent.terms.destination_chain), of.intent.terms.recipient, "recipient"
        ),
    ),
    ListColumn(
        Column("Deposit address", wide=True, name="address"),
        lambda of: address_cell(
            of.chain(of.intent.terms.source_chain), of.intent.address, "deposit address"
        ),
        on_request=True,
    ),
    ListColumn(
        Column("Refund address", wide=True, name="refund_address"),
        lambda of: address_cell(
            of.chain(of.intent.terms.source_chain), of.intent.terms.refund_address, "refund address"
        ),
        on_request=True,
    ),
    ListColumn(
        Column("Payout", wide=True, name="payout"),
        lambda of: tx_cell(
            of.chain(of.intent.terms.destination_chain), of.intent.tx_hash, "payout transaction"
        ),
        on_request=True,
    ),
    ListColumn(
        Column("Payment link", name="link"),
        lambda of: Cell(of.intent.payment_link_id or "–"),
        on_request=True,
    ),
    ListColumn(
        Column("Created", wide=True, name="created", sorts_all=True),
        lambda of: time_cell(of.intent.created_at),
    ),
    ListColumn(
        Column("Last change", wide=True, name="updated"),
        lambda of: time_cell(of.intent.updated_at),
        on_request=True,
    ),
    ListColumn(
        Column("Expires", wide=True, name="expires"),
        lambda of: time_cell(of.intent.terms.expires_at, "exact"),
        on_request=True,
    ),
    ListColumn(Column("Time left", name="left"), _time_left),
)
"""All columns; those on request are offered in the columns menu."""
ORDERS: Final[Mapping[str, PaymentOrder]] = {
    "id": PaymentOrder.OLDEST,
    "created": PaymentOrder.OLDEST,
    "amount": PaymentOrder.SMALLEST,
    "-amount": PaymentOrder.LARGEST,
}
"""The sortings of the whole list; all others begin with the newest."""
USUAL: Final = list_columns.without(list_columns.choose(OFFERED, ()), MERCHANT_COLUMN)
COLUMNS: Final = list_columns.columns_of(USUAL)


def build_row(chosen: Sequence[ListColumn[ListedPayment]], of: ListedPayment) -> Row:
    """A payment as a row with these columns."""
    status, names = status_labels.INTENT_STATES[of.intent.state], of.services.catalogue
    source = chain_name(names, of.intent.terms.source_chain)
    route = f"{source} to {chain_name(names, of.intent.terms.destination_chain)}"
    return Row(
        key=str(of.intent.id),
        href=intent_href(of.intent.id),
        label=f"Payment {of.intent.id}, {status.text}, from {route}",
        cells=list_columns.cells_of(chosen, of),
    )
