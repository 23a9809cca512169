"""Second factors of staff: stored, used up once, and deleted."""

from dataclasses import replace

from crossway.domain.roles import Role
from crossway.domain.second_factors import Authenticator, Passkey, SecondFactors
from crossway.domain.staff import AuthMethod, StaffMember, StaffSession
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, later

NOTHING = SecondFactors(None, (), 0)


def add_member(store: SqlStore, name: str = "Ada") -> int:
    member = StaffMember(0, name, Role.ADMIN, NOW, "$argon2id$…")
    created = store.write(lambda unit: unit.staff.add(member, None))
    assert created is not None
    return created.id


def factors(store: SqlStore, member_id: int) -> SecondFactors:
    with store.read() as unit:
        return unit.second_factors.get(member_id)


def test_an_authenticator_takes_each_step_once_and_only_forwards(store: SqlStore) -> None:
    ada, bob = add_member(store), add_member(store, "Bob")
    app = Authenticator(ada, b"sealed", 100, NOW)
    store.write(lambda unit: unit.second_factors.set_authenticator(app))
    assert factors(store, ada) == replace(NOTHING, authenticator=app)
    assert factors(store, bob) == NOTHING
    taken = [
        store.write(lambda unit, step=step: unit.second_factors.use_step(ada, step))
        for step in (100, 99, 101, 101, 103, 102)
    ]
    assert taken == [False, False, True, False, True, False]
    assert not store.write(lambda unit: unit.second_factors.use_step(bob, 500))
    other = replace(app, encrypted_secret=b"another", last_step=7)
    store.write(lambda unit: unit.second_factors.set_authenticator(other))
    assert factors(store, ada).authenticator == other
    store.write(lambda unit: unit.second_factors.delete_authenticator(ada))
    assert not factors(store, ada).any


def test_a_passkey_is_stored_once_and_used_from_the_known_count(store: SqlStore) -> None:
    ada, bob = add_member(store), add_member(store, "Bob")
    new = Passkey(0, ada, "credential", b"key", 4, "Laptop", NOW)
    with store.read() as unit:
        assert not unit.second_factors.has_passkeys()
    stored = store.write(lambda unit: unit.second_factors.add_passkey(new))
    assert stored is not None
    assert stored == replace(new, id=stored.id)
    stolen = replace(new, member_id=bob)
    assert store.write(lambda unit: unit.second_factors.add_passkey(stolen)) is None
    assert store.write(lambda unit: unit.second_factors.use_passkey(stored, 5, later(9)))
    assert not store.write(lambda unit: unit.second_factors.use_passkey(stored, 6, later(10)))
    with store.read() as unit:
        assert unit.second_factors.has_passkeys()
        used = unit.second_factors.find_passkey("credential")
        assert used == replace(stored, sign_count=5, last_used_at=later(9))
        assert unit.second_factors.find_passkey("other") is None
        assert unit.second_factors.list_by_members([ada, bob]) == {
            ada: SecondFactors(None, (used,), 0),
            bob: NOTHING,
        }
    store.write(lambda unit: unit.second_factors.delete_passkey(stored.id))
    assert not store.write(lambda unit: unit.second_factors.use_passkey(used, 6, later(10)))
    assert factors(store, ada) == NOTHING


def test_recovery_codes_are_used_once_and_replaced_together(store: SqlStore) -> None:
    ada, bob = add_member(store), add_member(store, "Bob")
    store.write(lambda unit: unit.second_factors.replace_recovery_codes(ada, ["a", "b"]))
    store.write(lambda unit: unit.second_factors.replace_recovery_codes(bob, ["c"]))
    uses = [
        store.write(lambda unit, code=code: unit.second_factors.use_recovery_code(code, NOW))
        for code in ("a", "a", "z")
    ]
    assert uses == [True, False, False]
    assert factors(store, ada).recovery_codes_left == 1
    with store.read() as unit:
        known = [unit.second_factors.has_recovery_code(code) for code in ("a", "b", "z")]
    assert known == [False, True, False]
    store.write(lambda unit: unit.second_factors.replace_recovery_codes(ada, ["d"]))
    assert not store.write(lambda unit: unit.second_factors.use_recovery_code("b", NOW))
    store.write(lambda unit: unit.second_factors.replace_recovery_codes(ada, []))
    assert factors(store, ada) == NOTHING
    assert factors(store, bob).recovery_codes_left == 1


def test_everything_of_one_person_is_deleted_together(store: SqlStore) -> None:
    ada, bob = add_member(store), add_member(store, "Bob")
    for member_id in (ada, bob):
        app = Authenticator(member_id, b"sealed", 1, NOW)
        passkey = Passkey(0, member_id, f"credential {member_id}", b"key", 0, "Phone", NOW)
        store.write(lambda unit, app=app: unit.second_factors.set_authenticator(app))
        store.write(lambda unit, key=passkey: unit.second_factors.add_passkey(key))
        codes = [f"code {member_id}"]
        store.write(
            lambda unit, of=member_id, codes=codes: unit.second_factors.replace_recovery_codes(
                of, codes
            )
        )
    store.write(lambda unit: unit.second_factors.delete_all(ada))
    assert factors(store, ada) == NOTHING
    kept = factors(store, bob)
    assert kept.authenticator is not None
    assert (len(kept.passkeys), kept.recovery_codes_left) == (1, 1)


def test_a_session_stores_when_it_was_proven(store: SqlStore) -> None:
    ada = add_member(store)
    new = StaffSession(0, ada, AuthMethod.PASSKEY, NOW, NOW, None, NOW)
    store.write(lambda unit: unit.staff.start_session(new, "hash", None))
    with store.read() as unit:
        (session,) = unit.staff.list_open_sessions(ada)
    assert session.proven_at == NOW
    store.write(lambda unit: unit.staff.record_proof(session.id, later(60)))
    with store.read() as unit:
        assert unit.staff.get_session("hash") == replace(session, proven_at=later(60))
