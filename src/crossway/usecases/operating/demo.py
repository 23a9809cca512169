"""Filling a simulated environment with demo data, and resetting it."""

import logging
import time
from threading import Thread

from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError, InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.ports.demo import (
    NOT_INSTALLED,
    DemoData,
    DemoJob,
    DemoProgress,
    DemoStatus,
    DemoSummary,
    ReportProgress,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MIN_PAYMENTS, DEFAULT_PAYMENTS, MAX_PAYMENTS = 30, 150, 20_000
log = logging.getLogger("crossway.demo")


class _Cancelled(Exception):
    """The person who asked for the demo month no longer wants it."""


def _ignore_progress(progress: DemoProgress) -> None:
    """Ignore progress."""


def fill_demo(
    services: Services,
    caller: Principal,
    payments: int = DEFAULT_PAYMENTS,
    confirmed: bool = False,
    on_progress: ReportProgress = _ignore_progress,
) -> DemoSummary:
    """Replace all data by a generated month of about this many payments. Existing payments or
    orders require `confirmed`. What `on_progress` raises ends the work before anything is replaced.
    """
    demo = _require_demo(services, caller)
    if not MIN_PAYMENTS <= payments <= MAX_PAYMENTS:
        raise InvalidInput(f"payments must be from {MIN_PAYMENTS} to {MAX_PAYMENTS}")
    _require_confirmation(demo, confirmed)

    def report(progress: DemoProgress) -> None:
        on_progress(progress)
        # Somebody may have begun to work in what was empty at the start.
        _require_confirmation(demo, confirmed)

    def record(unit: UnitOfWork, stored: int) -> None:
        now, detail = services.clock.now(), {"payments": stored}
        unit.audit_log.record(caller.actor_name, "demo month filled", detail, now)

    summary = demo.generate(payments, report, record)
    _forget_former_data(services)
    return summary


def start_fill(
    services: Services,
    caller: Principal,
    payments: int = DEFAULT_PAYMENTS,
    confirmed: bool = False,
) -> None:
    """As `fill_demo`, in a thread: `services.process.demo_job` has its progress. Raises
    `InvalidStatus` while one is being generated already."""
    demo, job = _require_demo(services, caller), services.process.demo_job
    _require_confirmation(demo, confirmed)
    with job.lock:
        if job.running:
            raise InvalidStatus("A demo month is being generated already")
        job.status, job.progress, job.error = DemoStatus.RUNNING, DemoProgress(), ""
        job.started_at, job.ended_at, job.summary = time.monotonic(), None, None
        job.cancel_requested.clear()
        work = (services, caller, payments, confirmed)
        job.thread = Thread(target=_fill_in_background, args=work, name="demo", daemon=True)
        job.thread.start()


def cancel_fill(services: Services, caller: Principal) -> None:
    """End the generation of a demo month; everything stays as it was before."""
    _require_demo(services, caller)
    services.process.demo_job.cancel_requested.set()


def stop_fill(job: DemoJob, timeout_seconds: float = 30) -> None:
    """Cancel the generation and wait for its end, before the process closes its database."""
    job.cancel_requested.set()
    with job.lock:  # `start_fill` may be starting it: a thread not started cannot be joined
        thread = job.thread
    if thread is not None:
        thread.join(timeout_seconds)


def _fill_in_background(
    services: Services, caller: Principal, payments: int, confirmed: bool
) -> None:
    job = services.process.demo_job

    def on_progress(progress: DemoProgress) -> None:
        if job.cancel_requested.is_set():
            raise _Cancelled
        job.progress = progress

    status = DemoStatus.FAILED
    try:
        job.summary = fill_demo(services, caller, payments, confirmed, on_progress)
        status = DemoStatus.DONE
    except _Cancelled:
        status = DemoStatus.CANCELLED
    except DomainError as error:
        job.error = str(error)
    except Exception:
        log.exception("the demo month could not be generated")
        job.error = "It ended with an error: the log has the reason"
    finally:
        job.ended_at, job.status = time.monotonic(), status


def reset_simulation(
    services: Services, caller: Principal, confirmed: bool = False, keep_clients: bool = True
) -> None:
    """Delete all payments, orders, ledger entries and blocks. Staff and the audit log stay;
    clients and their keys stay with `keep_clients`."""
    demo = _require_demo(services, caller)
    _require_confirmation(demo, confirmed)
    if services.process.demo_job.running:
        raise InvalidStatus("A demo month is being generated: wait for its end or cancel it")

    def record(unit: UnitOfWork, _: int) -> None:
        now, detail = services.clock.now(), {"clients kept": keep_clients}
        unit.audit_log.record(caller.actor_name, "simulated network emptied", detail, now)

    demo.clear(keep_clients, record)
    _forget_former_data(services)


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


def _forget_former_data(services: Services) -> None:
    services.process.api_keys.by_hash.clear()
    services.process.kill_switches.last_read = None
    services.process.wake()
