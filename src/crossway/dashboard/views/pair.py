"""One pair of chains: its bridges side by side, with their quotes now and what they did."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.custody import label_custody
from crossway.dashboard.views.estimates import explain_estimate, label_estimate
from crossway.dashboard.views.formatting import (
    format_duration_or_dash,
    format_share,
    format_usd,
    name_day,
    name_hour,
)
from crossway.domain.corridor_stats import CorridorTotals, Period
from crossway.domain.quotes import bridge_title
from crossway.domain.success import SUCCESS_MEANING
from crossway.usecases.pricing.corridor_quotes import CorridorSummary
from crossway.usecases.pricing.pair_history import PairHistory

_MILLION = 1_000_000
_TO_PAYOUT = "From complete deposit to payout, measured"


@dataclass(frozen=True, slots=True)
class PairChart:
    """What the charts of one bridge show, one value per hour or day and None where nothing ended:
    volume in USD, median and p95 in seconds, success and cost in per cent."""

    labels: tuple[str, ...]
    volumes: tuple[float | None, ...]
    medians: tuple[float | None, ...]
    p95s: tuple[float | None, ...]
    success: tuple[float | None, ...]
    costs: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PairBridge:
    """One bridge of the pair; its quote is None where it offers no route any more."""

    name: str
    corridor: CorridorSummary | None
    totals: CorridorTotals
    chart: PairChart | None

    @property
    def title(self) -> str:
        """The bridge's display name."""
        return bridge_title(self.name) if self.name else "Within the chain"


def build_bridges(
    corridors: Sequence[CorridorSummary], history: PairHistory
) -> tuple[PairBridge, ...]:
    """The bridges that serve the pair or have served it, those with the most volume first."""
    quoted: dict[str, CorridorSummary] = {c.route.bridge: c for c in corridors}
    totals = {name: history.whole.get(name, CorridorTotals()) for name in {*quoted, *history.whole}}
    names = sorted(totals, key=lambda name: (-totals[name].micro_usd, bridge_title(name)))
    return tuple(
        PairBridge(name, quoted.get(name), totals[name], _build_chart(history, name))
        for name in names
    )


def _build_chart(history: PairHistory, bridge: str) -> PairChart | None:
    parts = history.by_bridge.get(bridge)
    if parts is None:
        return None
    name = name_hour if history.period is Period.HOUR else name_day
    return PairChart(
        tuple(name(start) for start in history.starts),
        tuple(of.micro_usd / _MILLION if of.micro_usd else None for of in parts),
        tuple(_round(of.median_seconds) for of in parts),
        tuple(_round(of.p95_seconds) for of in parts),
        tuple(_percent(of.paid, of.paid + of.failed) for of in parts),
        tuple(_percent(of.charged_micro_usd, of.micro_usd, 3) for of in parts),
    )


def _round(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def _percent(part: int, whole: int, places: int = 1) -> float | None:
    return round(100 * part / whole, places) if whole else None


def build_details(bridge: PairBridge, amount: str, window: str) -> tuple[Detail, ...]:
    """The quote of now, and what was measured in the window."""
    c, of = bridge.corridor, bridge.totals
    ended = of.paid + of.failed
    success = f"{format_share(of.paid, ended)} of {ended:,}" if ended else "–"
    volume = format_usd(of.micro_usd) if of.micro_usd else "–"
    return (
        Detail(f"Cost now, {amount}", _cost_cell(c)),
        Detail("Quoted time now", Cell(format_duration_or_dash(c.seconds if c else None))),
        Detail(
            f"Median time, {window}", Cell(format_duration_or_dash(of.median_seconds)), _TO_PAYOUT
        ),
        Detail(f"p95, {window}", Cell(format_duration_or_dash(of.p95_seconds)), _TO_PAYOUT),
        Detail(f"Success, {window}", Cell(success), SUCCESS_MEANING),
        Detail(f"Volume, {window}", Cell(volume)),
        Detail("Custody", Cell(label_custody(c.route.custody) if c else "–")),
    )


def _cost_cell(c: CorridorSummary | None) -> Cell:
    if c is None or not c.route.enabled:
        return Cell("–", sub="disabled" if c else "no route")
    if c.fee_micro_usd is None:
        return Cell("–", sub="no quote now")
    cost = format_usd(c.fee_micro_usd)
    if c.estimate_reason:
        return Cell(
            f"≈ {cost}",
            sub=label_estimate(c.route.bridge),
            hint=explain_estimate(c.estimate_reason),
        )
    return Cell(cost)
