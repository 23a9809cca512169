"""Whether everything is all right: the numbers of the day beside those of the day before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Item, Row
from crossway.dashboard.views.figures import amount, chain_name, duration, millis, usd
from crossway.dashboard.views.links import link
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import State
from crossway.usecases.operating.operations import Day, Overview

UNDER_WAY_COLUMNS = (
    Column("Chain"),
    Column("At deposit addresses", "right", "Paid in and not collected yet, in USD"),
    Column("Owed by bridges", "right", "Collected from payers, not repaid to the relayer yet"),
    Column("Reserved payouts", "right", "Started: the relayer pays this out of its own stock"),
)
STATES_COLUMNS = (Column("Status"), Column("Payments", "right"), Column("Of all", wide=True))
OPEN = (State.PENDING, State.FUNDED, State.INITIATED)
_MILLION = 1_000_000
_STATES = tuple(wording.STATES.items())
Verdict = Literal["", "good", "bad", "same"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the first row: what it counts, how it differs from the day before and whether
    that is good, and its hours."""

    label: str
    value: str
    help: str
    delta: str = ""
    verdict: Verdict = ""
    hours: tuple[float, ...] = ()


def figures(of: Overview) -> tuple[Figure, ...]:
    """The row of numbers; what nothing is known of yet is a dash."""
    day, before = of.day, of.day_before
    flying = sum(of.counts.get(state, 0) for state in OPEN)
    return (
        Figure("Volume, 24 h, USD", _volume(day.micro_usd),
               "What recipients were paid in the last 24 hours",
               *_share(day.micro_usd, before.micro_usd),
               _hours(of, lambda hour: hour.micro_usd / _MILLION)),
        Figure("Completed, 24 h", f"{day.completed:,}",
               "Payments completed in the last 24 hours",
               *_share(day.completed, before.completed),
               _hours(of, lambda hour: float(hour.completed))),
        Figure("Success", "–" if day.success is None else f"{day.success:.1%}",
               "Completed among all that were funded and have ended, in the last 24 hours",
               *_points(day.success, before.success),
               _hours(of, lambda hour: None if hour.success is None else hour.success * 100)),
        Figure("Usual time", _time(day.median_seconds),
               "Median from complete deposit to payout",
               *_slower(day.median_seconds, before.median_seconds),
               _hours(of, lambda hour: hour.median_seconds)),
        Figure("Slowest 5 %", _time(day.p95_seconds),
               "95 of 100 payouts were at least this fast",
               *_slower(day.p95_seconds, before.p95_seconds),
               _hours(of, lambda hour: hour.p95_seconds)),
        Figure("Open now", f"{flying:,}", "Pending, funded or on their way"),
    )  # fmt: skip


def _hours(of: Overview, figure: Callable[[Day], float | None]) -> tuple[float, ...]:
    """A figure hour by hour; an hour of which nothing is known is left out."""
    known = (figure(day) for _, day in of.hours)
    found = tuple(round(one, 2) for one in known if one is not None)
    return found if any(found) and len(found) > 1 else ()


def _share(now: int, before: int) -> tuple[str, Verdict]:
    if not before:
        return "", ""
    much = f"{now / before:,.0f} times" if now >= 10 * before else ""
    words = f"{abs(now / before - 1):.0%} {'more' if now > before else 'less'} than"
    return _against(much or words, now - before)


def _points(now: float | None, before: float | None) -> tuple[str, Verdict]:
    if now is None or before is None:
        return "", ""
    more = round((now - before) * 100, 1)
    return _against(f"{abs(more)} points {'better' if more > 0 else 'worse'} than", more)


def _slower(now: float | None, before: float | None) -> tuple[str, Verdict]:
    if now is None or before is None:
        return "", ""
    more = round(now - before)
    return _against(f"{duration(abs(more))} {'slower' if more > 0 else 'faster'} than", -more)


def _against(words: str, better: float) -> tuple[str, Verdict]:
    return f"{words if better else 'the same as'} the day before", _verdict(better)


def _verdict(better: float) -> Verdict:
    return "same" if not better else "good" if better > 0 else "bad"


def _volume(micro_usd: int) -> str:
    """Dollars in the width of a narrow column: cents only while they matter."""
    dollars = micro_usd // _MILLION
    return f"{dollars:,}" if dollars >= 10_000 else usd(micro_usd).removesuffix(" USD")


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def by_state(of: Overview) -> tuple[Row, ...]:
    """How many payments there are in each state, in the order of a payment's life; each line leads
    to the list of them. None while there are no payments."""
    total = sum(of.counts.values())
    if not total:
        return ()
    return tuple(_in_state(state, chip, of.counts.get(state, 0), total) for state, chip in _STATES)


def _in_state(state: State, chip: Chip, number: int, total: int) -> Row:
    share = 100 * number / total
    return Row(
        key=state.value,
        href=link("intents", all=f"state:{state.value}"),
        label=f"{chip.text}: {_payments(number) or 'no payments'}",
        cells=(
            Cell(chips=(chip,)),
            Cell(f"{number:,}"),
            Cell(f"{share:.1f} %", share=round(share, 1)) if number else Cell("–"),
        ),
    )


def under_way(catalogue: Catalogue, of: Overview) -> tuple[Row, ...]:
    """The money that is under way, by chain, the most first."""
    return tuple(
        Row(
            key=one.chain,
            cells=(
                Cell(chain_name(catalogue, one.chain)),
                Cell(_dollars(one.held)),
                Cell(_dollars(one.claimed)),
                Cell(_dollars(one.reserved), sub=_payments(one.payments)),
            ),
        )
        for one in of.under_way
    )


def _dollars(micro_usd: int) -> str:
    return f"≈ {usd(micro_usd)}" if micro_usd else "–"


def _payments(number: int) -> str:
    return f"{number:,} payment{'' if number == 1 else 's'}" if number else ""


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


def hours(of: Overview) -> Sequence[tuple[str, int, int]]:
    """Completions and volume in dollars by the hour (UTC), for the chart."""
    return [
        (at.strftime("%H:%M"), day.completed, day.micro_usd // _MILLION) for at, day in of.hours
    ]
