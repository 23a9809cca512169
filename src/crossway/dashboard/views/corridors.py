"""Corridors on screen: filters, chart data, the table and the details of one corridor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.custody import (
    CUSTODY_HINT,
    FROM_START_TO_PAYOUT,
    describe_trust,
    label_custody,
)
from crossway.dashboard.views.estimates import explain_estimate, label_estimate
from crossway.dashboard.views.formatting import (
    chain_cell,
    chain_name,
    format_approx_usd,
    format_duration_or_dash,
    format_share,
    format_usd,
    group_thousands,
    to_millis,
)
from crossway.dashboard.views.links import page_href
from crossway.dashboard.views.marks import mark_bridge
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import bridge_title
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.records import KillSwitch
from crossway.usecases.pricing.corridor_quotes import CorridorSummary

MAX_ROWS = 25
MAX_CHART_PAIRS = 60
TABLE_COLUMNS = (
    Column("From"),
    Column("To"),
    Column("Bridge"),
    Column("Volume", "right"),
    Column("Success", "right", SUCCESS_MEANING),
    Column("Median time", "right", "From complete deposit to payout; the quoted time without data"),
    Column("Current cost", "right", "For the amount above, network fees included"),
    Column("Limits", "right"),
)
ON: Final = Badge("Enabled", "green", "check_circle")
OFF: Final = Badge("Disabled", "gray", "block")


@dataclass(frozen=True, slots=True)
class CorridorFlow:
    """Volume from one chain via a bridge to another, in dollars, with display names."""

    source: str
    bridge: str
    destination: str
    usd: float


@dataclass(frozen=True, slots=True)
class CheapestLink:
    """The cheapest bridge between two chains in either direction, for the cost chart."""

    a: str
    b: str
    bridge: str
    usd: float


def filter_corridors(
    corridors: Sequence[CorridorSummary],
    source: str | None,
    destination: str | None,
    bridges: Sequence[str] = (),
) -> list[CorridorSummary]:
    """The corridors that match the filters."""
    return [
        c
        for c in corridors
        if (not source or c.route.source == source)
        and (not destination or c.route.destination == destination)
        and (not bridges or c.route.bridge in bridges)
    ]


def build_flows(catalogue: Catalogue, corridors: Sequence[CorridorSummary]) -> list[CorridorFlow]:
    """The flows of the corridors with volume, the largest first."""
    carried = sorted((c for c in corridors if c.micro_usd > 0), key=lambda c: -c.micro_usd)
    return [
        CorridorFlow(
            chain_name(catalogue, c.route.source),
            bridge_title(c.route.bridge),
            chain_name(catalogue, c.route.destination),
            round(c.micro_usd / 1_000_000, 2),
        )
        for c in carried[:MAX_CHART_PAIRS]
    ]


def build_cheapest_links(
    catalogue: Catalogue, corridors: Sequence[CorridorSummary]
) -> list[CheapestLink]:
    """The cheapest available bridge between each pair of chains, by quotes alone."""
    best: dict[tuple[str, str], CorridorSummary] = {}
    for c in corridors:
        if c.fee_micro_usd is None or c.estimate_reason or not c.route.enabled:
            continue
        pair = (min(c.route.source, c.route.destination), max(c.route.source, c.route.destination))
        cheapest = best.get(pair)
        if cheapest is None or c.fee_micro_usd < (cheapest.fee_micro_usd or 0):
            best[pair] = c
    return [
        CheapestLink(
            chain_name(catalogue, a),
            chain_name(catalogue, b),
            bridge_title(c.route.bridge),
            round((c.fee_micro_usd or 0) / 1_000_000, 4),
        )
        for (a, b), c in sorted(best.items())
    ]


def build_rows(
    catalogue: Catalogue, corridors: Sequence[CorridorSummary], limit: int
) -> tuple[Row, ...]:
    """One row per bridge and pair: the highest volume first, then the cheapest."""
    ordered = sorted(
        corridors,
        key=lambda c: (-c.micro_usd, not c.route.enabled, c.fee_micro_usd is None, c.fee_micro_usd),
    )
    return tuple(_row(catalogue, c) for c in ordered[:limit])


def _row(catalogue: Catalogue, c: CorridorSummary) -> Row:
    route = c.route
    source, destination = (
        chain_name(catalogue, route.source),
        chain_name(catalogue, route.destination),
    )
    badges = (Badge(bridge_title(route.bridge), "blue" if route.enabled else "gray"),)
    return Row(
        corridor_id(c),
        (
            chain_cell(catalogue, route.source),
            chain_cell(catalogue, route.destination),
            Cell(
                badges=badges if route.enabled else (*badges, OFF),
                sub=label_custody(route.custody),
                marks=mark_bridge(route.bridge),
            ),
            Cell(format_approx_usd(c.micro_usd) if c.micro_usd else "–", sub=_count_payments(c)),
            Cell(format_share(c.paid, c.paid + c.failed)),
            Cell(_format_time(c), sub="" if c.median_seconds is not None else _quoted_note(c)),
            _cost_cell(c, 2),
            Cell(_format_limits(c)),
        ),
        href=page_href("routes", corridor=corridor_id(c)),
        label=f"{bridge_title(route.bridge)} from {source} to {destination}",
    )


def _cost_cell(c: CorridorSummary, places: int) -> Cell:
    if c.fee_micro_usd is None:
        return Cell("–")
    fee = format_usd(c.fee_micro_usd, places)
    if not c.estimate_reason:
        return Cell(fee)
    return Cell(
        f"≈ {fee}", sub=label_estimate(c.route.bridge), hint=explain_estimate(c.estimate_reason)
    )


def _count_payments(c: CorridorSummary) -> str:
    number = c.paid + c.failed
    return f"{number:,} payment{'' if number == 1 else 's'}" if number else ""


def _format_time(c: CorridorSummary) -> str:
    seconds = c.median_seconds if c.median_seconds is not None else c.seconds
    return format_duration_or_dash(seconds)


def _quoted_note(c: CorridorSummary) -> str:
    if c.seconds is None:
        return ""
    return "estimated" if c.estimate_reason else "quoted"


def _format_limits(c: CorridorSummary) -> str:
    if c.route.min_micro_usd is None or c.route.max_micro_usd is None:
        return "–"
    return (
        f"{_format_short_usd(c.route.min_micro_usd)} to {_format_short_usd(c.route.max_micro_usd)}"
    )


def _format_tokens(c: CorridorSummary) -> str:
    symbols = c.route.symbols
    if symbols is None:
        return "any into any other"
    exchanged = [f"{paid} into {received}" for paid, received in sorted(c.route.exchanged)]
    return ", ".join([*sorted(symbols), *exchanged])


def _format_short_usd(micro_usd: int) -> str:
    dollars = micro_usd / 1_000_000
    if dollars >= 1_000_000:
        return f"{dollars / 1_000_000:g} M USD"
    return f"{group_thousands(f'{dollars:.2f}'.rstrip('0').rstrip('.'))} USD"


def corridor_id(c: CorridorSummary) -> str:
    """A corridor's id in links: `CCTP:BASE_MAINNET:SOLANA_MAINNET`."""
    return f"{c.route.bridge}:{c.route.source}:{c.route.destination}"


