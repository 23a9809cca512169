"""Exports over HTTP: jobs, their files behind signed links, limits, and work that is carried on."""

import csv
import io
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from sqlalchemy import text

from crossway.domain.clients import Mode, Scope
from crossway.domain.public_ids import RecordKind
from crossway.usecases.exports.writing import (
    CHUNKS_PER_TURN,
    LEASE,
    open_source,
    run_next,
    write_chunk,
)
from tests.api.conftest import Api, new_key
from tests.api.ramp_requests import create_order
from tests.api.test_list_filters import OTHER_WALLET
from tests.record_numbers import record_id

# Lets the next export get a number.
GIVE_AGAIN = {
    "sqlite": "UPDATE sqlite_sequence SET seq = :number - 1 WHERE name = 'exports'",
    "postgresql": "SELECT setval(pg_get_serial_sequence('exports', 'id'), :number, false)",
}


@pytest.fixture
def api(api_on_each: Api) -> Api:
    return api_on_each


def export(api: Api, resource: str = "intents", **more: Any) -> Any:
    answer = api.post("/exports", {"resource": resource, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def finish(api: Api, job: Any) -> Any:
    while run_next(api.service.services):
        pass
    return api.get(f"/exports/{job['id']}").json()


def has_chunk(api: Api, number: int) -> bool:
    with api.service.services.store.read() as unit:
        return unit.exports.get_chunk(number, 0) is not None


def download(api: Api, job: Any) -> Any:
    """The file, fetched without a key."""
    return api.http.get(job["url"])


def rows(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_an_export_has_exactly_the_records_of_its_creation(api: Api) -> None:
    made = [api.create().json()["id"] for _ in range(3)]
    job = export(api)
    assert (job["status"], job["progress"], job["rows"], job["url"]) == ("pending", 0, 0, None)
    api.create()
    done = finish(api, job)
    assert (done["status"], done["progress"], done["rows"]) == ("completed", 100, 3)
    answer = download(api, done)
    assert [int(row["id"]) for row in rows(answer)] == made[::-1]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert int(answer.headers["content-length"]) == done["size"] == len(answer.content)
    assert answer.headers["content-disposition"].startswith('attachment; filename="intents-')
    [listed] = api.get("/exports").json()["exports"]
    assert listed == done


def test_times_are_written_as_in_every_answer(api: Api) -> None:
    """wire.md §1, times."""
    intent, order = api.create().json(), create_order(api)
    [*_, paid] = rows(download(api, finish(api, export(api))))
    [ordered] = rows(download(api, finish(api, export(api, "ramp_orders"))))
    for name in ("created_at", "updated_at", "expires_at"):
        assert paid[name] == intent[name]
    assert (ordered["created_at"], ordered["completed_at"]) == (order["createdAt"], "")


def test_filters_and_formats_are_those_of_the_lists(api: Api) -> None:
    api.create()
    other = api.create(recipient=OTHER_WALLET).json()["id"]
    job = export(api, format="json", filters={"recipient": OTHER_WALLET, "status": "pending"})
    answer = download(api, finish(api, job))
    assert answer.headers["content-type"] == "application/json"
    assert [row["id"] for row in answer.json()] == [other]
    empty = finish(api, export(api, format="json", filters={"status": "completed"}))
    assert (empty["rows"], download(api, empty).json()) == (0, [])
    nothing = finish(api, export(api, filters={"created_before": "2020-01-01"}))
    assert rows(download(api, nothing)) == []


def test_orders_and_deliveries_are_exported_too(api: Api) -> None:
    order = create_order(api)
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
    delivery = api.post(f"/webhooks/{webhook}/test").json()
    [row] = rows(download(api, finish(api, export(api, "ramp_orders"))))
    assert (int(row["id"]), row["fiat_currency"]) == (order["id"], "NGN")
    job = export(api, "deliveries", filters={"webhook_id": webhook, "state": "due"})
    [row] = rows(download(api, finish(api, job)))
    assert (int(row["id"]), row["event_id"]) == (delivery["id"], delivery["event_id"])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "resource is required"),
        ({"resource": "secrets"}, "resource must be one of intents, ramp_orders, deliveries"),
        ({"resource": "intents", "format": "xlsx"}, "format must be one of csv, json"),
        (
            {"resource": "intents", "filters": {"state": "due"}},
            "filters of intents must name some of",
        ),
        ({"resource": "intents", "filters": {"status": "lost"}}, "status must be one of"),
        ({"resource": "intents", "filters": {"status": 5}}, "filters: status must be a text"),
        ({"resource": "intents", "filters": []}, "filters must be a JSON object"),
        ({"resource": "ramp_orders", "filters": {"provider": "X"}}, "provider must be one of"),
        ({"resource": "deliveries"}, "filters must have webhook_id"),
        ({"resource": "deliveries", "filters": {"webhook_id": "x"}}, "must be a record number"),
        ({"resource": "intents", "filters": {"reference": "a\0b"}}, "must not contain NUL"),
    ],
)
def test_what_cannot_be_exported_is_refused(api: Api, body: Any, sentence: str) -> None:
    answer = api.post("/exports", body)
    assert answer.status_code == 400
    assert sentence in answer.json()["message"]
    names = ("filters", "format", "resource")
    assert answer.json()["param"] == next(n for n in names if n in body or n in sentence)
    assert api.get("/exports").json()["exports"] == []


