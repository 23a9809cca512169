"""The operator's view of everything: numbers of the day, money under way, the chains."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.clients import Caller
from crossway.domain.errors import Unreachable
from crossway.domain.flows import SECONDS, Ended, HourOfFlows, Span, share_of_time
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.money import micro_usd_down
from crossway.domain.roles import Right
from crossway.ports.chain import Heads
from crossway.ports.records import MoveRecord
from crossway.ports.services import Services
from crossway.usecases.network.switches import switched_off
from crossway.usecases.operating.alarms import MOST_STANDING, settle
from crossway.usecases.operating.attention import Cause, causes

HOURS = 24
MOST_RECENT = 12
_LATE = timedelta(minutes=5)
_UNDER_WAY = (Account.HELD, Account.ESCROW)


@dataclass(frozen=True, slots=True)
class Day:
    """What ended in 24 hours; times in seconds, from complete deposit to payout, money in
    micro-USD. A share or a time of nothing is None."""

    completed: int
    failed: int
    micro_usd: int
    median_seconds: float | None
    p95_seconds: float | None

    @property
    def success(self) -> float | None:
        """Completed among all that were funded and have ended."""
        total = self.completed + self.failed
        return self.completed / total if total else None


@dataclass(frozen=True, slots=True)
class UnderWay:
    """Money of one chain that is under way, in micro-USD: `held` at deposit addresses, `claimed`
    from bridges, `reserved` of the relayer's stock for `payments` that were started."""

    chain: str
    held: int
    claimed: int
    reserved: int
    payments: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.held + self.claimed + self.reserved


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """How a chain stands; `lag_seconds` is how far its newest block is behind our clock, `runway`
    how many transactions the relayer's gas is enough for, `answer_ms` how long its answer took.
    `off` is why it is switched off, `problem` what is wrong in words; each empty if nothing."""

    chain: str
    height: int | None
    finalized: int | None
    lag_seconds: float | None
    relayer_gas_units: int | None
    problem: str
    runway: int | None = None
    answer_ms: int | None = None
    off: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The start of a shift on one page; `hours` are the last 24 by the hour, oldest first."""

    counts: Mapping[State, int]
    day: Day
    day_before: Day
    hours: Sequence[tuple[datetime, Day]]
    under_way: Sequence[UnderWay]
    attention: Sequence[Cause]
    recent: Sequence[tuple[Intent, MoveRecord]]


def overview(services: Services, caller: Caller) -> Overview:
    """What the operator sees first. Costs by what is under way and by hours, not by what is
    stored."""
    caller.must(Right.SEE)
    hour = SECONDS[Span.HOUR]
    this = int(services.clock.now().timestamp()) // hour
    with services.store.read() as unit:
        counts = unit.intents.counts()
        flows = unit.flows.hours(this - 2 * HOURS + 1)
        alarms = unit.network.alarms(limit=MOST_STANDING)
        found = causes(unit, alarms) if alarms else []
        moves = [move for _, move in unit.intents.recent_moves(MOST_RECENT)]
        about = unit.intents.of({move.intent_id for move in moves})
        balances = unit.books.balances()
        reserved = unit.intents.reserved()
    first = this - HOURS + 1
    by_hour: dict[int, list[HourOfFlows]] = {at: [] for at in range(first, this + 1)}
    for one in flows:
        if one.hour in by_hour:
            by_hour[one.hour].append(one)
    return Overview(
        counts=counts,
        day=_day([one for one in flows if one.hour >= first]),
        day_before=_day([one for one in flows if one.hour < first]),
        hours=[
            (datetime.fromtimestamp(at * hour, tz=services.clock.now().tzinfo), _day(of))
            for at, of in by_hour.items()
        ],
        under_way=_under_way(services, balances, reserved),
        attention=found,
        recent=[(about[move.intent_id], move) for move in moves if move.intent_id in about],
    )


def _day(flows: Sequence[HourOfFlows]) -> Day:
    paid = [one for one in flows if one.ended is Ended.PAID]
    times = [(one.bucket, one.n) for one in paid]
    return Day(
        completed=sum(one.n for one in paid),
        failed=sum(one.n for one in flows if one.ended is Ended.FAILED),
        micro_usd=sum(one.micro_usd for one in paid),
        median_seconds=share_of_time(times, 0.5),
        p95_seconds=share_of_time(times, 0.95),
    )


def _under_way(
    services: Services,
    balances: Mapping[tuple[Account, str, str], int],
    reserved: Mapping[str, tuple[int, int]],
) -> list[UnderWay]:
    """By chain, the most money first; tokens without a price count for nothing."""
    tokens = services.catalogue.by_address
    held = {
        (account, chain, token): units
        for (account, chain, token), units in balances.items()
        if account in _UNDER_WAY and units > 0 and (chain, token) in tokens
    }
    try:
        prices = services.prices.usd({tokens[chain, token].symbol for _, chain, token in held})
    except Unreachable:
        prices = {}
    worth: dict[tuple[Account, str], int] = {}
    for (account, chain, address), units in held.items():
        token = tokens[chain, address]
        if token.symbol in prices:
            usd = micro_usd_down(units, token.decimals, prices[token.symbol].pico_usd)
            worth[account, chain] = worth.get((account, chain), 0) + usd
    chains = {chain for _, chain in worth} | set(reserved)
    found = [
        UnderWay(
            chain,
            worth.get((Account.HELD, chain), 0),
            worth.get((Account.ESCROW, chain), 0),
            *reversed(reserved.get(chain, (0, 0))),
        )
        for chain in chains
    ]
    return sorted((one for one in found if one.total), key=lambda one: -one.total)


def acknowledge(services: Services, caller: Caller, kind: str) -> int:
    """A person has seen to the alarms of a kind that do not end by themselves; audited. Answers
    how many."""
    caller.must(Right.WORK)
    with services.store.read() as unit:
        keys = [a.key for a in unit.network.alarms(limit=MOST_STANDING) if a.kind == kind]
    return settle(services, caller, keys, "Seen to on the command line.")


def chain_statuses(services: Services) -> list[ChainStatus]:
    """Every configured chain, asked at once."""
    ids = [chain for chain in services.catalogue.chains if chain in services.chains]
    return list(services.asking.map(_asking(services), ids))


def _asking(services: Services) -> Callable[[str], ChainStatus]:
    now, off = services.clock.now(), switched_off(services)

    def ask(chain_id: str) -> ChainStatus:
        chain, why, began = services.chains[chain_id], off.get(f"chain:{chain_id}", ""), _clock()
        try:
            heads = chain.heads()
            gas, fee = chain.native_balance(chain.own.relayer), chain.fee_units()
        except Unreachable as error:
            problem = f"No answer: {error}"
            return ChainStatus(chain_id, None, None, None, None, problem, off=why)
        took = round((_clock() - began) * 1000)
        lag = max(0.0, (now - heads.time).total_seconds())
        runway = gas // fee if fee else None
        problem = _problem(heads, now, runway)
        return ChainStatus(
            chain_id, heads.height, heads.finalized, lag, gas, problem, runway, took, why
        )

    return ask


def _problem(heads: Heads, now: datetime, runway: int | None) -> str:
    if runway == 0:
        return "The relayer cannot pay a fee here."
    lag = now - heads.time
    return f"The newest block is {lag.total_seconds():.0f} s old." if lag > _LATE else ""


def _clock() -> float:
    return time.perf_counter()
