"""Rebalancing policies on screen: bars and a table of locations, and what is typed into forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.formatting import (
    format_duration,
    format_percent,
    format_token_amount,
    format_usd,
)
from crossway.dashboard.views.marks import mark_chains
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import is_unified
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    LocationBalance,
    RebalancingPolicy,
    RebalancingSettings,
)
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.domain.typed_amounts import read_amount

SCALE_END: Final = 200.0
"""Where the bars end, in per cent of the target; what is more is told in words."""
MAX_BARS: Final = 30
COLUMNS: Final = (
    Column("Where"),
    Column("Available", "right", "Without what is promised to started payments"),
    Column("Projected", "right", "Once everything known has happened, less what payouts wait for"),
    Column("Minimum", "right", "Below it, the location is filled to its target"),
    Column("Target", "right"),
    Column("Maximum", "right", "Above it, what exceeds the target leaves"),
    Column("Set by", hint="Locations of a lower priority are filled first"),
)


@dataclass(frozen=True, slots=True)
class PolicyBar:
    """What a location has in per cent of its target, cut at `SCALE_END`: `there` now and
    `arriving`. `minimum` and `maximum` are marks, None off the scale. `more` is the whole
    percentage where the bar is cut."""

    name: str
    there: float
    arriving: float
    minimum: float | None
    maximum: float | None
    more: int | None
    is_short: bool


@dataclass(frozen=True, slots=True)
class LocationPolicy:
    """A location with what is there and its policy."""

    at: LocationBalance
    policy: RebalancingPolicy


def list_locations(inputs: PlanInputs, testnets: bool) -> list[LocationPolicy]:
    """The locations on main or test networks that a policy or a target says something of, those of
    the largest target first."""
    policies = {policy.location: policy for policy in inputs.policies}
    locations = [
        LocationPolicy(at, policy)
        for at in inputs.balances
        if at.group[1] == testnets
        and (policy := policies.get(at.location))
        and (policy.by or policy.target)
    ]
    return sorted(locations, key=lambda p: (-p.at.micro_usd(p.policy.target), p.at.name))


def list_symbols(locations: Sequence[LocationPolicy]) -> list[str]:
    """The tokens of these locations, USDC first."""
    symbols = {one.at.group[0] for one in locations}
    return sorted(symbols, key=lambda symbol: (symbol != "USDC", symbol.lower()))


def build_bars(locations: Sequence[LocationPolicy]) -> list[PolicyBar]:
    """A bar for each location with a target."""
    return [_bar(one) for one in locations if one.policy.target][:MAX_BARS]


def _bar(one: LocationPolicy) -> PolicyBar:
    at, policy = one.at, one.policy

    def percent(units: int) -> float:
        return 100 * units / policy.target

    there = max(percent(at.available), 0.0)
    arriving = max(percent(at.arriving + at.expected), 0.0)
    shown = min(there, SCALE_END)
    maximum = percent(policy.maximum)
    return PolicyBar(
        name="Unified balance" if is_unified(at.chain) else at.name,
        there=round(shown, 1),
        arriving=round(min(arriving, SCALE_END - shown), 1),
        minimum=percent(policy.minimum),
        maximum=maximum if maximum <= SCALE_END else None,
        more=round(there + arriving) if there + arriving > SCALE_END else None,
        is_short=at.virtual < policy.minimum,
    )


def describe_bars(bars: Sequence[PolicyBar]) -> str:
    """The bars in words."""
    return "; ".join(
        f"{bar.name}: {format_percent(bar.more or bar.there, 0)} of its target there, "
        f"{format_percent(bar.arriving, 0)} arriving"
        + (", below its minimum" if bar.is_short else "")
        for bar in bars
    )


def build_rows(catalogue: Catalogue, locations: Sequence[LocationPolicy]) -> tuple[Row, ...]:
    """Rows of all locations of a token with their policies."""
    return tuple(_row(catalogue, one) for one in locations)


def _row(catalogue: Catalogue, one: LocationPolicy) -> Row:
    at, policy = one.at, one.policy

    def amount(units: int) -> str:
        return format_token_amount(catalogue, *at.location, units)

    is_known, is_short = at.balance is not None, at.virtual < policy.minimum
    coming, waiting = at.arriving + at.expected, at.waiting
    return Row(
        f"policy-{at.chain}-{at.token}",
        (
            Cell(at.name, marks=mark_chains(at.chain)),
            Cell(
                amount(at.available) if is_known else "unknown",
                sub=f"{amount(coming)} arriving" if coming else "",
            ),
            Cell(
                amount(at.virtual) if is_known else "unknown",
                sub=f"payouts wait for {amount(waiting)}" if waiting else "",
                tone="bad" if is_known and is_short else "",
            ),
            Cell(amount(policy.minimum)),
            Cell(amount(policy.target)),
            Cell("none" if policy.maximum >= NO_MAXIMUM else amount(policy.maximum)),
            Cell(
                policy.by or "–",
                sub=f"priority {policy.priority}" if policy.by else "follows from the target",
            ),
        ),
    )


def describe_settings(settings: RebalancingSettings) -> list[str]:
    """The limits in sentences."""
    hours = "at any time"
    if settings.begins_at != settings.ends_at:
        hours = f"between {settings.begins_at:%H:%M} and {settings.ends_at:%H:%M} UTC"
    return [
        f"A transfer costs at most {settings.max_cost_bps} basis points, three times that where "
        f"payouts wait; all of a day cost at most {format_usd(settings.max_cost_day_micro_usd)}.",
        f"It moves {format_usd(settings.smallest_micro_usd)} to "
        f"{format_usd(settings.largest_micro_usd)}; above "
        f"{format_usd(settings.approve_above_micro_usd)} a person approves it, and never the one "
        "who proposed it.",
        f"New ones begin {hours}, at most {settings.max_open_per_bridge} at a time over one "
        f"bridge, and {format_duration(settings.cool_down_seconds)} after the last between the "
        "same two locations.",
    ]


def parse_amount(field: str, typed: str, decimals: int, symbol: str) -> int:
    """A typed amount in smallest units; raises `InvalidInput` naming the field."""
    return read_amount(field, typed, decimals, symbol).units


def parse_usd(field: str, typed: str) -> int:
    """A typed amount of USD in millionths; raises `InvalidInput` naming the field."""
    return read_amount(field, typed, MICRO_USD_DECIMALS, "USD").units


def parse_maximum(typed: str, decimals: int, symbol: str) -> int | None:
    """A typed maximum; None where nothing is typed."""
    return parse_amount("maximum", typed, decimals, symbol) if typed.strip() else None


def parse_whole(field: str, typed: str) -> int:
    """A typed whole number; raises `InvalidInput` naming the field."""
    digits = typed.strip().replace(",", "")
    if not digits.isascii() or not digits.isdigit():
        raise InvalidInput(f"{field} must be a whole number")
    return int(digits)


def usd_text(micro_usd: int) -> str:
    """An amount of USD as it is typed."""
    return format_units(micro_usd, MICRO_USD_DECIMALS, 2)