def test_a_link_is_valid_as_it_was_made_until_it_expires(api: Api) -> None:
    api.create()
    done = finish(api, export(api))
    link = urlsplit(done["url"])
    query = dict(parse_qsl(link.query))
    path = f"{link.scheme}://{link.netloc}{link.path}"
    later = str(int(query["expires"]) + 3_600)
    another = export(api)
    for changed in (
        {"expires": later}, {"signature": "0" * 64}, {"signature": ""}, {"expires": "x"},
    ):  # fmt: skip
        assert api.http.get(path, params={**query, **changed}).status_code == 404
    assert api.http.get(path).status_code == 404
    strange = path.replace(str(done["id"]), str(another["id"]))
    assert api.http.get(strange, params=query).status_code == 404
    assert api.http.get(path.replace(str(done["id"]), "x" * 30), params=query).status_code == 400
    assert api.http.get(path, params=query).status_code == 200
    api.post("/sandbox/clock", {"advanceSeconds": 24 * 3_600 + 1})
    assert api.http.get(path, params=query).status_code == 404
    assert api.get(f"/exports/{done['id']}").status_code == 404
    number = record_id(api.service.services, RecordKind.EXPORT, done["id"])
    while finish(api, another) and has_chunk(api, number):
        pass


def test_a_link_opens_no_later_export_of_the_same_number(api: Api) -> None:
    """Numbers come again in a database that was restored from an older backup."""
    api.create()
    first = finish(api, export(api))
    api.http.delete(f"/api/v1/exports/{first['id']}", headers=api.headers())
    other = Api(api.http, api.service, *new_key(api.service))
    other.create()
    next_number = finish(other, export(other))
    assert next_number["id"] != first["id"], "no number is given again"
    other.http.delete(f"/api/v1/exports/{next_number['id']}", headers=other.headers())
    number = record_id(api.service.services, RecordKind.EXPORT, first["id"])
    with api.service.store.writer.begin() as db:
        db.execute(text(GIVE_AGAIN[db.dialect.name]), {"number": number})
    again = finish(other, export(other))
    assert again["id"] == first["id"]
    assert rows(download(other, again)) != []
    assert download(api, first).status_code == 404


@pytest.mark.parametrize("format", ["csv", "json"])
def test_another_process_goes_on_where_a_killed_one_stopped(api: Api, format: str) -> None:
    made = [api.create().json()["id"] for _ in range(7)]
    job, services = export(api, format=format), api.service.services
    machine = services.clock.machine()
    leased = services.store.write(lambda unit: unit.exports.lease_next(machine, machine + LEASE))
    assert leased is not None
    assert leased.id == record_id(services, RecordKind.EXPORT, job["id"])
    stopped = write_chunk(services, open_source(services, leased), leased, 2)
    assert stopped is not None
    running = api.get(f"/exports/{job['id']}").json()
    assert (running["status"], running["rows"], running["url"]) == ("running", 2, None)
    assert 0 < running["progress"] < 100
    assert run_next(services) == 0, "nobody else has it while it is leased"
    ended_lease = replace(stopped, leased_until=machine - timedelta(seconds=1))
    services.store.write(lambda unit: unit.exports.save(stopped, ended_lease))
    assert run_next(services, 2) == 1
    done = api.get(f"/exports/{job['id']}").json()
    answer = download(api, done)
    found = answer.json() if format == "json" else rows(answer)
    assert [int(row["id"]) for row in found] == made[::-1]
    assert write_chunk(services, open_source(services, stopped), stopped, 2) is None


