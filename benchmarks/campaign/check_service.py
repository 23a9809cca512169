"""Whether answers, events, alerts and logs say what happened."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.campaign.check_payments import UNENDED, Violation
from benchmarks.campaign.facts import Facts
from benchmarks.campaign.stories import Payment

EVENTS, ANSWERS, ALERTS, LOGS = "events", "answers", "alerts", "logs"
READ_WORDS = {"REFUNDED": "EXPIRED", "FAILED": "EXPIRED"}
EVENTS_OF_STATE = {
    "COMPLETED": ("intent_created", "intent_funded", "intent_initiated", "intent_completed"),
    "EXPIRED": ("intent_created", "intent_expired"),
    "REFUNDED": ("intent_created", "intent_refunded"),
}
# Not "reconcile": balances that the simulator set and fees that others spent are differences.
FAILING = (
    "engine",
    "stuck",
    "stock",
    "gas",
    "nonce",
    "chain",
    "refund",
    "price",
    "lost_commits",
    "unexplained",
)
TERMS = ("recipient", "refund_address", "source_chain", "destination_chain")
Accepted = Mapping[str, tuple[str, str, int]]


def check_answers(
    facts: Facts, payments: list[Payment], listed: Mapping[str, Mapping[str, Any]]
) -> Iterator[Violation]:
    """What was acknowledged exists once with these terms; what is listed is what is stored."""
    by_address = {row["address"]: row for row in facts.intents}
    names = Counter(row["metadata"] for row in facts.intents if "campaign" in row["metadata"])
    yield from ((ANSWERS, f"{name} was created {n} times") for name, n in names.items() if n > 1)
    for payment in payments:
        created = payment.created
        if created is None:
            continue
        row = by_address.get(created["intent_address"])
        if row is None:
            yield ANSWERS, f"{payment.name} was acknowledged and does not exist"
            continue
        total = created["total_amount_in_asset_token"]
        shown = listed.get(row["address"], {})
        if shown.get("id") != created["id"] or row["deposit_amount"] != total:
            yield ANSWERS, f"{payment.name} is stored as {shown} of {row['deposit_amount']}"
        if any(row[name] != payment.body[name] for name in TERMS):
            yield ANSWERS, f"{payment.name} is stored with other terms"
    for row in facts.intents:
        answer = listed.get(row["address"], {})
        word = READ_WORDS.get(row["state"], row["state"])
        if answer.get("intent_status") != word or answer["recipient"] != row["recipient"]:
            yield ANSWERS, f"payment {row['id']} is {row['state']}, listed as {answer}"
    if len(listed) != len(facts.intents):
        yield ANSWERS, f"{len(listed)} payments are listed, {len(facts.intents)} are stored"


def check_events(facts: Facts, accepted: Accepted) -> Iterator[Violation]:
    """Every event reached the receiver, in order per payment, and each end was told."""
    order = {event_id: number for number, event_id in enumerate(accepted)}
    last: dict[tuple[str, int], int] = defaultdict(lambda: -1)
    told: dict[int, set[str]] = defaultdict(set)
    for row in facts.outbox:
        resource, number = (row["kind"], row["resource_id"]), order.get(row["event_id"])
        if row["kind"] == "intent" and number is not None:
            told[row["resource_id"]].add(accepted[row["event_id"]][0])
        if row["position"] is None or number is None:
            yield EVENTS, f"{row['type']} of {resource} was never delivered"
        elif number < last[resource]:
            yield EVENTS, f"{row['type']} of {resource} came out of order"
        else:
            last[resource] = number
    for intent in facts.intents:
        missing = set(EVENTS_OF_STATE.get(intent["state"], ())) - told[intent["id"]]
        if missing:
            yield EVENTS, f"payment {intent['id']} is {intent['state']} without {sorted(missing)}"
    undelivered = {
        row["state"]: row["n"] for row in facts.deliveries if row["state"] != "DELIVERED"
    }
    if undelivered:
        yield EVENTS, f"deliveries are {undelivered}"


def check_alerts(facts: Facts) -> Iterator[Violation]:
    """No alert is left of what must be over, nor a transaction in a mempool."""
    for alert in facts.alerts:
        if alert["kind"] in FAILING:
            yield ALERTS, f"{alert['kind']} {alert['subject']}: {alert['message']}"
    if facts.mempool:
        yield UNENDED, f"{facts.mempool} transactions still wait in mempools"


def check_logs(logs: Mapping[str, str]) -> Iterator[Violation]:
    """No traceback, and nothing that failed unexpectedly; each error counts once per process."""
    for name, text in logs.items():
        seen: Counter[str] = Counter()
        for line in text.splitlines():
            if "Traceback" in line:
                seen[_summary(line)] += 1
        yield from ((LOGS, f"{name}: {n} times {line}") for line, n in seen.items())


def _summary(line: str) -> str:
    try:
        entry = json.loads(line)
    except ValueError:
        return line[:200]
    raised = str(entry.get("exception", "")).strip().splitlines() or [""]
    return f"{entry.get('event')}: {raised[-1][:200]}"
