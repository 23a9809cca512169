"""One POST sent twice is done once (wire.md §1, Idempotency)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.auth import PROVIDER_WEBHOOK_PREFIX
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.errors import Conflict
from crossway.usecases.developers import api_keys, idempotency
from crossway.usecases.developers.authentication import IDEMPOTENCY_RETENTION
from tests.api.conftest import INTENT, Api, new_key, served


def keyed(api: Api, key: str, **changes: Any) -> Any:
    return api.post("/intents", {**INTENT, **changes}, Idempotency_Key=key)


def test_the_same_key_and_body_replay_the_first_answer(api: Api) -> None:
    first, second = keyed(api, "order-1"), keyed(api, "order-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert api.get("/intents").json()["total"] == 1


def test_a_refusal_is_replayed_too_status_included(api: Api) -> None:
    first, second = keyed(api, "bad", amount="x"), keyed(api, "bad", amount="x")
    assert first.status_code == second.status_code == 400
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"


def test_when_nobody_answered_the_same_key_may_be_tried_again(api: Api) -> None:
    path = f"/intents/{api.create().json()['intent_address']}/trigger-processing"
    faults = "/sandbox/chains/BASE_MAINNET/faults"
    api.post(faults, {"outageSeconds": 3600})
    silent = api.post(path, Idempotency_Key="try")
    api.post(faults, {"outageSeconds": 0})
    answered = api.post(path, Idempotency_Key="try")
    assert (silent.status_code, answered.status_code) == (503, 400)
    assert "not funded" in answered.json()["message"]
    assert "idempotent-replayed" not in answered.headers
    assert api.post(path, Idempotency_Key="try").headers["idempotent-replayed"] == "true"


def test_the_same_key_with_another_body_or_path_is_422(api: Api) -> None:
    keyed(api, "order-2")
    assert keyed(api, "order-2", amount="26000000").status_code == 422
    other = api.post("/sandbox/clock", {"advanceSeconds": 1}, Idempotency_Key="order-2")
    assert other.status_code == 422
    assert other.json()["statusCode"] == 422


def test_a_key_belongs_to_its_client(api: Api, http: TestClient, service: Service) -> None:
    other = Api(http, service, *new_key(service))
    mine, theirs = keyed(api, "shared"), keyed(other, "shared", amount="26000000")
    assert (mine.status_code, theirs.status_code) == (201, 201)


def other_key(api: Api, *scopes: Scope) -> Api:
    """The same client with a key of fewer scopes."""
    made = api_keys.create_api_key(
        api.service.services, api.client_id, Mode.TEST, staff_principal("test"), frozenset(scopes)
    )
    return replace(api, key_id=made.key.id, secret=made.secret)


def test_a_key_without_the_scope_gets_no_answer_of_another_key(api: Api) -> None:
    webhook = {"url": "http://127.0.0.1:9/"}
    made = api.post("/webhooks", webhook, Idempotency_Key="hook-1")
    assert "secret" in made.json()
    for lesser in (other_key(api, Scope.READ), other_key(api, Scope.READ, Scope.REFUND)):
        again = lesser.post("/webhooks", webhook, Idempotency_Key="hook-1")
        assert (again.status_code, "secret" in again.json()) == (403, False)


def test_a_key_without_the_scope_takes_no_idempotency_key_away(api: Api) -> None:
    reader = other_key(api, Scope.READ)
    assert keyed(reader, "order-8").status_code == 403
    assert keyed(reader, "order-9", amount="1").status_code == 403
    assert [keyed(api, key).status_code for key in ("order-8", "order-9")] == [201, 201]


def test_every_post_needs_write_but_refunds(api: Api) -> None:
    posts = [
        route.path
        for route in create_api(api.service.services).routes
        if isinstance(route, Route) and "POST" in (route.methods or ())
    ]
    assert len(posts) > 10
    refunder, writer = other_key(api, Scope.REFUND), other_key(api, Scope.WRITE)
    for path in posts:
        if path.startswith(PROVIDER_WEBHOOK_PREFIX):
            continue
        lacking = writer if path.endswith("/refund") else refunder
        asked = path.removeprefix("/v1").replace("{id}", "1")
        refused = lacking.post(asked, {}, Idempotency_Key=f"lacking {path}")
        assert refused.status_code == 403, path


def test_without_a_key_every_post_is_new(api: Api) -> None:
    assert api.create().json()["id"] != api.create().json()["id"]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\x07b"])
def test_a_key_has_1_to_255_printable_characters(api: Api, key: str) -> None:
    assert keyed(api, key).status_code == 400
    assert keyed(api, "x" * 255).status_code == 201


def test_while_the_first_is_in_flight_the_second_is_409(api: Api) -> None:
    services = api.service.services
    seen = []
    made = services.chains["BASE_MAINNET"].intent_hash

    class Slow:
        """A chain on which the same request comes in once more while the first is at work."""

        def __getattr__(self, name: str) -> Any:
            return getattr(services.chains["BASE_MAINNET"], name)

        def intent_hash(self, terms: Any) -> str:
            if not seen:
                seen.append(None)
                seen.append(keyed(second, "order-3"))
            return made(terms)

    chains = {**services.chains, "BASE_MAINNET": Slow()}
    slow = served(replace(services, chains=chains))
    second = api
    first = keyed(Api(slow, api.service, api.client_id, api.key_id, api.secret), "order-3")
    assert first.status_code == 201
    assert seen[1].status_code == 409
    assert keyed(api, "order-3").content == first.content


def test_ten_at_once_make_one_intent(api: Api) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: keyed(api, "order-4"), range(10)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert 201 in {answer.status_code for answer in answers}
    assert len({a.json()["id"] for a in answers if a.status_code == 201}) == 1
    assert api.get("/intents").json()["total"] == 1


class Killed(BaseException):
    """The process ends here."""


def test_a_process_that_dies_after_the_commit_has_made_one_intent(
    api: Api, service: Service
) -> None:
    def die(step: str) -> None:
        raise Killed(step)

    dying = served(
        replace(service.services, process=replace(service.services.process, failpoint=die))
    )
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever the server makes of it
        keyed(Api(dying, service, api.client_id, api.key_id, api.secret), "order-5")
    again = keyed(api, "order-5")
    assert again.status_code == 201
    assert again.headers["idempotent-replayed"] == "true"
    assert api.get("/intents").json()["total"] == 1


def test_an_entry_in_flight_for_a_minute_counts_as_gone(api: Api, service: Service) -> None:
    key, fingerprint = "order-6", "first"
    opened = idempotency.open_slot(service.services, api.client_id, key, fingerprint)
    assert isinstance(opened, idempotency.OpenSlot)
    assert keyed(api, key).status_code == 422, "still taken by another request"
    api.post("/sandbox/clock", {"advanceSeconds": 61})
    made = keyed(api, key)
    assert made.status_code == 201
    with pytest.raises(Conflict):
        service.services.store.write(
            lambda unit: idempotency.save_response(service.services, unit, opened, 201, b"late")
        )
    idempotency.save_sent_response(service.services, opened, 201, b"late")
    assert keyed(api, key).content == made.content, "whoever was overtaken changes nothing"


def test_an_answer_is_forgotten_after_a_day(api: Api, service: Service) -> None:
    first = keyed(api, "order-7")
    seconds = IDEMPOTENCY_RETENTION.total_seconds() + 1
    assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
    second = keyed(api, "order-7", amount="26000000")
    assert second.status_code == 201
    assert second.json()["id"] != first.json()["id"]
