"""Sign-in: methods, throttling, session lifetime, and what ends a session."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import staff_principal
from crossway.domain.errors import Unauthorized
from crossway.domain.roles import Role
from crossway.ports.logs import AuditFilter
from crossway.ports.policy import SessionPolicy
from crossway.ports.process import SessionCache
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff import audit, members, sessions, sign_in
from crossway.usecases.staff.members import NewStaffMember
from crossway.usecases.staff.sessions import SignInRequirement
from tests.harness import Harness

PASSWORD = "four words nobody expects"
HERE = "203.0.113.7"
MACHINE = staff_principal("command line")


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=())


@pytest.fixture
def services(world: Harness) -> Services:
    return world.services


@pytest.fixture
def ada(services: Services) -> int:
    member = NewStaffMember("Ada", "admin", PASSWORD, "ada@example.com")
    return members.add_member(services, MACHINE, member).id


def enter(
    services: Services, name: str = "Ada", password: str = PASSWORD, address: str = HERE
) -> str:
    return sign_in.sign_in_with_password(services, name, password, address)


def sign_in_with_oidc(services: Services, **more: Any) -> str:
    claims: dict[str, Any] = {
        "email": "Ada@Example.com",
        "verified": True,
        "issued_at": services.clock.machine(),
        "proof": "iss sub 1",
    }
    return sign_in.sign_in_with_provider(services, **(claims | more))


def test_a_session_acts_with_name_and_role_until_sign_out(services: Services, ada: int) -> None:
    token = enter(services, " aDA ")
    result = sessions.get_active_session(services, token)
    assert result is not None
    assert (result.name, result.role) == ("Ada", Role.ADMIN)
    assert sessions.get_active_session(services, "another") is None
    sessions.sign_out(services, token)
    assert sessions.get_active_session(services, token) is None
    assert sessions.explain_sign_out(services, token) == "You are signed out."


def test_unknown_names_and_wrong_passwords_get_the_same_error(services: Services, ada: int) -> None:
    members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", PASSWORD))
    members.disable_member(
        services, MACHINE, members.get_member_by_name(services, MACHINE, "Bob").id
    )
    messages = set()
    for name, password in (("Ada", "wrong"), ("Nobody", PASSWORD), ("Bob", PASSWORD), ("", "")):
        with pytest.raises(Unauthorized) as refused:
            enter(services, name, password)
        messages.add(str(refused.value))
    assert messages == {"The name or the password is wrong"}


def test_a_successful_sign_in_resets_the_throttle(services: Services, ada: int) -> None:
    for _ in range(3):
        for _ in range(4):
            with pytest.raises(Unauthorized):
                enter(services, password="wrong")
        enter(services)


def test_an_idle_session_expires_and_an_active_one_lasts_a_day(
    world: Harness, services: Services, ada: int
) -> None:
    token = enter(services)
    idle = services.policy.sessions.idle_seconds
    for _ in range(3):
        world.machine.seconds += idle - 60
        services.process.sessions.by_token_hash.clear()
        sessions.record_activity(services, token)
    assert sessions.get_active_session(services, token) is not None
    world.machine.seconds += idle + 1
    assert sessions.get_active_session(services, token) is None
    message = "You were signed out after 30 minutes without activity."
    assert sessions.explain_sign_out(services, token) == message
    sessions.record_activity(services, token)
    assert sessions.get_active_session(services, token) is None

    second = enter(services)
    for _ in range(24 * 2 + 1):
        world.machine.seconds += 1795
        sessions.record_activity(services, second)
    assert sessions.get_active_session(services, second) is None


def test_advancing_the_simulated_clock_ends_no_session(
    world: Harness, services: Services, ada: int
) -> None:
    token = enter(services)
    world.sandbox.advance(10 * 86_400)
    assert sessions.get_active_session(services, token) is not None


def test_unwritten_activity_keeps_a_session_alive(
    world: Harness, services: Services, ada: int
) -> None:
    services = replace(
        services, policy=replace(services.policy, sessions=SessionPolicy(idle_seconds=60))
    )
    token = enter(services)
    for _ in range(10):
        world.machine.seconds += 15
        sessions.record_activity(services, token)
    world.machine.seconds += 55
    assert sessions.get_active_session(services, token) is not None


ENDINGS: dict[str, Callable[[Services, int], object]] = {
    "disabled": lambda s, who: members.disable_member(s, MACHINE, who),
    "another password": lambda s, who: members.set_password(s, MACHINE, who, PASSWORD + "!"),
    "another address": lambda s, who: members.set_email(s, MACHINE, who, "b@example.com"),
}


@pytest.mark.parametrize("change", ENDINGS)
def test_a_session_ends_at_once(services: Services, ada: int, change: str) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "admin", PASSWORD))
    token, own = enter(services, "Bob"), enter(services)
    assert sessions.get_active_session(services, token) is not None
    ENDINGS[change](services, bob.id)
    assert sessions.get_active_session(services, token) is None
    assert sessions.get_active_session(services, own) is not None


def test_an_open_session_of_a_disabled_member_is_not_active(services: Services, ada: int) -> None:
    """As when disabling and signing in happen at once: the session itself was not ended."""
    token = enter(services)

    def disable(unit: UnitOfWork) -> None:
        member = unit.staff.get(ada)
        assert member is not None
        unit.staff.update(replace(member, disabled_at=services.clock.now()))

    services.store.write(disable)
    assert sessions.get_active_session(services, token) is None


def test_a_role_change_applies_at_once(services: Services, ada: int) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", PASSWORD))
    token = enter(services, "Bob")
    for role in Role:
        members.set_role(services, MACHINE, bob.id, role)
        result = sessions.get_active_session(services, token)
        assert result is not None
        assert result.role is role


def test_changes_by_another_process_apply_soon(services: Services, ada: int) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", PASSWORD))
    token = enter(services, "Bob")
    assert sessions.get_active_session(services, token) is not None
    members.disable_member(
        replace(services, process=replace(services.process, sessions=SessionCache())),
        MACHINE,
        bob.id,
    )
    ((key, cached),) = services.process.sessions.by_token_hash.items()
    earlier = replace(cached, read_at=cached.read_at - sessions.FRESH_SECONDS)
    services.process.sessions.by_token_hash[key] = earlier
    assert sessions.get_active_session(services, token) is None


def test_an_oidc_assertion_signs_in_once(services: Services, ada: int) -> None:
    result = sessions.get_active_session(services, sign_in_with_oidc(services))
    assert result is not None
    assert result.name == "Ada"
    with pytest.raises(sign_in.ReplayedAssertion):
        sign_in_with_oidc(services)
    sign_in_with_oidc(services, proof="iss sub 2")


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"email": "eve@example.com"}, "No staff member has the e-mail address"),
        ({"email": None}, "did not send your e-mail address"),
        ({"verified": False}, "has not verified"),
        ({"issued_at": datetime.fromisoformat("2026-11-21T11:00:00Z")}, "too old"),
    ],
)
def test_an_invalid_oidc_assertion_is_rejected(
    services: Services, ada: int, claims: dict[str, Any], why: str
) -> None:
    with pytest.raises(Unauthorized, match=why):
        sign_in_with_oidc(services, **claims)


def test_sign_in_methods_depend_on_the_existing_accounts(services: Services) -> None:
    live = replace(services, environment="live")
    assert sessions.get_sign_in_requirement(services, False) is SignInRequirement.NONE
    assert sessions.get_sign_in_requirement(services, True) is SignInRequirement.INSTALL_PASSWORD
    assert sessions.get_sign_in_requirement(live, False) is SignInRequirement.CLOSED
    assert sessions.get_sign_in_requirement(live, True) is SignInRequirement.INSTALL_PASSWORD
    members.add_member(services, MACHINE, NewStaffMember("Ada", "admin", PASSWORD))
    for item in (services, live):
        assert {sessions.get_sign_in_requirement(item, has) for has in (True, False)} == {
            SignInRequirement.STAFF
        }


def test_the_setup_password_works_until_an_account_exists(services: Services) -> None:
    token = sign_in.sign_in_with_install_password(services, "sesame", "sesame", HERE)
    result = sessions.get_active_session(services, token)
    assert result is not None
    assert (result.name, result.role) == ("Operator", Role.ADMIN)
    for typed, setups in (("wrong", "sesame"), ("", "")):
        with pytest.raises(Unauthorized, match="That is not the password"):
            sign_in.sign_in_with_install_password(services, typed, setups, HERE)
    members.add_member(
        services, staff_principal(result.name), NewStaffMember("Ada", "admin", PASSWORD)
    )
    assert sessions.get_active_session(services, token) is None
    with pytest.raises(Unauthorized):
        sign_in.sign_in_with_install_password(services, "sesame", "sesame", HERE)


def test_sign_ins_sign_outs_and_failures_are_audited(services: Services, ada: int) -> None:
    token = enter(services)
    for name in ("Ada", "secret typed as a name"):
        with pytest.raises(Unauthorized):
            enter(services, name, "wrong")
    sessions.sign_out(services, token)
    entries = audit.list_entries(services, MACHINE, AuditFilter(), 20)
    messages = [(item.actor, item.action, item.subject) for item in reversed(entries)][1:]
    assert messages == [
        ("Ada", "signed in", f"staff:{ada}"),
        ("Ada", "sign-in failed", f"staff:{ada}"),
        ("Somebody", "sign-in failed", "staff:0"),
        ("Ada", "signed out", f"staff:{ada}"),
    ]
    assert "secret typed" not in str(entries)
    member = members.get_member_by_name(services, MACHINE, "Ada")
    assert member.last_seen_at == services.clock.machine()


def test_a_stored_token_digest_does_not_sign_in(services: Services, ada: int) -> None:
    token = enter(services)
    assert sessions.get_active_session(services, sessions.hash_token(token)) is None
    assert timedelta(0) < sessions.SESSION_RETENTION
