"""The filters of the list of payments in words, and what there is to choose from."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import wording
from crossway.dashboard.views.figures import chain_name, grouped
from crossway.domain.clients import Caller, Mode
from crossway.domain.conditions import (
    NO_BRIDGE,
    Condition,
    Conditions,
    Exceptional,
    Subject,
    read,
    written,
)
from crossway.domain.intent import State
from crossway.domain.money import format_units
from crossway.domain.roles import Right
from crossway.ports.services import Services

EVERY: Final = "All"
QUICK: Final[Mapping[str, tuple[State, ...]]] = MappingProxyType(
    {
        EVERY: (),
        "Pending": (State.PENDING,),
        "On its way": (State.FUNDED, State.INITIATED),
        "Completed": (State.COMPLETED,),
        "Expired": (State.EXPIRED,),
        "Refunded": (State.REFUNDED,),
        "Failed": (State.FAILED,),
    }
)
SUBJECTS: Final[Mapping[Subject, str]] = MappingProxyType(
    {
        Subject.STATE: "Status",
        Subject.EXCEPTION: "Out of the ordinary",
        Subject.SOURCE: "From chain",
        Subject.DESTINATION: "To chain",
        Subject.TOKEN: "Token",
        Subject.WORTH: "Worth in USD",
        Subject.CREATED: "Created",
        Subject.BRIDGE: "Bridge",
        Subject.CLIENT: "Client",
        Subject.MODE: "Mode",
        Subject.LINK: "Payment link",
        Subject.REFERENCE: "Metadata value",
    }
)
EXCEPTIONS: Final[Mapping[Exceptional, str]] = MappingProxyType(
    {
        Exceptional.SHORT: "Short: less came in than asked",
        Exceptional.OVER: "Over: more came in than asked",
        Exceptional.LATE: "Late: money after the time was over",
        Exceptional.FOREIGN: "Foreign: another token or chain",
        Exceptional.REFUND_FAILED: "Refund failed",
        Exceptional.STUCK: "Held up: a transaction waits or failed",
    }
)
_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def asked(params: Mapping[str, str]) -> Conditions:
    """The conditions in the address of the list; raises `InvalidInput` naming what is wrong."""
    states = QUICK.get(params.get("show", EVERY), ())
    quick = (Condition(Subject.STATE, tuple(state.value for state in states)),) if states else ()
    return Conditions(
        (*quick, *read(params.get("all", ""), "all")), read(params.get("any", ""), "any")
    )


def changed(text: str, add: Condition | None = None, drop: int | None = None) -> str:
    """One side of a filter with a condition more, or without the one at this place."""
    known = list(read(text, "filter"))
    if drop is not None:
        del known[drop]
    return written([*known, add] if add else known)


def choices(services: Services, caller: Caller, subject: Subject) -> dict[str, str]:
    """The values of a subject and what people call them; empty where they are typed."""
    names = services.catalogue
    match subject:
        case Subject.STATE:
            return {state.value: wording.STATES[state].text for state in State}
        case Subject.EXCEPTION:
            return {kind.value: words for kind, words in EXCEPTIONS.items()}
        case Subject.SOURCE | Subject.DESTINATION:
            return {c: chain_name(names, c) for c in names.chains if c in services.chains}
        case Subject.TOKEN:
            symbols = sorted({token.symbol for token in names.tokens.values()})
            return {symbol: symbol for symbol in symbols}
        case Subject.BRIDGE:
            bridges = {bridge.name.value: str(bridge.name) for bridge in services.bridges}
            return {**bridges, NO_BRIDGE: "None, within one chain"}
        case Subject.MODE:
            return {mode.value: mode.capitalize() for mode in Mode}
        case Subject.CLIENT:
            return _clients(services, caller)
    return {}


def _clients(services: Services, caller: Caller) -> dict[str, str]:
    if not caller.may(Right.SEE):
        return {caller.client.id: caller.client.name}
    with services.store.read() as unit:
        return {client.id: client.name for client in unit.access.clients()}


def days(first: date | None, last: date | None) -> Condition:
    """Created on these days of UTC, both included."""
    return Condition(
        Subject.CREATED,
        (),
        None if first is None else _midnight(first),
        None if last is None else _midnight(last + _DAY),
    )


def _midnight(day: date) -> int:
    return (datetime(day.year, day.month, day.day, tzinfo=UTC) - _EPOCH) // timedelta(
        microseconds=1
    )


def in_words(services: Services, caller: Caller, one: Condition) -> str:
    """A condition as people say it: `Token is USDC or USDT`."""
    subject, no = SUBJECTS[one.subject], " not" if one.negated else ""
    if one.subject is Subject.WORTH:
        return f"{subject}{no} {_between(_usd(one.least), _usd(one.most))}"
    if one.subject is Subject.CREATED:
        return f"{subject}{no} {_between(_day(one.least), _day(one.most))}"
    known = choices(services, caller, one.subject)
    names = [known.get(value, value).partition(":")[0] for value in one.values]
    return f"{subject} is{no} {_or(names)}"


def _between(least: str, most: str) -> str:
    if least and most:
        return f"from {least} to below {most}"
    return f"from {least}" if least else f"below {most}"


def _usd(micro_usd: int | None) -> str:
    return "" if micro_usd is None else grouped(format_units(micro_usd, 6))


def _day(micros: int | None) -> str:
    if micros is None:
        return ""
    at = _EPOCH + timedelta(microseconds=micros)
    return at.strftime("%Y-%m-%d" if at.time() == datetime.min.time() else "%Y-%m-%d %H:%M UTC")


def _or(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} or {names[-1]}"