def find_corridor(
    corridors: Sequence[CorridorSummary], subject: str | None
) -> CorridorSummary | None:
    """The corridor with this id, if any."""
    return next((c for c in corridors if corridor_id(c) == subject), None)


def build_details(
    catalogue: Catalogue, c: CorridorSummary, window: str, kill_switches: Sequence[KillSwitch]
) -> tuple[Detail, ...]:
    """All details of one corridor."""
    median = format_duration_or_dash(c.median_seconds)
    p95 = format_duration_or_dash(c.p95_seconds)
    quoted = format_duration_or_dash(c.seconds)
    switches = [switch for switch in kill_switches if switch.subject in _switch_subjects(c)]
    ended = _count_payments(c) or "none"
    success = format_share(c.paid, c.paid + c.failed)
    if c.paid + c.failed:
        success = f"{success} of {ended}"
    state = [
        fact
        for switch in switches
        for fact in (
            Detail("Disabled", Cell(switch.reason, sub=f"by {switch.by}")),
            Detail("Since", Cell(at=to_millis(switch.at))),
        )
    ]
    volume = Cell(format_approx_usd(c.micro_usd), sub=ended) if c.micro_usd else Cell("–")
    return (
        Detail("State", Cell(badges=(ON if c.route.enabled else OFF,))),
        *state,
        Detail(f"Volume, {window}", volume),
        Detail(f"Success, {window}", Cell(success), SUCCESS_MEANING),
        Detail("Median time", Cell(median), "From complete deposit to payout"),
        Detail("p95", Cell(p95)),
        Detail("Quoted time", Cell(quoted)),
        Detail("Current cost", _cost_cell(c, 4)),
        Detail("Limits", Cell(_format_limits(c))),
        Detail("Tokens", Cell(_format_tokens(c))),
        Detail(
            FROM_START_TO_PAYOUT,
            Cell(describe_trust(c.route.custody, c.seconds)),
            CUSTODY_HINT,
        ),
        Detail("Both directions", Cell("yes" if c.route.bidirectional else "no")),
    )


def _switch_subjects(c: CorridorSummary) -> tuple[str, ...]:
    route = c.route
    return (
        f"chain:{route.source}",
        f"chain:{route.destination}",
        f"bridge:{route.bridge}",
        f"route:{corridor_id(c)}",
    )
