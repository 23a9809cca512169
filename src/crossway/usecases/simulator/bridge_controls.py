"""Controls of the simulated bridges, and of the exchange before them: their faults."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import NotFound
from crossway.domain.quotes import BridgeName
from crossway.domain.roles import Permission
from crossway.ports.sandbox import WRONG_ANSWERS, BridgeFaults, BridgeSandbox
from crossway.ports.services import Services
from crossway.usecases.simulator.fault_fields import parse_boolean, parse_choice, parse_number
from crossway.usecases.validation_errors import ValidationErrors

EXCHANGE: Final = "EXCHANGE"
"""The exchange on which starts swap deposits; paused, it sells nothing."""
BRIDGES: Final = (
    *(BridgeName.ACROSS.value, BridgeName.CCTP.value),
    *(BridgeName.GATEWAY.value, BridgeName.RHINOFI.value, EXCHANGE),
)
MAX_SECONDS: Final = 30 * 86_400
_NO_FAULTS: Final = BridgeFaults(
    late_seconds=0.0,
    exhausted_allowance=False,
    expired_messages=False,
    unfilled_deposits=False,
    paused=False,
    wrong_answer="",
    silent=False,
    refused=False,
    unexecuted=False,
    returned=False,
)


def inject_faults(
    services: Services, caller: Principal, bridge: object, body: Mapping[str, Any]
) -> Mapping[str, object]:
    """Change the faults of a simulated bridge and return those now active. Omitted settings stay
    unchanged."""
    sandbox = _require_sandbox(services, caller)
    errors = ValidationErrors()
    name = errors.collect(parse_choice, "bridge", bridge, BRIDGES)
    for unknown in sorted(set(body) - set(_SETTINGS)):
        errors.add(f"{unknown} is not a setting: expected {', '.join(_SETTINGS)}")
    if not body:
        errors.add(f"one of {', '.join(_SETTINGS)} must be given")
    values: dict[str, Any] = {}
    for setting in body.keys() & _SETTINGS.keys():
        field, parse_value = _SETTINGS[setting]
        values[field] = errors.collect(parse_value, setting, body[setting])
    errors.raise_if_any()
    assert name is not None
    sandbox.inject_faults(name, BridgeFaults(**values))
    services.process.wake()
    return _describe_faults(sandbox, name)


def get_faults(services: Services, caller: Principal, bridge: object) -> Mapping[str, object]:
    """The active faults of a bridge, by the names that `inject_faults` takes."""
    sandbox = _require_sandbox(services, caller, Permission.VIEW)
    return _describe_faults(sandbox, parse_choice("bridge", bridge, BRIDGES))


def end_faults(sandbox: BridgeSandbox | None) -> int:
    """End all faults of all bridges; returns how many bridges had any."""
    if sandbox is None:
        return 0
    active = [bridge for bridge in BRIDGES if sandbox.faults(bridge)]
    for bridge in active:
        sandbox.inject_faults(bridge, _NO_FAULTS)
    return len(active)


def _describe_faults(sandbox: BridgeSandbox, bridge: str) -> Mapping[str, object]:
    faults = sandbox.faults(bridge)
    return {name: faults[field] for name, (field, _) in _SETTINGS.items() if field in faults}


def _require_sandbox(
    services: Services, caller: Principal, permission: Permission = Permission.OPERATE
) -> BridgeSandbox:
    if services.bridge_sandbox is None:
        raise NotFound("Not found")
    caller.require_scope(Scope.WRITE, permission)
    return services.bridge_sandbox


# By name on the wire: the field of `BridgeFaults`, and the parser of its value.
_SETTINGS: Final[Mapping[str, tuple[str, Callable[[str, object], object]]]] = {
    "lateSeconds": ("late_seconds", partial(parse_number, minimum=0, maximum=MAX_SECONDS)),
    "exhaustedAllowance": ("exhausted_allowance", parse_boolean),
    "expiredMessages": ("expired_messages", parse_boolean),
    "unfilledDeposits": ("unfilled_deposits", parse_boolean),
    "paused": ("paused", parse_boolean),
    "wrongAnswer": ("wrong_answer", partial(parse_choice, choices=("", *WRONG_ANSWERS))),
    "silent": ("silent", parse_boolean),
    "refused": ("refused", parse_boolean),
    "unexecuted": ("unexecuted", parse_boolean),
    "returned": ("returned", parse_boolean),
}
