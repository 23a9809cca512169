"""Settings of clients and keys, as requests experience them."""

from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, staff_principal
from crossway.usecases.developers import api_keys, clients
from tests.api.conftest import INTENT, WALLET, Api, new_key

OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


def test_a_key_can_have_a_rate_of_its_own(http: TestClient, service: Service) -> None:
    api = Api(http, service, *new_key(service))
    api_keys.update_api_key(
        service.services,
        api.key_id,
        api_keys.ApiKeyUpdate(requests_per_minute=2),
        staff_principal("t"),
    )
    twin = api_keys.create_api_key(service.services, api.client_id, Mode.TEST, staff_principal("t"))
    assert [api.get("/chains").status_code for _ in range(3)] == [200, 200, 429]
    other = Api(http, service, api.client_id, twin.key.id, twin.secret)
    assert {other.get("/chains").status_code for _ in range(3)} == {200}


def test_refunds_go_to_the_clients_address_by_default(api: Api) -> None:
    nobody = {name: value for name, value in INTENT.items() if name != "sender"}
    refused = api.post("/intents", nobody)
    assert refused.status_code == 400
    assert "refund_address or sender is required" in refused.json()["message"]
    change = clients.ClientUpdate(refund_addresses={"evm": OTHER})
    clients.update_client(api.service.services, api.client_id, change, staff_principal("t"))
    assert api.post("/intents", nobody).json()["refund_address"] == OTHER
    assert api.post("/intents", INTENT).json()["refund_address"] == WALLET
    named = api.post("/intents", {**nobody, "refund_address": WALLET})
    assert named.json()["refund_address"] == WALLET


def test_the_default_refund_address_matches_the_source_chain_family(api: Api) -> None:
    change = clients.ClientUpdate(refund_addresses={"evm": OTHER})
    clients.update_client(api.service.services, api.client_id, change, staff_principal("t"))
    body = {name: value for name, value in INTENT.items() if name != "sender"}
    usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    refused = api.post("/intents", {**body, "source_chain": "SOLANA_MAINNET", "tokenIn": usdc})
    assert "refund_address or sender is required" in refused.json()["message"]


def test_client_info_returns_all_settings(api: Api) -> None:
    services = api.service.services
    bare = api.get("/client/auth/client-info").json()
    assert bare["branding"] == {"displayName": None, "logoUrl": None, "colour": None}
    assert (bare["refundAddresses"], bare["allowedAddresses"], bare["endsAt"]) == ({}, [], None)
    change = clients.ClientUpdate(
        refund_addresses={"evm": OTHER}, display_name="Café", colour="#112233"
    )
    clients.update_client(services, api.client_id, change, staff_principal("t"))
    api_keys.update_api_key(
        services, api.key_id, api_keys.ApiKeyUpdate(requests_per_minute=900), staff_principal("t")
    )
    api_keys.rotate_api_key(services, api.key_id, staff_principal("t"))
    info = api.get("/client/auth/client-info").json()
    assert info["branding"] == {"displayName": "Café", "logoUrl": None, "colour": "#112233"}
    assert info["refundAddresses"] == {"evm": OTHER}
    assert info["requestsPerMinute"] == 900
    assert info["endsAt"].endswith("Z")


def test_a_rotated_key_still_works(api: Api) -> None:
    assert api.get("/chains").status_code == 200
    new = api_keys.rotate_api_key(api.service.services, api.key_id, staff_principal("t"))
    assert api.get("/chains").status_code == 200
    other = Api(api.http, api.service, api.client_id, new.key.id, new.secret)
    assert other.get("/chains").status_code == 200
