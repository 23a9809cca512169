"""Single sign-on against an OpenID provider on this machine."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from crossway.domain.staff import AuthMethod
from crossway.sign_in.providers import InvalidProviders, Providers
from tests.oidc import OidcProvider, oidc_provider, secrets_file
from tests.sign_in.conftest import Shown, SignInBrowser
from tests.staff_world import PASSWORD, StaffWorld

SITE = "http://localhost:8600"


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as running:
        yield running


@pytest.fixture
def browser(world: StaffWorld, provider: OidcProvider, tmp_path: Path) -> SignInBrowser:
    """Zoe, a viewer, signs in through the provider."""
    world.machine.seconds = time.time()  # The provider's tokens have this time.
    world.add("Zoe", "viewer", "zoe@example.com")
    provider.email, provider.verified = "zoe@example.com", True
    file = tmp_path / "secrets.toml"
    file.write_text(secrets_file(provider, SITE))
    return SignInBrowser(world.services, providers=Providers.load(file))


def go_to_provider(browser: SignInBrowser, wanted: str = "/") -> str:
    """Follow the button; returns where the provider sends the browser."""
    asked = browser.open(f"/sign-in/with/default?next={wanted}")
    assert asked.status in (302, 303)
    return str(httpx.get(asked.place).headers["location"]).removeprefix(SITE)


def test_the_button_leads_to_the_provider_and_back(browser: SignInBrowser) -> None:
    assert "Sign in with 127.0.0.1" in browser.open("/sign-in?next=/books").text
    back = browser.open(go_to_provider(browser, "/books"))
    assert (back.status, back.place) == (303, "/books")
    assert browser.session is not None
    assert browser.session.auth_method is AuthMethod.IDENTITY_PROVIDER


def test_the_provider_is_asked_with_proof_of_the_code_exchange(browser: SignInBrowser) -> None:
    asked = parse_qs(urlsplit(browser.open("/sign-in/with/default").place).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{SITE}/oauth2callback"]
    assert asked["prompt"] == ["select_account"]
    assert asked["nonce"][0]
    assert asked["state"][0]


def test_what_the_provider_answers_is_taken_once(browser: SignInBrowser) -> None:
    place = go_to_provider(browser)
    assert browser.open(place).status == 303
    browser.send("/sign-out")
    again = browser.open(place)
    assert (again.status, browser.session) == (401, None)


def test_an_answer_belongs_to_the_browser_that_asked(
    world: StaffWorld, browser: SignInBrowser
) -> None:
    """Otherwise a page could sign its visitor in as somebody else."""
    place = go_to_provider(browser)
    other = SignInBrowser(world.services, providers=browser.providers)
    refused = other.open(place)
    assert (refused.status, other.token) == (401, "")
    assert refused.error == "Begin again: nobody asked this identity provider."


@pytest.mark.parametrize(
    ("email", "verified", "reason"),
    [
        ("mallory@example.com", True, "No staff member has the e-mail address"),
        ("zoe@example.com", False, "has not verified your e-mail address"),
        ("nonsense", True, "did not send your e-mail address"),
    ],
)
def test_only_confirmed_addresses_of_staff_enter(
    browser: SignInBrowser, provider: OidcProvider, email: str, verified: bool, reason: str
) -> None:
    provider.email, provider.verified = email, verified
    refused = browser.open(go_to_provider(browser))
    assert (refused.status, browser.token) == (401, "")
    assert reason in refused.error
    assert "Sign in with 127.0.0.1" in refused.text


def test_a_refusal_and_nonsense_lead_back_to_the_form(browser: SignInBrowser) -> None:
    browser.open("/sign-in/with/default")
    for query in ("error=access_denied", "code=x", "state=x", "code=x&state=y", ""):
        refused = browser.open(f"/oauth2callback?{query}")
        assert refused.status == 401
        assert refused.fields == ["name", "password"]
    assert browser.open("/sign-in/with/nobody").status == 401


def test_the_second_factor_is_asked_for_as_well(world: StaffWorld, browser: SignInBrowser) -> None:
    app, _ = world.add_authenticator(world.enter("Zoe"))
    back = browser.open(go_to_provider(browser, "/books"))
    assert back.place == "/sign-in?next=%2Fbooks"
    assert browser.token == ""
    given = browser.send("/sign-in/code", code=world.code(app, 1), next="/books")
    assert given.place == "/books"


def test_signing_out_ends_at_the_provider_that_offers_it(
    browser: SignInBrowser, provider: OidcProvider
) -> None:
    browser.open(go_to_provider(browser))
    place = browser.http.post("/sign-out").json()["next"]
    asked = urlsplit(place)
    assert f"{asked.scheme}://{asked.netloc}{asked.path}" == f"{provider.url}/end"
    query = parse_qs(asked.query)
    assert (query["client_id"], query["post_logout_redirect_uri"]) == (["crossway"], [SITE])
    assert browser.session is None
    browser.send(name="Ada", password=PASSWORD)  # Signed in here, not there.
    assert browser.http.post("/sign-out").json()["next"] == "/sign-in"


def test_a_proof_asks_the_person_and_not_their_cookie(browser: SignInBrowser) -> None:
    browser.open(go_to_provider(browser))
    answer = browser.http.post("/sign-out", data={"again": "1", "next": "/keys"})
    assert answer.json() == {"next": "/sign-in?next=%2Fkeys"}
    asked = parse_qs(urlsplit(browser.open("/sign-in/with/default").place).query)
    assert asked["prompt"] == ["login"]
    asked = parse_qs(urlsplit(browser.open("/sign-in/with/default").place).query)
    assert asked["prompt"] == ["select_account"]


def test_a_provider_that_does_not_answer_is_a_sentence(world: StaffWorld) -> None:
    gone = {
        "client_id": "a", "client_secret": "b", "cookie_secret": "c",
        "redirect_uri": f"{SITE}/oauth2callback", "server_metadata_url": "http://127.0.0.1:9/x",
    }  # fmt: skip
    browser = SignInBrowser(world.services, providers=Providers(gone))
    refused: Shown = browser.open("/sign-in/with/default")
    assert refused.error == "Your identity provider does not answer: try again."
    assert browser.send(name="Ada", password=PASSWORD).place == "/"
    assert browser.http.post("/sign-out").status_code == 200


def test_several_providers_have_a_button_each(world: StaffWorld) -> None:
    one = {"client_id": "a", "client_secret": "b", "server_metadata_url": "https://x.example/y"}
    auth = {"redirect_uri": f"{SITE}/oauth2callback", "cookie_secret": "c", "okta": one,
            "big_corp": one}  # fmt: skip
    shown = SignInBrowser(world.services, providers=Providers(auth)).open()
    assert "Sign in with Okta" in shown.text
    assert "Sign in with Big Corp" in shown.text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[auth]\nclient_id = 1", "auth.default has no client_secret"),
        ("[auth.okta]\nclient_id = 'a'", "auth.okta has no client_secret"),
        (
            "[auth.okta]\nclient_id = 'a'\nclient_secret = 'b'\nserver_metadata_url = 'c'",
            "auth has no redirect_uri",
        ),
        ("[auth.'a b']\nclient_id = 'a'", "auth.a b: a name has letters, digits, _ and - only"),
        ("[auth", "Expected"),
    ],
)
def test_a_file_that_lacks_something_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(text)
    with pytest.raises(InvalidProviders, match=problem):
        Providers.load(file)
    assert Providers.load(tmp_path / "none.toml").labels == {}
