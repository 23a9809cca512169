"""The faults of the simulated bridges: the form's fields and the active faults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.formatting import format_duration
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import bridge_title
from crossway.ports.services import Services
from crossway.usecases.simulator import bridge_controls


@dataclass(frozen=True, slots=True)
class FaultField:
    """One fault of a bridge: its label, and its input type."""

    label: str
    active_label: str
    kind: Literal["seconds", "switch", "answer"]


_CCTP: Mapping[str, FaultField] = {
    "lateSeconds": FaultField("Attest … seconds later", "Attests later by", "seconds"),
    "exhaustedAllowance": FaultField(
        "Use up the allowance for fast transfers", "Fast allowance used up", "switch"
    ),
    "expiredMessages": FaultField(
        "Attest to fast messages that have expired", "Fast messages expired", "switch"
    ),
    "wrongAnswer": FaultField("Attest to something else", "Attests to another", "answer"),
    "paused": FaultField("Pause its contracts", "Contracts paused", "switch"),
    "silent": FaultField("No response from its service", "Service silent", "switch"),
}
_SILENT = FaultField("No response from its service", "Service silent", "switch")
_REFUSED = FaultField("Refuse to move inventory", "Transfers refused", "switch")
_UNEXECUTED = FaultField(
    "Accept transfers and never pay them out", "Transfers not paid out", "switch"
)
_RETURNED = FaultField("Give transfers back", "Transfers given back", "switch")
_ACROSS: Mapping[str, FaultField] = {
    "unfilledDeposits": FaultField("No relayer fills deposits", "Deposits unfilled", "switch"),
    "paused": FaultField("Pause its pools", "Pools paused", "switch"),
    "unexecuted": _UNEXECUTED,
    "returned": _RETURNED,
    "refused": _REFUSED,
    "silent": _SILENT,
}
_GATEWAY: Mapping[str, FaultField] = {
    "expiredMessages": FaultField("Attest to mints that have expired", "Mints expired", "switch"),
    "refused": _REFUSED,
    "silent": _SILENT,
}
_RHINOFI: Mapping[str, FaultField] = {
    "lateSeconds": FaultField("Pay out … seconds later", "Pays out later by", "seconds"),
    "unexecuted": _UNEXECUTED,
    "returned": _RETURNED,
    "refused": _REFUSED,
    "silent": _SILENT,
}
_EXCHANGE: Mapping[str, FaultField] = {
    "paused": FaultField("Ask for more than any deposit", "Sells nothing", "switch"),
}
FAULT_FIELDS: Mapping[str, Mapping[str, FaultField]] = {
    "CCTP": _CCTP,
    "ACROSS": _ACROSS,
    "GATEWAY": _GATEWAY,
    "RHINOFI": _RHINOFI,
    bridge_controls.EXCHANGE: _EXCHANGE,
}
ANSWERS: Mapping[str, str] = {
    "recipient": "recipient",
    "amount": "amount",
    "chain": "destination chain",
    "": "nothing else",
}


def list_bridges() -> dict[str, str]:
    """The simulated bridges with their display names."""
    titles = {bridge: bridge_title(bridge) for bridge in FAULT_FIELDS}
    return titles | {bridge_controls.EXCHANGE: "Exchange"}


def list_active_faults(services: Services, caller: Principal, bridge: str) -> tuple[Detail, ...]:
    """The active faults of a bridge."""
    if services.bridge_sandbox is None:
        return ()
    faults = bridge_controls.get_faults(services, caller, bridge)
    fields = {**_CCTP, **_ACROSS, **_GATEWAY, **_RHINOFI, **FAULT_FIELDS[bridge]}
    return tuple(
        Detail(fields[name].active_label, Cell(_format_value(fields[name], value)))
        for name, value in faults.items()
    )


def build_body(bridge: str, name: str, typed: str | bool) -> dict[str, Any]:
    """The request body that sets one fault; `typed` is the form's input."""
    if FAULT_FIELDS[bridge][name].kind != "seconds":
        return {name: typed}
    text = str(typed).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput("Enter a whole number such as 600; 0 clears the fault")
    return {name: int(text)}


def _format_value(field: FaultField, value: object) -> str:
    if field.kind == "seconds" and isinstance(value, (int, float)):
        return format_duration(value)
    return ANSWERS.get(str(value), str(value)) if field.kind == "answer" else "yes"
