"""Settings of clients: refund addresses, branding, and their audit entries."""

from collections.abc import Iterator
from typing import Any

import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import PublicProfile, staff_principal
from crossway.domain.errors import InvalidInput
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.usecases.developers import clients
from tests.api.conftest import WALLET, new_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture
def services(service: Service) -> Services:
    return service.services


@pytest.fixture
def client_id(services: Services) -> str:
    return clients.create_client(
        services, f"Shop {len(clients.list_clients(services))}", staff_principal("test")
    ).id


def update_client(services: Services, client_id: str, **change: Any) -> Any:
    return clients.update_client(
        services, client_id, clients.ClientUpdate(**change), staff_principal("Ada")
    )


def test_a_client_has_one_canonical_refund_address_per_chain_family(
    services: Services, client_id: str
) -> None:
    solana = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
    update_client(services, client_id, refund_addresses={"evm": f" {WALLET.lower()} "})
    client = update_client(services, client_id, refund_addresses={"solana": solana})
    assert client.refund_addresses == {"evm": WALLET, "solana": solana}
    assert clients.list_clients(services)[-1].refund_addresses == client.refund_addresses
    left = update_client(services, client_id, refund_addresses={"evm": ""})
    assert left.refund_addresses == {"solana": solana}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"evm": "0x123"}, "refund_addresses: the evm address"),
        ({"solana": WALLET}, "refund_addresses: the solana address"),
        ({"bitcoin": "bc1q"}, "bitcoin is no kind of chain here; there are evm, solana"),
    ],
)
def test_a_refund_address_must_be_valid_for_its_chain_family(
    services: Services, client_id: str, value: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        update_client(services, client_id, refund_addresses=value)


def test_branding_is_set_and_removed(services: Services, client_id: str) -> None:
    logo = "https://cdn.shop.example:8443/logo.svg?v=2"
    client = update_client(
        services, client_id, display_name=" Café ", logo_url=logo, colour="#AA55FF"
    )
    assert client.public_profile == PublicProfile("Café", logo, "#aa55ff")
    assert update_client(services, client_id, logo_url="").public_profile == PublicProfile(
        "Café", "", "#aa55ff"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"logo_url": "http://shop.example/logo.svg"}, "logo_url must be an https URL"),
        ({"logo_url": "https://"}, "logo_url"),
        ({"logo_url": "https://user:pw@shop.example/"}, "logo_url"),
        ({"logo_url": "https://shop.example:port/"}, "logo_url"),
        ({"logo_url": 'https://shop.example/"onload="x y'}, "logo_url"),
        ({"logo_url": "javascript:alert(1)"}, "logo_url"),
        ({"logo_url": f"https://shop.example/{'x' * 2_048}"}, "logo_url"),
        ({"colour": "red"}, "colour must be #rrggbb"),
        ({"colour": "#12345"}, "colour"),
        ({"display_name": "x" * 101}, "display_name must be at most 100"),
        ({"requests_per_minute": 0}, "requests_per_minute must be 1 to"),
    ],
)
def test_invalid_client_settings_are_rejected_naming_the_field(
    services: Services, client_id: str, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        update_client(services, client_id, **change)


def test_only_changed_fields_are_audited(services: Services, client_id: str) -> None:
    update_client(services, client_id, app_fee_bps=25, colour="#000000")
    update_client(services, client_id, app_fee_bps=25)
    with services.store.read() as unit:
        entries = unit.audit_log.list_page(AuditFilter(subject=f"client:{client_id}"), 10)
    assert [(e.actor, e.action) for e in entries] == [
        ("Ada", "client changed"),
        ("test", "client created"),
    ]
    assert entries[0].before == {"app_fee_bps": 0, "colour": ""}
    assert entries[0].after == {"app_fee_bps": 25, "colour": "#000000"}
