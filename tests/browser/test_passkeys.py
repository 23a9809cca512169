"""Passkeys in a browser with a virtual authenticator: added, used, refused, and for step-up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect
from sqlalchemy import create_engine, text

from crossway import bootstrap
from crossway.settings import Settings
from crossway.usecases.staff import sign_in
from crossway.usecases.staff.sessions import FRESH_SECONDS
from tests.browser.authenticator_app import add_authenticator_app
from tests.browser.conftest import PHONE, new_browser_context, open_account_menu
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

WORDS = "four words nobody expects"
AUTHENTICATOR = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
    "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@dataclass
class Office:
    """A running Crossway in which operators need a second factor and viewers do not."""

    url: str
    installation: Installation

    def let_proofs_expire(self) -> None:
        """As if five minutes had passed since anybody proved who they are."""
        database = create_engine(self.installation.url)
        with database.begin() as db:
            db.execute(text("UPDATE staff_sessions SET proven_at = 1"))
        database.dispose()
        # Processes look at sessions of others once in so many seconds.
        visible_at = time.monotonic() + FRESH_SECONDS
        wait_until("every process knows it", lambda: time.monotonic() > visible_at)


@dataclass
class Device:
    """A browser with an authenticator of its own."""

    page: Page
    cdp: CDPSession
    authenticator: str

    def set_user_verified(self, verified: bool) -> None:
        """Whether the person presents the right finger."""
        settings = {"authenticatorId": self.authenticator, "isUserVerified": verified}
        self.cdp.send("WebAuthn.setUserVerified", settings)

    @property
    def passkeys(self) -> list[dict[str, Any]]:
        asked = {"authenticatorId": self.authenticator}
        found: list[dict[str, Any]] = self.cdp.send("WebAuthn.getCredentials", asked)["credentials"]
        return found


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder, port = tmp_path_factory.mktemp("passkeys"), free_port()
    with new_installation(f"sqlite:///{Path(folder) / 'crossway.db'}", folder) as installation:
        for name, role in (
            ("Ada", "admin"),
            ("Una", "viewer"),
            ("Vic", "viewer"),
            ("Eve", "viewer"),
            ("Otto", "operator"),
        ):
            installation.run("people", "add", name, "--role", role, typed=WORDS)
        arguments = ("crossway", "serve", "--port", str(port))
        installation.start("site", *arguments, SECOND_FACTOR_FROM="operator")
        url = f"http://localhost:{port}"
        wait_until("it answers", lambda: installation.responds("site", f"{url}/api/healthz"))
        yield Office(url, installation)


@contextmanager
def device(chromium: Browser, **facts: Any) -> Iterator[Device]:
    with new_browser_context(chromium, **facts) as context:
        page = context.new_page()
        cdp = context.new_cdp_session(page)
        cdp.send("WebAuthn.enable")
        added = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        yield Device(page, cdp, added["authenticatorId"])


def enter(page: Page, office: Office, name: str, path: str = "") -> None:
    """Open a page in a new session by password, as the sign-in form begins it."""
    installation = office.installation
    settings = Settings(data_dir=installation.folder, database_url=installation.url)
    service = bootstrap.build(settings)
    try:
        token = sign_in.sign_in_with_password(service.services, name, WORDS, "127.0.0.1")
    finally:
        service.close()
    cookie = {"name": "crossway_session", "value": token, "url": office.url}
    page.context.add_cookies([cookie])
    page.goto(f"{office.url}/{path}")


def enter_password(page: Page, office: Office, name: str) -> None:
    page.goto(office.url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password", exact=True).fill(WORDS)
    page.keyboard.press("Enter")


def add_passkey(page: Page, name: str = "Laptop") -> None:
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_label("Name of this passkey").fill(name)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Create the passkey").click()


def sign_out(page: Page) -> None:
    open_account_menu(page, "Vic")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_label("Name")).to_be_visible()


def test_a_passkey_is_added_on_the_page_of_ones_own_sign_in(
    office: Office, chromium: Browser
) -> None:
    with device(chromium) as own:
        page = own.page
        enter(page, office, "Una", "account")
        add_passkey(page)
        expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
        page.get_by_role("button", name="I have saved them").click()
        expect(page.get_by_text("The passkey Laptop is added.")).to_be_visible()
        sessions = page.get_by_role("table", name="Active sessions")
        expect(sessions.get_by_role("row").nth(1)).to_contain_text("This browser")
        (passkey,) = own.passkeys
        assert (passkey["rpId"], passkey["isResidentCredential"]) == ("localhost", True)


def test_a_passkey_signs_in_alone(office: Office, chromium: Browser) -> None:
    with device(chromium) as own:
        page = own.page
        enter(page, office, "Vic", "account")
        add_passkey(page)
        page.get_by_role("button", name="I have saved them").click()
        expect(page.get_by_text("The passkey Laptop is added.")).to_be_visible()
        sign_out(page)

        own.set_user_verified(False)
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_role("alert").get_by_text("The passkey was not used")).to_be_visible()
        expect(page.get_by_label("Name")).to_be_visible()

        own.set_user_verified(True)
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.locator(".st-key-signed_in_as")).to_contain_text("Vic\nViewer")
        sign_out(page)
        enter_password(page, office, "Vic")  # The password alone is no longer enough.
        expect(page.get_by_text("confirm that it is you")).to_be_visible()
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.locator(".st-key-signed_in_as")).to_contain_text("Vic\nViewer")


def test_a_new_passkey_is_refused_without_a_finger_or_pin(
    office: Office, chromium: Browser
) -> None:
    with device(chromium) as own:
        enter(own.page, office, "Eve", "account")
        own.set_user_verified(False)
        add_passkey(own.page)
        expect(own.page.get_by_role("alert").get_by_text("was not used")).to_be_visible()
        assert own.passkeys == []


def test_a_required_second_factor_is_added_on_a_phone_first(
    office: Office, chromium: Browser
) -> None:
    with device(chromium, size=PHONE, color_scheme="dark") as own:
        page = own.page
        enter(page, office, "Otto", "keys")
        expect(page.get_by_role("heading", name="Add a second factor")).to_be_visible()
        expect(page.get_by_test_id("stSidebar")).to_have_count(0)
        add_authenticator_app(page)
        expect(page.get_by_role("heading", name="API keys")).to_be_visible()


def test_a_sensitive_action_is_confirmed_with_a_passkey_and_carried_out(
    office: Office, chromium: Browser
) -> None:
    with device(chromium) as own:
        page = own.page
        enter(page, office, "Ada", "keys")
        add_passkey(page)
        page.get_by_role("button", name="I have saved them").click()
        expect(page.get_by_role("heading", name="API keys")).to_be_visible()
        office.let_proofs_expire()
        page.reload()
        rate = page.get_by_role("textbox", name="Requests per minute")
        rate.fill("77")
        page.get_by_role("button", name="Create API key").click()
        expect(page.get_by_text("You are not asked again for five minutes.")).to_be_visible()
        own.set_user_verified(False)
        page.get_by_role("button", name="Confirm with a passkey").click()
        expect(page.get_by_role("alert").get_by_text("The passkey was not used")).to_be_visible()
        own.set_user_verified(True)
        page.get_by_role("button", name="Confirm with a passkey").click()
        expect(page.locator(".st-key-secret_once code")).to_contain_text("cr_test_")
        expect(rate).to_have_value("77")
        # For five minutes nothing is asked.
        page.get_by_role("button", name="Create API key").click()
        expect(page.get_by_text("is created.").first).to_be_visible()

        office.let_proofs_expire()
        page.reload()
        page.get_by_role("button", name="Create API key").click()
        expect(page.get_by_text("You are not asked again for five minutes.")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_text("You are not asked again for five minutes.")).to_have_count(0)
        rate.fill("78")
        page.keyboard.press("Tab")
        expect(page.get_by_text("You are not asked again for five minutes.")).to_have_count(0)


def test_a_page_opened_by_address_says_where_passkeys_work(
    office: Office, chromium: Browser
) -> None:
    with device(chromium) as own:
        address = Office(office.url.replace("localhost", "127.0.0.1"), office.installation)
        enter(own.page, address, "Eve", "account")
        own.page.get_by_role("button", name="Add a passkey").click()
        expect(own.page.get_by_text(f"open {office.url} instead")).to_be_visible()
        expect(own.page.get_by_role("link", name=office.url)).to_have_attribute("href", office.url)
