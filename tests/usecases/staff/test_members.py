"""Staff members: added, changed and disabled; one admin always remains."""

from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import staff_principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.usecases.staff import audit, members
from crossway.usecases.staff.members import NewStaffMember
from tests.harness import Harness

WORDS = "four words nobody expects"
MACHINE = staff_principal("command line")


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=()).services


def add_member(
    services: Services, name: str = "Ada", role: str = "admin", **more: Any
) -> StaffMember:
    return members.add_member(
        services, MACHINE, NewStaffMember(name, role, **({"password": WORDS} | more))
    )


def test_the_first_staff_member_is_an_admin(services: Services) -> None:
    with pytest.raises(InvalidInput, match="role: the first person must be an admin"):
        add_member(services, "Vic", "viewer")
    assert add_member(services).role is Role.ADMIN
    assert add_member(services, "Vic", "viewer").role is Role.VIEWER


@pytest.mark.parametrize(
    ("member", "says"),
    [
        (NewStaffMember("", "admin", WORDS), "name must be 1 to 60 printable characters"),
        (NewStaffMember("command LINE", "admin", WORDS), "name: .* has another meaning"),
        (
            NewStaffMember("Ada", "owner", WORDS),
            "role must be one of viewer, operator,",
        ),
        (NewStaffMember("Ada", "admin", "short"), "password must have at least 12 characters"),
        (NewStaffMember("Ada", "admin", "a" * 300), "password must have at most 200"),
        (NewStaffMember("Ada", "admin", "aaaaaaaaaaaa"), "password must not be the name, nor one"),
        (NewStaffMember("Adelaide", "admin", "adelaideAdelaide"), "password must not be the name"),
        (NewStaffMember("Ada", "admin", None, None), "password or email must be given"),
        (NewStaffMember("Ada", "admin", None, "nobody"), "must be an e-mail address|email"),
        (NewStaffMember("", "owner", "short"), "name must .*; role must .*; password must"),
    ],
)
def test_invalid_members_are_rejected_without_repeating_the_password(
    services: Services, member: NewStaffMember, says: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        members.add_member(services, MACHINE, member)
    assert "short" not in str(refused.value)
    assert members.list_members(services, MACHINE) == []


def test_staff_names_are_unique_in_any_spelling(services: Services) -> None:
    add_member(services, "Ada", email="ada@example.com")
    with pytest.raises(InvalidInput, match="another person's"):
        add_member(services, "ADA")
    with pytest.raises(InvalidInput, match="another person's"):
        add_member(services, "Bob", email="ADA@example.com")
    assert members.get_member_by_name(services, MACHINE, "aDa").name == "Ada"
    with pytest.raises(NotFound, match="There is no staff member named Bob"):
        members.get_member_by_name(services, MACHINE, "Bob")


def test_the_last_admin_stays_one(services: Services) -> None:
    ada = add_member(services)
    bob = add_member(services, "Bob", "treasurer")
    for act in (
        lambda: members.set_role(services, MACHINE, ada.id, "viewer"),
        lambda: members.disable_member(services, MACHINE, ada.id),
    ):
        with pytest.raises(InvalidStatus, match="Ada is the last admin"):
            act()
    members.set_role(services, MACHINE, bob.id, "admin")
    assert not members.disable_member(services, MACHINE, ada.id).active
    with pytest.raises(InvalidStatus, match="Bob is the last admin"):
        members.set_role(services, MACHINE, bob.id, "operator")
    assert members.enable_member(services, MACHINE, ada.id).active
    assert members.set_role(services, MACHINE, bob.id, "operator").role is Role.OPERATOR


def test_an_email_address_is_stored_encrypted_and_shown_masked(services: Services) -> None:
    ada = add_member(services, email="ada@example.com")
    assert ada.encrypted_email is not None
    assert b"ada" not in ada.encrypted_email
    assert members.get_masked_email(services, ada) == "a…@e….com"
    assert (
        members.get_masked_email(services, members.set_email(services, MACHINE, ada.id, "")) == ""
    )


def test_a_member_without_a_password_keeps_the_email_address(services: Services) -> None:
    add_member(services)
    eve = add_member(services, "Eve", "viewer", password=None, email="eve@example.com")
    with pytest.raises(InvalidStatus, match="Eve has no password: give them one first"):
        members.set_email(services, MACHINE, eve.id, "")
    members.set_password(services, MACHINE, eve.id, WORDS)
    members.set_email(services, MACHINE, eve.id, "")


def test_passwords_are_never_shown(services: Services) -> None:
    ada = add_member(services, email="ada@example.com")
    assert ada.password_hash.startswith("$argon2id$")
    assert ada.password_hash not in repr(ada)
    text = str(audit.list_entries(services, MACHINE, AuditFilter(), 10))
    assert WORDS not in text
    assert "argon2" not in text
    assert "ada@example.com" not in text


def test_every_change_of_staff_is_audited(services: Services) -> None:
    ada = add_member(services)
    bob = add_member(services, "Bob", "viewer")
    caller = staff_principal("Ada")
    members.set_role(services, caller, bob.id, "operator")
    members.set_role(services, caller, bob.id, "operator")
    members.set_password(services, caller, bob.id, WORDS + "!")
    members.set_email(services, caller, bob.id, "bob@example.com")
    members.disable_member(services, caller, bob.id)
    members.enable_member(services, caller, bob.id)
    entries = [
        (entry.actor, entry.action, entry.subject)
        for entry in reversed(audit.list_entries(services, caller, AuditFilter(), 20))
    ]
    assert entries == [
        ("command line", "person added", f"staff:{ada.id}"),
        ("command line", "person added", f"staff:{bob.id}"),
        ("Ada", "role changed", f"staff:{bob.id}"),
        ("Ada", "password changed", f"staff:{bob.id}"),
        ("Ada", "e-mail address changed", f"staff:{bob.id}"),
        ("Ada", "person disabled", f"staff:{bob.id}"),
        ("Ada", "person enabled", f"staff:{bob.id}"),
    ]
