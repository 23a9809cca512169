"""Guessing passwords: bounded for the outsider, and no way to lock a known person out."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from crossway.adapters.passwords import Argon2PasswordHasher
from crossway.domain.clients import staff_principal
from crossway.domain.errors import InvalidInput, TooManyRequests, Unauthorized
from crossway.domain.staff_passwords import parse_password
from crossway.ports.services import Services
from crossway.usecases.staff import members, sessions, sign_in
from crossway.usecases.staff.login_throttle import TooManyTriesForName
from tests.harness import Harness

PASSWORD = "four words nobody expects"
MACHINE = staff_principal("command line")
OFFICE, HOME = "203.0.113.7", "198.51.100.1"
HOURS = 3600.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=())
    for name in ("Ada", "Bob"):
        request = members.NewStaffMember(name, "admin", PASSWORD)
        members.add_member(world.services, MACHINE, request)
    yield world.services
    world.store.close()


def enter(services: Services, password: str = PASSWORD, address: str = OFFICE) -> str:
    return sign_in.sign_in_with_password(services, "Ada", password, address)


def guess(services: Services, times: int, address: str = "", name: str = "Ada") -> int:
    """Wrong passwords, each from an address of its own unless one is given; how many were tried
    before the first refusal."""
    for number in range(times):
        place = address or f"192.0.{number // 250}.{number % 250 + 1}"
        try:
            sign_in.sign_in_with_password(services, name, "a wrong password", place)
        except TooManyRequests:
            return number
        except Unauthorized:
            continue
    return times


def let_time_pass(services: Services, seconds: float) -> None:
    for tries in services.process.sessions.login_attempts.values():
        for number in range(len(tries)):
            tries[number] -= seconds


def test_an_outsider_at_one_address_locks_nobody_out_elsewhere(services: Services) -> None:
    assert guess(services, 50, HOME) == 5
    assert sessions.get_active_session(services, enter(services)) is not None
    with pytest.raises(TooManyRequests, match="Too many tries: wait 10 minutes") as refused:
        enter(services, address=HOME)
    assert refused.value.retry_after_seconds == 600


def test_guessing_from_many_addresses_is_bounded(services: Services) -> None:
    assert guess(services, 150) == 100
    with pytest.raises(TooManyTriesForName, match="passkey or a recovery code"):
        enter(services)
    let_time_pass(services, HOURS)
    enter(services)


def test_a_host_with_a_network_of_addresses_counts_as_one(services: Services) -> None:
    for number in range(5):
        with pytest.raises(Unauthorized):
            enter(services, "a wrong password", f"2001:db8:1:2::{number:x}")
    with pytest.raises(TooManyRequests):
        enter(services, "a wrong password", "2001:db8:1:2:ffff::1")


def test_where_a_person_signed_in_before_others_do_not_lock_them_out(services: Services) -> None:
    enter(services)
    guess(services, 150)
    enter(services)
    # Colleagues behind the same address may mistype their own names.
    for number in range(60):
        guess(services, 5, OFFICE, f"Colleague {number}")
    enter(services)
    assert guess(services, 10, OFFICE) == 5


def test_one_address_cannot_try_names_without_bound(services: Services) -> None:
    tried = [guess(services, 1, HOME, f"Name {number}") for number in range(200)]
    assert sum(tried) == 60


def test_a_success_of_the_person_does_not_give_the_outsider_new_tries(services: Services) -> None:
    guess(services, 90)
    enter(services)
    assert guess(services, 50, "") <= 10


def test_an_unknown_name_gets_the_same_answers(services: Services) -> None:
    answers = []
    for name in ("Ada", "Nobody"):
        said = []
        for number in range(102):
            with pytest.raises((Unauthorized, TooManyRequests)) as refused:
                sign_in.sign_in_with_password(services, name, "wrong", f"192.0.2.{number}")
            said.append(str(refused.value))
        answers.append(said)
    assert answers[0] == answers[1]


def test_an_unknown_name_takes_as_long(services: Services) -> None:
    slow = Argon2PasswordHasher(PasswordHasher(time_cost=2, memory_cost=16_384, parallelism=1))
    services = replace(services, passwords=slow)
    members.add_member(services, MACHINE, members.NewStaffMember("Eve", "viewer", PASSWORD))
    guess(services, 1, name="Nobody")  # Makes the hash that unknown names are compared with.
    seconds = {}
    for name in ("Eve", "Nobody"):
        started = time.thread_time()  # The processor's, so that a busy machine changes nothing.
        assert guess(services, 10, name=name) == 10
        seconds[name] = time.thread_time() - started
    assert max(seconds.values()) < 2 * min(seconds.values())


@pytest.mark.parametrize(
    "password",
    [
        "password1234", "Password123!!", "qwertyuiop123", "1234567890123", "abcdefghijkl",
        "letmein123456", "P@ssw0rd2026", "welcome20262026", "iloveyou123456", "passwordpassword",
        "AdaAdaAdaAda", "ada123456789", "crossway2026!", "administrator1", "987654321987",
        "qwerty123456", "1q2w3e4r5t6y", "asdfghjklzxc", "zaq12wsxcde3", "changeme1234",
    ],
)  # fmt: skip
def test_common_passwords_and_the_name_are_refused(password: str) -> None:
    with pytest.raises(
        InvalidInput, match="password must not be the name, nor one of the most common"
    ) as no:
        parse_password(password, "Ada")
    assert password not in str(no.value)


@pytest.mark.parametrize(
    "password",
    [PASSWORD, "correct horse battery staple", "Tr0ub4dor&3x!", "mVx93-qpLw72", "passwordless era"],
)
def test_other_passwords_are_taken(password: str) -> None:
    assert parse_password(password, "Ada") == password
