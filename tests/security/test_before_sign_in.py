"""What somebody gets who is not signed in: nothing that loads, runs or stores anything."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.security.conftest import Target

INVENTED = "x" * 43
CLOSED = ["/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent/interact",
          "/_stcore/agent/openapi.json", "/_stcore/agent/mcp"]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["/static/js/index.js", "/_stcore/health", "/_stcore/host-config", "/component/x/y.js",
     "/media/x.png", "/download/payments.csv", "/download/payments.csv/..%2f", "//intents"],
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
def test_no_websocket_is_opened(target: Target, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(target.socket_url + path, additional_headers={"Cookie": "crossway_session=x"})
    assert refused.value.response.status_code == 403


def test_nothing_is_uploaded(target: Target) -> None:
    with target.client() as http:
        response = http.put(f"/_stcore/upload_file/{INVENTED}/x", files={"x": b"x" * 1_000_000})
    assert response.status_code == 401


@pytest.mark.parametrize(
    ("path", "target_path"),
    [
        ("/", "/sign-in"),
        ("/intents", "/sign-in?next=/intents"),
        ("/intent?id=int_1&x=%2F%2Fy", "/sign-in?next=/intent%3Fid%3Dint_1%26x%3D%252F%252Fy"),
        ("//attacker.example/x", "/sign-in?next=//attacker.example/x"),
    ],
)
def test_a_page_leads_to_the_sign_in_form(target: Target, path: str, target_path: str) -> None:
    with target.client(Accept="text/html") as http:
        response = http.get(target.url + path)
    assert (response.status_code, response.headers["location"]) == (303, target_path)
