"""Keys are changed, replaced with an overlap, and end (wire.md §1, Keys)."""

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
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path, tmp_path_factory.getbasetemp() / "migrated.db"), chains=())
    yield world
    world.store.close()


@pytest.fixture
def services(world: Harness) -> Services:
    return world.services


def works(services: Services, secret: str) -> bool:
    """Whether a process that has just been started lets this key in."""
    try:
        authentication.authenticate(
            replace(services, process=replace(services.process, api_keys=ApiKeyCache())), secret
        )
    except Unauthorized:
        return False
    return True


def test_a_key_that_was_replaced_works_on_for_the_overlap_and_not_longer(world: Harness) -> None:
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
    assert works(services, old.secret)
    assert works(services, new.secret)
    world.machine.seconds += 1
    assert authentication.get_cached_principal(here, old.secret) is None, (
        "a key that is remembered ends in time too"
    )
    assert not works(services, old.secret)
    assert works(services, new.secret)


def test_without_an_overlap_the_old_key_ends_at_once(services: Services) -> None:
    old = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    authentication.authenticate(services, old.secret)
    api_keys.rotate_api_key(services, old.key.id, staff_principal("t"), timedelta(0))
    with pytest.raises(Unauthorized):
        authentication.authenticate(services, old.secret)


def test_a_key_is_replaced_once_and_only_while_it_lives(services: Services) -> None:
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


def test_scopes_rate_and_addresses_of_a_key_change_at_once(services: Services) -> None:
    made = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    authentication.authenticate(services, made.secret)
    wanted = api_keys.ApiKeyUpdate(READ, 7, ("198.51.100.7",))
    api_keys.update_api_key(services, made.key.id, wanted, staff_principal("t"))
    caller = authentication.authenticate(services, made.secret)
    assert caller.scopes == READ
    assert caller.key is not None
    assert (caller.key.requests_per_minute, caller.key.addresses) == (7, ("198.51.100.7/32",))
    freed = api_keys.update_api_key(
        services, made.key.id, api_keys.ApiKeyUpdate(None, 0, ()), staff_principal("t")
    )
    assert (freed.scopes, freed.requests_per_minute, freed.addresses) == (READ, None, ())


@pytest.mark.parametrize(
    ("change", "said"),
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
def test_what_a_key_cannot_be_is_refused(
    services: Services, change: api_keys.ApiKeyUpdate, said: str
) -> None:
    made = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("t"))
    with pytest.raises(InvalidInput, match=said):
        api_keys.update_api_key(services, made.key.id, change, staff_principal("t"))


def test_the_audit_log_tells_what_became_of_a_key_and_never_its_secret(services: Services) -> None:
    made = api_keys.create_api_key(services, "c-1", Mode.TEST, staff_principal("Ada"))
    api_keys.update_api_key(
        services, made.key.id, api_keys.ApiKeyUpdate(READ), staff_principal("Ada")
    )
    new = api_keys.rotate_api_key(services, made.key.id, staff_principal("Ada"))
    api_keys.revoke_api_key(services, made.key.id, staff_principal("Ada"))
    with services.store.read() as unit:
        entries = unit.audit_log.list_page(AuditFilter(subject=f"key:{made.key.id}"), 10)
        whole = str(unit.audit_log.list_page(AuditFilter(), 100))
    told = [entry.action for entry in entries]
    assert told == ["key revoked", "key rotated", "key changed", "key created"]
    assert entries[2].before == {"scopes": ["read", "refund", "write"]}
    assert entries[2].after == {"scopes": ["read"]}
    assert made.secret not in whole
    assert new.secret not in whole
