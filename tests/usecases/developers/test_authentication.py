"""Authentication of clients by their API keys."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.errors import InvalidInput, NotFound, Unauthorized
from crossway.ports.process import ApiKeyCache
from crossway.ports.services import Services
from crossway.usecases.developers import api_keys, authentication, clients
from tests.api.conftest import new_service

SECRET = re.compile(r"cr_(test|live)_[A-Za-z0-9_-]{32}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture
def services(service: Service) -> Services:
    """The services of a newly started process."""
    return replace(
        service.services, process=replace(service.services.process, api_keys=ApiKeyCache())
    )


@pytest.fixture
def client_id(services: Services) -> str:
    return clients.create_client(
        services, f"Shop {len(clients.list_clients(services))}", staff_principal("test")
    ).id


def stored(service: Service) -> bytes:
    """The content of all files on disk."""
    folder = Path(str(service.store.writer.url.database)).parent
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_a_key_is_stored_as_a_hash_and_its_first_12_characters(
    services: Services, service: Service, client_id: str
) -> None:
    new_key = api_keys.create_api_key(services, client_id, Mode.LIVE, staff_principal("test"))
    assert SECRET.fullmatch(new_key.secret)
    assert new_key.secret.startswith("cr_live_")
    assert new_key.key.display_prefix == new_key.secret[:12]
    assert new_key.secret.encode() not in stored(service)
    assert authentication.hash_secret(new_key.secret).encode() in stored(service)


def test_a_key_authenticates_its_client_mode_and_scopes(services: Services, client_id: str) -> None:
    only_read = frozenset({Scope.READ})
    new_key = api_keys.create_api_key(
        services, client_id, Mode.LIVE, staff_principal("test"), only_read, lambda: "x" * 32
    )
    caller = authentication.authenticate(services, f"cr_live_{'x' * 32}")
    assert (caller.client.id, caller.mode, caller.scopes) == (client_id, Mode.LIVE, only_read)
    assert caller.key_id == new_key.key.id
    assert api_keys.create_api_key(
        services, client_id, Mode.TEST, staff_principal("test")
    ).key.scopes == frozenset(Scope)


def test_a_cached_key_is_not_read_from_the_store(services: Services, client_id: str) -> None:
    secret = api_keys.create_api_key(services, client_id, Mode.TEST, staff_principal("test")).secret
    assert authentication.get_cached_principal(services, secret) is None
    caller = authentication.authenticate(services, secret)
    assert authentication.get_cached_principal(services, secret) == caller
    storeless = replace(services, store=None)  # type: ignore[arg-type]
    assert authentication.authenticate(storeless, secret) == caller


def test_a_revoked_key_ends_at_once_here_and_soon_elsewhere(
    services: Services, client_id: str
) -> None:
    new_key = api_keys.create_api_key(services, client_id, Mode.TEST, staff_principal("test"))
    elsewhere = replace(services, process=replace(services.process, api_keys=ApiKeyCache()))
    authentication.authenticate(services, new_key.secret)
    authentication.authenticate(elsewhere, new_key.secret)
    api_keys.revoke_api_key(services, new_key.key.id, staff_principal("test"))
    assert authentication.get_cached_principal(services, new_key.secret) is None
    with pytest.raises(Unauthorized):
        authentication.authenticate(services, new_key.secret)
    ((hashed, (at, caller)),) = elsewhere.process.api_keys.by_hash.items()
    elsewhere.process.api_keys.by_hash[hashed] = at - authentication.CACHE_SECONDS - 1, caller
    with pytest.raises(Unauthorized):
        authentication.authenticate(elsewhere, new_key.secret)
    assert not authentication.was_authenticated(elsewhere, new_key.secret)
    with pytest.raises(NotFound):
        api_keys.revoke_api_key(services, new_key.key.id, staff_principal("test"))


def test_an_unknown_key_is_rejected_and_not_cached(services: Services) -> None:
    with pytest.raises(Unauthorized):
        authentication.authenticate(services, "cr_test_" + "y" * 32)
    assert services.process.api_keys.by_hash == {}


def test_last_uses_are_written_together(services: Services, client_id: str) -> None:
    new_key = [
        api_keys.create_api_key(services, client_id, Mode.TEST, staff_principal("test"))
        for _ in range(3)
    ]
    services.process.api_keys.written_at = float("inf")
    for item in new_key:
        authentication.authenticate(services, item.secret)
    with services.store.read() as unit:
        assert [key.last_used_at for key in unit.api_keys.list_api_keys(client_id)] == [None] * 3
    assert all(key.last_used_at for key in api_keys.list_api_keys(services, client_id))


def test_the_first_run_makes_one_client_with_a_test_and_a_live_key(tmp_path: Path) -> None:
    service = new_service(tmp_path)
    secrets = api_keys.create_first_client(service.services, "first run")
    assert set(secrets) == {Mode.TEST, Mode.LIVE}
    (client,) = clients.list_clients(service.services)
    assert client.name == "Default"
    assert authentication.authenticate(service.services, secrets[Mode.LIVE]).mode is Mode.LIVE
    assert api_keys.create_first_client(service.services, "second run") == {}
    service.close()


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\nb"])
def test_a_client_has_a_printable_name(services: Services, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        clients.create_client(services, name, staff_principal("test"))


def test_client_names_are_unique_and_can_be_changed(services: Services, client_id: str) -> None:
    clients.update_client(
        services, client_id, clients.ClientUpdate(name="Bakery"), staff_principal("test")
    )
    hits = clients.find_client_by_name(services, "Bakery")
    assert hits is not None
    assert hits.id == client_id
    with pytest.raises(InvalidInput, match="Bakery"):
        clients.create_client(services, "Bakery", staff_principal("test"))
    with pytest.raises(NotFound):
        clients.update_client(services, "nobody", clients.ClientUpdate(), staff_principal("test"))


@pytest.mark.parametrize(
    "change",
    [
        clients.ClientUpdate(app_fee_bps=501),
        clients.ClientUpdate(app_fee_bps=-1),
        clients.ClientUpdate(app_fee_cap_micro_usd=-2),
        clients.ClientUpdate(requests_per_minute=-5),
    ],
)
def test_an_app_fee_is_at_most_5_percent(
    services: Services, client_id: str, change: clients.ClientUpdate
) -> None:
    with pytest.raises(InvalidInput):
        clients.update_client(services, client_id, change, staff_principal("test"))


def test_the_app_fee_cap_can_be_set_and_removed(services: Services, client_id: str) -> None:
    capped = clients.ClientUpdate(app_fee_bps=100, app_fee_cap_micro_usd=5_000_000)
    assert (
        clients.update_client(
            services, client_id, capped, staff_principal("t")
        ).app_fee_cap_micro_usd
        == 5_000_000
    )
    free = clients.ClientUpdate(app_fee_cap_micro_usd=-1)
    assert (
        clients.update_client(services, client_id, free, staff_principal("t")).app_fee_cap_micro_usd
        is None
    )


def test_keys_and_clients_are_audited_without_secrets(services: Services, client_id: str) -> None:
    new_key = api_keys.create_api_key(services, client_id, Mode.TEST, staff_principal("Ada"))
    api_keys.revoke_api_key(services, new_key.key.id, staff_principal("Ada"))
    with services.store.read() as unit:
        lines = [line for line in unit.audit_log.list_recent(50) if line[1] == "Ada"]
    assert [line[2] for line in lines] == ["key revoked", "key created"]
    assert new_key.secret not in str(lines)
