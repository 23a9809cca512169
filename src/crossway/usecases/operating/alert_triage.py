"""Who looks after an alert, and when: assigning alerts to staff, and snoozing them for a time."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Permission, can
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MAX_SNOOZE: Final = timedelta(days=30)


def list_assignees(services: Services, caller: Principal) -> list[str]:
    """The names of those to whom the caller may assign an alert: staff who may work on it, the
    caller first."""
    caller.require_permission(Permission.OPERATE)
    with services.store.read() as unit:
        return _list_assignees(unit, caller)


def assign_alerts(services: Services, caller: Principal, keys: Collection[str], name: str) -> int:
    """Assign alerts to a member of staff, or with an empty name to nobody; audited. They stay in
    the banner until they are acknowledged. Raises `InvalidInput` for a name that nobody has who
    may work on alerts. Returns how many got another owner."""
    caller.require_permission(Permission.OPERATE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> int:
        if name and name not in _list_assignees(unit, caller):
            raise InvalidInput("name must be that of a member of staff who may work on alerts")
        changed_keys = unit.alerts.assign(keys, name)
        _audit(unit, caller, "alerts assigned", changed_keys, now, name or "nobody")
        return len(changed_keys)

    return services.store.write(work)


def snooze_alerts(
    services: Services, caller: Principal, keys: Collection[str], until: datetime
) -> int:
    """Take alerts out of the banner until a time; audited. They stay listed, and come back by
    themselves. Raises `InvalidInput` unless it is in the next 30 days. Returns how many changed."""
    caller.require_permission(Permission.OPERATE)
    now = services.clock.now()
    if not now < until <= now + MAX_SNOOZE:
        raise InvalidInput(f"until must be in the next {MAX_SNOOZE.days} days")

    def work(unit: UnitOfWork) -> int:
        changed_keys = unit.alerts.snooze(keys, until)
        _audit(unit, caller, "alerts snoozed", changed_keys, now, until.isoformat())
        return len(changed_keys)

    return services.store.write(work)


def end_snooze(services: Services, caller: Principal, keys: Collection[str]) -> int:
    """Bring snoozed alerts back now; audited. Returns how many were snoozed."""
    caller.require_permission(Permission.OPERATE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> int:
        changed_keys = unit.alerts.snooze(keys, None)
        _audit(unit, caller, "snooze ended", changed_keys, now)
        return len(changed_keys)

    return services.store.write(work)


def _list_assignees(unit: UnitOfWork, caller: Principal) -> list[str]:
    own_name = caller.actor_name
    members = [
        m.name for m in unit.staff.list_all() if m.active and can(m.role, Permission.OPERATE)
    ]
    return [own_name, *sorted(name for name in members if name != own_name)]


def _audit(
    unit: UnitOfWork,
    caller: Principal,
    action: str,
    keys: Sequence[str],
    now: datetime,
    value: str = "",
) -> None:
    if keys:
        detail = {"alerts": list(keys)} | ({"to": value} if value else {})
        unit.audit_log.record(caller.actor_name, action, detail, now, f"alert:{keys[0]}")
