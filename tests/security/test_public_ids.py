"""Attacks on record numbers: what an outsider learns from them about the volume."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.vault import open_vault
from crossway.domain.clients import staff_principal
from crossway.domain.public_ids import MAX_PUBLIC_ID, PublicIds, RecordKind
from crossway.usecases.operating.key_rotation import rotate_encryption
from crossway.usecases.payments.search import search
from tests.api.conftest import WALLET, Api, new_key, new_service, new_test_client
from tests.api.ramp_requests import create_order

IDS = PublicIds(b"k" * 32)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    service = new_service(tmp_path_factory.mktemp("data"))
    with new_test_client(service.services) as http:
        yield Api(http, service, *new_key(service))
    service.close()


@given(st.integers(1, MAX_PUBLIC_ID), st.sampled_from(RecordKind))
def test_each_number_comes_back(number: int, kind: RecordKind) -> None:
    assert IDS.decode(kind, IDS.encode(kind, number)) == number
    assert IDS.encode(kind, IDS.decode(kind, number)) == number
    assert 1 <= IDS.encode(kind, number) <= MAX_PUBLIC_ID


@pytest.mark.parametrize("number", [0, -1, MAX_PUBLIC_ID + 1])
def test_a_number_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 9007199254740991"):
        IDS.encode(RecordKind.INTENT, number)


def test_the_first_numbers_are_spread_over_the_whole_range() -> None:
    first = [IDS.encode(RecordKind.INTENT, number) for number in range(1, 1_001)]
    assert len(set(first)) == 1_000
    sixteenths = [number * 16 // (MAX_PUBLIC_ID + 1) for number in first]
    assert all(30 < sixteenths.count(part) < 100 for part in range(16))
    # Neighbours are no closer than others, and half of them are the larger one.
    rises = sum(second > one for one, second in pairwise(first))
    assert 440 < rises < 560
    assert min(first) > 10**9


def test_kinds_and_keys_have_permutations_of_their_own() -> None:
    numbers = {IDS.encode(kind, 1) for kind in RecordKind}
    numbers |= {PublicIds(b"x" * 32).encode(kind, 1) for kind in RecordKind}
    assert len(numbers) == 2 * len(RecordKind)


def list_numbers(value: Any, name: str = "") -> Iterator[int]:
    """The values of all fields that are or end in an id, in any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from list_numbers(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from list_numbers(inner, name)
    elif isinstance(value, int) and re.fullmatch(r"(.*_)?id|.*Id|replay_of", name):
        yield value


def test_no_answer_shows_a_record_number(api: Api) -> None:
    intent, order = api.create().json(), create_order(api)
    api.create()
    webhook = api.post("/webhooks", {"url": "https://shop.demo.example/hook"}).json()
    delivery = api.post(f"/webhooks/{webhook['id']}/test").json()
    replay = api.post(f"/webhooks/deliveries/{delivery['id']}/replay").json()
    answers = [intent, order, webhook, delivery, replay]
    for path in (
        "/intents?limit=1",
        f"/intents/{intent['id']}",
        f"/intents/address/{intent['intent_address']}",
        f"/intents/user/{WALLET}",
        "/ramp/orders",
        f"/ramp/orders/{order['id']}",
        "/webhooks",
        f"/webhooks/{webhook['id']}",
        f"/webhooks/{webhook['id']}/deliveries?limit=1",
        f"/webhooks/deliveries/{delivery['id']}",
    ):
        answer = api.http.get(f"/api/v1{path}", headers=api.headers())
        assert answer.status_code == 200, path
        answers.append(answer.json())
    numbers = [number for answer in answers for number in list_numbers(answer)]
    assert len(numbers) > 15
    assert min(numbers) > 10**6
    cursors = [
        int(answer["nextCursor"])
        for answer in answers
        if isinstance(answer, dict) and answer.get("nextCursor")
    ]
    assert cursors
    assert min(cursors) > 10**6


def test_record_numbers_find_nothing(api: Api) -> None:
    api.create()
    for path in ("/intents/1", "/ramp/orders/1", "/webhooks/1", "/webhooks/deliveries/1"):
        assert api.get(path).status_code == 404
    assert api.get(f"/intents/{MAX_PUBLIC_ID + 1}").status_code == 400


def test_pages_go_on_after_a_cursor(api: Api) -> None:
    made = [api.create().json()["id"] for _ in range(3)]
    first = api.get("/intents", limit=2).json()
    second = api.get("/intents", limit=2, cursor=first["nextCursor"]).json()
    assert [intent["id"] for intent in first["intents"]] == made[:0:-1]
    assert second["intents"][0]["id"] == made[0]


def test_an_event_names_its_resource_as_the_api_does(api: Api) -> None:
    intent = api.create().json()
    webhooks = api.service.services.webhooks
    assert webhooks is not None
    with api.service.store.read() as unit:
        events = unit.outbox.list_unsequenced(100)
        bodies = [json.loads(body) for body in webhooks.render_events(unit, events).values()]
    assert intent["id"] in [body["data"].get("id") for body in bodies]


def test_staff_find_a_record_by_its_public_number(api: Api) -> None:
    intent = api.create().json()
    found = search(api.service.services, staff_principal("Ada"), str(intent["id"]))
    assert found.best_match is not None
    assert found.intents[int(found.best_match.id)].address == intent["intent_address"]


def test_the_numbers_stay_when_the_secret_key_is_changed(tmp_path: Path) -> None:
    service = new_service(tmp_path)
    with new_test_client(service.services) as http:
        api = Api(http, service, *new_key(service))
        intent = api.create().json()
        old, new = (tmp_path / "secret.key").read_bytes().strip(), Fernet.generate_key()
        both = replace(service.services, vault=open_vault([new, old], service.store))
        assert rotate_encryption(both, "Ada").clean
    alone = replace(service.services, vault=open_vault([new], service.store))
    with new_test_client(alone) as http:
        again = replace(api, http=http).get(f"/intents/{intent['id']}").json()
        assert again["intent_address"] == intent["intent_address"]
    service.close()
