"""What locations lack or have too much of, and what else a rebalancing plan follows from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.rebalancing import (
    Location,
    LocationBalance,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingTransfer,
    RouteOffer,
    Unserved,
)

Pair = tuple[Location, Location]
DECLINED_FOR: Final = timedelta(days=1)
"""What a person has declined is not planned again for so long."""


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan follows from. `balances`, without a policy or not, one for each location;
    `offers` by source and destination, and `refusals`: why no bridge offers to move anything there,
    in sentences. `recent`: the transfers that are open, and those of this day, of the last
    `DECLINED_FOR` and of the last `cool_down_seconds`. `unreadable`, by group: what could not be
    read and forbids anything new in it, in sentences."""

    balances: Sequence[LocationBalance]
    policies: Sequence[RebalancingPolicy]
    settings: RebalancingSettings
    offers: Mapping[Pair, Sequence[RouteOffer]]
    now: datetime
    recent: Sequence[RebalancingTransfer] = ()
    refusals: Mapping[Pair, str] = field(default_factory=dict)
    unreadable: Mapping[tuple[str, bool], Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Need:
    """`units` that a location should get, or, for an `excess`, should give. For `uncovered` ones of
    what it should get payouts wait, and nothing is on its way."""

    at: LocationBalance
    policy: RebalancingPolicy
    units: int
    uncovered: int = 0
    is_excess: bool = False

    @property
    def is_urgent(self) -> bool:
        """Whether payouts wait for it."""
        return self.uncovered > 0

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The sort key: payouts that wait first, then priority, then value."""
        return not self.is_urgent, self.policy.priority, -self.at.micro_usd(self.units)

    def unserved(self, units: int, reason: str) -> Unserved:
        """That so much of it is not served, and why."""
        return Unserved(self.at.location, units, reason)


def spare_units(at: LocationBalance, policy: RebalancingPolicy, is_urgent: bool) -> int:
    """What may leave a location: all above its target, or above its minimum for payouts that
    wait."""
    floor = policy.minimum if is_urgent else policy.target
    return max(0, at.available - at.waiting - floor)


def find_needs(inputs: PlanInputs) -> tuple[list[Need], list[Need]]:
    """The lacks and the excesses of all locations with a policy, the most pressing first."""
    policies = {policy.location: policy for policy in inputs.policies}
    lacks, excesses = [], []
    for at in inputs.balances:
        policy = policies.get(at.location)
        if policy is None or at.balance is None:
            continue
        present = max(at.available + at.sending, 0)
        uncovered = max(at.waiting - present - at.arriving, 0)
        if at.virtual < policy.minimum or uncovered > 0:
            units = max(policy.target - at.virtual, uncovered)
            lacks.append(Need(at, policy, units, uncovered))
        elif at.available - at.waiting > policy.maximum:
            units = at.available - at.waiting - policy.target
            excesses.append(Need(at, policy, units, is_excess=True))
    return sorted(lacks, key=lambda n: n.rank), sorted(excesses, key=lambda n: n.rank)
