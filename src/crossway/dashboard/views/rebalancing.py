"""Rebalancing on screen: suggestions, approvals, what is on its way, what ended, and costs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from crossway.dashboard.views import inventory_transfers
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    bridge_cell,
    capitalize_first,
    chain_name,
    format_approx_usd,
    format_bps,
    format_day,
    format_duration,
    format_percent,
    format_token_amount,
    format_usd,
    format_utc,
    time_cell,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.links import rebalancing_href
from crossway.dashboard.views.marks import mark_chains
from crossway.domain.catalogue import Catalogue
from crossway.domain.ledger import is_unified, unified_location
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import (
    Location,
    LocationBalance,
    PlannedTransfer,
    RebalancingMode,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
    Unserved,
)
from crossway.usecases.money.rebalancing_records import DayOfCosts, TransferRecord
from crossway.usecases.money.rebalancing_transfers import VALID_FOR

S, Mode = RebalancingState, RebalancingMode
_BPS: Final = 10_000
MODES: Final[Mapping[RebalancingMode, Badge]] = {
    Mode.SUGGEST: Badge(
        "Suggest only", "blue", "lightbulb", "Nothing moves until a person carries it out."
    ),
    Mode.AUTOMATIC: Badge(
        "Automatic",
        "green",
        "autorenew",
        "Crossway moves inventory by itself, within the limits below; large transfers wait for a "
        "person.",
    ),
    Mode.PAUSED: Badge(
        "Paused",
        "orange",
        "pause_circle",
        "No transfer begins, by hand neither, and nothing more leaves for those under way.",
    ),
}
STATES: Final[Mapping[RebalancingState, Badge]] = {
    S.PROPOSED: Badge("To approve", "violet", "how_to_reg", "A person has to approve it."),
    S.STARTED: Badge("Under way", "blue", "local_shipping", "A bridge carries it out."),
    S.ARRIVED: Badge("Arrived", "green", "check_circle"),
    S.RETURNED: Badge("Given back", "red", "undo", "The bridge gave it back."),
    S.REFUSED: Badge("Refused", "red", "block", "It ended before anything moved."),
    S.DECLINED: Badge("Declined", "gray", "thumb_down", "A person declined it."),
    S.LAPSED: Badge("Lapsed", "gray", "timer_off", "Nobody approved it in time."),
}
UNDER_WAY_COLUMNS: Final = (
    Column("Transfer"),
    Column("Amount", "right"),
    Column("Bridge"),
    Column("Step"),
    Column("Age"),
    Column("Due"),
    Column("Sent in"),
)
ENDED_COLUMNS: Final = (
    Column("Transfer"),
    Column("Amount", "right"),
    Column("Bridge"),
    Column("End"),
    Column("Planned cost", "right", "What bridge and network were to cost"),
    Column("When"),
)
COST_COLUMNS: Final = (
    Column("Day (UTC)"),
    Column("Transfers", "right"),
    Column("Moved", "right"),
    Column("Planned cost", "right", "Bridges and network, as quoted; counts against the limit"),
    Column("In basis points", "right"),
    Column("Taken by bridges", "right", "What bridges took of it so far, by the books"),
    Column("Of the day's limit"),
)
UNSERVED_COLUMNS: Final = (Column("Where"), Column("Lacks", "right"), Column("Why not refilled"))


def is_of_network(catalogue: Catalogue, location: Location, testnets: bool) -> bool:
    """Whether a location is on the test networks, or else on the main networks."""
    if is_unified(location[0]):
        return location[0] == unified_location(testnets)
    return catalogue.chains[location[0]].testnet == testnets


def describe_ends(
    catalogue: Catalogue, transfer: PlannedTransfer | RebalancingTransfer
) -> tuple[str, str]:
    """The names of the source and of the destination."""
    return (
        chain_name(catalogue, transfer.source[0]),
        chain_name(catalogue, transfer.destination[0]),
    )


def format_arriving(catalogue: Catalogue, transfer: PlannedTransfer | RebalancingTransfer) -> str:
    """What arrives, with its token."""
    return format_token_amount(catalogue, *transfer.destination, transfer.amount)


def describe_planned(catalogue: Catalogue, transfer: PlannedTransfer | RebalancingTransfer) -> str:
    """What is moved from where to where, by which bridge, at what cost and how long it takes."""
    source, destination = describe_ends(catalogue, transfer)
    bps = transfer.fee_micro_usd * _BPS / transfer.micro_usd if transfer.micro_usd else 0
    ends = f"from {_within(source)} to {_within(destination)}"
    return (
        f"{format_arriving(catalogue, transfer)} {ends} over {bridge_title(transfer.bridge)}, "
        f"for {format_usd(transfer.fee_micro_usd)} ({format_bps(bps)}), "
        f"in about {format_duration(transfer.seconds)}"
    )


def _within(name: str) -> str:
    """The name of a location within a sentence."""
    return f"the {name[4:]}" if name.startswith("The ") else name


def describe_proposed(catalogue: Catalogue, transfer: RebalancingTransfer) -> tuple[str, str]:
    """A transfer that waits for a person: what it is, and who proposed it why until when."""
    by = transfer.proposed_by or "Crossway"
    until = format_utc(transfer.created_at + VALID_FOR)
    what = f"#{transfer.id}: {describe_planned(catalogue, transfer)}"
    return what, f"Proposed by {by}. {transfer.reason} Lapses on {until}."


def build_under_way_rows(
    catalogue: Catalogue, records: Iterable[TransferRecord], now: datetime
) -> tuple[Row, ...]:
    """Rows of transfers under way, oldest first; a row opens its story."""
    return tuple(_under_way_row(catalogue, record, now) for record in records)


def _under_way_row(catalogue: Catalogue, record: TransferRecord, now: datetime) -> Row:
    transfer, carried = record.transfer, record.carried
    badge = STATES[transfer.state] if carried is None else inventory_transfers.STATES[carried.state]
    due = carried.expected_at if carried else None
    chain = catalogue.chains.get(carried.chain) if carried else None
    is_late = due is not None and due < now
    return Row(
        str(transfer.id),
        (
            _ends_cell(catalogue, transfer),
            _amount_cell(catalogue, transfer),
            bridge_cell(transfer.bridge),
            Cell(badges=(badge,), sub=capitalize_first(carried.reason) if carried else ""),
            time_cell(transfer.created_at),
            time_cell(due, "ago" if is_late else "left"),
            tx_cell(chain, carried.source_tx if carried else ""),
        ),
        href=rebalancing_href(transfer.id),
        label=f"Rebalancing {transfer.id}",
    )


def build_ended_rows(catalogue: Catalogue, records: Iterable[TransferRecord]) -> tuple[Row, ...]:
    """Rows of transfers that have ended, newest first; a row opens its story."""
    return tuple(
        Row(
            str(t.id),
            (
                _ends_cell(catalogue, t),
                _amount_cell(catalogue, t),
                bridge_cell(t.bridge),
                Cell(badges=(STATES[t.state],), sub=capitalize_first(t.note)),
                Cell(format_usd(t.fee_micro_usd)),
                time_cell(t.updated_at),
            ),
            href=rebalancing_href(t.id),
            label=f"Rebalancing {t.id}",
        )
        for t in (record.transfer for record in records)
    )


def build_cost_rows(days: Sequence[DayOfCosts], settings: RebalancingSettings) -> tuple[Row, ...]:
    """Rows of what was moved by day and what that cost, newest first."""
    limit = settings.max_cost_day_micro_usd
    return tuple(
        Row(
            f"cost-{day.day}",
            (
                Cell(format_day(day.day)),
                Cell(f"{day.transfers:,}"),
                Cell(format_usd(day.moved_micro_usd)),
                Cell(format_usd(day.planned_micro_usd)),
                Cell(f"{day.planned_bps:.1f}"),
                Cell(format_usd(day.taken_micro_usd)),
                _share_cell(day.planned_micro_usd, limit),
            ),
        )
        for day in days
    )


def build_unserved_rows(
    unserved: Sequence[Unserved], balances: Mapping[Location, LocationBalance], catalogue: Catalogue
) -> tuple[Row, ...]:
    """Rows of what is lacking and not served, with the reason."""
    return tuple(
        Row(
            f"lack-{index}",
            (
                Cell(balances[lack.location].name, marks=mark_chains(lack.location[0])),
                token_amount_cell(catalogue, *lack.location, lack.units),
                Cell(lack.reason),
            ),
        )
        for index, lack in enumerate(unserved)
    )


def _ends_cell(catalogue: Catalogue, transfer: RebalancingTransfer) -> Cell:
    source, destination = describe_ends(catalogue, transfer)
    return Cell(
        f"#{transfer.id}",
        sub=f"{source} → {destination}",
        marks=mark_chains(transfer.source_chain, transfer.destination_chain),
    )


def _amount_cell(catalogue: Catalogue, transfer: RebalancingTransfer) -> Cell:
    value = format_approx_usd(transfer.micro_usd)
    return Cell(format_arriving(catalogue, transfer), sub=value)


def _share_cell(micro_usd: int, limit: int) -> Cell:
    if not limit:
        return Cell("no cost is allowed")
    share = 100 * micro_usd / limit
    return Cell(f"{format_percent(share)} of {format_usd(limit)}", share=min(share, 100.0))
