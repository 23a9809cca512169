"""Staff members and their sessions."""

from dataclasses import replace
from datetime import timedelta

from crossway.domain.roles import Role
from crossway.domain.staff import AuthMethod, StaffMember, StaffSession
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, later


def ada(**more: object) -> StaffMember:
    return replace(StaffMember(0, "Ada", Role.ADMIN, NOW, "$argon2id$…", b"sealed"), **more)  # type: ignore[arg-type]


def added(store: SqlStore, member: StaffMember, index: str | None = None) -> StaffMember:
    created = store.write(lambda unit: unit.staff.add(member, index))
    assert created is not None
    return created


def test_a_member_is_found_by_name_id_and_address(store: SqlStore) -> None:
    with store.read() as unit:
        assert not unit.staff.has_any()
    created = added(store, ada(), "index")
    with store.read() as unit:
        assert unit.staff.has_any()
        assert created == ada(id=created.id)
        found = (
            unit.staff.get(created.id),
            unit.staff.find_by_name("ada"),
            unit.staff.find_by_email("index"),
        )
        assert found == (created, created, created)
        assert unit.staff.list_all() == [created]
        assert unit.staff.find_by_name("Ada") is None  # Look-ups use the canonical spelling.


def test_a_name_and_an_address_belong_to_one_member(store: SqlStore) -> None:
    first = added(store, ada(), "index")
    bob = ada(name="Bob")
    assert store.write(lambda unit: unit.staff.add(ada(name="ADA"), None)) is None
    assert store.write(lambda unit: unit.staff.add(bob, "index")) is None
    second = added(store, bob)
    assert not store.write(lambda unit: unit.staff.update_email(second.id, b"x", "index"))
    assert store.write(lambda unit: unit.staff.update_email(first.id, None, None))
    assert store.write(lambda unit: unit.staff.update_email(second.id, b"x", "index"))
    with store.read() as unit:
        assert unit.staff.find_by_email("index") == replace(second, encrypted_email=b"x")


def test_an_update_changes_role_password_and_disabled_at_only(store: SqlStore) -> None:
    created = added(store, ada(), "index")
    changed = replace(created, role=Role.VIEWER, password_hash="other", disabled_at=later(5))
    store.write(lambda unit: unit.staff.update(replace(changed, name="Eve", last_seen_at=later(9))))
    with store.read() as unit:
        assert unit.staff.get(created.id) == changed
    store.write(
        lambda unit: unit.staff.record_sign_in(created.id, AuthMethod.IDENTITY_PROVIDER, later(7))
    )
    with store.read() as unit:
        assert unit.staff.get(created.id) == replace(
            changed, auth_method=AuthMethod.IDENTITY_PROVIDER, last_seen_at=later(7)
        )


def test_a_session_is_found_by_its_token_touched_and_ended(store: SqlStore) -> None:
    created = added(store, ada())
    stay = StaffSession(0, created.id, AuthMethod.PASSWORD, NOW, NOW)
    assert store.write(lambda unit: unit.staff.start_session(stay, "hash", None))
    assert store.write(
        lambda unit: unit.staff.start_session(replace(stay, member_id=None), "first", None)
    )
    store.write(lambda unit: unit.staff.touch_session("hash", later(60)))
    store.write(lambda unit: unit.staff.touch_session("hash", later(30)))
    with store.read() as unit:
        found = unit.staff.get_session("hash")
        assert found is not None
        assert found == replace(stay, id=found.id, last_seen_at=later(60))
        assert unit.staff.list_open_sessions(created.id) == [found]
        assert [session.member_id for session in unit.staff.list_open_sessions(None)] == [None]
        assert unit.staff.get_session("other") is None
    store.write(lambda unit: unit.staff.end_sessions([found.id], later(90)))
    store.write(lambda unit: unit.staff.end_sessions([found.id], later(95)))
    with store.read() as unit:
        ended = unit.staff.get_session("hash")
        assert ended is not None
        assert ended.ended_at == later(90)
        assert unit.staff.list_open_sessions(created.id) == []


def test_an_oidc_assertion_is_accepted_once(store: SqlStore) -> None:
    stay = StaffSession(0, None, AuthMethod.IDENTITY_PROVIDER, NOW, NOW)
    assert store.write(lambda unit: unit.staff.start_session(stay, "one", "proof"))
    assert not store.write(lambda unit: unit.staff.start_session(stay, "two", "proof"))
    assert store.write(lambda unit: unit.staff.start_session(stay, "three", None))
    assert store.write(lambda unit: unit.staff.start_session(stay, "four", None))
    assert (
        store.write(lambda unit: unit.staff.delete_sessions_before(NOW + timedelta(seconds=1))) == 3
    )
