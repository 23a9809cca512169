"""The first visit over the network: the first admin, with the token of the terminal."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from crossway.domain.roles import Role
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.usecases.staff import audit, first_admin, members
from tests.sign_in.conftest import SignInBrowser
from tests.staff_world import MACHINE, PASSWORD


def fields(services: Services, **changed: str) -> dict[str, str]:
    token = first_admin.get_setup_token(services)
    return {"token": token, "name": "Ada", "password": PASSWORD} | changed


def names(services: Services) -> list[tuple[str, Role]]:
    return [(one.name, one.role) for one in members.list_members(services, MACHINE)]


@pytest.mark.parametrize("environment", ["simulated", "live"])
def test_the_token_adds_the_first_admin_once(empty: Services, environment: str) -> None:
    services = replace(empty, environment=environment)
    browser = SignInBrowser(services)
    shown = browser.open("/sign-in?next=/keys")
    assert shown.fields == ["token", "name", "password"]
    assert ("real money" in shown.text) == (environment == "live")
    assert first_admin.get_setup_token(services) not in shown.response.text
    token = f" {first_admin.get_setup_token(services).upper()} "
    typed = fields(services, next="/keys", token=token)
    assert browser.send("/sign-in/first-admin", **typed).place == "/keys"
    assert names(services) == [("Ada", Role.ADMIN)]
    assert browser.session is not None
    (added,) = [one for one in audit.list_entries(services, MACHINE, AuditFilter(), 9)
                if one.action == "person added"]  # fmt: skip
    assert added.actor == "Setup token"

    other = SignInBrowser(services)
    again = other.send("/sign-in/first-admin", **fields(services, name="Mallory"))
    assert (again.status, other.token) == (401, "")
    assert names(services) == [("Ada", Role.ADMIN)]
    assert other.open().fields == ["name", "password"]


@pytest.mark.parametrize("token", ["", "0" * 32, "é", "x" * 10_000])
def test_without_the_token_nobody_is_added(empty: Services, token: str) -> None:
    browser = SignInBrowser(empty)
    answer = browser.send("/sign-in/first-admin", **fields(empty, token=token))
    assert (answer.status, browser.token, names(empty)) == (401, "", [])
    assert answer.error == "That is not the token of this installation."
    assert 'value="Ada"' in answer.response.text
    assert PASSWORD not in answer.response.text


def test_a_weak_password_is_refused_by_its_rule(empty: Services) -> None:
    answer = SignInBrowser(empty).send("/sign-in/first-admin", **fields(empty, password="short"))
    assert answer.status == 422
    assert "at least 12 characters" in answer.error
    assert names(empty) == []


def test_of_two_at_once_one_becomes_admin(empty: Services) -> None:
    def add(name: str) -> int:
        return SignInBrowser(empty).send("/sign-in/first-admin", **fields(empty, name=name)).status

    with ThreadPoolExecutor(2) as pool:
        statuses = sorted(pool.map(add, ("Ada", "Bob")))
    assert statuses[0] == 303
    assert statuses[1] in (401, 409)
    assert len(names(empty)) == 1


def test_with_an_installation_password_the_token_adds_nobody(empty: Services) -> None:
    browser = SignInBrowser(empty, "sesame open wide")
    answer = browser.send("/sign-in/first-admin", **fields(empty))
    assert (answer.status, names(empty)) == (401, [])


def test_the_token_is_the_same_in_every_process_and_in_no_other_installation(
    empty: Services,
) -> None:
    token = first_admin.get_setup_token(empty)
    assert len(bytes.fromhex(token)) == 16
    assert first_admin.get_setup_token(replace(empty)) == token
    assert token != empty.vault.blind_index("ada@example.com")[:32]
