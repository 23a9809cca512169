"""The end of a run: faults are calmed, and time passes until nothing is open."""

import time
from typing import Any

from benchmarks.campaign.check_payments import INVENTORY_ENDED, OPEN_TXS
from benchmarks.campaign.client import Client
from benchmarks.campaign.facts import Database, reading
from benchmarks.campaign.faults import Weather
from benchmarks.campaign.installation import Processes
from benchmarks.campaign.work import Work

# At first a payment can still be completed; then the rest expires.
STEP_SECONDS, LONG_STEP_SECONDS, PAUSE_SECONDS, SHORT_STEPS = 20.0, 300.0, 1.0, 10
INVENTORY = "inventory transfers"
OPEN = {
    # What is parked waits for its recipient.
    "payments": "intents WHERE state IN ('PENDING', 'FUNDED', 'INITIATED', 'FAILED') "
    "AND id NOT IN (SELECT intent_id FROM bridge_transfers WHERE state = 'PARKED')",
    "transactions": "outbound_txs WHERE state IN "
    + str(OPEN_TXS)
    + " AND kind NOT IN ('RELEASE', 'INVENTORY_APPROVE', 'INVENTORY_SEND')"
    + " OR (state = 'FAILED' AND kind IN ('REFUND', 'RETURN_EXCESS'))",
    INVENTORY: f"inventory_transfers WHERE state NOT IN {INVENTORY_ENDED}",
    "deposits": "deposits WHERE state = 'SEEN'",
    "orders": "orders WHERE state IN ('PENDING', 'INITIATED', 'PROCESSING')",
    "events": "outbox WHERE position IS NULL",
    "deliveries": "deliveries WHERE state IN ('DUE', 'WAITING')",
    "alerts": "alerts WHERE kind IN ('engine', 'stuck', 'stock', 'gas', 'nonce', 'chain')",
}


def let_it_end(
    url: str, processes: Processes, weather: Weather, work: Work, within: float
) -> dict[str, int]:
    """End all faults and advance the clock until nothing is open; returns what still is."""
    work.closing.set()
    processes.start_all()
    weather.calm()
    end, left, steps, quiet = time.monotonic() + within, {"stories": 1}, 0, 0
    with reading(url) as database:
        # Twice, as what the last story deposits is in no block yet when that ends.
        while quiet < 2 and time.monotonic() < end:
            steps += 1
            processes.supervise()
            # What a bridge agreed to move of the inventory would lapse in every long step.
            is_short = steps <= SHORT_STEPS or set(left) == {INVENTORY}
            weather.advance(STEP_SECONDS if is_short else LONG_STEP_SECONDS)
            time.sleep(PAUSE_SECONDS)
            left = what_is_open(database)
            if stories := work.open_stories():
                left["stories"] = stories
            quiet = 0 if left else quiet + 1
    work.stop()
    return left


def what_is_open(database: Database) -> dict[str, int]:
    """How many of each kind have not ended."""
    counts = {name: database.count(table) for name, table in OPEN.items()}
    return {name: n for name, n in counts.items() if n}


def list_payments(client: Client) -> dict[str, dict[str, Any]]:
    """All payments as the API lists them, by deposit address."""
    listed: dict[str, dict[str, Any]] = {}
    cursor: dict[str, Any] = {}
    while True:
        answer = None
        while answer is None:
            answer = client.once("GET", "/intents", limit=100, **cursor)
        listed |= {intent["intent_address"]: intent for intent in answer.json["intents"]}
        if not answer.json.get("nextCursor"):
            return listed
        cursor = {"cursor": answer.json["nextCursor"]}
