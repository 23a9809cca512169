"""Whether everything is all right, and what needs a person."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Item, Row
from crossway.dashboard.views.figures import amount, chain_name, duration, grouped, millis, usd
from crossway.dashboard.views.links import intent_href, order_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import State
from crossway.domain.money import format_units
from crossway.usecases.operations import Attention, ChainStatus, Overview

ATTENTION_COLUMNS = (Column("What"), Column("Why"), Column("Since"))
CHAIN_COLUMNS = (
    Column("Chain"),
    Column("State"),
    Column("Height", "right"),
    Column("Behind", "right"),
    Column("Relayer's gas", "right"),
)
OPEN = (State.PENDING, State.FUNDED, State.INITIATED)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the first row, with what it counts."""

    label: str
    value: str
    help: str


def figures(overview: Overview) -> tuple[Figure, ...]:
    """The row of numbers; what nothing is known of yet is a dash."""
    rate = overview.success_rate
    flying = sum(overview.counts.get(state, 0) for state in OPEN)
    return (
        Figure("Volume, 24 h, USD", _volume(overview.volume_24h_micro_usd),
               "What recipients were paid in the last 24 hours"),
        Figure("Completed, 24 h", f"{overview.completed_24h:,}",
               "Payments completed in the last 24 hours"),
        Figure("Success", "–" if rate is None else f"{rate:.1%}",
               "Completed among all that were funded and have ended, in the last 24 hours"),
        Figure("Usual time", _time(overview.median_fill_seconds),
               "Median from complete deposit to payout"),
        Figure("Slowest 5 %", _time(overview.p95_fill_seconds),
               "95 of 100 payouts were at least this fast"),
        Figure("Open now", f"{flying:,}", "Pending, funded or on their way"),
    )  # fmt: skip


def _volume(micro_usd: int) -> str:
    """Dollars in the width of a narrow column: cents only while they matter."""
    dollars = micro_usd // 1_000_000
    return f"{dollars:,}" if dollars >= 10_000 else usd(micro_usd).removesuffix(" USD")


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def by_state(overview: Overview) -> tuple[tuple[Chip, int], ...]:
    """Payments by state in the order of a payment's life."""
    return tuple((chip, overview.counts.get(state, 0)) for state, chip in wording.STATES.items())


def attention(of: Sequence[Attention]) -> tuple[Row, ...]:
    """What needs a person; lines about a payment or a ramp order open it."""
    return tuple(
        Row(
            key=str(alarm.intent_id or f"alarm-{index}"),
            href=_about(alarm),
            label=f"{alarm.subject}: {alarm.message}",
            cells=(
                Cell(
                    f"order {alarm.order_id}" if alarm.order_id else alarm.subject,
                    chips=(Chip(_kind(alarm.kind), "red", "warning"),),
                ),
                Cell(alarm.message),
                Cell(at=millis(alarm.since)),
            ),
        )
        for index, alarm in enumerate(of)
    )


def _about(alarm: Attention) -> str:
    if alarm.order_id is not None:
        return order_href(alarm.order_id)
    return intent_href(alarm.intent_id) if alarm.intent_id else ""


def _kind(kind: str) -> str:
    return kind.replace("_", " ").replace("-", " ").capitalize()


def chains(catalogue: Catalogue, of: Sequence[ChainStatus]) -> tuple[Row, ...]:
    """Every chain at a glance, those with a problem first."""
    ordered = sorted(of, key=lambda status: (not status.problem, status.chain))
    return tuple(_chain(catalogue, status) for status in ordered)


def _chain(catalogue: Catalogue, status: ChainStatus) -> Row:
    chain = catalogue.chains.get(status.chain)
    gas = "–"
    if chain is not None and status.relayer_gas_units is not None:
        units = format_units(status.relayer_gas_units, chain.native_decimals)
        brief = units[: units.find(".") + 5] if "." in units else units
        gas = f"{grouped(brief)} {chain.native_symbol}"
    state = Chip("Well", "green", "check_circle")
    if status.height is None:
        state = Chip("No answer", "red", "error")
    elif status.problem:
        state = Chip("Problem", "orange", "warning")
    return Row(
        key=status.chain,
        cells=(
            Cell(chain_name(catalogue, status.chain)),
            Cell(chips=(state,), sub=status.problem),
            Cell("–" if status.height is None else f"{status.height:,}"),
            Cell("–" if status.lag_seconds is None else duration(max(status.lag_seconds, 0))),
            Cell(gas),
        ),
    )


def recent(overview: Overview) -> tuple[Item, ...]:
    """What happened last, newest first."""
    found = []
    for intent, move in overview.recent:
        title, icon = wording.event(move.event)
        total = amount(intent.terms.total_units, intent.asset_decimals, intent.asset_symbol)
        found.append(
            Item(
                key=move.id,
                title=f"#{intent.id} {title}",
                at=millis(move.at),
                note=total,
                icon=icon,
                color=wording.STATES[move.to_state].color,
            )
        )
    return tuple(found)
