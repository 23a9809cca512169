"""Signing in: by what, how often it may be tried, how long it lasts, and what ends it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import staff_principal
from crossway.domain.errors import TooManyRequests, Unauthorized
from crossway.domain.roles import Role
from crossway.ports.logs import AuditFilter
from crossway.ports.policy import SessionPolicy
from crossway.ports.process import SessionCache
from crossway.ports.services import Services
from crossway.usecases.staff import audit, members, sessions, sign_in
from crossway.usecases.staff.login_throttle import (
    MAX_ATTEMPTS_PER_ADDRESS,
    MAX_ATTEMPTS_PER_NAME,
    WINDOW_SECONDS,
)
from crossway.usecases.staff.members import NewStaffMember
from crossway.usecases.staff.sessions import SignInRequirement
from tests.harness import Harness

WORDS = "four words nobody expects"
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
    asked = NewStaffMember("Ada", "admin", WORDS, "ada@example.com")
    return members.add_member(services, MACHINE, asked).id


def enter(services: Services, name: str = "Ada", password: str = WORDS, address: str = HERE) -> str:
    return sign_in.sign_in_with_password(services, name, password, address)


def vouch(services: Services, **more: Any) -> str:
    said: dict[str, Any] = {
        "email": "Ada@Example.com",
        "verified": True,
        "issued_at": services.clock.machine(),
        "proof": "iss sub 1",
    }
    return sign_in.sign_in_with_provider(services, **(said | more))


def test_who_signs_in_acts_by_name_and_role_until_they_sign_out(
    services: Services, ada: int
) -> None:
    token = enter(services, " aDA ")
    found = sessions.get_active_session(services, token)
    assert found is not None
    assert (found.name, found.role) == ("Ada", Role.ADMIN)
    assert sessions.get_active_session(services, "another") is None
    sessions.sign_out(services, token)
    assert sessions.get_active_session(services, token) is None
    assert sessions.explain_sign_out(services, token) == "You are signed out."


def test_who_is_unknown_and_what_is_wrong_are_told_alike(services: Services, ada: int) -> None:
    members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", WORDS))
    members.disable_member(
        services, MACHINE, members.get_member_by_name(services, MACHINE, "Bob").id
    )
    told = set()
    for name, password in (("Ada", "wrong"), ("Nobody", WORDS), ("Bob", WORDS), ("", "")):
        with pytest.raises(Unauthorized) as refused:
            enter(services, name, password)
        told.add(str(refused.value))
    assert told == {"The name or the password is wrong"}


def test_a_name_is_tried_a_few_times_from_wherever_and_then_waits(
    services: Services, ada: int
) -> None:
    for place in range(MAX_ATTEMPTS_PER_NAME):
        with pytest.raises(Unauthorized):
            enter(services, password="wrong", address=f"198.51.100.{place}")
    with pytest.raises(TooManyRequests, match="Too many tries: wait 10 minutes") as refused:
        enter(services)
    assert refused.value.retry_after_seconds == WINDOW_SECONDS
    for tries in services.process.sessions.login_attempts.values():
        for place in range(len(tries)):
            tries[place] -= WINDOW_SECONDS
    enter(services)


def test_an_address_tries_a_few_names_and_then_waits(services: Services, ada: int) -> None:
    for number in range(MAX_ATTEMPTS_PER_ADDRESS):
        with pytest.raises(Unauthorized):
            enter(services, f"Guess {number}")
    with pytest.raises(TooManyRequests):
        enter(services)
    enter(services, address="198.51.100.9")


def test_who_gets_in_has_all_their_tries_again(services: Services, ada: int) -> None:
    for _ in range(3):
        for _ in range(MAX_ATTEMPTS_PER_NAME - 1):
            with pytest.raises(Unauthorized):
                enter(services, password="wrong")
        enter(services)


def test_without_activity_a_stay_ends_and_with_it_it_lasts_a_day(
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
    said = "You were signed out after 30 minutes without activity."
    assert sessions.explain_sign_out(services, token) == said
    sessions.record_activity(services, token)
    assert sessions.get_active_session(services, token) is None

    second = enter(services)
    for _ in range(24 * 2 + 1):
        world.machine.seconds += 1795
        sessions.record_activity(services, second)
    assert sessions.get_active_session(services, second) is None


def test_moving_the_simulated_clock_signs_nobody_out(
    world: Harness, services: Services, ada: int
) -> None:
    token = enter(services)
    world.sandbox.advance(10 * 86_400)
    assert sessions.get_active_session(services, token) is not None


def test_activity_seen_here_counts_before_it_is_written(
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


ENDS: dict[str, Callable[[Services, int], object]] = {
    "disabled": lambda s, who: members.disable_member(s, MACHINE, who),
    "another password": lambda s, who: members.set_password(s, MACHINE, who, WORDS + "!"),
    "another address": lambda s, who: members.set_email(s, MACHINE, who, "b@example.com"),
}


@pytest.mark.parametrize("change", ENDS)
def test_what_ends_a_stay_ends_it_at_once(services: Services, ada: int, change: str) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "admin", WORDS))
    token, own = enter(services, "Bob"), enter(services)
    assert sessions.get_active_session(services, token) is not None
    ENDS[change](services, bob.id)
    assert sessions.get_active_session(services, token) is None
    assert sessions.get_active_session(services, own) is not None


def test_another_role_is_in_force_at_once(services: Services, ada: int) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", WORDS))
    token = enter(services, "Bob")
    for role in Role:
        members.set_role(services, MACHINE, bob.id, role)
        found = sessions.get_active_session(services, token)
        assert found is not None
        assert found.role is role


def test_what_another_process_changes_is_seen_soon(services: Services, ada: int) -> None:
    bob = members.add_member(services, MACHINE, NewStaffMember("Bob", "viewer", WORDS))
    token = enter(services, "Bob")
    assert sessions.get_active_session(services, token) is not None
    members.disable_member(
        replace(services, process=replace(services.process, sessions=SessionCache())),
        MACHINE,
        bob.id,
    )
    ((key, (epoch, at, stay, member)),) = services.process.sessions.by_token_hash.items()
    services.process.sessions.by_token_hash[key] = (
        epoch,
        at - sessions.FRESH_SECONDS,
        stay,
        member,
    )
    assert sessions.get_active_session(services, token) is None


def test_a_provider_lets_in_whom_it_vouches_for_once(services: Services, ada: int) -> None:
    found = sessions.get_active_session(services, vouch(services))
    assert found is not None
    assert found.name == "Ada"
    with pytest.raises(sign_in.ReplayedAssertion):
        vouch(services)
    vouch(services, proof="iss sub 2")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"email": "eve@example.com"}, "No staff member has the e-mail address"),
        ({"email": None}, "did not send your e-mail address"),
        ({"verified": False}, "has not verified"),
        ({"issued_at": datetime.fromisoformat("2026-11-21T11:00:00Z")}, "too old"),
    ],
)
def test_a_provider_lets_in_nobody_else(
    services: Services, ada: int, said: dict[str, Any], why: str
) -> None:
    with pytest.raises(Unauthorized, match=why):
        vouch(services, **said)


def test_who_is_asked_depends_on_who_there_is(services: Services) -> None:
    live = replace(services, environment="live")
    assert sessions.get_sign_in_requirement(services, False) is SignInRequirement.NONE
    assert sessions.get_sign_in_requirement(services, True) is SignInRequirement.INSTALL_PASSWORD
    assert sessions.get_sign_in_requirement(live, False) is SignInRequirement.CLOSED
    assert sessions.get_sign_in_requirement(live, True) is SignInRequirement.INSTALL_PASSWORD
    members.add_member(services, MACHINE, NewStaffMember("Ada", "admin", WORDS))
    for one in (services, live):
        assert {sessions.get_sign_in_requirement(one, has) for has in (True, False)} == {
            SignInRequirement.STAFF
        }


def test_the_installations_password_lets_in_until_there_are_people(services: Services) -> None:
    token = sign_in.sign_in_with_install_password(services, "sesame", "sesame", HERE)
    found = sessions.get_active_session(services, token)
    assert found is not None
    assert (found.name, found.role) == ("Operator", Role.ADMIN)
    for typed, known in (("wrong", "sesame"), ("", "")):
        with pytest.raises(Unauthorized, match="That is not the password"):
            sign_in.sign_in_with_install_password(services, typed, known, HERE)
    members.add_member(services, staff_principal(found.name), NewStaffMember("Ada", "admin", WORDS))
    assert sessions.get_active_session(services, token) is None
    with pytest.raises(Unauthorized):
        sign_in.sign_in_with_install_password(services, "sesame", "sesame", HERE)


def test_coming_going_and_trying_are_written_down(services: Services, ada: int) -> None:
    token = enter(services)
    for name in ("Ada", "secret typed as a name"):
        with pytest.raises(Unauthorized):
            enter(services, name, "wrong")
    sessions.sign_out(services, token)
    found = audit.list_entries(services, MACHINE, AuditFilter(), 20)
    told = [(one.actor, one.action, one.subject) for one in reversed(found)][1:]
    assert told == [
        ("Ada", "signed in", f"staff:{ada}"),
        ("Ada", "sign-in failed", f"staff:{ada}"),
        ("Somebody", "sign-in failed", "staff:0"),
        ("Ada", "signed out", f"staff:{ada}"),
    ]
    assert "secret typed" not in str(found)
    member = members.get_member_by_name(services, MACHINE, "Ada")
    assert member.last_seen_at == services.clock.machine()


def test_a_stored_token_lets_nobody_in(services: Services, ada: int) -> None:
    token = enter(services)
    assert sessions.get_active_session(services, sessions.hash_token(token)) is None
    assert timedelta(0) < sign_in.SESSION_RETENTION
