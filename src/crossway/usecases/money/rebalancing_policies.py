"""Rebalancing policies and settings: what to hold where, within which limits, and the switch."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import time
from typing import Any, Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.ledger import UNIFIED_TOKEN, is_unified, unified_location
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    Location,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
)
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.step_up import require_step_up
from crossway.usecases.validation_errors import ValidationErrors

CONFIRMATION: Final = "Crossway moves our inventory by itself"
"""What a person types to switch automatic rebalancing on."""
MAX_PRIORITY: Final = 99
_UNIFIED_LOCATIONS: Final = (unified_location(testnet=False), unified_location(testnet=True))
_LOCK: Final = "rebalancing settings"
_LIMITS: Final = {f.name for f in fields(RebalancingSettings)} - {"mode"}
_MAX_USD: Final = 10**15
_APPROVAL: Final = "approve_above_micro_usd"
_AUDIT_NAMES: Final = {"begins_at": "from", "ends_at": "until"}
# The least and the most of each number among the settings.
_RANGES: Final = {
    "max_cost_bps": (0, 1_000),
    "max_cost_day_micro_usd": (0, _MAX_USD),
    "smallest_micro_usd": (0, _MAX_USD),
    "largest_micro_usd": (1, _MAX_USD),
    "max_open_per_bridge": (1, 50),
    "cool_down_seconds": (0, 86_400),
    _APPROVAL: (0, _MAX_USD),
}


def find_location(services: Services, chain: str, symbol: str) -> Location:
    """The location of a token by the identifier of its chain, such as `BASE_MAINNET`, or of a
    unified balance; raises `InvalidInput`."""
    if is_unified(chain):
        if chain not in _UNIFIED_LOCATIONS or symbol != UNIFIED_TOKEN:
            raise InvalidInput(f"token: {symbol} is not available at {chain}")
        return chain, UNIFIED_TOKEN
    token = services.catalogue.token(services.catalogue.chain(chain).id, symbol)
    return token.chain, token.address


def list_policies(services: Services, caller: Principal) -> list[RebalancingPolicy]:
    """The policies that people have set, by location."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.rebalancing.list_policies()


def set_policy(
    services: Services,
    caller: Principal,
    location: Location,
    minimum: int,
    target: int,
    maximum: int | None,
    priority: int = 1,
) -> RebalancingPolicy:
    """Set what to hold at a location, in smallest units; without a `maximum`, nothing is too much.
    Locations of a lower priority are filled first. Audited."""
    _require_treasurer(services, caller)
    most = NO_MAXIMUM if maximum is None else maximum
    _check_amounts(minimum, target, most, priority)
    now = services.clock.now()
    policy = RebalancingPolicy(*location, minimum, target, most, priority, caller.actor_name, now)

    def work(unit: UnitOfWork) -> None:
        before = _find_policy(unit, location)
        unit.rebalancing.set_policy(policy)
        _audit_policy(unit, policy, "rebalancing policy set", before, policy)

    services.store.write(work)
    return policy


def delete_policy(services: Services, caller: Principal, location: Location) -> None:
    """Delete the policy of a location, which then follows from its target again. Audited. Raises
    `NotFound` where there is none."""
    _require_treasurer(services, caller)

    def work(unit: UnitOfWork) -> None:
        before = _find_policy(unit, location)
        if before is None:
            raise NotFound("There is no policy for this location")
        unit.rebalancing.delete_policy(*location)
        ended = replace(before, by=caller.actor_name, at=services.clock.now())
        _audit_policy(unit, ended, "rebalancing policy deleted", before, None)

    services.store.write(work)


