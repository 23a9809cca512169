"""Signing in on the pages: passwords, second factors, where it leads, and signing out."""

import asyncio
import sqlite3
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from threading import Event, Lock

import httpx
import pytest

from crossway.domain.staff import AuthMethod
from crossway.ports.services import Services
from crossway.sign_in.app import create_sign_in
from crossway.sign_in.visit import MAX_THREADS
from crossway.usecases.staff import members, sessions, sign_in
from crossway.usecases.staff.sign_in import WRONG_CREDENTIALS
from tests.event_loops import run_async
from tests.passkeys import SoftwarePasskey
from tests.sign_in.conftest import COOKIE, PENDING, SignInBrowser
from tests.staff_world import MACHINE, OFFICE, PASSWORD, StaffWorld
from tests.storage.test_availability import shorten_patience

OTHER_SITES = [
    "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "/ a",
    "javascript:1", "evil.example", "/sign-in", "/sign-out", "/download/payments.csv",
    "/a\r\nSet-Cookie: x=1", "/" + "a" * 2_000,
]  # fmt: skip


def enter(browser: SignInBrowser, name: str = "Ada", password: str = PASSWORD) -> str:
    """Sign in by password; returns where that leads."""
    return browser.send(name=name, password=password).place


def test_a_password_signs_in_and_leads_to_the_wanted_page(browser: SignInBrowser) -> None:
    shown = browser.open("/sign-in?next=/intent%3Fid%3D7")
    assert (shown.status, shown.fields) == (200, ["name", "password"])
    assert 'value="/intent?id=7"' in shown.response.text
    answer = browser.send(name="ada", password=PASSWORD, next="/intent?id=7")
    assert (answer.status, answer.place) == (303, "/intent?id=7")
    assert browser.session is not None
    assert browser.session.auth_method is AuthMethod.PASSWORD
    assert browser.open("/sign-in?next=/staff").place == "/staff"


def test_a_wrong_password_and_an_unknown_name_are_told_alike(browser: SignInBrowser) -> None:
    for name, password in (("Ada", "wrong"), ("Nobody", PASSWORD), ("", ""), ("Ada", "")):
        answer = browser.send(name=name, password=password)
        assert (answer.status, answer.error) == (401, f"{WRONG_CREDENTIALS}.")
        assert browser.token == ""
    assert 'value="Ada"' in browser.send(name="Ada", password="wrong").response.text


def test_nothing_typed_is_shown_as_markup_or_twice(browser: SignInBrowser) -> None:
    answer = browser.send(name='"><script>alert(1)</script>', password="secret words 123")
    assert "<script>alert" not in answer.response.text
    assert "secret words" not in answer.response.text
    assert browser.send(next="<b>").response.text.count("<b>") == 0


@pytest.mark.parametrize("wanted", OTHER_SITES)
def test_it_leads_to_no_other_site(browser: SignInBrowser, wanted: str) -> None:
    browser.http.cookies.clear()
    assert browser.send(name="Ada", password=PASSWORD, next=wanted).place == "/"


@pytest.mark.parametrize(
    ("url", "forwarded", "secure"),
    [
        ("http://crossway.test", "", False),
        ("https://crossway.test", "", True),
        # Behind a proxy that ends TLS; of others, nobody believes it.
        ("http://crossway.test", "https", True),
        ("http://crossway.test", "http, https", False),
    ],
)
def test_the_cookie_is_for_no_script_and_over_tls_only(
    world: StaffWorld, url: str, forwarded: str, secure: bool
) -> None:
    policy = world.services.policy
    ingress = replace(policy.ingress, trusted_proxies=("203.0.113.7",))
    behind = replace(world.services, policy=replace(policy, ingress=ingress))
    browser = SignInBrowser(behind, url=url)
    browser.http.headers["x-forwarded-proto"] = forwarded
    parts = browser.send(name="Ada", password=PASSWORD).cookie(COOKIE)
    expected = {"HttpOnly", "Path=/", "SameSite=lax"} | ({"Secure"} if secure else set())
    assert set(parts) == expected


