"""The operator's overview: figures of a period, funds in transit, alerts and chain statuses."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import OwnerFilter, Principal
from crossway.domain.corridor_stats import Outcome, PeriodVolume, quantile_seconds
from crossway.domain.errors import Unreachable, WrongChain
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.money import micro_usd_down
from crossway.domain.roles import Permission
from crossway.domain.success import success_rate
from crossway.ports.chain import ChainHead
from crossway.ports.records import TransitionRecord
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.operating.alerts import MAX_ACTIVE_ALERTS, resolve_alerts
from crossway.usecases.operating.incidents import AlertGroup, list_alert_groups
from crossway.usecases.operating.overview_period import OverviewPeriod, last_hours

MAX_RECENT = 12
_MAX_HEAD_AGE = timedelta(minutes=5)
_TRANSIT_ACCOUNTS = (Account.HELD, Account.ESCROW, Account.IN_TRANSIT)


@dataclass(frozen=True, slots=True)
class PeriodStats:
    """Payments that ended in a period. Times run from the complete deposit to the payout; they are
    None without completed payments."""

    completed: int
    failed: int
    micro_usd: int
    median_seconds: float | None
    p95_seconds: float | None

    @property
    def success(self) -> float | None:
        """The share of completed payments among all funded payments that ended; None without."""
        return success_rate(self.completed, self.failed)


@dataclass(frozen=True, slots=True)
class FundsInTransit:
    """Funds in transit on one chain, in micro-USD: `deposits` at deposit addresses, `receivables`
    in escrow or on their way over bridges, and `reserved` inventory for the `payments` that were
    started."""

    chain: str
    deposits: int
    receivables: int
    reserved: int
    payments: int

    @property
    def total(self) -> int:
        """The sum of all three."""
        return self.deposits + self.receivables + self.reserved


class ChainProblem(StrEnum):
    """What is wrong with a chain's nodes or with the relayer there: no node answers, a node serves
    another chain or has reported deposits that do not exist, nodes contradict each other, the
    newest block is old, or there is no gas."""

    NONE = ""
    SILENT = "silent"
    WRONG_CHAIN = "wrong_chain"
    FORGED = "forged"
    CONTRADICTED = "contradicted"
    LAGGING = "lagging"
    NO_GAS = "no_gas"


MAX_NODE_ALERTS: Final = 200
# By the beginning of an alert's key; of two of one chain, the last one counts.
_REPORTED: Final = MappingProxyType(
    {"disputed": ChainProblem.CONTRADICTED, "forged": ChainProblem.FORGED}
)


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """The status of a chain. `lag_seconds` is the age of its newest block, `gas_runway` how many
    transactions the relayer's gas pays for, and `response_ms` how long its node took to answer.
    `disabled_reason` is why it is disabled, `problem` what is wrong in words and `cause` of which
    sort that is; empty when nothing is."""

    chain: str
    height: int | None
    finalized: int | None
    lag_seconds: float | None
    relayer_gas_units: int | None
    problem: str
    gas_runway: int | None = None
    response_ms: int | None = None
    disabled_reason: str = ""
    cause: ChainProblem = ChainProblem.NONE


@dataclass(frozen=True, slots=True)
class Overview:
    """The figures of the overview page: of a period, of as long a time before it, and of each of
    its hours or days, oldest first."""

    counts: Mapping[State, int]
    period: PeriodStats
    previous: PeriodStats
    steps: Sequence[tuple[datetime, PeriodStats]]
    in_transit: Sequence[FundsInTransit]
    alert_groups: Sequence[AlertGroup]
    recent: Sequence[tuple[Intent, TransitionRecord]]


def get_overview(
    services: Services, caller: Principal, period: OverviewPeriod | None = None
) -> Overview:
    """The overview, by default of the last 24 hours. Payments are those of the caller's mode; funds
    in transit and alerts are the whole installation's. Its cost depends on open payments and on
    the hours or days of the period, not on the history."""
    caller.require_permission(Permission.VIEW)
    period, owners = period or last_hours(services.clock.now()), caller.narrow(OwnerFilter())
    before = 2 * period.first - period.end
    with services.store.read() as unit:
        counts = unit.intents.count_by_state(owners)
        volumes = unit.corridor_stats.list_volumes(caller.mode, period.step, before, period.end)
        transitions = [
            transition for _, transition in unit.intents.list_recent_transitions(owners, MAX_RECENT)
        ]
        intents = unit.intents.get_many({transition.intent_id for transition in transitions})
        balances = unit.ledger.get_balances()
        started = unit.intents.sum_started_by_chain()
    by_step: dict[int, list[PeriodVolume]] = {
        number: [] for number in range(period.first, period.end)
    }
    for volume in volumes:
        if volume.number in by_step:
            by_step[volume.number].append(volume)
    return Overview(
        counts=counts,
        period=_period_stats([volume for volume in volumes if volume.number >= period.first]),
        previous=_period_stats([volume for volume in volumes if volume.number < period.first]),
        steps=[
            (period.start_of(number), _period_stats(of_step)) for number, of_step in by_step.items()
        ],
        in_transit=_funds_in_transit(services, balances, started),
        alert_groups=list_alert_groups(services, caller),
        recent=[
            (intents[transition.intent_id], transition)
            for transition in transitions
            if transition.intent_id in intents
        ],
    )


def _period_stats(volumes: Sequence[PeriodVolume]) -> PeriodStats:
    paid = [volume for volume in volumes if volume.outcome is Outcome.PAID]
    buckets = [(volume.bucket, volume.count) for volume in paid]
    return PeriodStats(
        completed=sum(volume.count for volume in paid),
        failed=sum(volume.count for volume in volumes if volume.outcome is Outcome.FAILED),
        micro_usd=sum(volume.micro_usd for volume in paid),
        median_seconds=quantile_seconds(buckets, 0.5),
        p95_seconds=quantile_seconds(buckets, 0.95),
    )


def _funds_in_transit(
    services: Services,
    balances: Mapping[tuple[Account, str, str], int],
    started: Mapping[str, tuple[int, int]],
) -> list[FundsInTransit]:
    """Funds in transit by chain, the largest first; tokens without a price count as zero."""
    tokens = services.catalogue.by_address
    balances_in_transit = {
        (account, chain, token): amount
        for (account, chain, token), amount in balances.items()
        if account in _TRANSIT_ACCOUNTS and amount > 0 and (chain, token) in tokens
    }
    try:
        prices = services.prices.get_usd_prices(
            {tokens[chain, token].symbol for _, chain, token in balances_in_transit}
        )
    except Unreachable:
        prices = {}
    usd_values: dict[tuple[Account, str], int] = {}
    for (account, chain, address), amount in balances_in_transit.items():
        token = tokens[chain, address]
        if token.symbol in prices:
            micro_usd = micro_usd_down(amount, token.decimals, prices[token.symbol].pico_usd)
            usd_values[account, chain] = usd_values.get((account, chain), 0) + micro_usd
    chains = {chain for _, chain in usd_values} | set(started)
    groups = [
        FundsInTransit(
            chain,
            usd_values.get((Account.HELD, chain), 0),
            usd_values.get((Account.ESCROW, chain), 0)
            + usd_values.get((Account.IN_TRANSIT, chain), 0),
            *reversed(started.get(chain, (0, 0))),
        )
        for chain in chains
    ]
    return sorted((group for group in groups if group.total), key=lambda group: -group.total)


def resolve_alerts_of_kind(services: Services, caller: Principal, kind: str) -> int:
    """Resolve all alerts of a kind that needs manual resolution; audited. Returns how many."""
    caller.require_permission(Permission.OPERATE)
    with services.store.read() as unit:
        keys = [a.key for a in unit.alerts.list_active(limit=MAX_ACTIVE_ALERTS) if a.kind == kind]
    return resolve_alerts(services, caller, keys, "Resolved on the command line.")


def list_chain_statuses(services: Services) -> list[ChainStatus]:
    """The status of every configured chain, queried in parallel."""
    ids = [chain for chain in services.catalogue.chains if chain in services.chains]
    return list(services.executor.map(_status_query(services), ids))


def _status_query(services: Services) -> Callable[[str], ChainStatus]:
    now, kill_switches = services.clock.now(), active_kill_switches(services)
    reported = _list_reported(services)

    def query_status(chain_id: str) -> ChainStatus:
        chain, disabled_reason, started_at = (
            services.chains[chain_id],
            kill_switches.get(f"chain:{chain_id}", ""),
            time.perf_counter(),
        )
        try:
            heads = chain.heads()
            gas, fee = chain.native_balance(chain.accounts.relayer), chain.fee_units()
        except Unreachable as error:
            wrong = isinstance(error, WrongChain)
            cause = ChainProblem.WRONG_CHAIN if wrong else ChainProblem.SILENT
            problem = f"{'Another chain' if wrong else 'No answer'}: {error}"
            return ChainStatus(
                chain_id, None, None, None, None, problem, None, None, disabled_reason, cause
            )
        response_ms = round((time.perf_counter() - started_at) * 1000)
        lag = max(0.0, (now - heads.time).total_seconds())
        gas_runway = gas // fee if fee else None
        cause, problem = _find_problem(heads, now, gas_runway, reported.get(chain_id))
        return ChainStatus(
            chain_id,
            heads.height,
            heads.finalized,
            lag,
            gas,
            problem,
            gas_runway,
            response_ms,
            disabled_reason,
            cause,
        )

    return query_status


def _list_reported(services: Services) -> dict[str, tuple[ChainProblem, str]]:
    """By chain, what scans have found its nodes to report wrongly and is not over yet: their heads
    do not show it."""
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(MAX_NODE_ALERTS, "node")
    found: dict[str, tuple[ChainProblem, str]] = {}
    for source, cause in _REPORTED.items():
        for alert in alerts:
            kind, _, chain = alert.key.partition(":")
            if kind == source:
                found[chain] = (cause, alert.message)
    return found


def _find_problem(
    heads: ChainHead,
    now: datetime,
    gas_runway: int | None,
    reported: tuple[ChainProblem, str] | None,
) -> tuple[ChainProblem, str]:
    if heads.wrong_chains:
        return ChainProblem.WRONG_CHAIN, f"{'; '.join(heads.wrong_chains)}. It is not used."
    if reported is not None:
        return reported
    if heads.doubts:
        return ChainProblem.CONTRADICTED, f"{'; '.join(heads.doubts)}."
    if gas_runway == 0:
        return ChainProblem.NO_GAS, "The relayer cannot pay a fee here."
    lag = now - heads.time
    if lag > _MAX_HEAD_AGE:
        return ChainProblem.LAGGING, f"The newest block is {lag.total_seconds():.0f} s old."
    return ChainProblem.NONE, ""
