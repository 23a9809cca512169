"""The request log and its retention."""

from dataclasses import replace
from typing import Any

import pytest

from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, later


def a_request(number: int = 1, **more: Any) -> LoggedRequest:
    fields: dict[str, Any] = {
        "at": later(number),
        "request_id": f"r-{number}",
        "method": "GET",
        "path": "/v1/intents",
        "status": 200,
        "microseconds": 1_500,
        "client_id": "c-1",
        "key_prefix": "cr_test_abcd",
        "request_body": None,
        "response_body": None,
    }
    return LoggedRequest(0, **(fields | more))


def found(store: SqlStore, **filters: Any) -> list[str]:
    with store.read() as unit:
        return [
            item.request_id for item in unit.request_log.list_page(RequestFilter(**filters), 100)
        ]


def test_a_request_comes_back_as_it_was_stored(store: SqlStore) -> None:
    created = a_request(
        request_body='{"a":"é"}', response_body="{}", client_id=None, key_prefix=None, at=NOW
    )
    store.write(lambda unit: unit.request_log.add([created]))
    with store.read() as unit:
        (kept,) = unit.request_log.list_page(RequestFilter(), 10)
        assert kept == replace(created, id=kept.id)
        assert unit.request_log.get(kept.id) == kept
        assert unit.request_log.get(kept.id + 1) is None


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        ({}, [4, 3, 2, 1]),
        ({"client_id": "c-2"}, [2]),
        ({"method": "POST"}, [3, 2]),
        ({"path": "/v1/quotes"}, [4]),
        ({"path_part": "QUOTE"}, [4]),
        ({"path_part": "%"}, []),
        ({"request_id": "r-3"}, [3]),
        ({"status": 201}, [2]),
        ({"status": 4}, [3]),
        ({"failed": True}, [4, 3]),
        ({"start": later(2), "end": later(4)}, [3, 2]),
    ],
)
def test_requests_are_found_by_their_attributes(
    store: SqlStore, filters: dict[str, Any], numbers: list[int]
) -> None:
    made = [
        a_request(1),
        a_request(2, client_id="c-2", method="POST", status=201),
        a_request(3, method="POST", status=404),
        a_request(4, path="/v1/quotes", status=500),
    ]
    store.write(lambda unit: unit.request_log.add(made))
    assert found(store, **filters) == [f"r-{number}" for number in numbers]


def test_a_period_is_listed_by_time_from_any_place(store: SqlStore) -> None:
    made = [a_request(number, at=later(second)) for number, second in enumerate((5, 40, 20, 30), 1)]
    store.write(lambda unit: unit.request_log.add(made))
    period = {"start": later(10), "end": later(50)}
    assert found(store, **period) == ["r-2", "r-4", "r-3"]
    assert found(store, **period, before_id=4) == ["r-3"]
    assert found(store, **period, client_id=made[0].client_id, before_id=2) == ["r-4", "r-3"]


def test_the_oldest_are_deleted_a_few_at_a_time(store: SqlStore) -> None:
    store.write(lambda unit: unit.request_log.add([a_request(number) for number in (1, 2, 3, 4)]))

    def forget() -> int:
        return store.write(lambda unit: unit.retention.delete_oldest("requests", later(4), 2))

    assert [forget(), forget(), forget()] == [2, 1, 0]
    assert found(store) == ["r-4"]
