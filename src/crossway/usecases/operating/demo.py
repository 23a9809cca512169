"""Filling a simulated environment with demo data, and resetting it."""

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.ports.demo import NOT_INSTALLED, DemoData, DemoSummary, ReportProgress
from crossway.ports.services import Services

MIN_PAYMENTS, DEFAULT_PAYMENTS, MAX_PAYMENTS = 30, 150, 20_000


def _ignore_progress(fraction: float, step: str) -> None:
    """Ignore progress."""


def fill_demo(
    services: Services,
    caller: Principal,
    payments: int = DEFAULT_PAYMENTS,
    confirmed: bool = False,
    on_progress: ReportProgress = _ignore_progress,
) -> DemoSummary:
    """Replace all data by a generated month of about this many payments. Existing payments or
    orders require `confirmed`."""
    demo = _require_demo(services, caller)
    if not MIN_PAYMENTS <= payments <= MAX_PAYMENTS:
        raise InvalidInput(f"payments must be from {MIN_PAYMENTS} to {MAX_PAYMENTS}")
    _require_confirmation(demo, confirmed)
    summary = demo.generate(payments, on_progress)
    _finish(services, caller, "demo month filled", {"payments": summary.payments})
    return summary


def reset_simulation(
    services: Services, caller: Principal, confirmed: bool = False, keep_clients: bool = True
) -> None:
    """Delete all payments, orders, ledger entries and blocks. Staff and the audit log stay;
    clients and their keys stay with `keep_clients`."""
    demo = _require_demo(services, caller)
    _require_confirmation(demo, confirmed)
    demo.clear(keep_clients)
    _finish(services, caller, "simulated network emptied", {"clients kept": keep_clients})


def count_payments_and_orders(services: Services) -> tuple[int, int]:
    """The numbers of payments and of ramp orders; zero outside a simulated environment."""
    demo = services.find_demo()
    return demo.count_records() if demo else (0, 0)


def _require_demo(services: Services, caller: Principal) -> DemoData:
    caller.require_permission(Permission.MANAGE)
    if services.environment != "simulated":
        raise NotFound("Only a simulated environment can be filled or reset")
    demo = services.find_demo()
    if demo is None:
        raise NotFound(NOT_INSTALLED)
    return demo


def _require_confirmation(demo: DemoData, confirmed: bool) -> None:
    payments, orders = demo.count_records()
    if (payments or orders) and not confirmed:
        raise InvalidStatus(
            f"There are {payments:,} payments and {orders:,} ramp orders, which would be lost: "
            "confirm their deletion"
        )


def _finish(services: Services, caller: Principal, action: str, detail: dict[str, object]) -> None:
    now = services.clock.now()
    services.store.write(lambda unit: unit.audit_log.record(caller.actor_name, action, detail, now))
    services.process.api_keys.by_hash.clear()
    services.process.kill_switches.last_read = None
    services.process.wake()
