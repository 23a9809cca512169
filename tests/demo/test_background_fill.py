"""The demo month in the background: its progress, its end, and which data it may replace."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from crossway import bootstrap
from crossway.bootstrap import Service
from crossway.dashboard.views.first_view import create_test_payment
from crossway.domain.clients import Mode, Principal, Scope, staff_principal
from crossway.domain.errors import Forbidden, InvalidStatus
from crossway.domain.roles import Role
from crossway.ports.demo import DemoJob, DemoProgress, DemoStatus
from crossway.settings import Settings
from crossway.usecases.developers import api_keys
from crossway.usecases.operating import demo
from crossway_demo.demo.demo_dataset import DemoDataset
from tests.processes import wait_until

ADMIN = staff_principal("Ada")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A running service whose demo month is a single day."""
    built = bootstrap.build(Settings.model_construct(data_dir=tmp_path, database_url=None))
    api_keys.create_first_client(built.services, "test")
    dataset = built.services.find_demo()
    assert isinstance(dataset, DemoDataset)
    short = replace(dataset, days=1)
    built.services = replace(built.services, find_demo=lambda: short)
    built.run_engine()
    yield built
    built.close()


def job_of(service: Service) -> DemoJob:
    return service.services.process.demo_job


def create_payment(service: Service) -> None:
    with service.store.read() as unit:
        client = unit.api_keys.list_clients()[0]
    create_test_payment(service.services, Principal(client, Mode.TEST, frozenset(Scope)))


def test_the_progress_counts_payments_up_to_all_and_ends_with_the_month(service: Service) -> None:
    job, seen = job_of(service), list[DemoProgress]()
    demo.start_fill(service.services, ADMIN, 30)
    with pytest.raises(InvalidStatus, match="already"):
        demo.start_fill(service.services, ADMIN, 30)
    with pytest.raises(InvalidStatus, match="being generated"):
        demo.reset_simulation(service.services, ADMIN)

    def ended() -> bool:
        if job.progress not in seen:
            seen.append(job.progress)
        return not job.running

    wait_until("the month is ready", ended)
    assert (job.status, job.error) == (DemoStatus.DONE, "")
    assert job.summary is not None
    assert demo.count_payments_and_orders(service.services)[0] == job.summary.payments > 25
    planned = [progress for progress in seen if progress.total]
    assert [p.done for p in planned] == sorted(p.done for p in planned)
    assert planned[0].done < planned[-1].done == planned[-1].total
    assert [p.share for p in planned] == sorted(p.share for p in planned)


def test_a_cancelled_month_leaves_everything_as_before(service: Service) -> None:
    create_payment(service)
    demo.start_fill(service.services, ADMIN, 300, confirmed=True)
    job = job_of(service)
    wait_until("payments are played", lambda: job.progress.done > 0)
    demo.cancel_fill(service.services, ADMIN)
    wait_until("it ends", lambda: not job.running)
    assert (job.status, job.summary) == (DemoStatus.CANCELLED, None)
    assert demo.count_payments_and_orders(service.services) == (1, 0)
    assert service.runs_engine
    with service.store.read() as unit:
        actions = [action for _, _, action, _ in unit.audit_log.list_recent(50)]
    assert "demo month filled" not in actions


def test_data_is_replaced_only_with_a_confirmation_also_what_came_meanwhile(
    service: Service,
) -> None:
    demo.start_fill(service.services, ADMIN, 30)
    create_payment(service)
    job = job_of(service)
    wait_until("it ends", lambda: not job.running)
    assert job.status is DemoStatus.FAILED
    assert "would be lost" in job.error
    assert demo.count_payments_and_orders(service.services) == (1, 0)
    with pytest.raises(InvalidStatus, match="would be lost"):
        demo.start_fill(service.services, ADMIN, 30)


def test_a_payment_that_comes_while_the_engine_stops_is_kept(service: Service) -> None:
    dataset = service.services.find_demo()
    assert isinstance(dataset, DemoDataset)

    @contextmanager
    def pause_late() -> Iterator[None]:
        create_payment(service)
        with service.paused():
            yield

    late = replace(dataset, pause_engine=pause_late)
    services = replace(service.services, find_demo=lambda: late)
    with pytest.raises(InvalidStatus, match="would be lost"):
        demo.fill_demo(services, ADMIN, 30)
    assert demo.count_payments_and_orders(service.services) == (1, 0)


def test_the_audit_log_says_so_although_the_process_ends_right_after(service: Service) -> None:
    dataset = service.services.find_demo()
    assert isinstance(dataset, DemoDataset)

    @contextmanager
    def pause_and_die() -> Iterator[None]:
        with service.paused():
            yield
        raise SystemExit

    dying = replace(dataset, pause_engine=pause_and_die)
    services = replace(service.services, find_demo=lambda: dying)
    with pytest.raises(SystemExit):
        demo.fill_demo(services, ADMIN, 30)
    stored = demo.count_payments_and_orders(service.services)[0]
    assert stored > 25
    with service.store.read() as unit:
        [(_, actor, action, detail)] = unit.audit_log.list_recent(1)
    assert (actor, action, detail) == ("Ada", "demo month filled", {"payments": stored})
    with pytest.raises(SystemExit):
        demo.reset_simulation(services, ADMIN, confirmed=True)
    assert demo.count_payments_and_orders(service.services) == (0, 0)
    with service.store.read() as unit:
        assert unit.audit_log.list_recent(1)[0][2] == "simulated network emptied"


def test_the_end_of_the_process_ends_the_work_and_keeps_the_data(tmp_path: Path) -> None:
    settings = Settings.model_construct(data_dir=tmp_path, database_url=None)
    service = bootstrap.build(settings)
    api_keys.create_first_client(service.services, "test")
    service.run_engine()
    demo.start_fill(service.services, ADMIN, 300)
    service.close()
    assert job_of(service).status is DemoStatus.CANCELLED
    again = bootstrap.build(settings)
    assert demo.count_payments_and_orders(again.services) == (0, 0)
    assert not job_of(again).running
    again.close()


def test_only_an_admin_starts_and_cancels_it(service: Service) -> None:
    treasurer = staff_principal("Vera", Role.TREASURER)
    with pytest.raises(Forbidden):
        demo.start_fill(service.services, treasurer, 30)
    with pytest.raises(Forbidden):
        demo.cancel_fill(service.services, treasurer)
    assert job_of(service).status is DemoStatus.IDLE


def test_the_time_left_is_measured_from_the_pace() -> None:
    job = DemoJob(started_at=100.0, ended_at=110.0)
    assert job.seconds_left() is None
    job.progress = DemoProgress(50, 200, 0.25, "10 November")
    assert (job.seconds_elapsed(), job.seconds_left()) == (10.0, 30.0)
