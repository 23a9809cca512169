"""The faults of the simulated ramp providers: the form's fields and the active faults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.formatting import format_duration
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.ports.services import Services
from crossway.usecases.simulator import ramp_controls as ramp_sandbox


@dataclass(frozen=True, slots=True)
class FaultField:
    """One fault of a provider: its label, the label while active, and its input type."""

    label: str
    active_label: str
    kind: Literal["seconds", "count", "bps", "switch", "kyc"]
    default: str = ""


FAULT_FIELDS: Mapping[str, FaultField] = {
    "downSeconds": FaultField("Unavailable for … seconds", "Unavailable for", "seconds", "60"),
    "slowSeconds": FaultField(
        "Delay each response by … seconds", "Responses delayed by", "seconds", "3"
    ),
    "refuseNext": FaultField("Reject the next … orders", "Rejects the next orders", "count", "1"),
    "shortBps": FaultField("Deliver … % less than reported", "Delivers less by", "bps", "5"),
    "overchargeBps": FaultField("Charge … % more than quoted", "Overcharges by", "bps", "2"),
    "repeat": FaultField("Send every update twice", "Sends every update twice", "switch"),
    "shuffle": FaultField("Send updates out of order", "Sends updates out of order", "switch"),
    "deliverSeconds": FaultField(
        "Deliver … seconds after payment (-1: manually only)", "Delivers after", "count", "15"
    ),
    "rateBps": FaultField("Change the rate by … %", "Rate changed by", "bps", "1"),
    "kyc": FaultField("Decision on identity checks", "Identity checks", "kyc"),
}
KYC_MODES: Mapping[str, str] = {
    "auto": "basic automatically, advanced manually",
    "manual": "manually only",
    "approve": "approve everything immediately",
}


def list_providers(services: Services) -> dict[str, str]:
    """The simulated providers with their display names."""
    return {provider.name.value: provider.capabilities.title for provider in services.ramps}


def list_active_faults(services: Services, caller: Principal, provider: str) -> tuple[Detail, ...]:
    """The active faults of a provider."""
    faults = ramp_sandbox.get_faults(services, caller, provider)
    return tuple(
        Detail(FAULT_FIELDS[name].active_label, Cell(_format_value(name, value)))
        for name, value in faults.items()
    )


def build_body(name: str, typed: str | bool) -> dict[str, Any]:
    """The request body that sets one fault; `typed` is the form's input."""
    kind = FAULT_FIELDS[name].kind
    if kind == "switch":
        return {name: bool(typed)}
    text = str(typed).strip()
    if kind == "kyc":
        return {name: text}
    if kind == "seconds":
        return {name: _parse_number(text, whole=False)}
    value = _parse_number(text, whole=kind == "count")
    return {name: round(value * 100) if kind == "bps" else int(value)}


def _parse_number(text: str, whole: bool) -> float:
    plain = text.removeprefix("-")
    parts = plain.split(".")
    good = len(parts) <= (1 if whole else 2) and all(p.isascii() and p.isdigit() for p in parts)
    if not good or len(plain) > 9:
        raise InvalidInput(f"Type a {'whole ' if whole else ''}number such as 3; 0 clears it")
    return float(text)


def _format_value(name: str, value: Any) -> str:
    kind = FAULT_FIELDS[name].kind
    if kind == "bps":
        return f"{value / 100:g}%"
    if name == "deliverSeconds" and value == -1:
        return "manually only"
    if kind == "kyc":
        return KYC_MODES.get(str(value), str(value))
    if kind == "switch":
        return "yes"
    return format_duration(value) if name.endswith("Seconds") else str(value)