def test_a_process_whose_lease_another_has_stores_nothing(api: Api) -> None:
    made, job, services = api.create().json()["id"], export(api), api.service.services
    machine = services.clock.machine()
    paused = services.store.write(lambda unit: unit.exports.lease_next(machine, machine))
    until = machine + LEASE
    leased = services.store.write(lambda unit: unit.exports.lease_next(machine, until))
    assert paused is not None
    assert leased is not None
    assert write_chunk(services, open_source(services, paused), paused, 500) is None
    assert write_chunk(services, open_source(services, leased), leased, 500) is not None
    done = api.get(f"/exports/{job['id']}").json()
    assert [int(row["id"]) for row in rows(download(api, done))] == [made]


def test_a_process_that_stood_still_ends_no_completed_export(api: Api) -> None:
    """The webhook of its export was deleted meanwhile."""
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
    api.post(f"/webhooks/{webhook}/test")
    job, services = export(api, "deliveries", filters={"webhook_id": webhook}), api.service.services

    class PausedStore:
        """A store whose process stands still when it has leased an export."""

        def __init__(self) -> None:
            self._writes = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(services.store, name)

        def write(self, work: Any) -> Any:
            result = services.store.write(work)
            self._writes += 1
            if self._writes == 2:  # The first one deleted what has expired.
                over = replace(result, leased_until=services.clock.machine())
                services.store.write(lambda unit: unit.exports.save(result, over))
                assert run_next(services) == 1
                api.http.delete(f"/api/v1/webhooks/{webhook}", headers=api.headers())
            return result

    paused: Any = PausedStore()
    run_next(replace(services, store=paused))
    done = api.get(f"/exports/{job['id']}").json()
    assert (done["status"], done["error"]) == ("completed", None)
    assert len(rows(download(api, done))) == 1


def test_the_limits_of_a_client_hold(api: Api) -> None:
    for _ in range(3):
        export(api)
    refused = api.post("/exports", {"resource": "intents"})
    assert (refused.status_code, refused.json()["code"]) == (400, "limit_reached")
    assert "wait until one ends" in refused.json()["message"]
    for _ in range(17):
        while run_next(api.service.services):
            pass
        export(api)
    while run_next(api.service.services):
        pass
    refused = api.post("/exports", {"resource": "intents"})
    assert "at most 20 exports" in refused.json()["message"]
    first = api.get("/exports", limit=15).json()
    rest = api.get("/exports", limit=15, cursor=first["next_cursor"]).json()
    assert (len(first["exports"]), len(rest["exports"]), rest["next_cursor"]) == (15, 5, None)
    path = f"/api/v1/exports/{rest['exports'][0]['id']}"
    assert api.http.delete(path, headers=api.headers()).status_code == 204
    assert api.get("/exports").json()["next_cursor"] is None
    export(api)


def test_files_take_no_more_than_their_share_of_the_disk(api: Api) -> None:
    done = finish(api, export(api))
    number = record_id(api.service.services, RecordKind.EXPORT, done["id"])
    with api.service.store.writer.begin() as db:
        large = text("UPDATE exports SET byte_count = 500000000 WHERE id = :number")
        db.execute(large, {"number": number})
    refused = api.post("/exports", {"resource": "intents"})
    assert (refused.status_code, refused.json()["code"]) == (400, "limit_reached")
    assert "at most 500 MB" in refused.json()["message"]
    api.http.delete(f"/api/v1/exports/{done['id']}", headers=api.headers())
    export(api)


