"""Rebalancing: what the operator wants to hold where, and the transfers that bring it there."""

from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import InvalidTransition
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.money import micro_usd_down
from crossway.domain.standing import is_standing

Location = tuple[str, str]
"""A chain, or a unified balance (see `ledger.unified_location`), and the address of a token."""


NO_MAXIMUM: Final = 10**30
"""The maximum of a policy that has none, in smallest units: more than there is of any token."""


class RebalancingMode(StrEnum):
    """SUGGEST: transfers are only shown. AUTOMATIC: they are carried out. PAUSED: none begins, by
    hand neither."""

    SUGGEST = "SUGGEST"
    AUTOMATIC = "AUTOMATIC"
    PAUSED = "PAUSED"


@dataclass(frozen=True, slots=True)
class RebalancingPolicy:
    """What to hold of a token at one location, in smallest units: below `minimum` it is filled to
    `target`, and above `maximum` what exceeds the target leaves. Locations of a lower `priority`
    are filled first. Set by `by` at `at`."""

    chain: str
    token: str
    minimum: int
    target: int
    maximum: int
    priority: int
    by: str
    at: datetime

    @property
    def location(self) -> Location:
        """The location that it is for."""
        return self.chain, self.token


@dataclass(frozen=True, slots=True)
class RebalancingSettings:
    """The limits of rebalancing, and whether it acts; all amounts of USD in millionths.

    A transfer costs at most `max_cost_bps` (basis points of its amount), or three times that where
    payouts wait for it, and all of a day (UTC) at most `max_cost_day_micro_usd`. It moves between
    `smallest_micro_usd` and `largest_micro_usd`. Of one bridge, at most `max_open_per_bridge` are
    under way. After a transfer between two locations the next one follows no earlier than
    `cool_down_seconds` later. New ones begin between the times of day (UTC) `begins_at` and
    `ends_at`; where these are equal, always. Above `approve_above_micro_usd` a person approves it.
    """

    mode: RebalancingMode = RebalancingMode.SUGGEST
    max_cost_bps: int = 20
    max_cost_day_micro_usd: int = 100_000_000
    smallest_micro_usd: int = 25_000_000
    largest_micro_usd: int = 50_000_000_000
    max_open_per_bridge: int = 3
    cool_down_seconds: int = 600
    begins_at: time = time(0)
    ends_at: time = time(0)
    approve_above_micro_usd: int = 10_000_000_000

    def is_open(self, now: datetime) -> bool:
        """Whether new transfers may begin at this time of the day."""
        at = now.time()
        if self.begins_at <= self.ends_at:
            return self.begins_at == self.ends_at or self.begins_at <= at < self.ends_at
        return at >= self.begins_at or at < self.ends_at


@dataclass(frozen=True, slots=True)
class LocationBalance:
    """What the operator holds of a token at a location called `name`, in smallest units.

    `balance` is None where it could not be read. `reserved` is promised to payments that started,
    `waiting` is what payments need that wait for it. `leaving` will leave by open transfers; what
    is `sending` may have left, as its transaction is signed. `arriving` is on its way here by them,
    `expected` comes back from the escrow. `pico_usd` is the price of a whole token, None where it
    is unknown. Locations of one `group`, a symbol on main or test networks, rebalance each other.
    """

    chain: str
    token: str
    name: str
    group: tuple[str, bool]
    decimals: int
    pico_usd: int | None
    balance: int | None
    reserved: int = 0
    waiting: int = 0
    leaving: int = 0
    sending: int = 0
    arriving: int = 0
    expected: int = 0

    @property
    def location(self) -> Location:
        """Where it is."""
        return self.chain, self.token

    @property
    def available(self) -> int:
        """What may leave: the balance without what is promised or leaves, or may; 0 if unknown."""
        taken = self.reserved + self.leaving + self.sending
        return 0 if self.balance is None else self.balance - taken

    @property
    def virtual(self) -> int:
        """What will be here for new payments once everything known has happened: nothing is
        brought here because what has left is taken off twice."""
        return self.available + self.sending + self.arriving + self.expected - self.waiting

    def micro_usd(self, units: int) -> int:
        """The value of an amount, rounded down; 0 where the price is unknown."""
        return micro_usd_down(units, self.decimals, self.pico_usd or 0)


@dataclass(frozen=True, slots=True)
class RouteOffer:
    """By which bridge a token can be moved from one location to another, and what that costs up to
    an amount, in millionths of USD: the same for all smaller ones. `kind` is how it is moved."""

    bridge: str
    kind: InventoryTransferKind
    source: Location
    destination: Location
    largest_micro_usd: int
    fee_micro_usd: int
    seconds: int


