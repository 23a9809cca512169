"""Balances, policies and offers from which tests plan, by hand or at random."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

from hypothesis import strategies as st

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.rebalancing import (
    Location,
    LocationBalance,
    PlannedTransfer,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
    RouteOffer,
)
from crossway.domain.rebalancing_needs import PlanInputs

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
DOLLAR = 10**12
USDC = 10**6
A, B, C, D = (("A", "0xa"), ("B", "0xb"), ("C", "0xc"), ("D", "0xd"))
TRANSFER = InventoryTransferKind.TRANSFER
DEFAULTS = RebalancingSettings(smallest_micro_usd=10 * USDC, cool_down_seconds=600)


def at(location: Location, dollars: float | None, **more: float) -> LocationBalance:
    """A balance of a dollar token with six decimals; `more` are amounts in dollars."""
    units = {name: round(value * USDC) for name, value in more.items()}
    balance = None if dollars is None else round(dollars * USDC)
    return LocationBalance(
        *location, f"Chain {location[0]}", ("USDC", False), 6, DOLLAR, balance, **units
    )


def policy(
    location: Location, minimum: float, target: float, maximum: float = 10**9, priority: int = 1
) -> RebalancingPolicy:
    amounts = (round(dollars * USDC) for dollars in (minimum, target, maximum))
    return RebalancingPolicy(*location, *amounts, priority, "ada", NOW)


def offer(
    source: Location,
    destination: Location,
    fee: float = 0.1,
    seconds: int = 60,
    bridge: str = "RHINOFI",
    largest: float = 10**6,
    kind: InventoryTransferKind = TRANSFER,
) -> RouteOffer:
    """An offer up to `largest` dollars for `fee` dollars."""
    most, costs = round(largest * USDC), round(fee * USDC)
    return RouteOffer(bridge, kind, source, destination, most, costs, seconds)


def inputs(
    balances: Sequence[LocationBalance],
    policies: Sequence[RebalancingPolicy],
    offers: Sequence[RouteOffer],
    settings: RebalancingSettings = DEFAULTS,
    recent: Sequence[RebalancingTransfer] = (),
) -> PlanInputs:
    by_pair: dict[tuple[Location, Location], list[RouteOffer]] = {}
    for one in offers:
        by_pair.setdefault((one.source, one.destination), []).append(one)
    return PlanInputs(balances, policies, settings, by_pair, NOW, recent)


def as_stored(planned: PlannedTransfer, number: int, at: datetime = NOW) -> RebalancingTransfer:
    """A planned transfer that was started."""
    return RebalancingTransfer(
        number,
        planned.bridge,
        planned.kind,
        *planned.source,
        *planned.destination,
        planned.amount,
        planned.max_source_amount,
        planned.micro_usd,
        planned.fee_micro_usd,
        planned.seconds,
        planned.is_urgent,
        planned.reason,
        RebalancingState.STARTED,
        "",
        "",
        "",
        "",
        at,
        at,
    )


class Step(StrEnum):
    """How far a transfer is: its transaction is to be signed, is signed, is in a block but not
    confirmed, or is confirmed; or it arrived a moment ago."""

    PLANNED = "PLANNED"
    SIGNED = "SIGNED"
    INCLUDED = "INCLUDED"
    CONFIRMED = "CONFIRMED"
    ARRIVED = "ARRIVED"


def under_way(
    given: PlanInputs, planned: Sequence[PlannedTransfer], steps: Sequence[Step]
) -> PlanInputs:
    """The inputs of the next plan, while these transfers are under way, each at its step."""
    balances = []
    for balance in given.balances:
        assert balance.balance is not None
        more: dict[str, int] = defaultdict(int)
        for one, step in zip(planned, steps, strict=True):
            if one.source == balance.location:
                more["leaving"] += one.max_source_amount if step is Step.PLANNED else 0
                is_sending = step in (Step.SIGNED, Step.INCLUDED)
                more["sending"] += one.max_source_amount if is_sending else 0
                has_left = step not in (Step.PLANNED, Step.SIGNED)
                more["balance"] -= one.max_source_amount if has_left else 0
            if one.destination == balance.location:
                more["arriving"] += one.amount
                more["balance"] += one.amount if step is Step.ARRIVED else 0
        changed = {name: getattr(balance, name) + units for name, units in more.items()}
        balances.append(replace(balance, **changed))
    stored = [as_stored(one, number) for number, one in enumerate(planned, 1)]
    return replace(given, balances=balances, recent=[*given.recent, *stored])


def by_location(balances: Sequence[LocationBalance]) -> Mapping[Location, LocationBalance]:
    return {balance.location: balance for balance in balances}


LOCATIONS: Sequence[Location] = (A, B, C, D)
_DOLLARS = st.integers(0, 100_000)


@st.composite
def worlds(draw: st.DrawFn) -> PlanInputs:
    """Two to four locations with six or eighteen decimals, and any offers between them."""
    locations = LOCATIONS[: draw(st.integers(2, 4))]
    balances, policies = [], []
    for location in locations:
        decimals = draw(st.sampled_from((6, 18)))
        one = 10**decimals
        amounts = {
            name: draw(_DOLLARS) * one // 4
            for name in ("reserved", "waiting", "leaving", "sending", "arriving", "expected")
            if draw(st.booleans())
        }
        balance = draw(_DOLLARS) * one + draw(st.integers(0, one - 1))
        balances.append(
            LocationBalance(
                *location, location[0], ("USDC", False), decimals, DOLLAR, balance, **amounts
            )
        )
        minimum, target, maximum = sorted(draw(_DOLLARS) * one for _ in range(3))
        policies.append(
            RebalancingPolicy(
                *location, minimum, target, maximum, draw(st.integers(1, 3)), "ada", NOW
            )
        )
    pairs = [(s, d) for s in locations for d in locations if s != d]
    offers = [
        RouteOffer(
            draw(st.sampled_from(("RHINOFI", "ACROSS", "GATEWAY"))),
            draw(st.sampled_from(InventoryTransferKind)),
            *pair,
            draw(st.integers(1, 200_000)) * USDC,
            draw(st.integers(0, 50 * USDC)),
            draw(st.integers(1, 1_000)),
        )
        for pair in pairs
        for _ in range(draw(st.integers(0, 2)))
    ]
    settings = RebalancingSettings(
        max_cost_bps=draw(st.integers(1, 100)),
        max_cost_day_micro_usd=draw(st.integers(0, 100 * USDC)),
        smallest_micro_usd=draw(st.integers(1, 1_000 * USDC)),
        largest_micro_usd=draw(st.integers(1_000 * USDC, 10**12)),
        max_open_per_bridge=draw(st.integers(1, 4)),
        cool_down_seconds=draw(st.integers(0, 3_600)),
    )
    return inputs(balances, policies, offers, settings)
