"""API keys: changes, rotation with an overlap, and revocation."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound, Unauthorized
from crossway.ports.logs import AuditFilter
from crossway.ports.process import ApiKeyCache
from crossway.ports.services import Services
from crossway.usecases.developers import api_keys, authentication
from tests.databases import new_sqlite
from tests.harness import Harness

READ = frozenset({Scope.READ})


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path), chains=())
    yield world
    world.store.close()


@pytest.fixture
def services(world: Harness) -> Services:
    return world.services


def authenticates(services: Services, secret: str) -> bool:
    """Whether a newly started process accepts this key."""
    try:
        authentication.authenticate(
            replace(services, process=replace(services.process, api_keys=ApiKeyCache())), secret
        )
    except Unauthorized:
        return False
    return True


def test_a_rotated_key_works_until_the_overlap_ends(world: Harness) -> None:
    services, here = world.services, world.services
    old = api_keys.create_api_key(
        services, "c-1", Mode.LIVE, staff_principal("t"), READ, addresses=["203.0.113.0/24"]
    )
    new = api_keys.rotate_api_key(services, old.key.id, staff_principal("Ada"), timedelta(hours=2))
    assert new.secret != old.secret
    assert (new.key.scopes, new.key.mode) == (READ, Mode.LIVE)
    assert new.key.addresses == ("203.0.113.0/24",)
    assert authentication.authenticate(here, old.secret).key_id == old.key.id
    world.machine.seconds += 2 * 3600 - 1
    assert authenticates(services, old.secret)
    assert authenticates(services, new.secret)
    world.machine.seconds += 1
    assert authentication.get_cached_principal(here, old.secret) is None, (
        "a key that is remembered ends in time too"
    )
    assert not authenticates(services, old.secret)
    assert authenticates(services, new.secret)


def test_without_an_overlap_the_old_key_is_revoked_at_once(services: Services) -> None:
    old = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    authentication.authenticate(services, old.secret)
    api_keys.rotate_api_key(services, old.key.id, staff_principal("t"), timedelta(0))
    with pytest.raises(Unauthorized):
        authentication.authenticate(services, old.secret)


def test_only_an_active_key_is_rotated_and_only_once(services: Services) -> None:
    old = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    new = api_keys.rotate_api_key(services, old.key.id, staff_principal("t"))
    with pytest.raises(InvalidStatus, match="was replaced already"):
        api_keys.rotate_api_key(services, old.key.id, staff_principal("t"))
    api_keys.revoke_api_key(services, new.key.id, staff_principal("t"))
    with pytest.raises(InvalidStatus, match="has ended"):
        api_keys.rotate_api_key(services, new.key.id, staff_principal("t"))
    with pytest.raises(NotFound):
        api_keys.rotate_api_key(services, 10**6, staff_principal("t"))


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=30, seconds=1)])
def test_an_overlap_is_at_most_30_days(services: Services, overlap: timedelta) -> None:
    old = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    with pytest.raises(InvalidInput, match="overlap must be from 0 seconds to 30 days"):
        api_keys.rotate_api_key(services, old.key.id, staff_principal("t"), overlap)


def test_changes_of_scopes_rate_and_networks_apply_at_once(services: Services) -> None:
    new_key = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    authentication.authenticate(services, new_key.secret)
    expected = api_keys.ApiKeyUpdate(READ, 7, ("198.51.100.7",))
    api_keys.update_api_key(services, new_key.key.id, expected, staff_principal("t"))
    caller = authentication.authenticate(services, new_key.secret)
    assert caller.scopes == READ
    assert caller.key is not None
    assert (caller.key.requests_per_minute, caller.key.addresses) == (7, ("198.51.100.7/32",))
    freed = api_keys.update_api_key(
        services, new_key.key.id, api_keys.ApiKeyUpdate(None, 0, ()), staff_principal("t")
    )
    assert (freed.scopes, freed.requests_per_minute, freed.addresses) == (READ, None, ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (api_keys.ApiKeyUpdate(scopes=frozenset()), "scopes must name"),
        (api_keys.ApiKeyUpdate(requests_per_minute=-1), "requests_per_minute must be"),
        (api_keys.ApiKeyUpdate(addresses=("nowhere",)), "addresses: nowhere is not a network"),
        (
            api_keys.ApiKeyUpdate(addresses=tuple(f"10.0.{n}.0/24" for n in range(51))),
            "addresses must be at most 50",
        ),
    ],
)
def test_invalid_key_settings_are_rejected(
    services: Services, change: api_keys.ApiKeyUpdate, message: str
) -> None:
    new_key = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    with pytest.raises(InvalidInput, match=message):
        api_keys.update_api_key(services, new_key.key.id, change, staff_principal("t"))


def test_key_changes_are_audited_without_the_secret(services: Services) -> None:
    new_key = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("Ada"))
    api_keys.update_api_key(
        services, new_key.key.id, api_keys.ApiKeyUpdate(READ), staff_principal("Ada")
    )
    new = api_keys.rotate_api_key(services, new_key.key.id, staff_principal("Ada"))
    api_keys.revoke_api_key(services, new_key.key.id, staff_principal("Ada"))
    with services.store.read() as unit:
        entries = unit.audit_log.list_page(AuditFilter(subject=f"key:{new_key.key.id}"), 10)
        text = str(unit.audit_log.list_page(AuditFilter(), 100))
    actions = [entry.action for entry in entries]
    assert actions == ["key revoked", "key rotated", "key changed", "key created"]
    assert entries[2].before == {"scopes": ["read", "refund", "write"]}
    assert entries[2].after == {"scopes": ["read"]}
    assert new_key.secret not in text
    assert new.secret not in text