class RebalancingState(StrEnum):
    """The state of a rebalancing transfer. PROPOSED: a person has to approve it, nothing is
    reserved. STARTED: the inventory transfer that carries it out is stored. ARRIVED, RETURNED and
    REFUSED as that ended. DECLINED by a person, LAPSED because nobody approved it in time."""

    PROPOSED = "PROPOSED"
    STARTED = "STARTED"
    ARRIVED = "ARRIVED"
    RETURNED = "RETURNED"
    REFUSED = "REFUSED"
    DECLINED = "DECLINED"
    LAPSED = "LAPSED"


class RebalancingEvent(StrEnum):
    """What can happen to a rebalancing transfer."""

    APPROVE = "APPROVE"
    DECLINE = "DECLINE"
    LAPSE = "LAPSE"
    ARRIVE = "ARRIVE"
    RETURN = "RETURN"
    REFUSE = "REFUSE"
    REVERSE = "REVERSE"


S, E = RebalancingState, RebalancingEvent
REBALANCING_TRANSITIONS: Final = MappingProxyType(
    {
        (S.PROPOSED, E.APPROVE): S.STARTED,
        (S.PROPOSED, E.DECLINE): S.DECLINED,
        (S.PROPOSED, E.LAPSE): S.LAPSED,
        (S.STARTED, E.ARRIVE): S.ARRIVED,
        (S.STARTED, E.RETURN): S.RETURNED,
        (S.STARTED, E.REFUSE): S.REFUSED,
        # A reorganisation removed the arrival.
        (S.ARRIVED, E.REVERSE): S.STARTED,
    }
)
OPEN_REBALANCING_STATES: Final = frozenset({S.PROPOSED, S.STARTED})


def advance_rebalancing(state: RebalancingState, event: RebalancingEvent) -> RebalancingState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = REBALANCING_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to a rebalancing transfer that is {state}")
    return new_state


@dataclass(frozen=True, slots=True)
class PlannedTransfer:
    """A transfer that the planner wants: `amount` arrives, in units of the destination's token, and
    at most `max_source_amount` leaves, in those of the source's. `is_urgent`: payouts wait for it.
    `reason` says why, in a sentence."""

    bridge: str
    kind: InventoryTransferKind
    source: Location
    destination: Location
    amount: int
    max_source_amount: int
    micro_usd: int
    fee_micro_usd: int
    seconds: int
    is_urgent: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RebalancingTransfer:
    """A rebalancing transfer as stored: what was planned, by whom (`proposed_by`, empty for the
    engine; `proposed_by_identity` is the same person under every name) and who decided on it
    (`decided_by`, empty where no person did). `note` is why it was declined or ended. The inventory
    transfer that carries it out, its transactions and its postings have `owner` in place of a
    payment's number."""

    id: int
    bridge: str
    kind: InventoryTransferKind
    source_chain: str
    source_token: str
    destination_chain: str
    destination_token: str
    amount: int
    max_source_amount: int
    micro_usd: int
    fee_micro_usd: int
    seconds: int
    is_urgent: bool
    reason: str
    state: RebalancingState
    proposed_by: str
    proposed_by_identity: str
    decided_by: str
    note: str
    created_at: datetime
    updated_at: datetime

    @property
    def owner(self) -> int:
        """The number by which its inventory transfer, transactions and postings belong to it."""
        return -self.id

    @property
    def source(self) -> Location:
        """Where it leaves."""
        return self.source_chain, self.source_token

    @property
    def destination(self) -> Location:
        """Where it arrives."""
        return self.destination_chain, self.destination_token


def is_rebalancing(owner: int) -> bool:
    """Whether what belongs to this number belongs to a rebalancing transfer, not to a payment."""
    return owner < 0 and not is_standing(owner)


def rebalancing_id(owner: int) -> int:
    """The id of the rebalancing transfer that something belongs to."""
    return -owner


@dataclass(frozen=True, slots=True)
class Unserved:
    """A location that lacks `units` of its token, and why no transfer serves it, in a sentence."""

    location: Location
    units: int
    reason: str


@dataclass(frozen=True, slots=True)
class RebalancingPlan:
    """The transfers to start now, in order, and the lacks that none of them serves."""

    transfers: tuple[PlannedTransfer, ...]
    unserved: tuple[Unserved, ...]
