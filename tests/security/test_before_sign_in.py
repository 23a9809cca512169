"""What somebody gets who is not signed in: nothing that loads, runs or stores anything."""

import asyncio
from contextlib import ExitStack, suppress

import pytest
from starlette.types import Message
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from crossway.server.socket_limits import STRANGERS, paced
from tests.event_loops import run_async
from tests.security.conftest import Target

INVENTED = "x" * 43
CLOSED = ["/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/interact",
          "/_stcore/agent/openapi.json", "/_stcore/agent/mcp"]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["/component/x/y.js", "/media/x.png", "/download/payments.csv", "/analytics/report.html",
     "/download/payments.csv/..%2f", "/live"],
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


def test_no_live_socket_is_opened(target: Target) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(target.socket_url + "/live", additional_headers={"Cookie": "crossway_session=x"})
    assert refused.value.response.status_code == 403


def test_one_address_draws_few_sign_in_forms(target: Target) -> None:
    """Twenty of them drove the API's answers from 6 ms to 2 s."""
    with ExitStack() as stack:
        for _ in range(STRANGERS.per_person):
            stack.enter_context(connect(target.socket_url + "/_stcore/stream"))
        with pytest.raises(InvalidStatus):
            connect(target.socket_url + "/_stcore/stream")


def test_a_stranger_is_drawn_the_sign_in_form_slowly() -> None:
    sent = 0

    async def receive() -> Message:
        nonlocal sent
        sent += 1
        return {"type": "websocket.receive", "bytes": b"x"}

    async def read_for_a_moment() -> None:
        slow = paced(receive, lambda: STRANGERS.pace)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                while True:
                    await slow()

    run_async(read_for_a_moment())
    assert sent == STRANGERS.pace.burst + 1


def test_nothing_is_uploaded(target: Target) -> None:
    with target.client() as http:
        response = http.put(f"/_stcore/upload_file/{INVENTED}/x", files={"x": b"x" * 1_000_000})
    assert response.status_code == 401
