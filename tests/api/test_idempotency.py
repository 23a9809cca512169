"""A repeated POST takes effect once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import text
from starlette.routing import Route
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.auth import PROVIDER_WEBHOOK_PREFIX
from crossway.api.idempotency import SlotRenewer
from crossway.api.lazy_routes import load_all
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.errors import Conflict
from crossway.ports.records import IdempotencySlot
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import api_keys, idempotency
from crossway.usecases.developers.authentication import IDEMPOTENCY_RETENTION
from crossway.usecases.developers.idempotency import LEASE_SECONDS
from crossway_client import RetryPolicy
from tests.api.conftest import INTENT, Api, new_key, new_test_client
from tests.api.ramp_requests import create_order
from tests.event_loops import run_async
from tests.processes import wait_until


def keyed(api: Api, key: str, **changes: Any) -> Any:
    return api.post("/intents", {**INTENT, **changes}, Idempotency_Key=key)


def test_the_same_key_and_body_replay_the_first_response(api: Api) -> None:
    first, second = keyed(api, "order-1"), keyed(api, "order-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert api.get("/intents").json()["total"] == 1


def test_an_error_is_replayed_with_its_status(api: Api) -> None:
    first, second = keyed(api, "bad", amount="x"), keyed(api, "bad", amount="x")
    assert first.status_code == second.status_code == 400
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"


def test_after_an_unavailable_response_the_same_key_can_be_retried(api: Api) -> None:
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


@pytest.mark.parametrize("arrived", [0, 20])
def test_a_request_that_was_cut_off_leaves_nothing(api: Api, arrived: int) -> None:
    """Its client was gone before the body was read, as after a pause of the whole process."""
    body = json.dumps(INTENT).encode()
    part = {"type": "http.request", "body": body[:arrived], "more_body": True}
    incoming: list[Any] = [part] * bool(arrived) + [{"type": "http.disconnect"}]
    headers = {**api.headers(), "idempotency-key": "cut", "content-type": "application/json"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/intents",
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> Any:
        return incoming.pop(0)

    async def send(message: Any) -> None:
        assert message.get("status", 400) == 400

    run_async(api.http.app(scope, receive, send))
    assert incoming == []
    assert api.get("/intents").json()["total"] == 0
    assert keyed(api, "cut").status_code == 201


def test_the_same_key_with_another_body_path_or_query_is_422(api: Api) -> None:
    keyed(api, "order-2")
    assert api.post("/intents?copy=2", INTENT, Idempotency_Key="order-2").status_code == 422
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
    api_key = api_keys.create_api_key(
        api.service.services, api.client_id, Mode.TEST, staff_principal("test"), frozenset(scopes)
    )
    return replace(api, key_id=api_key.key.id, secret=api_key.secret)


def test_a_key_without_the_scope_gets_no_response_of_another_key(api: Api) -> None:
    webhook = {"url": "http://127.0.0.1:9/"}
    response = api.post("/webhooks", webhook, Idempotency_Key="hook-1")
    assert "secret" in response.json()
    for lesser in (other_key(api, Scope.READ), other_key(api, Scope.READ, Scope.REFUND)):
        again = lesser.post("/webhooks", webhook, Idempotency_Key="hook-1")
        assert (again.status_code, "secret" in again.json()) == (403, False)


def test_a_key_that_may_write_gets_no_response_of_a_refund(api: Api) -> None:
    path = f"/intents/{api.create().json()['intent_address']}/refund"
    refused = api.post(path, Idempotency_Key="refund-1")
    assert (refused.status_code, refused.json()["success"]) == (400, False)
    writer = other_key(api, Scope.READ, Scope.WRITE)
    again = writer.post(path, Idempotency_Key="refund-1")
    assert (again.status_code, "idempotent-replayed" in again.headers) == (403, False)
    refunder = other_key(api, Scope.READ, Scope.REFUND)
    assert refunder.post(path, Idempotency_Key="refund-1").content == refused.content


def test_a_key_without_the_scope_reserves_no_idempotency_key(api: Api) -> None:
    reader = other_key(api, Scope.READ)
    assert keyed(reader, "order-8").status_code == 403
    assert keyed(reader, "order-9", amount="1").status_code == 403
    assert [keyed(api, key).status_code for key in ("order-8", "order-9")] == [201, 201]


def test_every_post_needs_write_but_refunds(api: Api) -> None:
    routes = create_api(api.service.services).routes
    load_all(routes)
    posts = [
        route.path
        for route in routes
        if isinstance(route, Route) and "POST" in (route.methods or ())
    ]
    assert len(posts) > 10
    refunder, writer = other_key(api, Scope.REFUND), other_key(api, Scope.WRITE)
    for path in posts:
        if path.startswith(PROVIDER_WEBHOOK_PREFIX):
            continue
        lacking = writer if path.endswith("/refund") else refunder
        path_with_id = path.removeprefix("/v1").replace("{id}", "1")
        refused = lacking.post(path_with_id, {}, Idempotency_Key=f"lacking {path}")
        assert refused.status_code == 403, path


def test_without_an_idempotency_key_every_post_is_new(api: Api) -> None:
    assert api.create().json()["id"] != api.create().json()["id"]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\x07b"])
def test_a_key_has_1_to_255_printable_characters(api: Api, key: str) -> None:
    assert keyed(api, key).status_code == 400
    assert keyed(api, "x" * 255).status_code == 201


def test_a_second_request_during_the_first_is_409(api: Api) -> None:
    services = api.service.services
    observed = []
    created = services.chains["BASE_MAINNET"].intent_hash

    class Slow:
        """A chain that repeats the request while the first is still running."""

        def __getattr__(self, name: str) -> Any:
            return getattr(services.chains["BASE_MAINNET"], name)

        def intent_hash(self, terms: Any, *bridger_and_coordinator: str) -> str:
            if not observed:
                observed.append(None)
                observed.append(keyed(second, "order-3"))
            return created(terms, *bridger_and_coordinator)

    chains = {**services.chains, "BASE_MAINNET": Slow()}
    slow = new_test_client(replace(services, chains=chains))
    second = api
    first = keyed(Api(slow, api.service, api.client_id, api.key_id, api.secret), "order-3")
    assert first.status_code == 201
    assert observed[1].status_code == 409
    # The repeats of our client outlast the lease of a process that was killed.
    waited = (RetryPolicy().attempts - 1) * int(observed[1].headers["retry-after"])
    assert waited > LEASE_SECONDS + 1
    assert keyed(api, "order-3").content == first.content


def test_ten_concurrent_requests_create_one_intent(api: Api) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: keyed(api, "order-4"), range(10)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert 201 in {answer.status_code for answer in answers}
    assert len({a.json()["id"] for a in answers if a.status_code == 201}) == 1
    assert api.get("/intents").json()["total"] == 1


class Killed(BaseException):
    """A simulated crash of the process."""


def test_a_crash_after_the_commit_creates_one_intent(api: Api, service: Service) -> None:
    def die(step: str) -> None:
        raise Killed(step)

    dying = new_test_client(
        replace(service.services, process=replace(service.services.process, failpoint=die))
    )
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever the server makes of it
        keyed(Api(dying, service, api.client_id, api.key_id, api.secret), "order-5")
    again = keyed(api, "order-5")
    assert again.status_code == 201
    assert again.headers["idempotent-replayed"] == "true"
    assert api.get("/intents").json()["total"] == 1


def test_the_key_of_a_lost_request_goes_to_the_same_request(api: Api, service: Service) -> None:
    """wire.md §1, Idempotency: the process of the first request was killed before it stored."""
    services, key = service.services, "order-6"
    lost = idempotency.open_slot(services, api.owner, key, "first")
    assert isinstance(lost, idempotency.OpenSlot)
    with pytest.raises(Conflict, match="in flight"):
        idempotency.open_slot(services, api.owner, key, "first")
    held = [(lost.owner, lost.key, lost.holder)]
    services.store.write(lambda unit: unit.api_keys.renew_idempotency_slots(held, seconds=-1))
    assert keyed(api, key).status_code == 422, "the key is that of another request"
    again = idempotency.open_slot(services, api.owner, key, "first")
    assert isinstance(again, idempotency.OpenSlot)
    assert (again.reference, again.holder != lost.holder) == (lost.reference, True)
    with pytest.raises(Conflict, match="overtaken"):
        services.store.write(
            lambda unit: idempotency.save_response(services, unit, lost, 201, b"late")
        )
    with pytest.raises(Conflict, match="overtaken"):
        idempotency.save_final_response(services, lost, 201, b"late")
    idempotency.save_final_response(services, lost, 503, b"late")
    idempotency.save_final_response(services, again, 200, b"in time")
    stored = idempotency.open_slot(services, api.owner, key, "first")
    assert isinstance(stored, IdempotencySlot)
    assert (stored.status, stored.body) == (200, b"in time"), "the lost request changes nothing"


def test_keys_are_renewed_again_after_no_thread_could_be_started(
    api: Api, service: Service
) -> None:
    """A process may be at the limit of its threads for a moment."""
    slot = idempotency.open_slot(service.services, api.owner, "order-10", "first")
    assert isinstance(slot, idempotency.OpenSlot)
    renewer, query = (
        SlotRenewer(seconds=0.01),
        text("SELECT max(held_until) FROM idempotency_slots"),
    )

    def held_until() -> int:
        with service.store.reader.connect() as db:
            return int(db.execute(query).scalar_one())

    usual = threading.stack_size(1 << 50)  # No machine has so much memory for a thread.
    try:
        with pytest.raises(RuntimeError), renewer.holding(service.services, slot):
            pass
    finally:
        threading.stack_size(usual)
    held = held_until()
    with renewer.holding(service.services, slot):
        wait_until("the key is renewed", lambda: held_until() > held)


def lose(api: Api, path: str, key: str) -> None:
    """Let a POST without a body under a key be one whose process was killed."""
    services, digest = api.service.services, sha256(f"/api/v1{path}?\n".encode()).hexdigest()
    lost = idempotency.open_slot(services, api.owner, key, digest)
    assert isinstance(lost, idempotency.OpenSlot)
    held = [(lost.owner, lost.key, lost.holder)]
    services.store.write(lambda unit: unit.api_keys.renew_idempotency_slots(held, seconds=-1))


def test_a_request_that_was_overtaken_is_not_refused_for_what_the_other_did(
    api: Api, service: Service
) -> None:
    """Its process stood still for longer than the lease, and its client repeated it."""
    services, path = service.services, f"/ramp/orders/{create_order(api)['id']}/confirm"
    repeated = []

    class PausedStore:
        """A store whose process stands still before it does the work of the request."""

        def __init__(self) -> None:
            self._writes = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(services.store, name)

        def write(self, work: Any) -> Any:
            self._writes += 1
            if self._writes == 2:  # The first one opened the slot.
                services.store.write(end_lease)
                repeated.append(api.post(path, Idempotency_Key="paused"))
            return services.store.write(work)

    def end_lease(unit: UnitOfWork) -> None:
        slot = unit.api_keys.get_idempotency_slot(api.owner, "paused")
        assert slot is not None
        held = [(api.owner, "paused", slot.holder)]
        unit.api_keys.renew_idempotency_slots(held, seconds=-1)

    paused: Any = PausedStore()
    http = new_test_client(replace(services, store=paused))
    late = replace(api, http=http).post(path, Idempotency_Key="paused")
    assert [answer.status_code for answer in repeated] == [200]
    assert (late.status_code, late.headers["retry-after"]) == (409, "4")
    assert "overtaken" in late.json()["message"]
    assert api.post(path, Idempotency_Key="paused").content == repeated[0].content


@pytest.mark.parametrize("action", ["confirm", "cancel"])
def test_a_lost_request_about_an_order_is_not_refused_for_what_it_did(
    api: Api, action: str
) -> None:
    path = f"/ramp/orders/{create_order(api)['id']}/{action}"
    assert api.post(path).status_code == 200
    assert api.post(path, Idempotency_Key="other").status_code == 400
    lose(api, path, "done")
    again = api.post(path, Idempotency_Key="done")
    assert (again.status_code, again.json()["success"]) == (200, True), again.text
    other = path.replace(action, "cancel" if action == "confirm" else "confirm")
    lose(api, other, "undone")
    refused = api.post(other, Idempotency_Key="undone")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_status")


def test_a_lost_trigger_is_not_refused_for_what_it_did(api: Api) -> None:
    address = api.create().json()["intent_address"]
    path = f"/intents/{address}/trigger-processing"
    lose(api, path, "early")
    assert api.post(path, Idempotency_Key="early").json()["code"] == "intent_not_funded"
    assert api.post("/sandbox/deposits", {"address": address, "amount": "exact"}).is_success
    for _ in range(10):
        api.post("/sandbox/clock", {"advanceSeconds": 2})
        api.tick()
    assert api.post(path).status_code == 400
    lose(api, path, "started")
    assert api.post(path, Idempotency_Key="started").json()["success"] is True


def test_a_stored_response_expires_after_a_day(api: Api, service: Service) -> None:
    first = keyed(api, "order-7")
    seconds = IDEMPOTENCY_RETENTION.total_seconds() + 1
    assert api.post("/sandbox/clock", {"advanceSeconds": seconds}).status_code == 200
    second = keyed(api, "order-7", amount="26000000")
    assert second.status_code == 201
    assert second.json()["id"] != first.json()["id"]
