"""The installation's people: added, changed, let out; there is always an admin."""

from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import insider
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.roles import Role
from crossway.domain.staff import Member
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.usecases.people import audit, staff
from crossway.usecases.people.staff import NewMember
from tests.world import World

WORDS = "four words nobody expects"
MACHINE = insider("command line")


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=()).services


def add(services: Services, name: str = "Ada", role: str = "admin", **more: Any) -> Member:
    return staff.add(services, MACHINE, NewMember(name, role, **({"password": WORDS} | more)))


def test_the_first_person_is_an_admin(services: Services) -> None:
    with pytest.raises(InvalidInput, match="role: the first person must be an admin"):
        add(services, "Vic", "viewer")
    assert add(services).role is Role.ADMIN
    assert add(services, "Vic", "viewer").role is Role.VIEWER


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (NewMember("", "admin", WORDS), "name must be 1 to 60 printable characters"),
        (NewMember("command LINE", "admin", WORDS), "name: .* has another meaning"),
        (
            NewMember("Ada", "owner", WORDS),
            "role must be one of viewer, operator,",
        ),
        (NewMember("Ada", "admin", "short"), "password must have at least 12 characters"),
        (NewMember("Ada", "admin", "a" * 300), "password must have at most 200"),
        (NewMember("Ada", "admin", "aaaaaaaaaaaa"), "password must not be the name, nor one"),
        (NewMember("Adelaide", "admin", "adelaideAdelaide"), "password must not be the name"),
        (NewMember("Ada", "admin", None, None), "password or email must be given"),
        (NewMember("Ada", "admin", None, "nobody"), "must be an e-mail address|email"),
        (NewMember("", "owner", "short"), "name must .*; role must .*; password must"),
    ],
)
def test_who_cannot_be_added_is_told_why_and_never_with_the_password(
    services: Services, asked: NewMember, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        staff.add(services, MACHINE, asked)
    assert "short" not in str(refused.value)
    assert staff.every(services, MACHINE) == []


def test_a_name_is_of_one_person_however_it_is_written(services: Services) -> None:
    add(services, "Ada", email="ada@example.com")
    with pytest.raises(InvalidInput, match="another person's"):
        add(services, "ADA")
    with pytest.raises(InvalidInput, match="another person's"):
        add(services, "Bob", email="ADA@example.com")
    assert staff.named(services, MACHINE, "aDa").name == "Ada"
    with pytest.raises(NotFound, match="nobody called Bob"):
        staff.named(services, MACHINE, "Bob")


def test_the_last_admin_stays_one(services: Services) -> None:
    ada = add(services)
    bob = add(services, "Bob", "treasurer")
    for act in (
        lambda: staff.set_role(services, MACHINE, ada.id, "viewer"),
        lambda: staff.disable(services, MACHINE, ada.id),
    ):
        with pytest.raises(WrongState, match="Ada is the last admin"):
            act()
    staff.set_role(services, MACHINE, bob.id, "admin")
    assert not staff.disable(services, MACHINE, ada.id).active
    with pytest.raises(WrongState, match="Bob is the last admin"):
        staff.set_role(services, MACHINE, bob.id, "operator")
    assert staff.enable(services, MACHINE, ada.id).active
    assert staff.set_role(services, MACHINE, bob.id, "operator").role is Role.OPERATOR


def test_an_address_is_kept_sealed_and_shown_masked(services: Services) -> None:
    ada = add(services, email="ada@example.com")
    assert ada.email_sealed is not None
    assert b"ada" not in ada.email_sealed
    assert staff.email_of(services, ada) == "a…@e….com"
    assert staff.email_of(services, staff.set_email(services, MACHINE, ada.id, "")) == ""


def test_who_has_no_password_keeps_an_address(services: Services) -> None:
    add(services)
    eve = add(services, "Eve", "viewer", password=None, email="eve@example.com")
    with pytest.raises(WrongState, match="Eve has no password: give them one first"):
        staff.set_email(services, MACHINE, eve.id, "")
    staff.set_password(services, MACHINE, eve.id, WORDS)
    staff.set_email(services, MACHINE, eve.id, "")


def test_nothing_of_a_password_shows(services: Services) -> None:
    ada = add(services, email="ada@example.com")
    assert ada.password_hash.startswith("$argon2id$")
    assert ada.password_hash not in repr(ada)
    told = str(audit.page(services, MACHINE, AuditFilter(), 10))
    assert WORDS not in told
    assert "argon2" not in told
    assert "ada@example.com" not in told


def test_every_change_of_people_is_written_down(services: Services) -> None:
    ada = add(services)
    bob = add(services, "Bob", "viewer")
    caller = insider("Ada")
    staff.set_role(services, caller, bob.id, "operator")
    staff.set_role(services, caller, bob.id, "operator")
    staff.set_password(services, caller, bob.id, WORDS + "!")
    staff.set_email(services, caller, bob.id, "bob@example.com")
    staff.disable(services, caller, bob.id)
    staff.enable(services, caller, bob.id)
    told = [
        (one.who, one.what, one.subject)
        for one in reversed(audit.page(services, caller, AuditFilter(), 20))
    ]
    assert told == [
        ("command line", "person added", f"staff:{ada.id}"),
        ("command line", "person added", f"staff:{bob.id}"),
        ("Ada", "role changed", f"staff:{bob.id}"),
        ("Ada", "password changed", f"staff:{bob.id}"),
        ("Ada", "e-mail address changed", f"staff:{bob.id}"),
        ("Ada", "person disabled", f"staff:{bob.id}"),
        ("Ada", "person enabled", f"staff:{bob.id}"),
    ]