def test_the_authenticator_app_is_asked_for_after_the_password(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    app, codes = world.add_authenticator(world.enter())
    assert browser.send(name="Ada", password=PASSWORD, next="/books").place == (
        "/sign-in?next=%2Fbooks"
    )
    assert browser.token == ""
    shown = browser.open("/sign-in?next=/books")
    assert "Ada , confirm that it is you." in shown.text
    assert shown.fields == ["code"]
    wrong = browser.send("/sign-in/code", code="000000", next="/books")
    assert (wrong.status, wrong.fields) == (401, ["code"])
    assert "wrong or was used before" in wrong.error
    right = browser.send("/sign-in/code", code=world.code(app, 1), next="/books")
    assert right.place == "/books"
    assert browser.session is not None
    assert browser.http.cookies.get(PENDING) is None
    # What was given once is given: the same step signs nobody in again.
    other = SignInBrowser(world.services)
    enter(other)
    other.send("/sign-in/code", code=codes[0])
    assert other.session is not None


def test_a_second_step_can_be_started_over(world: StaffWorld, browser: SignInBrowser) -> None:
    world.add_authenticator(world.enter())
    enter(browser)
    assert browser.send("/sign-in/again", next="/books").place == "/sign-in?next=%2Fbooks"
    assert browser.open().fields == ["name", "password"]


def test_a_second_step_belongs_to_its_browser_and_ends_after_ten_minutes(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    app, _ = world.add_authenticator(world.enter())
    enter(browser)
    other = SignInBrowser(world.services)
    other.http.cookies.set(PENDING, "x" * 43)
    assert other.send("/sign-in/code", code=world.code(app, 1)).place == "/sign-in"
    assert other.token == ""
    world.machine.seconds += 601
    assert browser.open().fields == ["name", "password"]
    assert browser.send("/sign-in/code", code=world.code(app)).place == "/sign-in"
    assert browser.token == ""


def test_guesses_are_limited_by_the_address(world: StaffWorld, browser: SignInBrowser) -> None:
    for _ in range(5):
        assert browser.send(name="Ada", password="wrong").status == 401
    answer = browser.send(name="Ada", password=PASSWORD)
    assert (answer.status, browser.token) == (429, "")
    assert answer.error == "Too many tries: wait 10 minutes, then try again."
    elsewhere = SignInBrowser(world.services, address="198.51.100.1")
    assert enter(elsewhere) == "/"


def test_a_name_that_others_tried_is_opened_by_a_recovery_code(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    _, codes = world.add_authenticator(world.enter())
    world.services.process.sessions.known_addresses.clear()
    for number in range(100):
        SignInBrowser(world.services, address=f"198.51.100.{number}").send(
            name="Ada", password="wrong"
        )
    answer = browser.send(name="Ada", password=PASSWORD)
    assert "sign in with a passkey or a recovery code" in answer.error
    assert answer.fields == ["name", "password", "recovery_code"]
    assert browser.send(name="Ada", password=PASSWORD, recovery_code=codes[0]).place == "/"
    assert browser.session is not None


def test_many_requests_of_one_address_are_refused(browser: SignInBrowser) -> None:
    answers = [browser.send("/sign-in/code", code="1").status for _ in range(31)]
    assert answers == [303] * 30 + [429]
    assert browser.open().status == 200


def test_the_end_of_a_session_is_explained_once(world: StaffWorld, browser: SignInBrowser) -> None:
    enter(browser)
    world.machine.seconds += 1801
    assert "You were signed out after 30 minutes without activity." in browser.open().text
    assert browser.token == ""
    assert "signed out" not in browser.open().text


def test_signing_out_ends_the_session(world: StaffWorld, browser: SignInBrowser) -> None:
    enter(browser)
    token = browser.token
    answer = browser.http.post("/sign-out", data={"next": "/books"})
    assert answer.json() == {"next": "/sign-in?next=%2Fbooks"}
    assert sessions.get_own_session(world.services, token) is None
    assert "You are signed out." in browser.open().text
    assert browser.http.post("/sign-out").status_code == 200  # Nobody was signed in.


def test_somebody_else_on_the_same_browser_ends_the_first_session(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    world.add("Bob", "viewer")
    enter(browser)
    first = browser.token
    enter(browser, "Bob")
    assert sessions.get_own_session(world.services, first) is None
    assert browser.token != first


def test_a_passkey_signs_in_alone(world: StaffWorld, browser: SignInBrowser) -> None:
    assert "passkey" not in browser.open().text
    passkey, _ = world.add_passkey(world.enter())
    assert "Sign in with a passkey" in browser.open().text
    assert answer_with(passkey, browser) == (200, {"next": "/books"})
    assert browser.session is not None
    assert browser.session.auth_method is AuthMethod.PASSKEY


def answer_with(passkey: SoftwarePasskey, browser: SignInBrowser) -> tuple[int, dict[str, str]]:
    asked = browser.http.post("/sign-in/passkey/challenge").json()
    fields = {
        "challenge": asked["challenge"],
        "answer": passkey.authenticate(asked["options"]),
        "next": "/books",
    }
    answer = browser.http.post("/sign-in/passkey", data=fields)
    return answer.status_code, answer.json()


def test_a_passkey_of_nobody_is_refused(world: StaffWorld, browser: SignInBrowser) -> None:
    world.add_passkey(world.enter())
    status, answer = answer_with(SoftwarePasskey(), browser)
    assert (status, browser.token) == (401, "")
    assert "This passkey is not known here" in answer["error"]
    for fields in ({}, {"challenge": "%%%", "answer": "{}"}, {"challenge": "eA==", "answer": "{"}):
        refused = browser.http.post("/sign-in/passkey", data=fields)
        assert refused.status_code in (401, 422), refused.text
        assert refused.json()["error"]


def test_a_page_without_passkeys_says_where_they_work(world: StaffWorld) -> None:
    world.add_passkey(world.enter())
    bare = SignInBrowser(world.services, url="http://127.0.0.1:8600")
    shown = bare.open()
    assert "open http://localhost:8600 instead" in shown.text
    assert "data-passkey" not in shown.response.text
    assert bare.http.post("/sign-in/passkey/challenge").status_code == 422


def test_the_installation_password_signs_in_while_nobody_is_staff(empty: Services) -> None:
    browser = SignInBrowser(empty, "sesame open wide")
    shown = browser.open()
    assert shown.fields == ["password"]
    assert "Nobody is staff here yet." in shown.text
    assert browser.send(password="wrong").error == "That is not the password."
    assert browser.send(password="sesame open wide", next="/staff").place == "/staff"
    assert browser.session is not None
    members.add_member(empty, MACHINE, members.NewStaffMember("Ada", "admin", PASSWORD))
    assert browser.session is None
    assert browser.open().fields == ["name", "password"]
    assert browser.send(password="sesame open wide").status == 401


def test_on_the_machine_itself_nobody_signs_in_before_there_is_staff(empty: Services) -> None:
    assert SignInBrowser(empty, at_machine=True).open("/sign-in?next=/keys").place == "/keys"


def test_broken_forms_are_refused(browser: SignInBrowser) -> None:
    for body in (b"\xff\xfe", b"name=" + b"x" * 20_000, b"&" * 500, b"name=%ff%00&password=%00"):
        answer = browser.http.post("/sign-in", content=body)
        assert answer.status_code == 401, body[:20]
    for path in ("/sign-in/nothing", "/sign-in/assets/../app.py", "/sign-in/with/google"):
        assert browser.open(path).status == 404
    assert browser.open("/sign-in/code").status == 405


def test_the_pages_are_framed_and_stored_by_nobody(browser: SignInBrowser) -> None:
    headers = browser.open().response.headers
    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    # What the page loads is there.
    for path in ("sign_in.css", "sign_in.js", "logo.svg", "logo-dark.svg", "favicon.svg"):
        assert browser.open(f"/sign-in/assets/{path}").status == 200


def test_without_its_database_it_says_so(world: StaffWorld, browser: SignInBrowser) -> None:
    shorten_patience(world.store)
    with closing(sqlite3.connect(str(world.store.writer.url.database))) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        answer = browser.send(name="Ada", password=PASSWORD)
        other.execute("ROLLBACK")
    assert (answer.status, browser.token) == (503, "")
    assert answer.text == "Crossway cannot do this now: try again in a moment."


def test_a_session_of_the_use_case_is_one_of_the_pages(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    token = sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, OFFICE)
    browser.http.cookies.set(COOKIE, token)
    assert browser.open().place == "/"


def test_guesses_from_many_addresses_leave_threads_to_other_requests(world: StaffWorld) -> None:
    """Each check of a password takes a thread, slowly; all share the pages' few."""
    browser, inside, most = SignInBrowser(world.services), 0, 0
    lock, enough = Lock(), Event()

    class SlowPasswords:
        def verify(self, password_hash: str, password: str) -> bool:
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            enough.wait(0.2)
            with lock:
                inside -= 1
            return False

    site = replace(browser.site, services=replace(world.services, passwords=SlowPasswords()))  # type: ignore[arg-type]

    async def guess_from_everywhere() -> list[int]:
        app = create_sign_in(site)
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(
                    httpx.AsyncClient(
                        transport=httpx.ASGITransport(app, client=(f"198.51.100.{number}", 1)),
                        base_url="http://localhost:8600",
                    )
                )
                for number in range(24)
            ]
            guesses = [
                http.post("/sign-in", data={"name": f"Nobody {number}", "password": "x"})
                for number, http in enumerate(clients)
            ]
            return [answer.status_code for answer in await asyncio.gather(*guesses)]

    assert run_async(guess_from_everywhere()) == [401] * 24
    assert most == MAX_THREADS
