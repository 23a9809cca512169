"""Pages of other sites that reach the service through somebody's browser."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.security.conftest import Target

FOREIGN = "https://attacker.example"


@pytest.mark.parametrize("path", ["/", "/sign-in", "/api/v1", "/pay/x", "/static/x.js", "/live"])
@pytest.mark.parametrize(
    "host",
    ["attacker.example", "attacker.example:80", "127.0.0.1.attacker.example", "a@localhost", "",
     "localhost.attacker.example", "localhost/x", "192.0.2.1", "[::2]", "localhost:port"],
)  # fmt: skip
def test_a_name_that_resolves_to_our_address_is_refused(
    target: Target, path: str, host: str
) -> None:
    """DNS rebinding: the attacker's page asks its own host name, which now means this machine."""
    with target.client() as http:
        response = http.get(path, headers={"Host": host, "Accept": "text/html"})
    assert response.status_code == 421
    assert "CROSSWAY_PUBLIC_URL" in response.text
    if path.startswith("/api/"):
        assert (response.json()["statusCode"], response.json()["code"]) == (421, "host_not_allowed")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8600", "[::1]:8600"])
def test_loopback_names_are_answered(target: Target, host: str) -> None:
    with target.client() as http:
        assert http.get("/api/v1", headers={"Host": host}).status_code == 200


def test_probes_are_answered_under_any_name(target: Target) -> None:
    with target.client(Host="10.1.2.3:8600") as http:
        assert http.get("/healthz").json() == http.get("/readyz").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/_stcore/stream", "/live"])
def test_a_foreign_origin_gets_no_websocket_and_no_lookup(target: Target, path: str) -> None:
    """Streamlit asks a host on the internet for its own address before it refuses."""
    with pytest.raises(InvalidStatus) as refused:
        connect(target.socket_url + path, origin=FOREIGN).close()  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403
    assert "external IP" not in target.installation.read_log("site")


@pytest.mark.parametrize("path", ["/api/v1/intents", "/pay/l/x", "/sign-in", "/download/x.csv"])
def test_a_foreign_origin_is_refused(target: Target, path: str) -> None:
    with target.client(Origin=FOREIGN) as http:
        response = http.post(path)
        assert response.status_code == 403
        assert "another site" in response.text
        if path.startswith("/api/"):
            assert response.json()["code"] == "forbidden"


def test_an_origin_without_a_name_is_refused_where_a_browser_says_it_is_foreign(
    target: Target,
) -> None:
    """A form in a sandboxed frame; a form of ours that tells no referrer says "same-origin"."""
    foreign = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
    own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    with target.client() as http:
        assert http.post("/pay/l/unknown", headers=foreign).status_code == 403
        assert http.post("/pay/l/unknown", headers=own).status_code == 404