def get_settings(services: Services, caller: Principal) -> RebalancingSettings:
    """The limits of rebalancing as they apply here, and whether it acts."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        settings = unit.rebalancing.get_settings()
    return replace(settings, approve_above_micro_usd=approval_limit(services, settings))


def approval_limit(services: Services, settings: RebalancingSettings) -> int:
    """Above how many millionths of USD a person approves a transfer: no more than the installation
    asks a second person for, so that nobody gets around that by raising the setting."""
    of_installation = services.policy.controls.second_person_micro_usd
    limit = settings.approve_above_micro_usd
    return limit if of_installation is None else min(limit, of_installation)


def set_mode(
    services: Services, caller: Principal, mode: RebalancingMode, confirmation: str = ""
) -> None:
    """Switch rebalancing. AUTOMATIC needs `CONFIRMATION`, typed by the person. Audited."""
    _require_treasurer(services, caller)
    if mode is RebalancingMode.AUTOMATIC and not _is_confirmed(confirmation):
        raise InvalidInput(f"confirmation must be the sentence: {CONFIRMATION}")
    _change(services, caller, {"mode": mode})
    services.process.wake()


def set_limits(services: Services, caller: Principal, changes: Mapping[str, Any]) -> None:
    """Change some of the settings by the names of their fields, all but the mode. Audited. Raises
    `InvalidInput` naming the field."""
    _require_treasurer(services, caller)
    if unknown := changes.keys() - _LIMITS:
        raise InvalidInput(f"{min(unknown)} is not a limit of rebalancing")
    _require_within_installation(services, changes)
    _change(services, caller, changes)


def pause(services: Services, caller: Principal) -> None:
    """Let no transfer begin and nothing more leave for those that are open; audited. Every operator
    can, at once; a treasurer ends it with `set_mode`."""
    caller.require_permission(Permission.SWITCH_ROUTES)

    _change(services, caller, {"mode": RebalancingMode.PAUSED})


def _require_treasurer(services: Services, caller: Principal) -> None:
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)


def _is_confirmed(typed: str) -> bool:
    return typed.strip().rstrip(".").casefold() == CONFIRMATION.casefold()


def _check_amounts(minimum: int, target: int, maximum: int, priority: int) -> None:
    errors = ValidationErrors()
    if minimum < 0:
        errors.add("minimum must be zero or more")
    if target < minimum:
        errors.add("target must not be less than the minimum")
    if target > NO_MAXIMUM:
        errors.add("target is too large")
    elif maximum < target:
        errors.add("maximum must not be less than the target")
    if maximum > NO_MAXIMUM:
        errors.add("maximum is too large: leave it out if nothing is too much")
    if not 1 <= priority <= MAX_PRIORITY:
        errors.add(f"priority must be 1 to {MAX_PRIORITY}")
    errors.raise_if_any()


def _check_settings(settings: RebalancingSettings) -> None:
    errors = ValidationErrors()
    for name, (least, most) in _RANGES.items():
        if not least <= getattr(settings, name) <= most:
            errors.add(f"{name} must be {least:,} to {most:,}")
    if settings.largest_micro_usd < settings.smallest_micro_usd:
        errors.add("largest_micro_usd must not be less than smallest_micro_usd")
    errors.raise_if_any()


def _require_within_installation(services: Services, changes: Mapping[str, Any]) -> None:
    most, asked = services.policy.controls.second_person_micro_usd, changes.get(_APPROVAL)
    if most is not None and asked is not None and asked > most:
        limit = format_units(most, MICRO_USD_DECIMALS, 2)
        raise InvalidInput(
            f"{_APPROVAL} must be at most {limit} USD: above that, this installation asks a second "
            "person (CROSSWAY_SECOND_PERSON_ABOVE_USD)"
        )


def _change(services: Services, caller: Principal, changes: Mapping[str, Any]) -> None:
    """Change some of the settings as they are stored, checked together with the others."""

    def work(unit: UnitOfWork) -> None:
        unit.leases.lock(_LOCK)
        before = unit.rebalancing.get_settings()
        settings = replace(before, **changes)
        _check_settings(settings)
        if settings != before:
            unit.rebalancing.save_settings(settings)
            _audit_settings(unit, services, caller, before, settings)

    services.store.write(work)


def _audit_settings(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    before: RebalancingSettings,
    settings: RebalancingSettings,
) -> None:
    values = (_audit_values(before), _audit_values(settings))
    changed = [name for name in values[0] if values[0][name] != values[1][name]]
    old, new = ({name: of[name] for name in changed} for of in values)
    now = services.clock.now()
    action = "rebalancing settings changed"
    unit.audit_log.record(caller.actor_name, action, {}, now, "rebalancing", old, new)


def _audit_values(settings: RebalancingSettings) -> dict[str, Any]:
    """The settings as people read them: amounts in USD, times of day."""
    values: dict[str, Any] = {}
    for field in fields(settings):
        name, value = field.name, getattr(settings, field.name)
        if name.endswith("_micro_usd"):
            value = format_units(value, MICRO_USD_DECIMALS, 2)
        elif isinstance(value, time):
            value = f"{value:%H:%M}"
        values[_AUDIT_NAMES.get(name, name.replace("_micro_usd", "_usd"))] = value
    return values


def _find_policy(unit: UnitOfWork, location: Location) -> RebalancingPolicy | None:
    return next((p for p in unit.rebalancing.list_policies() if p.location == location), None)


def _audit_policy(
    unit: UnitOfWork,
    policy: RebalancingPolicy,
    action: str,
    before: RebalancingPolicy | None,
    after: RebalancingPolicy | None,
) -> None:
    subject, detail = f"place:{policy.chain}", {"token": policy.token}
    fields_of = [_audit_fields(of) for of in (before, after)]
    unit.audit_log.record(policy.by, action, detail, policy.at, subject, *fields_of)


def _audit_fields(policy: RebalancingPolicy | None) -> dict[str, Any]:
    if policy is None:
        return {}
    amounts = {name: str(getattr(policy, name)) for name in ("minimum", "target", "maximum")}
    return amounts | {"priority": policy.priority}
