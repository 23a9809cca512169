"""The dry run of rebalancing: what given policies would have moved in the past, by a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.rebalancing import (
    Location,
    RebalancingPolicy,
    RebalancingSettings,
)
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.domain.rebalancing_replay import (
    Demand,
    InventoryHistory,
    Replay,
    ReplayedTransfer,
    replay,
)
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.money.rebalancing_history import WAITED, read_history
from crossway.usecases.money.rebalancing_inputs import read_inputs
from crossway.usecases.money.rebalancing_tariffs import ModelledOffers

MAX_DAYS: Final = 90
MODEL: Final = (
    "This is a model. Fees, times and prices are those of now, not of then; what bridges would "
    "have refused or been late with is not known.",
    "Movements and payments happen as they did: payments that would have been made with more "
    "inventory are not invented, bridges still bring what they brought for single payments, and "
    "every transfer is approved at once.",
    "Why a payment waited is not stored. It counts as waiting for inventory if it was not started "
    "within a minute and, by the books, inventory did not suffice for it.",
    "Rebalancing transfers that were made are left out, so that the policies are seen alone.",
)
"""What a dry run assumes, and what cannot be known, in sentences."""
_BPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class WaitingPayment:
    """A payment that waited for inventory, and how long it would have with the policies: until it
    `started`, or `would_start`, or else until it ended."""

    intent_id: int
    location: Location
    units: int
    waited: timedelta
    started: bool
    would_wait: timedelta
    would_start: bool


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would have moved between two times, and for whom that would have made a difference.

    `payments` is how many out of inventory were looked at. `waiting` waited then; `delayed` did not
    and would have, as inventory had left, or had come by a transfer left out. `unknown` says
    what could not be read, in sentences.
    """

    began: datetime
    ended: datetime
    transfers: Sequence[ReplayedTransfer]
    payments: int
    waiting: Sequence[WaitingPayment]
    delayed: Sequence[int]
    unknown: Sequence[str]

    @property
    def moved_micro_usd(self) -> int:
        """The value that would have been moved."""
        return sum(one.planned.micro_usd for one in self.transfers)

    @property
    def cost_micro_usd(self) -> int:
        """What that would have cost."""
        return sum(one.planned.fee_micro_usd for one in self.transfers)

    @property
    def cost_bps(self) -> float:
        """The cost in basis points of what would have been moved; 0 where nothing would."""
        return self.cost_micro_usd * _BPS / self.moved_micro_usd if self.transfers else 0.0

    @property
    def not_waiting(self) -> Sequence[WaitingPayment]:
        """Those that waited then and would not have."""
        return [one for one in self.waiting if one.would_start and one.would_wait <= WAITED]


def dry_run(
    services: Services,
    caller: Principal,
    policies: Sequence[RebalancingPolicy],
    settings: RebalancingSettings,
    days: int = 30,
    on_progress: Callable[[float], None] = lambda share: None,
) -> DryRun:
    """What these policies would have moved in the last days, as if rebalancing had been automatic,
    and which payments would not have waited. Asks chains for balances and bridges for quotes;
    nothing is stored. `on_progress` is told the share done. Raises `InvalidInput`."""
    caller.require_permission(Permission.VIEW)
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput(f"days must be 1 to {MAX_DAYS}")
    wanted = {policy.location for policy in policies}
    inputs = read_inputs(services, by_targets=True, adjust=_without_needs)
    found = [balance for balance in inputs.balances if balance.location in wanted]
    known = [balance for balance in found if balance.balance is not None]
    since = inputs.now - timedelta(days=days)
    history = read_history(services, known, since, lambda share: on_progress(share / 2))
    listed = {balance.location for balance in known}
    usable = [policy for policy in policies if policy.location in listed]
    offers = ModelledOffers(services, settings)
    before = replay(history, [], settings, offers)
    tested = replace(history, demands=_without_other_ends(history, before))
    after = replay(tested, usable, settings, offers, lambda share: on_progress((1 + share) / 2))
    unknown = [f"{b.name} does not answer: it is left out." for b in found if b not in known]
    if history.began > since:
        unknown.append(f"Too much happened to begin earlier than {history.began:%Y-%m-%d %H:%M}.")
    return _report(history, before, after, [*unknown, *sorted(offers.silent)])


def _without_needs(inputs: PlanInputs) -> PlanInputs:
    return replace(inputs, policies=[])


def _took(demand: Demand) -> timedelta:
    """How long a payment waited, until it started or ended."""
    return (demand.started_at or demand.ended_at) - demand.funded_at


def _wait(told: Replay, demand: Demand) -> timedelta:
    return told.waits.get(demand.intent_id, timedelta())


def _lacked(demand: Demand, before: Replay) -> bool:
    """Whether a payment waited, and inventory lacked for it."""
    return _took(demand) > WAITED and _wait(before, demand) > WAITED


def _without_other_ends(history: InventoryHistory, before: Replay) -> Sequence[Demand]:
    """Payments that never started although there was inventory would not have with more."""
    return [d for d in history.demands if d.started_at is not None or _lacked(d, before)]


def _report(
    history: InventoryHistory, before: Replay, after: Replay, unknown: Sequence[str]
) -> DryRun:
    waiting, delayed = [], []
    for demand in history.demands:
        id, would_wait = demand.intent_id, _wait(after, demand)
        if _lacked(demand, before):
            times = (_took(demand), demand.started_at is not None, would_wait)
            would_start = id not in after.unstarted
            waiting.append(WaitingPayment(id, demand.location, demand.units, *times, would_start))
        elif demand.started_at is not None and would_wait > WAITED:
            delayed.append(id)
    return DryRun(
        history.began,
        history.ended,
        after.transfers,
        len(history.demands),
        waiting,
        delayed,
        unknown,
    )
