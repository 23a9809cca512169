"""Signing in: by what, how often it may be tried, how long it lasts, and what ends it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import insider
from crossway.domain.errors import TooManyRequests, Unauthorized
from crossway.domain.roles import Role
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.ports.sign_in import SignInMemory, Vigilance
from crossway.usecases.people import audit, sign_in, staff, stays
from crossway.usecases.people.staff import NewMember
from crossway.usecases.people.stays import Door
from crossway.usecases.people.tries import TRIES_OF_A_NAME, TRIES_OF_AN_ADDRESS, WINDOW_SECONDS
from tests.world import World

WORDS = "four words nobody expects"
HERE = "203.0.113.7"
MACHINE = insider("command line")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=())


@pytest.fixture
def services(world: World) -> Services:
    return world.services


@pytest.fixture
def ada(services: Services) -> int:
    asked = NewMember("Ada", "admin", WORDS, "ada@example.com")
    return staff.add(services, MACHINE, asked).id


def enter(services: Services, name: str = "Ada", password: str = WORDS, address: str = HERE) -> str:
    return sign_in.by_password(services, name, password, address)


def vouch(services: Services, **more: Any) -> str:
    said: dict[str, Any] = {
        "email": "Ada@Example.com",
        "verified": True,
        "issued_at": services.clock.machine(),
        "proof": "iss sub 1",
    }
    return sign_in.by_provider(services, **(said | more))


def test_who_signs_in_acts_by_name_and_role_until_they_sign_out(
    services: Services, ada: int
) -> None:
    token = enter(services, " aDA ")
    found = stays.present(services, token)
    assert found is not None
    assert (found.name, found.role) == ("Ada", Role.ADMIN)
    assert stays.present(services, "another") is None
    stays.leave(services, token)
    assert stays.present(services, token) is None
    assert stays.why_out(services, token) == "You are signed out."


def test_who_is_unknown_and_what_is_wrong_are_told_alike(services: Services, ada: int) -> None:
    staff.add(services, MACHINE, NewMember("Bob", "viewer", WORDS))
    staff.disable(services, MACHINE, staff.named(services, MACHINE, "Bob").id)
    told = set()
    for name, password in (("Ada", "wrong"), ("Nobody", WORDS), ("Bob", WORDS), ("", "")):
        with pytest.raises(Unauthorized) as refused:
            enter(services, name, password)
        told.add(str(refused.value))
    assert told == {"The name or the password is wrong"}


def test_a_name_is_tried_a_few_times_from_wherever_and_then_waits(
    services: Services, ada: int
) -> None:
    for place in range(TRIES_OF_A_NAME):
        with pytest.raises(Unauthorized):
            enter(services, password="wrong", address=f"198.51.100.{place}")
    with pytest.raises(TooManyRequests, match="Too many tries: wait 10 minutes") as refused:
        enter(services)
    assert refused.value.retry_after_seconds == WINDOW_SECONDS
    for tries in services.sign_in.tries.values():
        for place in range(len(tries)):
            tries[place] -= WINDOW_SECONDS
    enter(services)


def test_an_address_tries_a_few_names_and_then_waits(services: Services, ada: int) -> None:
    for number in range(TRIES_OF_AN_ADDRESS):
        with pytest.raises(Unauthorized):
            enter(services, f"Guess {number}")
    with pytest.raises(TooManyRequests):
        enter(services)
    enter(services, address="198.51.100.9")


def test_who_gets_in_has_all_their_tries_again(services: Services, ada: int) -> None:
    for _ in range(3):
        for _ in range(TRIES_OF_A_NAME - 1):
            with pytest.raises(Unauthorized):
                enter(services, password="wrong")
        enter(services)


def test_without_activity_a_stay_ends_and_with_it_it_lasts_a_day(
    world: World, services: Services, ada: int
) -> None:
    token = enter(services)
    idle = services.vigilance.idle_seconds
    for _ in range(3):
        world.hand.seconds += idle - 60
        services.sign_in.seen.clear()
        stays.touch(services, token)
    assert stays.present(services, token) is not None
    world.hand.seconds += idle + 1
    assert stays.present(services, token) is None
    said = "You were signed out after 30 minutes without activity."
    assert stays.why_out(services, token) == said
    stays.touch(services, token)
    assert stays.present(services, token) is None

    second = enter(services)
    for _ in range(24 * 2 + 1):
        world.hand.seconds += 1795
        stays.touch(services, second)
    assert stays.present(services, second) is None


def test_moving_the_simulated_clock_signs_nobody_out(
    world: World, services: Services, ada: int
) -> None:
    token = enter(services)
    world.sandbox.advance(10 * 86_400)
    assert stays.present(services, token) is not None


def test_activity_seen_here_counts_before_it_is_written(
    world: World, services: Services, ada: int
) -> None:
    services = replace(services, vigilance=Vigilance(idle_seconds=60))
    token = enter(services)
    for _ in range(10):
        world.hand.seconds += 15
        stays.touch(services, token)
    world.hand.seconds += 55
    assert stays.present(services, token) is not None


ENDS: dict[str, Callable[[Services, int], object]] = {
    "disabled": lambda s, who: staff.disable(s, MACHINE, who),
    "another password": lambda s, who: staff.set_password(s, MACHINE, who, WORDS + "!"),
    "another address": lambda s, who: staff.set_email(s, MACHINE, who, "b@example.com"),
}


@pytest.mark.parametrize("change", ENDS)
def test_what_ends_a_stay_ends_it_at_once(services: Services, ada: int, change: str) -> None:
    bob = staff.add(services, MACHINE, NewMember("Bob", "admin", WORDS))
    token, own = enter(services, "Bob"), enter(services)
    assert stays.present(services, token) is not None
    ENDS[change](services, bob.id)
    assert stays.present(services, token) is None
    assert stays.present(services, own) is not None


def test_another_role_is_in_force_at_once(services: Services, ada: int) -> None:
    bob = staff.add(services, MACHINE, NewMember("Bob", "viewer", WORDS))
    token = enter(services, "Bob")
    for role in Role:
        staff.set_role(services, MACHINE, bob.id, role)
        found = stays.present(services, token)
        assert found is not None
        assert found.role is role


def test_what_another_process_changes_is_seen_soon(services: Services, ada: int) -> None:
    bob = staff.add(services, MACHINE, NewMember("Bob", "viewer", WORDS))
    token = enter(services, "Bob")
    assert stays.present(services, token) is not None
    staff.disable(replace(services, sign_in=SignInMemory()), MACHINE, bob.id)
    ((key, (epoch, at, stay, member)),) = services.sign_in.seen.items()
    services.sign_in.seen[key] = (epoch, at - stays.FRESH_SECONDS, stay, member)
    assert stays.present(services, token) is None


def test_a_provider_lets_in_whom_it_vouches_for_once(services: Services, ada: int) -> None:
    found = stays.present(services, vouch(services))
    assert found is not None
    assert found.name == "Ada"
    with pytest.raises(sign_in.UsedProof):
        vouch(services)
    vouch(services, proof="iss sub 2")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"email": "eve@example.com"}, "Nobody here has the e-mail address"),
        ({"email": None}, "has not told your e-mail address"),
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
    live = replace(services, network="live")
    assert stays.door(services, False) is Door.OPEN
    assert stays.door(services, True) is Door.FIRST
    assert stays.door(live, False) is Door.SHUT
    assert stays.door(live, True) is Door.FIRST
    staff.add(services, MACHINE, NewMember("Ada", "admin", WORDS))
    for one in (services, live):
        assert {stays.door(one, has) for has in (True, False)} == {Door.PEOPLE}


def test_the_installations_password_lets_in_until_there_are_people(services: Services) -> None:
    token = sign_in.by_first_password(services, "sesame", "sesame", HERE)
    found = stays.present(services, token)
    assert found is not None
    assert (found.name, found.role) == ("Operator", Role.ADMIN)
    for typed, known in (("wrong", "sesame"), ("", "")):
        with pytest.raises(Unauthorized, match="That is not the password"):
            sign_in.by_first_password(services, typed, known, HERE)
    staff.add(services, insider(found.name), NewMember("Ada", "admin", WORDS))
    assert stays.present(services, token) is None
    with pytest.raises(Unauthorized):
        sign_in.by_first_password(services, "sesame", "sesame", HERE)


def test_coming_going_and_trying_are_written_down(services: Services, ada: int) -> None:
    token = enter(services)
    for name in ("Ada", "secret typed as a name"):
        with pytest.raises(Unauthorized):
            enter(services, name, "wrong")
    stays.leave(services, token)
    found = audit.page(services, MACHINE, AuditFilter(), 20)
    told = [(one.who, one.what, one.subject) for one in reversed(found)][1:]
    assert told == [
        ("Ada", "signed in", f"staff:{ada}"),
        ("Ada", "sign-in failed", f"staff:{ada}"),
        ("Somebody", "sign-in failed", "staff:0"),
        ("Ada", "signed out", f"staff:{ada}"),
    ]
    assert "secret typed" not in str(found)
    member = staff.named(services, MACHINE, "Ada")
    assert member.seen_at == services.clock.machine()


def test_a_stored_token_lets_nobody_in(services: Services, ada: int) -> None:
    token = enter(services)
    assert stays.present(services, stays.token_hash(token)) is None
    assert timedelta(0) < sign_in.KEPT_STAYS
