"""Figures of payments by group and period: what is counted, and how a payment is counted.

A payment belongs to the hour it was created in. What happens to it later, even weeks later,
changes the figures of that hour.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from crossway.domain.intent import State

DURATION_RESOLUTION_PERCENT: Final = 4
"""Durations are counted in logarithmic buckets: a p50 or p95 is right to within this much."""


class Dimension(StrEnum):
    """What payments are grouped by. Every payment is in one group of each dimension, but for CAUSE,
    which only payments that ended without a payout have."""

    ALL = "all"
    MERCHANT = "merchant"
    ROUTE = "route"
    BRIDGE = "bridge"
    TOKEN = "token"
    STATUS = "status"
    CAUSE = "cause"


class FailureCause(StrEnum):
    """Why a payment ended without paying its recipient.

    NO_DEPOSIT: nobody paid. UNDERPAID: less than the amount came in time. LATE: the deposit came
    after the expiry. CANCELLED: its ramp order ended first. NOT_STARTED: it was funded, and could
    not be started before its deadline. PAYOUT_FAILED: the recipient could not be paid.
    """

    NO_DEPOSIT = "no_deposit"
    UNDERPAID = "underpaid"
    LATE = "late"
    CANCELLED = "cancelled"
    NOT_STARTED = "not_started"
    PAYOUT_FAILED = "payout_failed"


class Step(StrEnum):
    """The length of one point of a series; days are days in UTC."""

    HOUR = "hour"
    DAY = "day"


STEP_LENGTHS: Final = {Step.HOUR: timedelta(hours=1), Step.DAY: timedelta(days=1)}


@dataclass(frozen=True, slots=True)
class AnalyticsPeriod:
    """Payments created from `start` (included) to `end` (excluded), whole hours in UTC."""

    start: datetime
    end: datetime

    @property
    def before(self) -> "AnalyticsPeriod":
        """The period of the same length that ends where this one begins."""
        return AnalyticsPeriod(self.start - (self.end - self.start), self.start)


@dataclass(frozen=True, slots=True)
class Measures:
    """The figures of a group of payments; amounts are exact integers.

    `pending` to `failed` count payments by their present state. `deposited` counts those whose
    complete deposit was credited, `started` those that were started, both without what a reorg
    undid; `underpaid` those that received something, and never all, before they started or ended.

    Amounts are in micro-USD at the price that was agreed for the payment: `requested` of all
    payments, `volume` of the completed ones. `service_fees` and `bridge_fees` are what the ledger
    booked: service fees with spreads of payments out of inventory and with what bridges took less
    than was charged for them, and what bridges took. The payer pays both. `network_fees` are the
    fees that the relayer paid to validators, by chain, in smallest units of its native token.
    """

    pending: int = 0
    funded: int = 0
    initiated: int = 0
    completed: int = 0
    expired: int = 0
    refunded: int = 0
    failed: int = 0
    deposited: int = 0
    started: int = 0
    underpaid: int = 0
    requested_micro_usd: int = 0
    volume_micro_usd: int = 0
    service_fee_micro_usd: int = 0
    bridge_fee_micro_usd: int = 0
    network_fees: Mapping[str, int] = field(default_factory=dict)

    @property
    def created(self) -> int:
        """All payments."""
        return (
            self.pending
            + self.funded
            + self.initiated
            + self.completed
            + self.expired
            + self.refunded
            + self.failed
        )

    @property
    def ended_funded(self) -> int:
        """Those that were funded and have ended, of which the completed ones are a success."""
        return self.deposited - self.funded - self.initiated

    @property
    def revenue_micro_usd(self) -> int:
        """What payers paid on top of the amount, without the merchant's own fee."""
        return self.service_fee_micro_usd + self.bridge_fee_micro_usd

    def count(self, state: State) -> int:
        """The payments in a state."""
        return int(getattr(self, state.value.lower()))


COUNTED: Final = tuple(f.name for f in fields(Measures) if f.name != "network_fees")


def add_measures(parts: Iterable[Measures]) -> Measures:
    """The sum of all parts."""
    totals = dict.fromkeys(COUNTED, 0)
    network_fees: dict[str, int] = {}
    for part in parts:
        for name in COUNTED:
            totals[name] += getattr(part, name)
        for chain, units in part.network_fees.items():
            network_fees[chain] = network_fees.get(chain, 0) + units
    return Measures(**totals, network_fees=network_fees)


_ROUTE_SEPARATOR = ">"


def route_value(source: str, destination: str) -> str:
    """The group of dimension ROUTE from one chain to another."""
    return f"{source}{_ROUTE_SEPARATOR}{destination}"


def split_route(value: str) -> tuple[str, str]:
    """The source and the destination chain of a group of dimension ROUTE."""
    source, _, destination = value.partition(_ROUTE_SEPARATOR)
    return source, destination
