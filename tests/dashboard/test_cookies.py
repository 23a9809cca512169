"""The session cookie: who can read it, and from where a ticket is exchanged for it."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from crossway.dashboard import cookies
from crossway.domain.clients import staff_principal
from crossway.usecases.staff import members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import PAGES_FOLDER
from tests.usecases.ramp_world import RampWorld

WORDS = "four words nobody expects"
SAME_ORIGIN = {"sec-fetch-site": "same-origin"}
FOREIGN: tuple[dict[str, str], ...] = (
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "same-site", "origin": "http://crossway.test"},
    # A browser that sends no Sec-Fetch-Site sends the origin of its page.
    {"origin": "http://other.test"},
    {"origin": "http://crossway.test.other.test"},
    {"origin": "http://crossway.test:8080"},
    {"origin": "null"},
    {},
)


def browser(base_url: str = "http://crossway.test") -> TestClient:
    return TestClient(Starlette(routes=cookies.routes()), base_url=base_url)


def exchange(client: TestClient, ticket: str, **headers: str) -> tuple[int, list[str]]:
    """The status and the parts of the cookie that a ticket is exchanged for."""
    sent = SAME_ORIGIN | {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.post("/session", content=ticket, headers=sent)
    return answer.status_code, answer.headers.get("set-cookie", "").split("; ")


@pytest.fixture
def signed_in(world: RampWorld) -> AppTest:
    """The dashboard of somebody who has just signed in."""
    operator = staff_principal("command line")
    members.add_member(world.services, operator, NewStaffMember("Ada", "admin", WORDS))
    at = AppTest.from_file(str(PAGES_FOLDER / "_shell.py"), default_timeout=30).run()
    for field, text in zip(at.text_input, ("Ada", WORDS), strict=True):
        field.set_value(text)
    next(button for button in at.button if button.label == "Sign in").click()
    return at.run()


@pytest.fixture
def ticket(signed_in: AppTest) -> str:
    issued: str = signed_in.session_state["cookie_ticket"]
    return issued


def test_a_ticket_gives_one_cookie_that_no_script_and_no_other_site_gets(
    signed_in: AppTest, ticket: str
) -> None:
    client = browser()
    status, parts = exchange(client, ticket)
    token = signed_in.session_state["token"]
    assert (status, parts[0]) == (204, f"crossway_session={token}")
    assert sorted(parts[1:]) == ["HttpOnly", "Path=/", "SameSite=strict"]
    assert ticket != token
    assert exchange(client, ticket) == (403, [""])


@pytest.mark.parametrize(
    ("url", "forwarded", "secure"),
    [
        ("http://crossway.test", "", False),
        ("https://crossway.test", "", True),
        # Behind a proxy that ends TLS.
        ("http://crossway.test", "https", True),
        ("http://crossway.test", "https, http", True),
        ("http://crossway.test", "http, https", False),
    ],
)
def test_over_tls_the_cookie_is_sent_over_tls_only(
    ticket: str, url: str, forwarded: str, secure: bool
) -> None:
    status, parts = exchange(browser(url), ticket, x_forwarded_proto=forwarded)
    assert (status, "Secure" in parts) == (204, secure)


def test_no_other_site_can_exchange_a_ticket_or_delete_the_cookie(ticket: str) -> None:
    client = browser()
    for headers in FOREIGN:
        answer = client.post("/session", content=ticket, headers=headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), headers
        deleted = client.delete("/session", headers=headers)
        assert (deleted.status_code, "set-cookie" in deleted.headers) == (403, False), headers
    # The refused requests have not used the ticket up.
    own_page = {"origin": "http://crossway.test"}
    assert client.post("/session", content=ticket, headers=own_page).status_code == 204
    deleted = client.delete("/session", headers=own_page)
    assert deleted.status_code == 204
    assert deleted.headers["set-cookie"].startswith('crossway_session="";')
