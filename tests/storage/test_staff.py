"""The installation's people and their stays: kept, found, let out, on both databases."""

from dataclasses import replace
from datetime import timedelta

from crossway.domain.roles import Role
from crossway.domain.staff import Member, Stay, Way
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, later


def ada(**more: object) -> Member:
    return replace(Member(0, "Ada", Role.ADMIN, NOW, "$argon2id$…", b"sealed"), **more)  # type: ignore[arg-type]


def added(store: SqlStore, member: Member, index: str | None = None) -> Member:
    made = store.write(lambda unit: unit.staff.add(member, index))
    assert made is not None
    return made


def test_somebody_is_found_by_name_number_and_address(store: SqlStore) -> None:
    with store.read() as unit:
        assert not unit.staff.known()
    made = added(store, ada(), "index")
    with store.read() as unit:
        assert unit.staff.known()
        assert made == ada(id=made.id)
        found = (unit.staff.get(made.id), unit.staff.named("ada"), unit.staff.of_email("index"))
        assert found == (made, made, made)
        assert unit.staff.every() == [made]
        assert unit.staff.named("Ada") is None  # It is asked for in its one spelling.


def test_a_name_and_an_address_are_of_one_person(store: SqlStore) -> None:
    first = added(store, ada(), "index")
    bob = ada(name="Bob")
    assert store.write(lambda unit: unit.staff.add(ada(name="ADA"), None)) is None
    assert store.write(lambda unit: unit.staff.add(bob, "index")) is None
    second = added(store, bob)
    assert not store.write(lambda unit: unit.staff.readdress(second.id, b"x", "index"))
    assert store.write(lambda unit: unit.staff.readdress(first.id, None, None))
    assert store.write(lambda unit: unit.staff.readdress(second.id, b"x", "index"))
    with store.read() as unit:
        assert unit.staff.of_email("index") == replace(second, email_sealed=b"x")


def test_role_password_and_being_disabled_change_and_nothing_else(store: SqlStore) -> None:
    made = added(store, ada(), "index")
    changed = replace(made, role=Role.VIEWER, password_hash="other", disabled_at=later(5))
    store.write(lambda unit: unit.staff.change(replace(changed, name="Eve", seen_at=later(9))))
    with store.read() as unit:
        assert unit.staff.get(made.id) == changed
    store.write(lambda unit: unit.staff.came(made.id, Way.PROVIDER, later(7)))
    with store.read() as unit:
        assert unit.staff.get(made.id) == replace(changed, way=Way.PROVIDER, seen_at=later(7))


def test_a_stay_is_found_by_its_token_touched_and_ended(store: SqlStore) -> None:
    made = added(store, ada())
    stay = Stay(0, made.id, Way.PASSWORD, NOW, NOW)
    assert store.write(lambda unit: unit.staff.begin(stay, "hash", None))
    assert store.write(lambda unit: unit.staff.begin(replace(stay, member_id=None), "first", None))
    store.write(lambda unit: unit.staff.touch("hash", later(60)))
    store.write(lambda unit: unit.staff.touch("hash", later(30)))
    with store.read() as unit:
        found = unit.staff.stay("hash")
        assert found is not None
        assert found == replace(stay, id=found.id, seen_at=later(60))
        assert unit.staff.stays_of(made.id) == [found]
        assert [one.member_id for one in unit.staff.stays_of(None)] == [None]
        assert unit.staff.stay("other") is None
    store.write(lambda unit: unit.staff.end([found.id], later(90)))
    store.write(lambda unit: unit.staff.end([found.id], later(95)))
    with store.read() as unit:
        ended = unit.staff.stay("hash")
        assert ended is not None
        assert ended.ended_at == later(90)
        assert unit.staff.stays_of(made.id) == []


def test_what_a_provider_said_lets_in_once(store: SqlStore) -> None:
    stay = Stay(0, None, Way.PROVIDER, NOW, NOW)
    assert store.write(lambda unit: unit.staff.begin(stay, "one", "proof"))
    assert not store.write(lambda unit: unit.staff.begin(stay, "two", "proof"))
    assert store.write(lambda unit: unit.staff.begin(stay, "three", None))
    assert store.write(lambda unit: unit.staff.begin(stay, "four", None))
    assert store.write(lambda unit: unit.staff.forget_stays(NOW + timedelta(seconds=1))) == 3
