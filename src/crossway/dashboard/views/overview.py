"""The overview: KPIs of a period compared with the time before it, and activity."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from crossway.dashboard.views import periods, status_labels
from crossway.dashboard.views.cells import Badge, Cell, Column, Row, TimelineEntry
from crossway.dashboard.views.formatting import (
    chain_cell,
    format_duration,
    format_duration_or_dash,
    format_percent,
    format_share,
    format_short_amount,
    format_usd,
    name_day,
    name_hour,
    to_millis,
)
from crossway.dashboard.views.links import page_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.services import Services
from crossway.usecases.operating.overview import (
    Overview,
    PeriodStats,
    get_overview,
)
from crossway.usecases.operating.overview_period import OverviewPeriod, choose_period

IN_TRANSIT_COLUMNS = (
    Column("Chain"),
    Column("At deposit addresses", "right", "Deposited and not collected yet, in USD"),
    Column("In escrow and on bridges", "right", "Not settled or arrived yet"),
    Column("Reserved payouts", "right", "Payouts the relayer will make from its own inventory"),
)
STATES_COLUMNS = (Column("Status"), Column("Payments", "right"), Column("Share", wide=True))
OPEN = (State.PENDING, State.FUNDED, State.INITIATED)
_MILLION = 1_000_000
_DAY = timedelta(days=1)
_SHORT = {"24h": "24 h", "7d": "7 d", "30d": "30 d"}
_STATES = tuple(status_labels.INTENT_STATES.items())
Trend = Literal["", "good", "bad", "same"]


@dataclass(frozen=True, slots=True)
class Kpi:
    """A KPI: its value, the change against the time before, whether that is good, and its hourly
    or daily values."""

    label: str
    value: str
    help: str
    delta: str = ""
    trend: Trend = ""
    steps: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PeriodWords:
    """A period in a title, in the label of a figure, and the time before it in a sentence."""

    title: str
    short: str
    before: str


def load(services: Services, caller: Principal, params: Mapping[str, str]) -> Overview:
    """The overview of the period that a URL says. Raises `InvalidInput` with the reason."""
    return get_overview(services, caller, parse_period(services.clock.now(), params))


def parse_period(now: datetime, params: Mapping[str, str]) -> OverviewPeriod:
    """The hours or days that a URL says: the last 24 hours without any; today is the last of so
    many days. Raises `InvalidInput` with the reason."""
    chosen = periods.parse_range(params, now, periods.DEFAULT_OF_FIGURES)
    if chosen.start is None:
        raise InvalidInput("The period has an end and no start: choose both, or a start")
    start, end = chosen.start, chosen.end or periods.next_hour(now)
    if chosen.name in ("7d", "30d"):
        midnight = end.replace(hour=0) if end.hour else end - _DAY
        start = midnight + _DAY - (end - start)
    return choose_period(now, start, end)


def describe_period(now: datetime, params: Mapping[str, str]) -> PeriodWords:
    """The period of a URL in words. Raises `InvalidInput` with the reason."""
    chosen = periods.parse_range(params, now, periods.DEFAULT_OF_FIGURES)
    title = periods.describe_range(chosen)
    if short := _SHORT.get(chosen.name):
        return PeriodWords(title, short, f"the previous {short}")
    short = title.lower() if chosen.name != periods.CUSTOM else "chosen period"
    return PeriodWords(title or "Chosen period", short, "the time before")


def build_kpis(overview: Overview, words: PeriodWords) -> tuple[Kpi, ...]:
    """The KPI row; unknown values are a dash."""
    current, previous = overview.period, overview.previous
    open_count = sum(overview.counts.get(state, 0) for state in OPEN)
    return (
        Kpi(f"Volume, {words.short}, USD", _format_volume(current.micro_usd),
               f"Paid to recipients. {words.title}.",
               *_relative_change(current.micro_usd, previous.micro_usd, words),
               _step_values(overview, lambda step: step.micro_usd / _MILLION)),
        Kpi(f"Completed, {words.short}", f"{current.completed:,}",
               f"Payments completed. {words.title}.",
               *_relative_change(current.completed, previous.completed, words),
               _step_values(overview, lambda step: float(step.completed))),
        Kpi("Success rate", format_share(current.completed, current.completed + current.failed),
               f"{words.title}. {SUCCESS_MEANING}",
               *_point_change(current.success, previous.success, words),
               _step_values(overview, _success_percent)),
        Kpi("Median time", format_duration_or_dash(current.median_seconds),
               "Median time from complete deposit to payout",
               *_duration_change(current.median_seconds, previous.median_seconds, words),
               _step_values(overview, lambda step: step.median_seconds)),
        Kpi("p95", format_duration_or_dash(current.p95_seconds),
               "95% of payouts took no longer than this",
               *_duration_change(current.p95_seconds, previous.p95_seconds, words),
               _step_values(overview, lambda step: step.p95_seconds)),
        Kpi("Open payments", f"{open_count:,}", "Pending, funded or initiated payments, now"),
    )  # fmt: skip


def _success_percent(of: PeriodStats) -> float | None:
    return None if of.success is None else of.success * 100


def _step_values(
    overview: Overview, metric: Callable[[PeriodStats], float | None]
) -> tuple[float, ...]:
    """The hourly or daily values of a KPI; what has no data is left out."""
    values = (metric(step) for _, step in overview.steps)
    points = tuple(round(value, 2) for value in values if value is not None)
    return points if any(points) and len(points) > 1 else ()


def _relative_change(now: int, previous: int, words: PeriodWords) -> tuple[str, Trend]:
    if not previous:
        return "", ""
    multiple = f"{now / previous:,.0f}×" if now >= 10 * previous else ""
    text = f"{abs(now / previous - 1):.0%} {'above' if now > previous else 'below'}"
    return _compared_with_previous(multiple or text, now - previous, words)


def _point_change(
    now: float | None, previous: float | None, words: PeriodWords
) -> tuple[str, Trend]:
    if now is None or previous is None:
        return "", ""
    difference = round((now - previous) * 100, 1)
    return _compared_with_previous(
        f"{abs(difference)} points {'above' if difference > 0 else 'below'}", difference, words
    )


def _duration_change(
    now: float | None, previous: float | None, words: PeriodWords
) -> tuple[str, Trend]:
    if now is None or previous is None:
        return "", ""
    difference = round(now - previous)
    return _compared_with_previous(
        f"{format_duration(abs(difference))} {'slower' if difference > 0 else 'faster'} than",
        -difference,
        words,
    )


def _compared_with_previous(text: str, better: float, words: PeriodWords) -> tuple[str, Trend]:
    return f"{text if better else 'same as'} {words.before}", _trend(better)


def _trend(better: float) -> Trend:
    return "same" if not better else "good" if better > 0 else "bad"


def _format_volume(micro_usd: int) -> str:
    """Dollars for a narrow column; cents only below 10,000."""
    dollars = micro_usd // _MILLION
    return f"{dollars:,}" if dollars >= 10_000 else format_usd(micro_usd).removesuffix(" USD")


def build_state_rows(overview: Overview) -> tuple[Row, ...]:
    """The number of payments per status in lifecycle order, each row linked to the filtered list.
    Empty while there are no payments."""
    total = sum(overview.counts.values())
    if not total:
        return ()
    return tuple(
        _state_row(state, badge, overview.counts.get(state, 0), total) for state, badge in _STATES
    )


def _state_row(state: State, badge: Badge, number: int, total: int) -> Row:
    share = 100 * number / total
    return Row(
        key=state.value,
        href=page_href("intents", all=f"state:{state.value}"),
        label=f"{badge.text}: {_count_payments(number) or 'no payments'}",
        cells=(
            Cell(badges=(badge,)),
            Cell(f"{number:,}"),
            Cell(format_percent(share), share=round(share, 1)) if number else Cell("–"),
        ),
    )


def build_in_transit_rows(catalogue: Catalogue, overview: Overview) -> tuple[Row, ...]:
    """Funds in transit by chain, the largest first."""
    return tuple(
        Row(
            key=chain_funds.chain,
            cells=(
                chain_cell(catalogue, chain_funds.chain),
                Cell(_format_dollars(chain_funds.deposits)),
                Cell(_format_dollars(chain_funds.receivables)),
                Cell(
                    _format_dollars(chain_funds.reserved), sub=_count_payments(chain_funds.payments)
                ),
            ),
        )
        for chain_funds in overview.in_transit
    )


def _format_dollars(micro_usd: int) -> str:
    return f"≈ {format_usd(micro_usd)}" if micro_usd else "–"


def _count_payments(number: int) -> str:
    return f"{number:,} payment{'' if number == 1 else 's'}" if number else ""


def build_recent_entries(overview: Overview) -> tuple[TimelineEntry, ...]:
    """The latest transitions, newest first."""
    entries = []
    for intent, transition in overview.recent:
        title, icon = status_labels.describe_event(transition.event)
        total = format_short_amount(
            intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol
        )
        entries.append(
            TimelineEntry(
                key=transition.id,
                title=f"#{intent.id} {title}",
                at=to_millis(transition.at),
                note=total,
                icon=icon,
                color=status_labels.INTENT_STATES[transition.to_state].color,
            )
        )
    return tuple(entries)


def list_steps(overview: Overview) -> Sequence[tuple[str, int, int]]:
    """Completed payments and volume in dollars per hour or day (UTC), for the chart."""
    starts = [at for at, _ in overview.steps]
    is_daily = len(starts) < 2 or starts[1] - starts[0] >= _DAY
    name = name_day if is_daily else name_hour
    return [(name(at), step.completed, step.micro_usd // _MILLION) for at, step in overview.steps]
