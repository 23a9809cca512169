"""What somebody gets who is not signed in: nothing that loads, runs or stores anything."""

import asyncio
import re
from contextlib import suppress

import pytest
from starlette.types import Message
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from crossway.server.socket_limits import BURST, PER_SECOND, paced
from tests.event_loops import run_async
from tests.security.conftest import PASSWORD, Target

INVENTED = "x" * 43
CLOSED = ["/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/interact",
          "/_stcore/agent/openapi.json", "/_stcore/agent/mcp"]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["/component/x/y.js", "/media/x.png", "/download/payments.csv", "/analytics/report.html",
     "/download/payments.csv/..%2f", "/live", "/find"],
)  # fmt: skip
@pytest.mark.parametrize("cookie", ["", f"crossway_session={INVENTED}"])
def test_nothing_of_the_dashboard_is_served(target: Target, path: str, cookie: str) -> None:
    with target.client(Cookie=cookie) as http:
        response = http.get(path)
    assert response.status_code == 401
    assert response.text == "Sign in first: open the dashboard."


@pytest.mark.parametrize("path", CLOSED)
def test_what_streamlit_offers_beside_its_pages_is_closed(target: Target, path: str) -> None:
    with target.client() as http:
        assert {http.get(path).status_code, http.post(path).status_code} == {404}


@pytest.mark.parametrize("path", ["/_stcore/stream", "/live"])
@pytest.mark.parametrize("cookie", ["", f"crossway_session={INVENTED}"])
def test_no_socket_is_opened(target: Target, path: str, cookie: str) -> None:
    """Twenty sockets that drew the sign-in form drove the API's answers from 6 ms to 2 s."""
    with pytest.raises(InvalidStatus) as refused:
        connect(target.socket_url + path, additional_headers={"Cookie": cookie})
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("path", ["/", "/intents?q=1", "/live", "/nothing", "/_stcore/health"])
def test_a_browser_is_sent_to_the_sign_in_page(target: Target, path: str) -> None:
    with target.client(Accept="text/html,*/*;q=0.8") as http:
        response = http.get(path)
        assert response.status_code == 303
        assert response.headers["location"].startswith("/sign-in")
        page = http.get(response.headers["location"])
    assert page.status_code == 200
    assert "installation password" in page.text


def test_nothing_of_streamlit_is_loaded_to_sign_in(target: Target) -> None:
    with target.client() as http:
        page = http.get("/sign-in")
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert loaded
        assert all(place.startswith("/sign-in/assets/") for place in loaded)
        assert {http.get(place).status_code for place in loaded} == {200}
        assert http.get("/static/js/index.js").status_code == 401
        assert http.get("/_stcore/host-config").status_code == 401


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/sign-in/first-admin"])
def test_another_sites_form_signs_nobody_in_or_out(target: Target, path: str, site: str) -> None:
    headers = {"Sec-Fetch-Site": site, "Origin": "https://evil.example"}
    with target.client(**headers) as http:
        assert http.post(path, data={"password": PASSWORD}).status_code == 403
    with target.client(**{"Sec-Fetch-Site": site}) as http:
        assert http.post(path, data={"password": PASSWORD}).status_code == 403


def test_messages_arrive_as_fast_as_a_person_causes_them() -> None:
    sent = 0

    async def receive() -> Message:
        nonlocal sent
        sent += 1
        return {"type": "websocket.receive", "bytes": b"x"}

    async def read_for_a_moment() -> None:
        slow = paced(receive)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                while True:
                    await slow()

    run_async(read_for_a_moment())
    assert BURST < sent <= BURST + 0.5 * PER_SECOND + 2


def test_nothing_is_uploaded(target: Target) -> None:
    with target.client() as http:
        response = http.put(f"/_stcore/upload_file/{INVENTED}/x", files={"x": b"x" * 1_000_000})
    assert response.status_code == 401
