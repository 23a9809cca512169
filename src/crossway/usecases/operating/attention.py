"""What needs a person: the alarms that stand, one line for each cause, with what hangs on it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Caller
from crossway.domain.roles import Right
from crossway.domain.transfers import Duty, Transfer
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.operating.alarms import MOST_STANDING, ORDER, Severity, about, kind_of
from crossway.usecases.ramps.steps import OF_ORDERS

MOST_WAITING = 5_000
_BACK = (Duty.REFUND, Duty.RETURN_EXCESS)
# The kinds whose alarms name an intent as their subject.
_OF_INTENTS = frozenset({"refund", "transfer", "stuck", "claim", "reorg", "foreign", "engine"})
# Whose cause another alarm of the same payment tells better.
_TELL_LESS = ("stuck", "foreign")


@dataclass(frozen=True, slots=True)
class Matter:
    """One alarm with what it is about: an intent, a ramp order, a webhook, a chain and a token.
    `micro_usd` is what its payments are worth, of which it holds up `payments`."""

    alarm: Alarm
    kind: str
    micro_usd: int = 0
    payments: int = 0
    intent_id: int | None = None
    order_id: int | None = None
    webhook_id: int | None = None
    chain: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Alarms of one kind together, the most money and the oldest first."""

    kind: str
    severity: Severity
    title: str
    matters: tuple[Matter, ...]

    @property
    def micro_usd(self) -> int:
        """What hangs on it."""
        return sum(matter.micro_usd for matter in self.matters)

    @property
    def since(self) -> datetime:
        """Since when the oldest stands."""
        return min(matter.alarm.since for matter in self.matters)


def attention(services: Services, caller: Caller) -> list[Cause]:
    """Everything that needs a person, the gravest first, then the most money and the oldest; what
    somebody has seen to stays until it is over."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        alarms = unit.network.alarms(limit=MOST_STANDING)
        return causes(unit, alarms) if alarms else []


def causes(unit: Unit, alarms: Sequence[Alarm]) -> list[Cause]:
    """These alarms by their causes, each told once."""
    held_up = _held_up(unit, alarms)
    matters = [_matter(alarm, held_up.get(alarm.message, ())) for alarm in alarms]
    matters = _with_refunds(unit, _once(matters))
    about_intents = {m.intent_id for m in matters if m.intent_id is not None}
    waiting = {t.intent_id for found in held_up.values() for t in found}
    worths = unit.intents.worths(about_intents | waiting)
    groups: dict[str, list[Matter]] = defaultdict(list)
    for matter in matters:
        behind = {t.intent_id for t in held_up.get(matter.alarm.message, ())}
        groups[matter.kind].append(_weighed(matter, behind, worths))
    found = [_cause(kind, of) for kind, of in groups.items()]
    return sorted(found, key=lambda c: (ORDER.index(c.severity), -c.micro_usd, c.since))


def _held_up(unit: Unit, alarms: Sequence[Alarm]) -> Mapping[str, Sequence[Transfer]]:
    """The transfers that wait for what an alarm tells: they give its words as their reason."""
    told = {alarm.message for alarm in alarms if alarm.kind in ("stock", "gas")}
    found: dict[str, list[Transfer]] = defaultdict(list)
    for transfer in unit.transfers.waiting(MOST_WAITING) if told else ():
        if transfer.reason in told:
            found[transfer.reason].append(transfer)
    return found


def _matter(alarm: Alarm, waiting: Collection[Transfer]) -> Matter:
    kind, number = kind_of(alarm), int(alarm.subject) if alarm.subject.isdigit() else None
    if kind == OF_ORDERS:
        return Matter(alarm, kind, order_id=number)
    if kind == "webhook":
        return Matter(alarm, kind, webhook_id=_number_in(alarm.key))
    if kind in _OF_INTENTS:
        order = number if alarm.key.startswith("record:order:") else None
        return Matter(alarm, kind, order_id=order, intent_id=None if order else number)
    chain, _, symbol = alarm.subject.partition(":")
    return Matter(alarm, kind, payments=len({t.intent_id for t in waiting}), chain=chain,
                  symbol=symbol)  # fmt: skip


def _number_in(key: str) -> int | None:
    number = key.rpartition(":")[2]
    return int(number) if number.isdigit() else None


def _once(matters: Sequence[Matter]) -> list[Matter]:
    """Without what another alarm tells better: of a chain that is silent nobody need hear that
    its newest block is old, of a payment whose transfer failed not that it is late."""
    silent = {m.chain for m in matters if m.kind == "chain"}
    told = {m.intent_id for m in matters if m.kind not in _TELL_LESS and m.intent_id is not None}
    return [
        m
        for m in matters
        if not (m.kind == "node" and m.chain in silent)
        and not (m.kind in _TELL_LESS and m.intent_id in told)
    ]


def _with_refunds(unit: Unit, matters: Sequence[Matter]) -> list[Matter]:
    """Failed transfers that give money back are a kind of their own."""
    failed = [m for m in matters if m.kind == "transfer" and m.intent_id is not None]
    transfers = unit.transfers.of({m.intent_id for m in failed if m.intent_id}) if failed else []
    back = {f"transfer:{t.id}" for t in transfers if t.duty in _BACK}
    return [_as(m, "refund") if m.alarm.key in back else m for m in matters]


def _as(matter: Matter, kind: str) -> Matter:
    return Matter(matter.alarm, kind, intent_id=matter.intent_id)


def _weighed(matter: Matter, behind: Collection[int], worths: Mapping[int, int]) -> Matter:
    ids = set(behind) | ({matter.intent_id} if matter.intent_id is not None else set())
    return Matter(
        alarm=matter.alarm,
        kind=matter.kind,
        micro_usd=sum(worths.get(one, 0) for one in ids),
        payments=len(behind),
        intent_id=matter.intent_id,
        order_id=matter.order_id,
        webhook_id=matter.webhook_id,
        chain=matter.chain,
        symbol=matter.symbol,
    )


def _cause(kind: str, matters: Sequence[Matter]) -> Cause:
    known = about(kind)
    ordered = sorted(matters, key=lambda m: (-m.micro_usd, m.alarm.since, m.alarm.key))
    return Cause(kind, known.severity, known.one if len(matters) == 1 else known.many,
                 tuple(ordered))  # fmt: skip
