"""Staff in a browser: roles, lasting sessions, revoked access, and OpenID Connect."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route, expect

from crossway.domain.roles import Role
from tests.browser.authenticator_app import add_authenticator_app
from tests.browser.conftest import PHONE, new_browser_context, open_account_menu, warm_page
from tests.browser.test_every_page import AXE
from tests.oidc import OidcProvider, oidc_provider, secrets_file
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

WORDS = "four words nobody expects"
NAMES = {Role.ADMIN: "Ada", Role.VIEWER: "Vic", Role.OPERATOR: "Otto", Role.TREASURER: "Tess"}


@dataclass
class Office:
    """A running Crossway with a staff member of each role and a trusted OpenID provider."""

    url: str
    installation: Installation
    provider: OidcProvider


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder, port = tmp_path_factory.mktemp("office"), free_port()
    url = f"http://127.0.0.1:{port}"
    with (
        oidc_provider() as provider,
        new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation,
    ):
        for role, name in NAMES.items():
            email = ["--email", "ada@example.com"] if role is Role.ADMIN else []
            installation.run("people", "add", name, "--role", role, *email, typed=WORDS)
        secrets_path = Path(folder / "secrets.toml")
        secrets_path.write_text(secrets_file(provider, url))
        installation.start(
            "site",
            "crossway",
            "serve",
            "--port",
            str(port),
            OIDC_FILE=str(secrets_path),
        )
        wait_until("it answers", lambda: installation.responds("site", f"{url}/api/healthz"))
        yield Office(url, installation, provider)


@pytest.fixture
def browser(warm_context: BrowserContext) -> Iterator[BrowserContext]:
    """A browser in which nobody is signed in."""
    warm_context.clear_cookies()
    yield warm_context
    warm_context.clear_cookies()


def sign_in(office: Office, context: BrowserContext, name: str, path: str = "") -> Page:
    page = warm_page(context)
    page.goto(f"{office.url}/{path}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password", exact=True).fill(WORDS)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".st-key-signed_in_as")).to_contain_text(name)
    wait_until("the cookie is there", lambda: cookie(context) or page.wait_for_timeout(100))
    return page


@pytest.mark.parametrize("role", Role)
def test_each_role_sees_only_its_permitted_actions(
    office: Office, browser: BrowserContext, role: Role
) -> None:
    page = sign_in(office, browser, NAMES[role], "keys")
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    expect(page.locator(".st-key-signed_in_as")).to_contain_text(
        f"{NAMES[role]}\n{role.capitalize()}"
    )
    make = page.get_by_role("button", name="Create API key")
    refused = page.get_by_text("You need permission to manage staff").first
    expect(make if role is Role.ADMIN else refused).to_be_visible()
    assert make.count() == (role is Role.ADMIN)
    page.goto(f"{office.url}/staff")
    hint = "ask a staff member with the role admin"
    expected = page.get_by_text("Tess") if role is Role.ADMIN else page.get_by_text(hint)
    expect(expected.first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sign_in_page_fits_a_phone_and_is_accessible(
    office: Office, chromium: Browser, scheme: str
) -> None:
    if not AXE.exists():
        pytest.skip("the page was not checked for accessibility: npm install")
    with new_browser_context(chromium, size=PHONE, color_scheme=scheme) as context:
        page = context.new_page()
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text))
        page.goto(office.url)
        page.get_by_label("Name").fill("Ada")
        page.get_by_label("Password", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [text for text in refused if "Content Security Policy" in text] == []
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = "axe.run(document).then(found => found.violations.map(one => one.id))"
        assert page.evaluate(found) == []


def test_a_browser_stays_signed_in_until_sign_out(
    office: Office, browser: BrowserContext, chromium: Browser
) -> None:
    page = sign_in(office, browser, "Otto")
    session_cookie = cookie(browser)
    assert (session_cookie["httpOnly"], session_cookie["sameSite"]) == (True, "Lax")
    assert session_cookie["value"] not in page.content()
    page.reload()
    open_account_menu(page, "Otto")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    wait_until("the cookie is gone", lambda: not cookie(browser) or page.wait_for_timeout(100))
    with new_browser_context(chromium) as stolen:
        stolen.add_cookies(
            [{"name": session_cookie["name"], "value": session_cookie["value"], "url": office.url}]
        )
        other = stolen.new_page()
        other.goto(office.url)
        expect(other.get_by_label("Name")).to_be_visible()


def cookie(context: BrowserContext) -> dict[str, object]:
    return dict(next((c for c in context.cookies() if c["name"] == "crossway_session"), {}))


def test_a_disabled_member_is_signed_out_of_an_open_page(
    office: Office, browser: BrowserContext
) -> None:
    office.installation.run("people", "add", "Eve", "--role", "viewer", typed=WORDS)
    page = sign_in(office, browser, "Eve")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    office.installation.run("people", "disable", "Eve")
    expect(page.get_by_text("an admin has disabled your account")).to_be_visible()


def test_oidc_signs_in_only_added_members(office: Office, browser: BrowserContext) -> None:
    page = warm_page(browser)
    page.goto(f"{office.url}/audit")
    page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/sign-out", lambda route: held.append((route, route.fetch())), times=1)
    open_account_menu(page, "Ada")
    page.get_by_role("button", name="Sign out").click()
    # The open page hears first that its session has ended, and leaves the way to the button.
    expect(page.get_by_role("link", name="Sign in", exact=True)).to_be_visible()
    [(route, answer)] = held
    route.fulfill(response=answer)
    # The provider's session ends as well, at its own address.
    expect(page).to_have_url(f"{office.url}/sign-in")
    expect(page.get_by_label("Name")).to_be_visible()

    office.provider.email = "mallory@example.com"
    page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    refused = page.get_by_text("No staff member has the e-mail address")
    expect(refused).to_be_visible()
    office.provider.email = "ada@example.com"


def test_oidc_is_followed_by_the_second_factor(office: Office, browser: BrowserContext) -> None:
    email = ("--email", "zoe@example.com", "--no-password")
    office.installation.run("people", "add", "Zoe", "--role", "viewer", *email)
    office.provider.email = "zoe@example.com"
    page = warm_page(browser)
    page.goto(office.url)
    page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    open_account_menu(page, "Zoe")
    page.get_by_role("link", name="Your sign-in").click()
    app = add_authenticator_app(page)
    open_account_menu(page, "Zoe")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_label("Name")).to_be_visible()

    page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    code = page.get_by_role("textbox", name="Code of your authenticator app")
    expect(code).to_be_visible()
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_label("Name")).to_be_visible()

    page.get_by_role("link", name="Sign in with 127.0.0.1").click()
    # The code of the enrolment was used up; the next one is valid already.
    code.fill(app.at(int(time.time()) + 30))
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-signed_in_as")).to_contain_text("Zoe")
    office.provider.email = "ada@example.com"
