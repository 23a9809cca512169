"""The sandbox providers' switches in words: what can be set, and what is set now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.figures import duration
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.ports.services import Services
from crossway.usecases.ramps import sandbox as ramp_sandbox


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to let a provider misbehave: what it does, and how its value is typed."""

    words: str
    now: str
    kind: Literal["seconds", "count", "bps", "switch", "kyc"]
    first: str = ""


SETTINGS: Mapping[str, Setting] = {
    "downSeconds": Setting("Give no answer for … seconds", "Gives no answer for", "seconds", "60"),
    "slowSeconds": Setting("Wait … seconds before each answer", "Waits", "seconds", "3"),
    "refuseNext": Setting("Refuse the next … orders", "Refuses the next orders", "count", "1"),
    "shortBps": Setting("Deliver … % less than it says", "Delivers less by", "bps", "5"),
    "overchargeBps": Setting("Ask … % more than it quoted", "Asks more by", "bps", "2"),
    "repeat": Setting("Say everything twice", "Says everything twice", "switch"),
    "shuffle": Setting("Report in the wrong order", "Reports in the wrong order", "switch"),
    "deliverSeconds": Setting(
        "Deliver … seconds after it is paid (-1: only when told)", "Delivers after", "count", "15"
    ),
    "rateBps": Setting("Move its rate by … %", "Its rate is moved by", "bps", "1"),
    "kyc": Setting("Decide on identity checks", "Identity checks", "kyc"),
}
KYC: Mapping[str, str] = {
    "auto": "basic by itself, advanced by hand",
    "manual": "by hand alone",
    "approve": "approve everything at once",
}


def providers(services: Services) -> dict[str, str]:
    """The sandbox providers with their names for people."""
    return {one.name.value: one.capabilities.title for one in services.ramps}


def active(services: Services, caller: Caller, provider: str) -> tuple[Fact, ...]:
    """What is unusual in how a provider behaves now."""
    found = ramp_sandbox.faults(services, caller, provider)
    return tuple(
        Fact(SETTINGS[name].now, Cell(_said(name, value))) for name, value in found.items()
    )


def body(name: str, typed: str | bool) -> dict[str, Any]:
    """One setting as the use case takes it; `typed` is what stands in the form's field."""
    kind = SETTINGS[name].kind
    if kind == "switch":
        return {name: bool(typed)}
    text = str(typed).strip()
    if kind == "kyc":
        return {name: text}
    if kind == "seconds":
        return {name: _number(text, whole=False)}
    value = _number(text, whole=kind == "count")
    return {name: round(value * 100) if kind == "bps" else int(value)}


def _number(text: str, whole: bool) -> float:
    plain = text.removeprefix("-")
    parts = plain.split(".")
    good = len(parts) <= (1 if whole else 2) and all(p.isascii() and p.isdigit() for p in parts)
    if not good or len(plain) > 9:
        raise InvalidInput(f"Type a {'whole ' if whole else ''}number, such as 3; 0 ends it")
    return float(text)


def _said(name: str, value: Any) -> str:
    kind = SETTINGS[name].kind
    if kind == "bps":
        return f"{value / 100:g} %"
    if name == "deliverSeconds" and value == -1:
        return "only when told"
    if kind == "kyc":
        return KYC.get(str(value), str(value))
    if kind == "switch":
        return "yes"
    return duration(value) if name.endswith("Seconds") else str(value)
