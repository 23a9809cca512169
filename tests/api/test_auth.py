"""Authentication and scopes."""

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.usecases.developers import api_keys
from tests.api.conftest import INTENT, WALLET, Api, new_key

UNAUTHORIZED = {"statusCode": 401, "message": "Unauthorized", "code": "unauthorized"}
ADDRESS = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer cr_test_wrong",
        "cr_test_wrong",
        "Bearer é",
    ],
)
def test_a_missing_or_invalid_key_is_401_unauthorized(http: TestClient, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    answer = http.get("/api/v1/chains", headers=headers)
    assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"/intents/{ADDRESS}/trigger-processing"),
        ("POST", f"/intents/{ADDRESS}/refund"),
        ("GET", f"/intents/destination-address/{ADDRESS}"),
        ("GET", "/quotes/single"),
        ("GET", "/no-such-path"),
        ("DELETE", "/intents"),
    ],
)
def test_401_has_one_shape_everywhere(http: TestClient, method: str, path: str) -> None:
    answer = http.request(method, f"/api/v1{path}")
    assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED)
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_authorization_scheme_is_case_insensitive(api: Api) -> None:
    answer = api.http.get("/api/v1/chains", headers={"Authorization": f"bearer {api.secret}"})
    assert answer.status_code == 200


def test_a_revoked_key_is_refused_at_once_in_the_same_process(api: Api) -> None:
    assert api.get("/chains").status_code == 200
    api_keys.revoke_api_key(api.service.services, api.key_id, staff_principal("test"))
    assert api.get("/chains").status_code == 401


def test_a_key_without_a_scope_is_403(http: TestClient, service: Service) -> None:
    reader = Api(http, service, *new_key(service, scopes=frozenset({Scope.READ})))
    assert reader.get("/intents").status_code == 200
    answer = reader.create()
    assert answer.status_code == 403
    assert answer.json() == {
        "statusCode": 403,
        "message": "This key lacks the scope: write",
        "code": "scope_missing",
    }
    refused = reader.post(f"/intents/{ADDRESS}/refund")
    assert refused.json() == {
        "statusCode": 403,
        "message": "This key lacks the scope: refund",
        "code": "scope_missing",
    }


def test_a_live_key_cannot_be_used_with_test_networks(http: TestClient, service: Service) -> None:
    live = Api(http, service, *new_key(service, Mode.LIVE))
    answer = live.create(source_chain="BASE_TESTNET", destination_chain="ARBITRUM_TESTNET")
    assert answer.status_code == 400
    assert "A live key cannot be used with test networks" in answer.json()["message"]
    assert live.create().status_code == 201


def test_a_client_sees_its_own_intents_only(api: Api, http: TestClient, service: Service) -> None:
    intent = api.create().json()
    other = Api(http, service, *new_key(service))
    assert other.get(f"/intents/address/{intent['intent_address']}").status_code == 404
    assert other.get(f"/intents/{intent['id']}").status_code == 404
    assert other.get("/intents").json()["total"] == 0
    assert other.get(f"/intents/user/{WALLET}").json() == []
    assert other.post(f"/intents/{intent['intent_address']}/refund").status_code == 404


def test_both_keys_of_a_client_see_the_same_intents(api: Api) -> None:
    intent = api.create().json()
    second = api_keys.create_api_key(
        api.service.services, api.client_id, Mode.TEST, staff_principal("test")
    )
    twin = Api(api.http, api.service, api.client_id, second.key.id, second.secret)
    assert twin.get(f"/intents/{intent['id']}").status_code == 200


def test_client_info_describes_the_caller(api: Api) -> None:
    info = api.get("/client/auth/client-info").json()
    assert info["clientId"] == api.client_id
    assert info["mode"] == "test"
    assert info["scopes"] == ["read", "refund", "write"]


@pytest.mark.parametrize("path", ["/api/v1", "/api/healthz", "/api/readyz", "/api/docs"])
def test_health_and_documentation_need_no_key(http: TestClient, path: str) -> None:
    assert http.get(path).status_code == 200


def test_an_intent_has_the_client_id_of_its_creator(api: Api) -> None:
    assert api.post("/intents", INTENT).json()["client_id"] == api.client_id
