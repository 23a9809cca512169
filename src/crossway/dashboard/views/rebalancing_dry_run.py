"""A dry run of rebalancing on screen: what would have moved at what cost, and who had waited."""

from typing import Final

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.formatting import (
    bridge_cell,
    chain_cell,
    format_approx_usd,
    format_duration,
    format_usd,
    format_utc,
    to_millis,
    token_amount_cell,
)
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.rebalancing import format_arriving
from crossway.dashboard.views.treasury import Kpi
from crossway.domain.catalogue import Catalogue
from crossway.usecases.money.rebalancing_dry_run import DryRun

MAX_ROWS: Final = 100
TRANSFER_COLUMNS: Final = (
    Column("When"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("Bridge"),
    Column("Cost", "right"),
    Column("Why"),
)
PAYMENT_COLUMNS: Final = (
    Column("Payment"),
    Column("Where"),
    Column("Amount", "right"),
    Column("Waited", "right"),
    Column("Would wait", "right"),
)


def build_kpis(found: DryRun) -> list[Kpi]:
    """The result in figures."""
    return [
        Kpi("Transfers", f"{len(found.transfers):,}", "What would have been moved, by the model"),
        Kpi("Moved", format_usd(found.moved_micro_usd), "The value of all transfers"),
        Kpi("Cost", format_usd(found.cost_micro_usd), "Bridges and network, at today's fees"),
        Kpi("Cost, bps", f"{found.cost_bps:.1f}", "In basis points of what would have been moved"),
        Kpi("Waited then", f"{len(found.waiting):,}", f"Of {found.payments:,} payments"),
        Kpi("Would not wait", f"{len(found.not_waiting):,}", "Of those that waited then"),
    ]


def describe(found: DryRun) -> list[str]:
    """The period, what would have been worse, and what could not be read, in sentences."""
    sentences = [f"From {format_utc(found.began)} to {format_utc(found.ended)}."]
    if number := len(found.delayed):
        which = f"{number:,} payment{'' if number == 1 else 's'} would have waited that did not"
        why = "as inventory had left, or had come by a transfer that is left out here"
        sentences.append(f"{which}, {why}.")
    return [*sentences, *found.unknown]


def build_transfer_rows(catalogue: Catalogue, found: DryRun) -> tuple[Row, ...]:
    """Rows of the first transfers that would have been made."""
    return tuple(
        Row(
            f"dry-{index}",
            (
                Cell(at=to_millis(one.at), as_="exact"),
                chain_cell(catalogue, one.planned.source[0]),
                chain_cell(catalogue, one.planned.destination[0]),
                Cell(
                    format_arriving(catalogue, one.planned),
                    sub=format_approx_usd(one.planned.micro_usd),
                ),
                bridge_cell(one.planned.bridge),
                Cell(format_usd(one.planned.fee_micro_usd)),
                Cell(one.planned.reason),
            ),
        )
        for index, one in enumerate(found.transfers[:MAX_ROWS])
    )


def build_payment_rows(catalogue: Catalogue, found: DryRun) -> tuple[Row, ...]:
    """Rows of the payments that waited longest; a row opens the payment."""
    longest = sorted(found.waiting, key=lambda one: -one.waited)
    return tuple(
        Row(
            f"waited-{one.intent_id}",
            (
                Cell(f"#{one.intent_id}"),
                chain_cell(catalogue, one.location[0]),
                token_amount_cell(catalogue, *one.location, one.units),
                Cell(
                    format_duration(one.waited.total_seconds()),
                    sub="" if one.started else "and was never paid",
                ),
                Cell(
                    format_duration(one.would_wait.total_seconds()),
                    sub="" if one.would_start else "and would not have been paid",
                ),
            ),
            href=intent_href(one.intent_id),
            label=f"Payment {one.intent_id}",
        )
        for one in longest[:MAX_ROWS]
    )
