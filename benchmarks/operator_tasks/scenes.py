"""What happened before a task begins: payments, faults, an outage of a webhook's receiver."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from benchmarks.operator_tasks.site import Site
from crossway.adapters.chains.simulated.blocks.derivation import operator_addresses
from crossway.catalogue import load_catalogue
from crossway.domain.webhooks import RETRY_AFTER

TOKENS: Final = load_catalogue().tokens
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
POLYGON, AVALANCHE = "POLYGON_MAINNET", "AVALANCHE_MAINNET"
OPTIMISM: Final = "OPTIMISM_MAINNET"
WALLET: Final = "0x52908400098527886E0F7030069857D2E4169EE7"
REFUSING: Final = "0x00000000000000000000000000000000000bad01"
# The address book's entry for that payer, and what is refunded.
BOOKED, BOOKED_ADDRESS = "New wallet of the payer", "0x00000000000000000000000000000000000600d1"
REFUND_UNITS: Final = "10000000"
LOST_EVENTS: Final = 3
# In smallest units of USDT: what a first payment leaves in inventory, and what the next asks for.
LEFT, MORE_THAN_LEFT = 1_000_000, 100_000_000


@dataclass
class Scene:
    """What a person at the task knows: a `number` on the dashboard, a `text` to search for, and
    events that a receiver of webhooks did not accept yet."""

    number: int = 0
    text: str = ""
    chain: str = ""
    receiver: "Receiver | None" = None


@dataclass
class Receiver:
    """A webhook's receiver. It is down until `works`; `accepted` are the events it took since."""

    url: str = ""
    works: bool = False
    refused: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)


def create_payment(site: Site, amount: str = "25000000", **more: Any) -> Any:
    """A new payment, by default of 25 USDC from Base to Arbitrum."""
    terms = {
        "source_chain": BASE, "destination_chain": ARBITRUM,
        "recipient": WALLET, "refund_address": WALLET,
    } | more  # fmt: skip
    terms["tokenIn"] = TOKENS[terms["source_chain"], "USDC"].address
    return site.post("/intents", amount=amount, **terms)


def number_of(site: Site, payment: Any) -> int:
    """A payment's number on the dashboard."""
    return int(site.query("SELECT id FROM intents WHERE address = ?", payment["intent_address"]))


def pay(site: Site, payment: Any, amount: str = "exact") -> Any:
    """Deposit at a payment's address."""
    return site.post("/sandbox/deposits", address=payment["intent_address"], amount=amount)


def is_in(site: Site, payment: Any, status: str) -> bool:
    """Whether a payment has a status."""
    return bool(site.read(f"/intents/{payment['id']}")["intent_status"] == status)


def completed_payment(site: Site) -> Scene:
    """A payment that was paid; `text` is the hash of its deposit."""
    payment = create_payment(site, metadata={"reference": "ORDER-4711"})
    sent = pay(site, payment)
    site.until("the payment completes", lambda: is_in(site, payment, "COMPLETED"))
    return Scene(number_of(site, payment), sent["txHash"])


def lying_node(site: Site) -> Scene:
    """Optimism's node reports the id of another chain."""
    site.post(f"/sandbox/chains/{OPTIMISM}/faults", lie="chain_id")
    _until_alert(site, "chain", "wrong_chain")
    return Scene(chain="Optimism")


def refused_refund(site: Site) -> Scene:
    """Polygon does not accept the refund to the payer's address, and an operator is told."""
    site.post(f"/sandbox/chains/{POLYGON}/faults", refuse=[REFUSING])
    payment = create_payment(site, source_chain=POLYGON, refund_address=REFUSING)
    pay(site, payment, REFUND_UNITS)
    number = number_of(site, payment)
    sql = "SELECT count(*) FROM deposits WHERE intent_id = ? AND credited_at IS NOT NULL"
    site.until("the deposit is credited", lambda: site.query(sql, number), 2)
    site.post("/sandbox/clock", advanceSeconds=3_700)
    _until_alert(site, "refund", "transfer")
    return Scene(number)


def empty_inventory(site: Site) -> Scene:
    """A payout in USDT on Avalanche, which no bridge brings, waits: another took what there was."""
    to = {"destination_chain": AVALANCHE, "tokenOut": TOKENS[AVALANCHE, "USDT"].address}
    held = _inventory(site, AVALANCHE, "USDT")
    for amount in (held - LEFT, MORE_THAN_LEFT):
        pay(site, create_payment(site, str(amount), source_chain=POLYGON, **to))
    _until_alert(site, "stock")
    number = site.query("SELECT max(id) FROM intents WHERE out_symbol = 'USDT'")
    return Scene(number, chain="Avalanche C-Chain")


def _inventory(site: Site, chain: str, symbol: str) -> int:
    """What the relayer has of a token, in smallest units."""
    balances = site.read(f"/sandbox/balances/{operator_addresses('evm').relayer}")["balances"]
    [held] = [one for one in balances if (one["chain"], one["token"]) == (chain, symbol)]
    return int(held["amount"])


def _until_alert(site: Site, *kinds: str) -> None:
    sql = f"SELECT count(*) FROM alerts WHERE kind IN ({', '.join('?' for _ in kinds)})"
    site.until(f"an alert {kinds}", lambda: site.query(sql, *kinds))


@contextmanager
def receiver_down() -> Iterator[Receiver]:
    """A receiver that answers 503 until it works."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            events = receiver.accepted if receiver.works else receiver.refused
            events.add(self.headers.get("webhook-id", ""))
            self.send_response(204 if receiver.works else 503)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def outage(site: Site, receiver: Receiver) -> Scene:
    """A receiver was down until every delivery was given up; now it works again."""
    site.post("/webhooks", url=receiver.url, events=["intent_completed"])
    number = int(site.query("SELECT id FROM webhooks WHERE url = ?", receiver.url))
    payments = [create_payment(site) for _ in range(LOST_EVENTS)]
    for payment in payments:
        pay(site, payment)
    are_done = lambda: all(is_in(site, one, "COMPLETED") for one in payments)  # noqa: E731
    site.until("the payments complete", are_done)
    for attempt, delay in enumerate(RETRY_AFTER, start=1):
        _until_tried(site, number, attempt)
        site.post("/sandbox/clock", advanceSeconds=delay.total_seconds() * 1.1 + 1)
    _until_tried(site, number, len(RETRY_AFTER) + 1)
    receiver.works = True
    return Scene(number, receiver=receiver)


def _until_tried(site: Site, webhook: int, times: int) -> None:
    """Every delivery of a webhook was tried so often, or given up."""
    sql = (
        "SELECT count(*) FROM deliveries"
        " WHERE webhook_id = ? AND state != 'FAILED' AND attempt_count < ?"
    )
    site.until(f"tried {times} times", lambda: not site.query(sql, webhook, times), 0)
