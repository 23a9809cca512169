"""The example with standing addresses against the service: a customer is credited once."""

import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from crossway.bootstrap import Service
from crossway_client import Crossway, StandingDeposit
from tests.api.conftest import WALLET, new_key
from tests.client.test_examples import Shop, deliver, running
from tests.ports import free_port

COMMAND = [sys.executable, "-m", "uvicorn", "standing_fastapi:app", "--log-level", "error"]


@pytest.fixture
def shop(service: Service, url: str, tmp_path: Path) -> Iterator[Shop]:
    port, key = free_port(), new_key(service)[2]
    address = f"http://127.0.0.1:{port}"
    with Crossway(key, url) as crossway:
        webhook = crossway.webhooks.create(f"{address}/webhooks")
        secret = webhook.secret or ""
        settings = {
            "CROSSWAY_API_KEY": key,
            "CROSSWAY_API_URL": url,
            "CROSSWAY_WEBHOOK_SECRET": secret,
            "SHOP_WALLET": WALLET,
            "SHOP_RECOVERY": WALLET,
            "SHOP_DATABASE": str(tmp_path / "shop"),
        }
        with running([*COMMAND, "--port", str(port)], settings, tmp_path.parent / "log", port):
            yield Shop(address, tmp_path, crossway, webhook.id, secret)


def test_a_customer_pays_twice_to_one_address_and_is_credited_once_each(
    shop: Shop, service: Service
) -> None:
    path = f"{shop.url}/customers/ada"
    assert httpx.get(path).status_code == 404
    made = httpx.put(path).json()
    assert httpx.put(path).json() == made
    [address] = shop.crossway.standing_addresses.list()
    assert (address.address, address.reference) == (made["address"], "ada")

    for amount in (50_000_000, 30_000_000, made["minimum"] - 1):
        shop.crossway.sandbox.deposit(made["address"], amount)
    while any(d.status not in ("FORWARDED", "RETURNED") for d in found(shop)) or not_paid(shop):
        shop.crossway.sandbox.set_clock(advance_seconds=2)
        service.engine.tick()
    deliver(service)
    paid = sum(intent.initial_amount for intent in shop.crossway.intents.list())
    assert 79_000_000 < paid < 80_000_000
    expected = {"balance": paid, "returned": ["It is below the minimum."]}
    assert httpx.get(path).json() == expected

    for delivery in list(shop.crossway.webhooks.deliveries(shop.webhook_id)):
        shop.crossway.webhooks.replay(delivery.id)
    deliver(service)
    assert httpx.get(path).json() == expected


def found(shop: Shop) -> list[StandingDeposit]:
    deposits = list(shop.crossway.standing_deposits.list())
    assert [shop.crossway.standing_deposits.get(one.id) for one in deposits] == deposits
    return deposits


def not_paid(shop: Shop) -> bool:
    intents = list(shop.crossway.intents.list())
    return len(intents) < 2 or not all(intent.ended for intent in intents)
