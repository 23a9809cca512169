"""A database that cannot be written: 503 in each shape, and readiness is red until it can."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crossway import bootstrap
from crossway.bootstrap import Service
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from crossway.usecases.operating import alerts
from tests.api.conftest import INTENT, Api, new_key
from tests.storage.test_availability import free_disk, shorten_patience
from tests.storage.test_commit_counter import limit_pages

MESSAGE = "The service cannot store anything at the moment. Please try again later."
UNREADY = "The database is unavailable or its schema is of another version."


@contextmanager
def locked(service: Service) -> Iterator[None]:
    """Another program holds the database; nobody waits long for it."""
    shorten_patience(service.store)
    with closing(sqlite3.connect(str(service.store.writer.url.database))) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_database_that_cannot_be_written_is_503_and_not_ready(api: Api) -> None:
    address = api.create().json()["intent_address"]
    with locked(api.service):
        refused = api.create()
        assert (refused.status_code, refused.json()) == (
            503,
            {"statusCode": 503, "message": MESSAGE, "code": "storage_unavailable"},
        )
        assert refused.headers["retry-after"] == "5"
        with_key = api.post("/intents", INTENT, idempotency_key="once")
        assert (with_key.status_code, with_key.json()["message"]) == (503, MESSAGE)
        triggered = api.post(f"/intents/{address}/trigger-processing")
        assert (triggered.status_code, triggered.json()) == (
            503,
            {"success": False, "message": MESSAGE, "code": "storage_unavailable"},
        )
        # What is stored is still answered.
        assert api.get(f"/intents/address/{address}").status_code == 200
        assert api.http.get("/api/readyz").status_code == 503
        assert api.http.get("/api/readyz").json() == {
            "statusCode": 503,
            "message": UNREADY,
            "code": "storage_unavailable",
        }
        assert api.http.get("/api/healthz").status_code == 200
    assert api.http.get("/api/readyz").status_code == 200
    assert api.post("/intents", INTENT, idempotency_key="once").status_code == 201


def test_a_full_disk_is_503_and_what_was_acknowledged_stays(api: Api) -> None:
    limit_pages(api.service.store)
    created = []
    for _ in range(1_000):
        response = api.create()
        if response.status_code != 201:
            break
        created.append(response.json()["intent_address"])
    assert (response.status_code, response.json()["message"]) == (503, MESSAGE)
    free_disk(api.service.store)
    assert api.create().status_code == 201
    assert {api.get(f"/intents/address/{a}").status_code for a in created} <= {200}


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.write_text("")
    folder = in_the_way / "data"
    with pytest.raises(SetupError) as refused:
        bootstrap.build(Settings(_env_file=None, data_dir=folder, database_url=None))  # type: ignore[call-arg]
    sentence = str(refused.value)
    assert sentence.startswith(f"{folder} cannot be written (Not a directory).")
    assert "set CROSSWAY_DATA_DIR to another folder" in sentence


def test_a_start_reports_commits_that_are_gone(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, database_url=None)  # type: ignore[call-arg]
    bootstrap.build(settings).close()
    older = (tmp_path / "crossway.db").read_bytes()
    later = bootstrap.build(settings)
    new_key(later)
    later.close()
    assert active_kinds(settings) == []
    (tmp_path / "crossway.db").write_bytes(older)
    assert active_kinds(settings) == ["lost_commits"]
    assert active_kinds(settings) == ["lost_commits"], "until somebody resolves it"


def active_kinds(settings: Settings) -> list[str]:
    service: Service = bootstrap.build(settings)
    try:
        with service.store.read() as unit:
            active = unit.alerts.list_active()
        assert all(alerts.describe_kind(alert.kind).resolved_manually for alert in active)
        return [alert.kind for alert in active]
    finally:
        service.close()
