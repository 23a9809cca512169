"""Keys are changed, replaced with an overlap, and end (wire.md §1, Keys)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.clients import Mode, Scope, insider
from crossway.domain.errors import InvalidInput, NotFound, Unauthorized, WrongState
from crossway.ports.logs import AuditFilter
from crossway.ports.services import KeyMemory, Services
from crossway.usecases.developers import access, keys
from tests.databases import new_sqlite
from tests.world import World

READ = frozenset({Scope.READ})


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(new_sqlite(tmp_path, tmp_path_factory.getbasetemp() / "migrated.db"), chains=())
    yield world
    world.store.close()


@pytest.fixture
def services(world: World) -> Services:
    return world.services


def works(services: Services, secret: str) -> bool:
    """Whether a process that has just been started lets this key in."""
    try:
        access.authenticate(replace(services, keys=KeyMemory()), secret)
    except Unauthorized:
        return False
    return True


def test_a_key_that_was_replaced_works_on_for_the_overlap_and_not_longer(world: World) -> None:
    services, here = world.services, world.services
    old = keys.make(services, "c-1", Mode.LIVE, insider("t"), READ, addresses=["203.0.113.0/24"])
    new = keys.rotate(services, old.key.id, insider("Ada"), timedelta(hours=2))
    assert new.secret != old.secret
    assert (new.key.scopes, new.key.mode) == (READ, Mode.LIVE)
    assert new.key.addresses == ("203.0.113.0/24",)
    assert access.authenticate(here, old.secret).key_id == old.key.id
    world.hand.seconds += 2 * 3600 - 1
    assert works(services, old.secret)
    assert works(services, new.secret)
    world.hand.seconds += 1
    assert access.recall(here, old.secret) is None, "a key that is remembered ends in time too"
    assert not works(services, old.secret)
    assert works(services, new.secret)


def test_without_an_overlap_the_old_key_ends_at_once(services: Services) -> None:
    old = keys.make(services, "c-1", Mode.TEST, insider("t"))
    access.authenticate(services, old.secret)
    keys.rotate(services, old.key.id, insider("t"), timedelta(0))
    with pytest.raises(Unauthorized):
        access.authenticate(services, old.secret)


def test_a_key_is_replaced_once_and_only_while_it_lives(services: Services) -> None:
    old = keys.make(services, "c-1", Mode.TEST, insider("t"))
    new = keys.rotate(services, old.key.id, insider("t"))
    with pytest.raises(WrongState, match="was replaced already"):
        keys.rotate(services, old.key.id, insider("t"))
    keys.revoke(services, new.key.id, insider("t"))
    with pytest.raises(WrongState, match="has ended"):
        keys.rotate(services, new.key.id, insider("t"))
    with pytest.raises(NotFound):
        keys.rotate(services, 10**6, insider("t"))


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=30, seconds=1)])
def test_an_overlap_is_at_most_30_days(services: Services, overlap: timedelta) -> None:
    old = keys.make(services, "c-1", Mode.TEST, insider("t"))
    with pytest.raises(InvalidInput, match="overlap must be from 0 seconds to 30 days"):
        keys.rotate(services, old.key.id, insider("t"), overlap)


def test_scopes_rate_and_addresses_of_a_key_change_at_once(services: Services) -> None:
    made = keys.make(services, "c-1", Mode.TEST, insider("t"))
    access.authenticate(services, made.secret)
    wanted = keys.KeyChange(READ, 7, ("198.51.100.7",))
    keys.change(services, made.key.id, wanted, insider("t"))
    caller = access.authenticate(services, made.secret)
    assert caller.scopes == READ
    assert caller.key is not None
    assert (caller.key.requests_per_minute, caller.key.addresses) == (7, ("198.51.100.7/32",))
    freed = keys.change(services, made.key.id, keys.KeyChange(None, 0, ()), insider("t"))
    assert (freed.scopes, freed.requests_per_minute, freed.addresses) == (READ, None, ())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (keys.KeyChange(scopes=frozenset()), "scopes must name"),
        (keys.KeyChange(requests_per_minute=-1), "requests_per_minute must be"),
        (keys.KeyChange(addresses=("nowhere",)), "addresses: nowhere is not a network"),
        (
            keys.KeyChange(addresses=tuple(f"10.0.{n}.0/24" for n in range(51))),
            "addresses must be at most 50",
        ),
    ],
)
def test_what_a_key_cannot_be_is_refused(
    services: Services, change: keys.KeyChange, said: str
) -> None:
    made = keys.make(services, "c-1", Mode.TEST, insider("t"))
    with pytest.raises(InvalidInput, match=said):
        keys.change(services, made.key.id, change, insider("t"))


def test_the_audit_log_tells_what_became_of_a_key_and_never_its_secret(services: Services) -> None:
    made = keys.make(services, "c-1", Mode.TEST, insider("Ada"))
    keys.change(services, made.key.id, keys.KeyChange(READ), insider("Ada"))
    new = keys.rotate(services, made.key.id, insider("Ada"))
    keys.revoke(services, made.key.id, insider("Ada"))
    with services.store.read() as unit:
        entries = unit.audits.page(AuditFilter(subject=f"key:{made.key.id}"), 10)
        whole = str(unit.audits.page(AuditFilter(), 100))
    told = [entry.what for entry in entries]
    assert told == ["key revoked", "key rotated", "key changed", "key created"]
    assert entries[2].before == {"scopes": ["read", "refund", "write"]}
    assert entries[2].after == {"scopes": ["read"]}
    assert made.secret not in whole
    assert new.secret not in whole
