"""Liveness and readiness of a process."""

import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text
from starlette.testclient import TestClient

from crossway.api.health import MAX_SECONDS_SINCE_PASS, create_probe_app
from crossway.bootstrap import Service
from crossway.ports.process import EngineHealth
from crossway.ports.services import Services
from tests.api.conftest import new_service

TABLES = "The database is unavailable or its schema is of another version."


def ready(services: Services) -> tuple[int, str]:
    with TestClient(create_probe_app(services)) as http:
        assert http.get("/healthz").json() == {"status": "ok"}
        answer = http.get("/readyz")
    return answer.status_code, answer.json().get("message", "")


def test_a_process_is_ready_when_the_database_answers(service: Service) -> None:
    assert ready(service.services) == (200, "")


def test_a_process_is_not_ready_on_tables_of_another_version(tmp_path: Path) -> None:
    service = new_service(tmp_path)
    with service.store.writer.begin() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert ready(service.services) == (503, TABLES)
    (problem,) = service.store.ping()
    assert problem.startswith("the database is of migration 0001, which this version")
    service.close()


def test_a_process_whose_engine_hangs_is_not_ready(service: Service) -> None:
    hanging = EngineHealth()
    hanging.start()
    services = replace(service.services, process=replace(service.services.process, engine=hanging))
    assert ready(services) == (200, "")
    hanging.started_at -= MAX_SECONDS_SINCE_PASS + 1
    status, detail = ready(services)
    assert status == 503
    assert detail.startswith("The engine has not completed a pass for 6")
    hanging.last_pass_at = time.monotonic()
    assert ready(services) == (200, "")


def test_a_process_without_an_engine_needs_no_pass(service: Service) -> None:
    services = replace(
        service.services,
        process=replace(service.services.process, engine=EngineHealth(started_at=-1e9)),
    )
    assert ready(services) == (200, "")


def test_the_engine_reports_each_pass(service: Service) -> None:
    pulse = service.services.process.engine
    before = pulse.last_pass_at
    service.engine.tick()
    assert pulse.last_pass_at > before
    assert "BASE_MAINNET" in pulse.heads
