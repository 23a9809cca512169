"""Kill switches: chains, bridges and routes that are not quoted or used for new intents, and chains
on which nothing may be paid in."""

import time
from collections.abc import Collection, Mapping

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import closed_sources
from crossway.usecases.staff.step_up import require_step_up

FRESH_SECONDS = 1.0
STOPPED = "stopped:signing"
"""The subject of the emergency stop, which `set_kill_switch` neither presses nor releases."""


def active_kill_switches(services: Services) -> Mapping[str, str]:
    """Disabled subjects with reasons; a subject is `chain:X`, `bridge:B` or `route:BRIDGE:A:B`, or
    `source:X` for a chain whose relayer could not settle what is paid in.

    Changes by other processes are seen within `FRESH_SECONDS`, those by this one at once.
    """
    cache, read_at = services.process.kill_switches, time.monotonic()
    epoch, cached = cache.epoch, cache.last_read
    if cached is not None and cached[0] is epoch and read_at - cached[1] <= FRESH_SECONDS:
        return cached[2]
    with services.store.read() as unit:
        active = unit.kill_switches.get_reasons() | closed_sources(services, unit)
    cache.last_read = epoch, read_at, active
    return active


def set_kill_switch(
    services: Services, caller: Principal, subject: str, off: bool, reason: str
) -> None:
    """Disable or enable a chain, bridge or route, with a reason; audited."""
    caller.require_permission(Permission.SWITCH_ROUTES)
    require_step_up(services, caller.session)
    kind, _, target = subject.partition(":")
    if kind not in ("chain", "bridge", "route") or not target:
        raise InvalidInput("subject must be chain:X, bridge:B or route:BRIDGE:A:B")
    if off and not reason.strip():
        raise InvalidInput("reason must say why this is disabled")
    now = services.clock.now()
    action = "disabled" if off else "enabled"

    def work(unit: UnitOfWork) -> None:
        before = unit.kill_switches.get_reasons().get(subject)
        unit.kill_switches.set(subject, off, reason.strip(), caller.actor_name, now)
        detail = {"subject": subject, "reason": reason}
        unit.audit_log.record(
            caller.actor_name,
            action,
            detail,
            now,
            subject,
            {"off": before is not None, "reason": before or ""},
            {"off": off, "reason": reason.strip() if off else ""},
        )

    services.store.write(work)
    services.process.kill_switches.epoch = object()


def is_chain_disabled(disabled: Collection[str], chain: str) -> bool:
    """Whether this chain must not be used as source or destination."""
    return f"chain:{chain}" in disabled


def is_source_disabled(disabled: Collection[str], chain: str) -> bool:
    """Whether nothing may be paid in on this chain."""
    return is_chain_disabled(disabled, chain) or f"source:{chain}" in disabled


def is_route_disabled(
    disabled: Collection[str], bridge: BridgeName, source: str, destination: str
) -> bool:
    """Whether this bridge must not be used in this direction."""
    return f"bridge:{bridge}" in disabled or f"route:{bridge}:{source}:{destination}" in disabled
