"""Ramp orders: bought and sold, reported, confirmed and cancelled by chance."""

import random
from typing import Any

from benchmarks.campaign.client import Answer, Client, Paused
from benchmarks.campaign.market import new_wallet

PROVIDERS = ("FONBNK", "PAYCREST", "YELLOW_CARD")
ON_CHAINS, OFF_CHAINS = ("ARBITRUM_MAINNET", "SOLANA_MAINNET"), ("BASE_MAINNET", "POLYGON_MAINNET")


def ramp_order(client: Client, rng: random.Random, name: str) -> Paused[None]:
    """An order of a verified customer."""
    buys, provider = rng.random() < 0.6, rng.choice(PROVIDERS)
    chain = rng.choice(ON_CHAINS if buys else OFF_CHAINS)
    email = f"{name.replace(' ', '.')}@example.com"
    verified = {"provider": provider, "userEmail": email, "kycType": "advanced"}
    yield from client.insist("POST", "/sandbox/kyc", verified | {"status": "approved"})
    asked: dict[str, Any] = {
        "type": "on-ramp" if buys else "off-ramp",
        "fiatCurrency": "NGN",
        "cryptoAmount": rng.randint(10, 60),
        ("destinationChain" if buys else "sourceChain"): chain,
    }
    answer = yield from client.ask("GET", "/ramp/quotes", **asked)
    quotes = [q for q in answer.json.get("quotes", ()) if q["provider"] == provider]
    if not quotes:
        return
    wallet = "recipientAddress" if buys else "senderAddress"
    body = asked | {"provider": provider, "userEmail": email, "fields": _fields(quotes[0])}
    body |= {wallet: new_wallet(chain, f"{name} ramp")}
    answer = yield from client.ask("POST", "/ramp/orders", body)
    if answer.ok:
        yield rng.uniform(1, 6)
        yield from _continue(client, rng, f"/ramp/orders/{answer.json['id']}", answer)


def _continue(client: Client, rng: random.Random, path: str, order: Answer) -> Paused[None]:
    report = f"/sandbox{path}"
    match rng.choice(("paid", "paid", "paid", "confirm", "cancel", "failed", "nothing")):
        case "paid":
            yield from client.ask("POST", report, {"outcome": "paid"})
        case "confirm":
            yield from client.ask("POST", f"{path}/confirm")
            yield from client.ask("POST", report, {"outcome": "delivered"})
        case "cancel":
            yield from client.ask("POST", f"{path}/cancel")
        case "failed":
            yield from client.ask("POST", report, {"outcome": "paid"})
            yield rng.uniform(0, 3)
            yield from client.ask("POST", report, {"outcome": "failed"})
            yield rng.uniform(5, 20)
            yield from client.ask("POST", report, {"outcome": "refunded"})
    yield rng.uniform(3, 9)
    yield from client.ask("GET", path)


def _fields(quote: dict[str, Any]) -> dict[str, str]:
    required = [f for f in quote["paymentChannels"][0]["fieldsRequired"] if f["required"]]
    return {f["key"]: f["options"][0]["value"] if f["options"] else f["example"] for f in required}