def test_a_deleted_export_has_no_file(api: Api) -> None:
    api.create()
    done = finish(api, export(api))
    api.http.delete(f"/api/v1/exports/{done['id']}", headers=api.headers())
    assert download(api, done).status_code == 404
    assert api.get(f"/exports/{done['id']}").json()["code"] == "export_not_found"


def test_an_export_that_is_deleted_while_it_is_written_ends(api: Api) -> None:
    for _ in range(3):
        api.create()
    job, services = export(api), api.service.services
    machine = services.clock.machine()
    leased = services.store.write(lambda unit: unit.exports.lease_next(machine, machine + LEASE))
    assert leased is not None
    source = open_source(services, leased)
    written = write_chunk(services, source, leased, 1)
    assert written is not None
    api.http.delete(f"/api/v1/exports/{job['id']}", headers=api.headers())
    assert write_chunk(services, source, written, 1) is None
    with services.store.read() as unit:
        assert [unit.exports.get_chunk(leased.id, number) for number in range(3)] == [None] * 3


def test_a_short_export_waits_for_no_long_one(api: Api) -> None:
    for _ in range(CHUNKS_PER_TURN + 1):
        api.create()
    other = Api(api.http, api.service, *new_key(api.service))
    long, short = export(api), export(other)
    assert run_next(api.service.services, 1) == 1
    assert run_next(api.service.services, 1) == 1
    begun = api.get(f"/exports/{long['id']}").json()
    assert (begun["status"], begun["rows"]) == ("running", CHUNKS_PER_TURN)
    assert other.get(f"/exports/{short['id']}").json()["status"] == "completed"
    assert run_next(api.service.services, 1) == 1
    assert len(rows(download(api, api.get(f"/exports/{long['id']}").json()))) == begun["rows"] + 1


def test_others_see_no_export(api: Api) -> None:
    api.create()
    done = finish(api, export(api))
    for key in (new_key(api.service), new_key(api.service, Mode.LIVE)):
        other = Api(api.http, api.service, *key)
        assert other.get(f"/exports/{done['id']}").status_code == 404
        path = f"/api/v1/exports/{done['id']}"
        assert other.http.delete(path, headers=other.headers()).status_code == 404
        assert other.get("/exports").json()["exports"] == []
        webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
        body = {"resource": "deliveries", "filters": {"webhook_id": webhook}}
        assert other.post("/exports", body).status_code == 404
        assert rows(download(other, finish(other, export(other)))) == []


def test_a_live_key_exports_no_test_network(api: Api) -> None:
    live = Api(api.http, api.service, *new_key(api.service, Mode.LIVE))
    body = {"resource": "intents", "filters": {"source_chain": "BASE_TESTNET"}}
    refused = live.post("/exports", body)
    assert refused.status_code == 400
    assert refused.json()["message"] == "A live key cannot be used with test networks"


def test_exporting_needs_the_scope_to_write(api: Api) -> None:
    reader = Api(api.http, api.service, *new_key(api.service, scopes=frozenset({Scope.READ})))
    assert reader.post("/exports", {"resource": "intents"}).status_code == 403
    assert reader.get("/exports").status_code == 200


def test_a_repeated_request_creates_one_export(api: Api) -> None:
    body = {"resource": "intents"}
    first = api.post("/exports", body, Idempotency_Key="once").json()
    assert api.post("/exports", body, Idempotency_Key="once").json() == first
    assert len(api.get("/exports").json()["exports"]) == 1


def test_the_stored_file_is_encrypted(api: Api) -> None:
    api.create(recipient=OTHER_WALLET)
    done = finish(api, export(api))
    number = record_id(api.service.services, RecordKind.EXPORT, done["id"])
    with api.service.services.store.read() as unit:
        chunk = unit.exports.get_chunk(number, 0)
    assert chunk is not None
    assert OTHER_WALLET.encode() not in chunk
    assert OTHER_WALLET in download(api, done).text


def test_an_engine_writes_what_waits(api: Api) -> None:
    made = api.create().json()["id"]
    job = export(api)
    api.post("/sandbox/clock", {"advanceSeconds": 10})
    api.tick()
    done = api.get(f"/exports/{job['id']}").json()
    assert [int(row["id"]) for row in rows(download(api, done))] == [made]
