"""The paid APIs of examples/, which an unmodified client of x402 pays on a real chain."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from crossway.usecases.payments import intents
from tests.chains.live import ARBITRUM
from tests.ports import free_port
from tests.processes import ROOT, wait_until
from tests.x402.shop import X402Shop, asked, new_customer, pay
from tests.x402.test_clients import run_client, shop

__all__ = ["shop"]
COMMANDS = {
    "fastapi": [sys.executable, "-m", "uvicorn", "x402_fastapi:app", "--port"],
    "express": ["node", "x402_express.mjs"],
}


@contextmanager
def selling(shop: X402Shop, name: str) -> Iterator[str]:
    """The URL of the example's API."""
    port = free_port()
    environment = {
        **os.environ,
        "CROSSWAY_API_KEY": shop.key,
        "CROSSWAY_API_URL": shop.url,
        "SHOP_WALLET": shop.base.wallet(f"seller {name}"),
    }
    command = [*COMMANDS[name], str(port)]
    process = subprocess.Popen(command, cwd=ROOT / "examples", env=environment)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until("it listens", lambda: is_up(url))
        yield url
    finally:
        process.terminate()
        process.wait(20)


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/nothing").status_code == 404
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_sells_a_report_once_for_each_payment(shop: X402Shop, name: str) -> None:
    customer, arbitrum = new_customer(shop, name), shop.world.hands[ARBITRUM]
    with selling(shop, name) as url:
        told = run_client(f"{url}/report", customer)
        assert (told["status"], told["body"]) == (200, {"report": "It will rain."})
        assert told["settled"]["success"] is True
        wallet = arbitrum.wallet(f"seller {name}")
        wait_until("the seller is paid", lambda: arbitrum.balance(wallet) == 200_000)
        # An offer of somebody else's buys nothing here, nor does one that was used.
        offer = shop.offer(f"elsewhere {name}")
        payment = pay(shop, customer, offer)
        assert shop.post("verify", asked(payment)).json()["isValid"] is True
        header = {"PAYMENT-SIGNATURE": encoded(payment)}
        assert httpx.get(f"{url}/report", headers=header, timeout=60).status_code == 402
        intent = intents.get_by_address(shop.world.services, shop.world.operator, offer["payTo"])
        assert intent.received_amount == 0


def encoded(payment: object) -> str:

    return b64encode(json.dumps(payment).encode()).decode()
