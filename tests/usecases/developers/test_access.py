"""Clients and their keys (wire.md §1, Keys)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, insider
from crossway.domain.errors import InvalidInput, NotFound, Unauthorized
from crossway.ports.services import KeyMemory, Services
from crossway.usecases.developers import access, clients, keys
from tests.api.conftest import new_service

SECRET = re.compile(r"cr_(test|live)_[A-Za-z0-9_-]{32}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture
def services(service: Service) -> Services:
    """As a process that has just been started."""
    return replace(service.services, keys=KeyMemory())


@pytest.fixture
def client_id(services: Services) -> str:
    return clients.create(services, f"Shop {len(clients.every(services))}", insider("test")).id


def stored(service: Service) -> bytes:
    """Everything that lies on disk."""
    folder = Path(str(service.store.writer.url.database)).parent
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_a_key_is_stored_as_its_hash_beside_its_first_12_characters(
    services: Services, service: Service, client_id: str
) -> None:
    made = keys.make(services, client_id, Mode.LIVE, insider("test"))
    assert SECRET.fullmatch(made.secret)
    assert made.secret.startswith("cr_live_")
    assert made.key.shown == made.secret[:12]
    assert made.secret.encode() not in stored(service)
    assert access.hash_of(made.secret).encode() in stored(service)


def test_a_key_answers_for_its_client_mode_and_scopes(services: Services, client_id: str) -> None:
    only_read = frozenset({Scope.READ})
    made = keys.make(services, client_id, Mode.LIVE, insider("test"), only_read, lambda: "x" * 32)
    caller = access.authenticate(services, f"cr_live_{'x' * 32}")
    assert (caller.client.id, caller.mode, caller.scopes) == (client_id, Mode.LIVE, only_read)
    assert caller.key_id == made.key.id
    assert keys.make(services, client_id, Mode.TEST, insider("test")).key.scopes == frozenset(Scope)


def test_a_key_that_was_just_looked_up_asks_no_store(services: Services, client_id: str) -> None:
    secret = keys.make(services, client_id, Mode.TEST, insider("test")).secret
    assert access.recall(services, secret) is None
    caller = access.authenticate(services, secret)
    assert access.recall(services, secret) == caller
    storeless = replace(services, store=None)  # type: ignore[arg-type]
    assert access.authenticate(storeless, secret) == caller


def test_a_revoked_key_ends_at_once_here_and_is_asked_again_elsewhere(
    services: Services, client_id: str
) -> None:
    made = keys.make(services, client_id, Mode.TEST, insider("test"))
    elsewhere = replace(services, keys=KeyMemory())
    access.authenticate(services, made.secret)
    access.authenticate(elsewhere, made.secret)
    keys.revoke(services, made.key.id, insider("test"))
    assert access.recall(services, made.secret) is None
    with pytest.raises(Unauthorized):
        access.authenticate(services, made.secret)
    ((hashed, (at, key, client)),) = elsewhere.keys.seen.items()
    elsewhere.keys.seen[hashed] = (at - access.FRESH_SECONDS - 1, key, client)
    with pytest.raises(Unauthorized):
        access.authenticate(elsewhere, made.secret)
    assert not access.was_seen(elsewhere, made.secret)
    with pytest.raises(NotFound):
        keys.revoke(services, made.key.id, insider("test"))


def test_an_unknown_key_is_refused_and_not_remembered(services: Services) -> None:
    with pytest.raises(Unauthorized):
        access.authenticate(services, "cr_test_" + "y" * 32)
    assert services.keys.seen == {}


def test_last_uses_are_written_together(services: Services, client_id: str) -> None:
    made = [keys.make(services, client_id, Mode.TEST, insider("test")) for _ in range(3)]
    services.keys.written = float("inf")
    for one in made:
        access.authenticate(services, one.secret)
    with services.store.read() as unit:
        assert [key.last_used_at for key in unit.access.keys(client_id)] == [None] * 3
    assert all(key.last_used_at for key in keys.every(services, client_id))


def test_the_first_run_makes_one_client_with_a_test_and_a_live_key(tmp_path: Path) -> None:
    service = new_service(tmp_path)
    secrets = keys.first_run(service.services, "first run")
    assert set(secrets) == {Mode.TEST, Mode.LIVE}
    (client,) = clients.every(service.services)
    assert client.name == "Default"
    assert access.authenticate(service.services, secrets[Mode.LIVE]).mode is Mode.LIVE
    assert keys.first_run(service.services, "second run") == {}
    service.close()


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\nb"])
def test_a_client_has_a_printable_name(services: Services, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        clients.create(services, name, insider("test"))


def test_a_name_is_taken_once_and_a_client_can_be_renamed(
    services: Services, client_id: str
) -> None:
    clients.change(services, client_id, clients.ClientChange(name="Bakery"), insider("test"))
    found = clients.named(services, "Bakery")
    assert found is not None
    assert found.id == client_id
    with pytest.raises(InvalidInput, match="Bakery"):
        clients.create(services, "Bakery", insider("test"))
    with pytest.raises(NotFound):
        clients.change(services, "nobody", clients.ClientChange(), insider("test"))


@pytest.mark.parametrize(
    "change",
    [
        clients.ClientChange(app_fee_bps=501),
        clients.ClientChange(app_fee_bps=-1),
        clients.ClientChange(app_fee_cap_micro_usd=-2),
        clients.ClientChange(requests_per_minute=-5),
    ],
)
def test_an_app_fee_is_at_most_5_percent(
    services: Services, client_id: str, change: clients.ClientChange
) -> None:
    with pytest.raises(InvalidInput):
        clients.change(services, client_id, change, insider("test"))


def test_a_cap_can_be_set_and_taken_away(services: Services, client_id: str) -> None:
    capped = clients.ClientChange(app_fee_bps=100, app_fee_cap_micro_usd=5_000_000)
    assert (
        clients.change(services, client_id, capped, insider("t")).app_fee_cap_micro_usd == 5_000_000
    )
    free = clients.ClientChange(app_fee_cap_micro_usd=-1)
    assert clients.change(services, client_id, free, insider("t")).app_fee_cap_micro_usd is None


def test_keys_and_clients_are_audited_without_secrets(services: Services, client_id: str) -> None:
    made = keys.make(services, client_id, Mode.TEST, insider("Ada"))
    keys.revoke(services, made.key.id, insider("Ada"))
    with services.store.read() as unit:
        lines = [line for line in unit.network.audited(50) if line[1] == "Ada"]
    assert [line[2] for line in lines] == ["key revoked", "key created"]
    assert made.secret not in str(lines)
