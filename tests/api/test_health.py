"""Whether a process lives and whether it can work."""

import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text
from starlette.testclient import TestClient

from crossway.api.health import MOST_QUIET_SECONDS, probes
from crossway.bootstrap import Service
from crossway.ports.process import Pulse
from crossway.ports.services import Services
from tests.api.conftest import new_service

TABLES = "The database does not answer, or lacks tables of this version."


def ready(services: Services) -> tuple[int, str]:
    with TestClient(probes(services)) as http:
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
    assert list(service.store.ping()) == [
        "the tables are of migration 0001, not 0003: a start of Crossway changes them"
    ]
    service.close()


def test_a_process_whose_engine_hangs_is_not_ready(service: Service) -> None:
    hanging = Pulse()
    hanging.begin()
    services = replace(service.services, pulse=hanging)
    assert ready(services) == (200, "")
    hanging.since -= MOST_QUIET_SECONDS + 1
    status, said = ready(services)
    assert status == 503
    assert said.startswith("The engine has ended no pass for 6")
    hanging.passed = time.monotonic()
    assert ready(services) == (200, "")


def test_a_process_without_an_engine_needs_no_pass(service: Service) -> None:
    services = replace(service.services, pulse=Pulse(since=-1e9))
    assert ready(services) == (200, "")


def test_the_engine_tells_of_each_pass(service: Service) -> None:
    pulse = service.services.pulse
    before = pulse.passed
    service.engine.tick()
    assert pulse.passed > before
    assert "BASE_MAINNET" in pulse.heads
