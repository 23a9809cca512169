"""The shops in `examples/` against the service: an order is paid by its payer, once."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from standardwebhooks import Webhook as Signer

from crossway.bootstrap import Service
from crossway.engine.fan_out import fan_out
from crossway_client import Crossway
from tests.api.conftest import WALLET, new_key
from tests.client.javascript_programs import MODULES, Programs
from tests.ports import free_port
from tests.processes import PATIENCE_SECONDS, ROOT, wait_until

EXAMPLES = ROOT / "examples"
SHOPS = {
    "fastapi": [sys.executable, "-m", "uvicorn", "fastapi_shop:app", "--log-level", "error"],
    "django": [sys.executable, "django_shop.py", "runserver", "--noreload"],
    "express": [],  # `express` says where it runs.
}


@dataclass(frozen=True)
class Shop:
    """A running shop, its own folder, and the merchant's client and webhook."""

    url: str
    folder: Path
    crossway: Crossway
    webhook_id: int
    secret: str

    def order(self) -> dict[str, str]:
        """A new order of a buyer."""
        response = httpx.post(f"{self.url}/orders", json={"wallet": WALLET})
        assert response.status_code == 201, response.text
        created: dict[str, str] = response.json()
        return created

    def page(self, order: dict[str, str]) -> str:
        """The order's page."""
        return httpx.get(self.url + order["page"]).text

    def stored(self) -> str:
        """All that the shop has stored, its file and what belongs to it."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.iterdir())).decode(
            errors="replace"
        )


@pytest.fixture(params=SHOPS)
def shop(
    request: pytest.FixtureRequest, service: Service, url: str, tmp_path: Path
) -> Iterator[Shop]:
    command = SHOPS[request.param] or express(request.getfixturevalue("programs"))
    port, key = free_port(), new_key(service)[2]
    where = ["--port", str(port)] if request.param == "fastapi" else [str(port)]
    with Crossway(key, url) as crossway:
        webhook = crossway.webhooks.create(f"http://127.0.0.1:{port}/webhooks")
        settings = {
            "CROSSWAY_API_KEY": key,
            "CROSSWAY_API_URL": url,
            "CROSSWAY_WEBHOOK_SECRET": webhook.secret or "",
            "SHOP_WALLET": WALLET,
            "SHOP_DATABASE": str(tmp_path / "shop"),
        }
        with running([*command, *where], settings, tmp_path.parent / "log", port):
            address = f"http://127.0.0.1:{port}"
            yield Shop(address, tmp_path, crossway, webhook.id, webhook.secret or "")


def express(programs: Programs) -> list[str]:
    """The command of the shop with Express, beside the installed client; skips without Express."""
    if not (MODULES / "express").exists():
        pytest.skip("npm install has not installed express")
    return [programs.node, shutil.copy(EXAMPLES / "express_shop.mjs", programs.folder)]


@contextmanager
def running(command: list[str], settings: dict[str, str], log: Path, port: int) -> Iterator[None]:
    """A shop that listens during the block."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=EXAMPLES, env={**os.environ, **settings}, stdout=output, stderr=output
        )

    def listens() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            return httpx.get(f"http://127.0.0.1:{port}/orders/none").status_code == 404
        except httpx.TransportError:
            return False

    try:
        wait_until("the shop listens", listens)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def deliver(service: Service) -> None:
    """Deliver every webhook that is due."""
    fan_out(service.services)
    while service.dispatcher.run_once():
        pass


def test_an_order_is_paid_once(shop: Shop, service: Service) -> None:
    order, other = shop.order(), shop.order()
    link = re.search(r'href="([^"]+)"', shop.page(order))
    assert link is not None
    assert link[1] == order["pay"]
    assert len(list(shop.crossway.intents.list())) == 2
    number = order["page"].rpartition("/")[2]
    [payment] = [p for p in shop.crossway.intents.list() if p.metadata == {"order": number}]
    assert (payment.initial_amount, payment.recipient) == (25_000_000, WALLET)

    shop.crossway.sandbox.deposit(payment.intent_address)
    while not shop.crossway.intents.get(payment.id).ended:
        shop.crossway.sandbox.set_clock(advance_seconds=2)
        service.engine.tick()
    deliver(service)
    assert "Paid" in shop.page(order)
    assert "href" in shop.page(other)

    before = shop.stored()
    for delivery in list(shop.crossway.webhooks.deliveries(shop.webhook_id)):
        assert delivery.state == "delivered"
        shop.crossway.webhooks.replay(delivery.id)
    deliver(service)
    assert shop.stored() == before


def test_a_forged_webhook_pays_nothing(shop: Shop) -> None:
    order = shop.order()
    number = order["page"].rpartition("/")[2]
    body = '{"id":"evt_1","type":"intent_completed","created_at":"2026-11-21T10:53:00.000Z",'
    body += f'"data":{{"id":1,"metadata":{{"order":"{number}"}}}}}}'
    now = datetime.now(UTC)
    forged = {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer("whsec_" + "A" * 32).sign("evt_1", now, body),
    }
    for headers in ({}, forged):
        response = httpx.post(f"{shop.url}/webhooks", content=body, headers=headers)
        assert response.status_code == 400
    assert "href" in shop.page(order)
