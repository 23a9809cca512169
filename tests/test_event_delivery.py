"""A complete server delivers events by webhook and stream, and stops while streams are open."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from crossway.catalogue import load_catalogue
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until
from tests.receivers import running_receiver

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with new_installation(f"sqlite:///{tmp_path / 'crossway.db'}", tmp_path) as installation:
        yield installation


def test_a_server_delivers_streams_and_ends_with_a_stream_open(installation: Installation) -> None:
    port = free_port()
    installation.start("api", "crossway", "api", "--port", str(port), LOG_LEVEL="warning")
    base = f"http://127.0.0.1:{port}/api"
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/readyz"))
    key = installation.run("keys", "create", "--client", "Shop", "--mode", "test", "--quiet")
    installation.start("engine", "crossway", "engine")
    with (
        running_receiver() as receiver,
        httpx.Client(base_url=f"{base}/v1", timeout=20) as http,
    ):
        http.headers["authorization"] = f"Bearer {key}"
        response = http.post("/webhooks", json={"url": receiver.url})
        assert response.status_code == 201, response.text
        pay(http)
        receiver.wait_for(1)
        last = {"Last-Event-ID": receiver.events[0]["id"]}
        with http.stream("GET", "/events", headers=last) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 2000"
            paid = pay(http)
            data = next(line for line in lines if line.startswith("data: "))
            assert json.loads(data.partition(": ")[2])["data"]["id"] == paid
            assert installation.terminate("api") == 0
    receiver.requests[0].verify(response.json()["secret"])
    assert "Traceback" not in installation.read_log("api")


def pay(http: httpx.Client) -> int:
    """The number of a new intent."""
    tokens = load_catalogue().tokens
    params = {
        "amount": "25000000",
        "sender": WALLET,
        "tokenIn": tokens["BASE_MAINNET", "USDC"].address,
        "source_chain": "BASE_MAINNET",
        "destination_chain": "ARBITRUM_MAINNET",
        "recipient": WALLET,
    }
    intent = http.post("/intents", json=params)
    assert intent.status_code == 201, intent.text
    return int(intent.json()["id"])
