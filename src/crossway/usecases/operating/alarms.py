"""Alarms for people: how grave they are, what they are called, and who has seen to them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, WrongState
from crossway.domain.roles import Right
from crossway.ports.alarm_records import AlarmFilter, PastAlarm
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit

MOST_STANDING = 1_000
MOST_PAGE = 100
LONGEST_NOTE = 500


class Severity(StrEnum):
    """How soon somebody has to look."""

    CRITICAL = "critical"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Kind:
    """What alarms of a kind are called, one and many; those that `ends_by_hand` stand until a
    person says that they are settled, the others until their cause is gone."""

    severity: Severity
    one: str
    many: str
    ends_by_hand: bool = False


_C, _W, _N = Severity.CRITICAL, Severity.WARNING, Severity.NOTICE
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "refund": Kind(_C, "A refund failed", "Refunds failed"),
        "outside": Kind(
            _C, "Transactions that the books lack", "Transactions that the books lack",
            ends_by_hand=True,
        ),
        "reconcile": Kind(_C, "Books and chains differ", "Books and chains differ"),
        "stock": Kind(_C, "The relayer's stock is short", "The relayer's stock is short"),
        "gas": Kind(_C, "The relayer cannot pay fees", "The relayer cannot pay fees"),
        "transfer": Kind(_C, "A transfer failed", "Transfers failed"),
        "engine": Kind(_C, "A part of Crossway is broken", "Parts of Crossway are broken"),
        "stuck": Kind(_C, "A payment is past its time", "Payments are past their time"),
        "forged": Kind(_C, "A node reports what is not there", "Nodes report what is not there"),
        "chain": Kind(_W, "A chain does not answer", "Chains do not answer"),
        "node": Kind(_W, "A chain lags", "Chains lag"),
        "claim": Kind(_W, "A bridge owes past its time", "Bridges owe past their time"),
        "ramp": Kind(_W, "A ramp order needs a person", "Ramp orders need a person"),
        "provider": Kind(_W, "A ramp provider does not answer", "Ramp providers do not answer"),
        "webhook": Kind(_W, "A webhook was switched off", "Webhooks were switched off"),
        "reorg": Kind(_W, "A transaction was undone", "Transactions were undone"),
        "foreign": Kind(_N, "Money that was not asked for", "Money that was not asked for"),
    }
)  # fmt: skip
ORDER: Final = tuple(Severity)


@dataclass(frozen=True, slots=True)
class Standing:
    """What nobody has seen to yet: how many alarms of each severity, and the newest of the
    gravest. `seen_to` are those that still stand and that somebody has seen to."""

    counts: Mapping[Severity, int]
    newest: Alarm | None
    seen_to: int


def kind_of(alarm: Alarm) -> str:
    """The kind by which people know an alarm; a node that lies is not one that lags."""
    return "forged" if alarm.key.startswith("forged:") else alarm.kind


def about(kind: str) -> Kind:
    """What is known of a kind; one without words is called as it is."""
    words = kind.replace("_", " ").replace("-", " ").capitalize()
    return KINDS.get(kind) or Kind(Severity.WARNING, words, words)


def standing(services: Services, caller: Caller) -> list[Alarm]:
    """Every alarm that stands, newest first."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.network.alarms(limit=MOST_STANDING)


def summed_up(of: Sequence[Alarm]) -> Standing:
    """What the strip above every screen says of the alarms that stand."""
    fresh = [alarm for alarm in of if alarm.acknowledged_at is None]
    graveness = {alarm.key: about(kind_of(alarm)).severity for alarm in fresh}
    counts = {s: sum(1 for one in graveness.values() if one is s) for s in Severity}
    gravest = sorted(fresh, key=lambda a: (ORDER.index(graveness[a.key]), _backwards(a.since)))
    return Standing(counts, gravest[0] if gravest else None, len(of) - len(fresh))


def acknowledge(services: Services, caller: Caller, keys: Collection[str], note: str) -> int:
    """Say that somebody looks after these alarms, with an optional note; audited. They leave the
    strip and stay on the list until they are over. Answers how many nobody had seen to."""
    caller.must(Right.WORK)
    note, now = _note(note), services.clock.now()

    def work(unit: Unit) -> int:
        done = unit.network.acknowledge_alarms(keys, caller.who, note, now)
        if done:
            _audit(unit, caller, "alarms acknowledged", done, note, now)
        return len(done)

    return services.store.write(work)


def settle(services: Services, caller: Caller, keys: Collection[str], note: str) -> int:
    """End alarms that no machine can end, with a note that says why; audited. Refuses those that
    end by themselves. Answers how many ended."""
    caller.must(Right.WORK)
    note, now = _note(note), services.clock.now()
    if not note:
        raise InvalidInput("note must say what it was, for whoever looks at it later")

    def work(unit: Unit) -> int:
        found = [a for a in unit.network.alarms(limit=MOST_STANDING) if a.key in set(keys)]
        if any(not about(kind_of(alarm)).ends_by_hand for alarm in found):
            raise WrongState("This alarm ends by itself when its cause is gone")
        done = [alarm.key for alarm in found]
        unit.network.acknowledge_alarms(done, caller.who, note, now)
        unit.network.clear_alarms(done, now)
        if done:
            _audit(unit, caller, "alarms settled", done, note, now)
        return len(done)

    return services.store.write(work)


def past(services: Services, caller: Caller, wanted: AlarmFilter, limit: int) -> list[PastAlarm]:
    """Alarms that are over, newest first; go on with `before_id` of the last one."""
    caller.must(Right.SEE)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    with services.store.read() as unit:
        return unit.network.past_alarms(wanted, limit)


def _note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise InvalidInput(f"note must have at most {LONGEST_NOTE} characters")
    return note


def _audit(
    unit: Unit, caller: Caller, what: str, keys: Sequence[str], note: str, now: datetime
) -> None:
    detail = {"alarms": list(keys), "note": note}
    unit.network.audit(caller.who, what, detail, now, f"alarm:{keys[0]}")


def _backwards(at: datetime) -> float:
    return -at.timestamp()
