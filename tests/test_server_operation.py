"""Processes under load: logs, graceful shutdown, and monitoring."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from crossway.adapters.vault import open_vault
from crossway.domain.clients import OwnerFilter
from crossway.storage.store import open_store
from tests.databases import new_sqlite
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

EMAIL, PHONE = "ada.lovelace@mail.example", "+254711000000"
SECRET_HEADER = "cr_live_" + "Q" * 32
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
INTENT = {
    "sender": WALLET,
    "amount": "25000000",
    "tokenIn": USDC,
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": WALLET,
    "metadata": {"customer": EMAIL},
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return new_sqlite(tmp_path)


@pytest.fixture
def installation(url: str, tmp_path: Path) -> Iterator[Installation]:
    with new_installation(url, tmp_path) as installation:
        yield installation


def started(installation: Installation, **settings: str) -> tuple[str, str]:
    """The address of an API process and a key with a high rate."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    secret = installation.run(
        "keys", "create", "--client", "Shop", "--mode", "test", "--rate", "100000", "--quiet"
    )
    installation.start("api", "crossway", "api", "--port", str(port), **settings)
    wait_until("the API answers", lambda: installation.responds("api", f"{base}/readyz"))
    return base, secret


def lines(installation: Installation, name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in installation.read_log(name).splitlines() if line[:1] == "{"
    ]


def busy(base: str, secret: str) -> list[str]:
    """All that carries what no log may hold; answers the ids of the requests."""
    ids = []
    with httpx.Client(base_url=f"{base}/api/v1", timeout=30) as http:
        good = {"Authorization": f"Bearer {secret}"}
        kyc = {"provider": "FONBNK", "userEmail": EMAIL, "countryCode": "KE", "fiatCurrency": "KES"}
        order = {
            "provider": "FONBNK",
            "fiatCurrency": "KES",
            "cryptoAmount": 20,
            "userEmail": EMAIL,
        }
        order |= {"destinationChain": "BASE_MAINNET", "recipientAddress": WALLET}
        for _ in range(3):
            intent = http.post("/intents", json=INTENT, headers=good)
            address = intent.json()["intent_address"]
            asked = [
                intent,
                http.get(f"/intents/address/{address}", headers=good),
                http.get("/ramp/kyc", params=kyc, headers=good),
                http.post("/ramp/orders", json={**order, "fields": {"phone": PHONE}}, headers=good),
                http.get("/intents/1", headers={"Authorization": f"Bearer {SECRET_HEADER}"}),
                http.get(f"/nowhere/{secret}/{EMAIL}", headers=good),
                http.post("/webhooks", json={"url": "https://x.demo.example/h"}, headers=good),
                http.post("/intents", content=f'{{"x": "{EMAIL}', headers=good),
                http.post("/intents", json=INTENT, headers=good | {"Idempotency-Key": secret}),
            ]
            ids += [answer.headers["x-request-id"] for answer in asked]
    return ids


def test_each_request_is_logged_without_secrets_and_personal_data(
    installation: Installation, url: str
) -> None:
    base, secret = started(installation, METRICS_TOKEN="scrape-me-now", LOG_LEVEL="debug")
    ids = busy(base, secret)
    scraped = httpx.get(f"{base}/metrics", headers={"Authorization": "Bearer scrape-me-now"})
    assert 'crossway_requests_total{method="POST",route="/v1/intents"' in scraped.text
    assert installation.terminate("api") == 0
    entries = lines(installation, "api")
    requests = {line["request_id"]: line for line in entries if line["event"] == "request"}
    assert set(ids) <= set(requests)
    created, read = requests[ids[0]], requests[ids[1]]
    assert (created["method"], created["path"], created["status"]) == ("POST", "/v1/intents", 201)
    assert (created["key"], created["intent"]) == (secret[:12], read["intent"])
    assert read["path"] == "/v1/intents/address/{address}"
    output = installation.read_log("api") + scraped.text
    for private in (secret, SECRET_HEADER, EMAIL, "lovelace", PHONE, "whsec_", "scrape-me-now"):
        assert private not in output
    assert secret[13:] not in output
    assert "?" not in "".join(str(line) for line in requests.values())
    assert_remembered(installation, ids, secret)


def assert_remembered(installation: Installation, ids: list[str], secret: str) -> None:
    """What the process had in hand when it was asked to end is in the request log, masked."""
    from crossway.ports.logs import RequestFilter

    store = open_store(installation.url)
    open_vault([(installation.folder / "secret.key").read_bytes().strip()], store)
    with store.read() as unit:
        page = unit.request_log.list_page(RequestFilter(), 10_000)
    store.close()
    assert set(ids) <= {item.request_id for item in page}
    for private in (secret, SECRET_HEADER, EMAIL, PHONE, "whsec_", secret[13:]):
        assert private not in str(page)


class Load:
    """Clients that make intents on a connection each until the server takes no more."""

    def __init__(self, base: str, secret: str, clients: int = 8) -> None:
        self.made: list[int] = []
        self.broken: list[str] = []
        self._base, self._headers = base, {"Authorization": f"Bearer {secret}"}
        self._threads = [threading.Thread(target=self._work) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while True:
            try:
                answer = httpx.post(
                    f"{self._base}/api/v1/intents", json=INTENT, headers=self._headers, timeout=30
                )
            except httpx.ConnectError:
                return
            except httpx.TransportError as error:
                # Waiting at the door when it was closed: not one byte of it was read.
                self.broken.append(repr(error))
                return
            assert answer.status_code == 201, answer.text
            self.made.append(answer.json()["id"])

    def end(self) -> None:
        for thread in self._threads:
            thread.join(60)


def test_a_terminated_process_finishes_open_requests(installation: Installation, url: str) -> None:
    base, secret = started(installation)
    load = Load(base, secret)
    wait_until("the load is on", lambda: len(load.made) > 40)
    assert installation.terminate("api") == 0
    load.end()
    store = open_store(url)
    with store.read() as unit:
        stored = sum(unit.intents.count_by_state(OwnerFilter()).values())
    store.close()
    assert len(load.made) == stored, "no intent was made without its answer"
    assert "Traceback" not in installation.read_log("api")


def test_an_engine_reports_its_health_and_stops_after_its_pass(
    installation: Installation, url: str
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    installation.start("engine", "crossway", "engine", ENGINE_PORT=str(port))
    wait_until("the engine is ready", lambda: installation.responds("engine", f"{base}/readyz"))

    def scraped() -> str:
        return httpx.get(f"{base}/metrics").text

    passed = 'crossway_engine_pass_age_seconds{chain="BASE_MAINNET"}'
    wait_until("a pass is told", lambda: passed in scraped())
    wait_until(
        "the stock is told",
        lambda: 'crossway_relayer_stock{chain="BASE_MAINNET",token="USDC"}' in scraped(),
    )
    assert httpx.get(f"{base}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{base}/v1/intents").status_code == 404
    assert installation.terminate("engine") == 0
    assert "Traceback" not in installation.read_log("engine")
    store = open_store(url)
    with store.writer.connect() as db:
        lease_count = db.exec_driver_sql("SELECT count(*) FROM leases WHERE owner <> ''").scalar()
    store.close()
    assert lease_count == 0, "its leases are given back"
