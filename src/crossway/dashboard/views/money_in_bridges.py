"""The money in bridges on screen: what has left and has not arrived, the earliest due first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from crossway.dashboard.views import inventory_transfers
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    amount_cell,
    bridge_cell,
    capitalize_first,
    chain_cell,
    format_amount,
    format_approx_usd,
    format_duration,
    time_cell,
    to_millis,
)
from crossway.dashboard.views.links import intent_href, rebalancing_href
from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.inventory_transfer import InventoryTransferState
from crossway.domain.money import micro_usd_down
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.usecases.money.money_in_bridges import MoneyInBridge

MAX_ROWS: Final = 100
COLUMNS: Final = (
    Column("Whose"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("Bridge"),
    Column("Left", hint="When it was sent; of inventory, when that was planned"),
    Column("Due", hint="When it usually arrives"),
    Column("State"),
)
OVERDUE: Final = Badge("Overdue", "red", "error")
S = BridgeTransferState
_STATES: Final[Mapping[BridgeTransferState, Badge]] = {
    S.SEEN: Badge("On its way", "blue", "local_shipping"),
    S.DELAYED: Badge("Late", "orange", "schedule"),
    S.HALTED: Badge("Halted", "red", "gpp_maybe"),
    S.OVERDUE: Badge("Not filled yet", "orange", "schedule"),
    S.EXPIRED: Badge("Not filled, comes back", "orange", "undo"),
    S.CLAIMABLE: Badge("Attested, to be delivered", "blue", "verified"),
}


def describe(catalogue: Catalogue, money: Sequence[MoneyInBridge], now: datetime) -> str:
    """How much is in bridges, how old the oldest is and how many are overdue, as a sentence."""
    totals: dict[tuple[str, int], int] = defaultdict(int)
    for one in money:
        token = catalogue.by_address[one.source]
        totals[token.symbol, token.decimals] += one.amount
    amounts = ", ".join(
        format_amount(units, decimals, symbol)
        for (symbol, decimals), units in sorted(totals.items())
    )
    oldest = format_duration((now - min(one.since for one in money)).total_seconds())
    late = sum(one.is_overdue for one in money)
    overdue = f" {late:,} {'is' if late == 1 else 'are'} overdue." if late else ""
    return f"{amounts} left their chains and have not arrived; the oldest {oldest} ago.{overdue}"


def build_rows(
    catalogue: Catalogue,
    money: Sequence[MoneyInBridge],
    pico_usd: Mapping[tuple[str, str], int | None],
    now: datetime,
) -> tuple[Row, ...]:
    """Rows of what is on its way, each with a link to its payment or rebalancing transfer."""
    return tuple(_row(catalogue, one, pico_usd.get(one.source), now) for one in money[:MAX_ROWS])


def _row(catalogue: Catalogue, one: MoneyInBridge, pico_usd: int | None, now: datetime) -> Row:
    token, own = catalogue.by_address[one.source], is_rebalancing(one.owner)
    number = rebalancing_id(one.owner) if own else one.owner
    whose = f"Rebalancing #{number}" if own else f"#{number}"
    of_inventory = isinstance(one.state, InventoryTransferState)
    value = None if pico_usd is None else micro_usd_down(one.amount, token.decimals, pico_usd)
    is_past = one.due is not None and one.due < now
    badges = (OVERDUE,) if one.is_overdue else ()
    return Row(
        f"{one.owner}-{of_inventory}-{to_millis(one.since)}",
        (
            Cell(whose, sub="inventory" if of_inventory else "payment"),
            chain_cell(catalogue, one.source[0]),
            chain_cell(catalogue, one.destination[0]),
            amount_cell(
                one.amount,
                token.decimals,
                token.symbol,
                sub="" if value is None else format_approx_usd(value),
            ),
            bridge_cell(one.bridge),
            time_cell(one.since),
            time_cell(one.due, "ago" if is_past else "left"),
            Cell(badges=(*badges, _state(one)), sub=capitalize_first(one.reason)),
        ),
        href=rebalancing_href(number) if own else intent_href(number),
        label=f"{whose} over {bridge_title(one.bridge)}",
        marked=one.is_overdue,
    )


def _state(one: MoneyInBridge) -> Badge:
    if isinstance(one.state, InventoryTransferState):
        return inventory_transfers.STATES[one.state]
    return _STATES[one.state]
