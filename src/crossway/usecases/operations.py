"""The operator's view of everything: numbers of the day, what needs a person, the chains."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles

from crossway.domain.clients import Caller
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Right
from crossway.domain.transfers import Transfer, TransferState
from crossway.ports.records import Alarm, MoveRecord
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.ramps.steps import OF_ORDERS

DAY = timedelta(hours=24)
MOST_COMPLETED = 20_000
MOST_ATTENTION = 100
MOST_ALARMS = 1_000
MOST_RECENT = 12
_LATE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Attention:
    """One thing that a person should look at; of a ramp order its number is the `order_id`."""

    kind: str
    subject: str
    message: str
    since: datetime
    intent_id: int | None = None
    order_id: int | None = None


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """How a chain stands; `lag_seconds` is how far its newest block is behind our clock."""

    chain: str
    height: int | None
    finalized: int | None
    lag_seconds: float | None
    relayer_gas_units: int | None
    problem: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The start of a shift on one page; times in seconds, money in micro-USD."""

    counts: dict[State, int]
    volume_24h_micro_usd: int
    completed_24h: int
    median_fill_seconds: float | None
    p95_fill_seconds: float | None
    success_rate: float | None
    attention: list[Attention]
    recent: list[tuple[Intent, MoveRecord]]
    hourly: list[tuple[datetime, int, int]]


def overview(services: Services, caller: Caller) -> Overview:
    """What the operator sees first."""
    now = services.clock.now()
    client = None if caller.operator else caller.client.id
    with services.store.read() as unit:
        counts = unit.intents.counts(client)
        done = unit.intents.completed_since(now - DAY, MOST_COMPLETED)
        alarms = unit.network.alarms(limit=MOST_ATTENTION)
        waiting = unit.transfers.waiting(MOST_ATTENTION)
        moves = [move for _, move in unit.intents.recent_moves(MOST_RECENT)]
        about = unit.intents.of({move.intent_id for move in moves})
    seconds = [(end - start).total_seconds() for start, end, _ in done]
    ended = {s: counts.get(s, 0) for s in (State.COMPLETED, State.REFUNDED, State.FAILED)}
    total = sum(ended.values())
    return Overview(
        counts=counts,
        volume_24h_micro_usd=sum(usd for _, _, usd in done),
        completed_24h=len(done),
        median_fill_seconds=median(seconds) if seconds else None,
        p95_fill_seconds=quantiles(seconds, n=20)[18] if len(seconds) > 1 else None,
        success_rate=ended[State.COMPLETED] / total if total else None,
        attention=attention(alarms, waiting),
        recent=[(about[move.intent_id], move) for move in moves if move.intent_id in about],
        hourly=_hourly(done, now),
    )


def attention(alarms: list[Alarm], waiting: list[Transfer]) -> list[Attention]:
    """What needs a person, the oldest first."""
    found = [_raised(alarm) for alarm in alarms]
    for transfer in waiting:
        what = transfer.duty.replace("_", " ").capitalize()
        state = "failed" if transfer.state is TransferState.FAILED else "waits"
        found.append(
            Attention(
                "transfer",
                f"intent {transfer.intent_id}",
                f"{what} {state}: {transfer.reason}",
                transfer.updated_at,
                transfer.intent_id,
            )
        )
    return sorted(found, key=lambda item: item.since)


def _raised(alarm: Alarm) -> Attention:
    number = int(alarm.subject) if alarm.subject.isdigit() else None
    intent_id, order_id = (None, number) if alarm.kind == OF_ORDERS else (number, None)
    return Attention(alarm.kind, alarm.subject, alarm.message, alarm.since, intent_id, order_id)


def acknowledge(services: Services, caller: Caller, kind: str) -> int:
    """A person has seen to the alarms of a kind that do not end by themselves; audited, operators
    only. Answers how many."""
    caller.must(Right.WORK)
    now = services.clock.now()

    def work(unit: Unit) -> int:
        keys = [a.key for a in unit.network.alarms(limit=MOST_ALARMS) if a.kind == kind]
        if keys:
            unit.network.clear_alarms(keys, now)
            detail = {"alarms": keys}
            unit.network.audit(caller.who, "alarms acknowledged", detail, now, f"alarms:{kind}")
        return len(keys)

    return services.store.write(work)


def chain_statuses(services: Services) -> list[ChainStatus]:
    """Every configured chain, asked at once."""
    ids = [chain for chain in services.catalogue.chains if chain in services.chains]
    return list(services.asking.map(_asking(services), ids))


def _asking(services: Services) -> Callable[[str], ChainStatus]:
    now = services.clock.now()

    def ask(chain_id: str) -> ChainStatus:
        chain = services.chains[chain_id]
        try:
            heads = chain.heads()
            gas = chain.native_balance(chain.own.relayer)
        except Unreachable as error:
            return ChainStatus(chain_id, None, None, None, None, f"No answer: {error}")
        lag = max(0.0, (now - heads.time).total_seconds())
        late = lag > max(_LATE.total_seconds(), 0)
        problem = f"The newest block is {lag:.0f} s old." if late else ""
        if gas < chain.fee_units():
            problem = "The relayer cannot pay a fee here."
        return ChainStatus(chain_id, heads.height, heads.finalized, lag, gas, problem)

    return ask


def _hourly(
    done: list[tuple[datetime, datetime, int]], now: datetime
) -> list[tuple[datetime, int, int]]:
    """Completions and volume by hour of the last day, empty hours included."""
    count: dict[datetime, int] = defaultdict(int)
    volume: dict[datetime, int] = defaultdict(int)
    for _, end, usd in done:
        hour = end.replace(minute=0, second=0, microsecond=0)
        count[hour] += 1
        volume[hour] += usd
    first = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=23)
    hours = [first + timedelta(hours=n) for n in range(24)]
    return [(hour, count[hour], volume[hour]) for hour in hours]
