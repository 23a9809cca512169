"""Corridors on screen: the filters, the flows and costs to be drawn, the table, one corridor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Row
from crossway.dashboard.views.figures import about_usd, chain_name, duration, grouped, millis, usd
from crossway.dashboard.views.links import link
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import bridge_title
from crossway.ports.records import SwitchedOff
from crossway.usecases.pricing.corridors import Corridor

MOST_ROWS = 25
PAIRS_IN_PICTURE = 60
TABLE_COLUMNS = (
    Column("From"),
    Column("To"),
    Column("Bridge"),
    Column("Volume", "right"),
    Column("Success", "right", "Of the payments that were carried, the share that arrived"),
    Column("Usual time", "right", "Median from complete deposit to payout; else as quoted"),
    Column("Costs now", "right", "For the amount above, the network's own costs included"),
    Column("Limits", "right"),
)
Measure = Literal["Cost", "Time"]
ON: Final = Chip("On", "green", "check_circle")
OFF: Final = Chip("Off", "gray", "block")


@dataclass(frozen=True, slots=True)
class Stream:
    """Money from one chain by a bridge to another, in dollars, with names as people read them."""

    source: str
    bridge: str
    destination: str
    usd: float


@dataclass(frozen=True, slots=True)
class Heat:
    """What each pair of chains costs or takes at best: `cells` are (column, row, value), `pairs`
    their corridors in the same order."""

    names: tuple[str, ...]
    cells: tuple[tuple[int, int, float], ...]
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Tie:
    """The cheapest way between two chains, whichever direction: for the picture of costs."""

    a: str
    b: str
    bridge: str
    usd: float


def chosen(
    corridors: Sequence[Corridor],
    source: str | None,
    destination: str | None,
    bridges: Sequence[str] = (),
) -> list[Corridor]:
    """The corridors that the filters leave."""
    return [
        c
        for c in corridors
        if (not source or c.route.source == source)
        and (not destination or c.route.destination == destination)
        and (not bridges or c.route.bridge in bridges)
    ]


def streams(catalogue: Catalogue, corridors: Sequence[Corridor]) -> list[Stream]:
    """What flowed, the largest first."""
    carried = sorted((c for c in corridors if c.micro_usd > 0), key=lambda c: -c.micro_usd)
    return [
        Stream(
            chain_name(catalogue, c.route.source),
            bridge_title(c.route.bridge),
            chain_name(catalogue, c.route.destination),
            round(c.micro_usd / 1_000_000, 2),
        )
        for c in carried[:PAIRS_IN_PICTURE]
    ]


def ties(catalogue: Catalogue, corridors: Sequence[Corridor]) -> list[Tie]:
    """The cheapest bridge between each two chains that any serves now."""
    best: dict[tuple[str, str], Corridor] = {}
    for c in corridors:
        if c.fee_micro_usd is None or not c.route.enabled:
            continue
        pair = (min(c.route.source, c.route.destination), max(c.route.source, c.route.destination))
        known = best.get(pair)
        if known is None or c.fee_micro_usd < (known.fee_micro_usd or 0):
            best[pair] = c
    return [
        Tie(
            chain_name(catalogue, a),
            chain_name(catalogue, b),
            bridge_title(c.route.bridge),
            round((c.fee_micro_usd or 0) / 1_000_000, 4),
        )
        for (a, b), c in sorted(best.items())
    ]


def heat(catalogue: Catalogue, corridors: Sequence[Corridor], measure: Measure) -> Heat:
    """The best of all open bridges for each pair: dollars, or seconds."""
    ids = sorted(
        {end for c in corridors for end in (c.route.source, c.route.destination)},
        key=lambda chain: chain_name(catalogue, chain).lower(),
    )
    place = {chain: index for index, chain in enumerate(ids)}
    best: dict[tuple[str, str], float] = {}
    for c in corridors:
        if c.fee_micro_usd is None or c.seconds is None or not c.route.enabled:
            continue
        value = c.fee_micro_usd / 1_000_000 if measure == "Cost" else float(c.seconds)
        pair = (c.route.source, c.route.destination)
        best[pair] = min(value, best.get(pair, value))
    pairs = sorted(best)
    return Heat(
        tuple(chain_name(catalogue, chain) for chain in ids),
        tuple((place[to], place[frm], _three(best[frm, to])) for frm, to in pairs),
        tuple(pairs),
    )


def _three(value: float) -> float:
    """A value in no more digits than a cell has room for."""
    return round(value, 2) if value < 10 else float(round(value))


def rows(catalogue: Catalogue, corridors: Sequence[Corridor], limit: int) -> tuple[Row, ...]:
    """One line a bridge and pair: what carried most first, then the cheapest; a line opens it."""
    ordered = sorted(
        corridors,
        key=lambda c: (-c.micro_usd, not c.route.enabled, c.fee_micro_usd is None, c.fee_micro_usd),
    )
    return tuple(_row(catalogue, c) for c in ordered[:limit])


def _row(catalogue: Catalogue, c: Corridor) -> Row:
    route = c.route
    source, to = chain_name(catalogue, route.source), chain_name(catalogue, route.destination)
    chips = (Chip(bridge_title(route.bridge), "blue" if route.enabled else "gray"),)
    return Row(
        subject_of(c),
        (
            Cell(source),
            Cell(to),
            Cell(chips=chips if route.enabled else (*chips, OFF)),
            Cell(about_usd(c.micro_usd) if c.micro_usd else "–", sub=_payments(c)),
            Cell("–" if c.success is None else f"{c.success:.1%}"),
            Cell(_usual(c), sub="" if c.median_seconds is not None else _quoted(c)),
            Cell("–" if c.fee_micro_usd is None else usd(c.fee_micro_usd)),
            Cell(_limits(c)),
        ),
        href=link("routes", corridor=subject_of(c)),
        label=f"{bridge_title(route.bridge)} from {source} to {to}",
    )


def _payments(c: Corridor) -> str:
    number = c.paid + c.failed
    return f"{number:,} payment{'' if number == 1 else 's'}" if number else ""


def _usual(c: Corridor) -> str:
    seconds = c.median_seconds if c.median_seconds is not None else c.seconds
    return "–" if seconds is None else duration(seconds)


def _quoted(c: Corridor) -> str:
    return "" if c.seconds is None else "as quoted"


def _limits(c: Corridor) -> str:
    if c.route.least_micro_usd is None or c.route.most_micro_usd is None:
        return "–"
    return f"{_short_usd(c.route.least_micro_usd)} to {_short_usd(c.route.most_micro_usd)}"


def _short_usd(micro_usd: int) -> str:
    dollars = micro_usd / 1_000_000
    if dollars >= 1_000_000:
        return f"{dollars / 1_000_000:g} M USD"
    return f"{grouped(f'{dollars:.2f}'.rstrip('0').rstrip('.'))} USD"


def subject_of(c: Corridor) -> str:
    """A corridor as links name it: `CCTP:BASE_MAINNET:SOLANA_MAINNET`."""
    return f"{c.route.bridge}:{c.route.source}:{c.route.destination}"


def found(corridors: Sequence[Corridor], subject: str | None) -> Corridor | None:
    """The corridor that a link names."""
    return next((c for c in corridors if subject_of(c) == subject), None)


def facts(
    catalogue: Catalogue, c: Corridor, window: str, off: Sequence[SwitchedOff]
) -> tuple[Fact, ...]:
    """Everything about one corridor."""
    median = "–" if c.median_seconds is None else duration(c.median_seconds)
    p95 = "–" if c.p95_seconds is None else duration(c.p95_seconds)
    quoted = "–" if c.seconds is None else duration(c.seconds)
    closing = [one for one in off if one.subject in _subjects(c)]
    ended = _payments(c) or "none"
    success = "–" if c.success is None else f"{c.success:.1%} of {ended}"
    state = [
        fact
        for one in closing
        for fact in (
            Fact("Switched off", Cell(one.reason, sub=f"by {one.by}")),
            Fact("Since", Cell(at=millis(one.at))),
        )
    ]
    volume = Cell(about_usd(c.micro_usd), sub=ended) if c.micro_usd else Cell("–")
    return (
        Fact("State", Cell(chips=(ON if c.route.enabled else OFF,))),
        *state,
        Fact(f"Volume, {window}", volume),
        Fact(f"Success, {window}", Cell(success)),
        Fact("Usual time", Cell(median), "Median from complete deposit to payout"),
        Fact("Slowest 5 %", Cell(p95)),
        Fact("Time as quoted", Cell(quoted)),
        Fact("Costs now", Cell("–" if c.fee_micro_usd is None else usd(c.fee_micro_usd, 4))),
        Fact("Takes at once", Cell(_limits(c))),
        Fact("Both ways", Cell("yes" if c.route.bidirectional else "no")),
    )


def _subjects(c: Corridor) -> tuple[str, ...]:
    route = c.route
    return (
        f"chain:{route.source}",
        f"chain:{route.destination}",
        f"bridge:{route.bridge}",
        f"route:{subject_of(c)}",
    )
