"""A short campaign: mixed work, kills and a freeze lose nothing, and the checks would notice."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.campaign.campaign import Plan, run_campaign
from benchmarks.campaign.evidence import Evidence
from benchmarks.campaign.facts import CALL, Facts, Row, sum_postings
from benchmarks.campaign.report import GOAL, Run, record, total
from tests.postgres import PostgresMissing, find_binaries

SHORT = Plan(
    "postgresql",
    operations=150,
    kills=4,
    freezes=1,
    seed=15,
    seconds=240,
    pace=20,
    life_seconds=300,
)


@pytest.fixture(scope="module")
def campaign() -> tuple[Run, Evidence]:
    try:
        find_binaries()
    except PostgresMissing as missing:
        pytest.skip(str(missing))
    run, violations, evidence = run_campaign(SHORT)
    assert violations == []
    return run, evidence


@pytest.mark.slow
def test_nothing_is_lost_or_paid_twice_and_everything_ends(
    campaign: tuple[Run, Evidence],
) -> None:
    run, evidence = campaign
    assert run.clean
    assert run.operations >= SHORT.operations
    assert run.kills >= SHORT.kills
    assert run.freezes >= SHORT.freezes
    assert run.payments["COMPLETED"] > 0
    assert len(evidence.accepted) == run.events


def completed(facts: Facts) -> Row:
    return next(row for row in facts.intents if row["state"] == "COMPLETED")


def take_payout(evidence: Evidence) -> None:
    intent = completed(evidence.facts)
    place = (intent["destination_chain"], intent["recipient"], intent["token_out"])
    del evidence.facts.holdings[place]


def pay_again(evidence: Evidence) -> None:
    facts, intent = evidence.facts, completed(evidence.facts)
    payout = next(
        tx
        for tx in facts.transactions
        if (tx.purpose, tx.intent_hash) == ("FILL", intent["intent_hash"]) and tx.moved
    )
    facts.transactions.append(replace(payout, tx_id="again"))
    place = (intent["destination_chain"], intent["recipient"], intent["token_out"])
    facts.holdings[place] *= 2


def keep_deposit(evidence: Evidence) -> None:
    """The payment says that it ended without a payout, and nothing went back."""
    completed(evidence.facts)["state"] = "EXPIRED"


def leave_open(evidence: Evidence) -> None:
    completed(evidence.facts)["state"] = "INITIATED"


def leave_transaction(evidence: Evidence) -> None:
    evidence.facts.outbound_txs[0]["state"] = "SIGNED"


def lose_posting(evidence: Evidence) -> None:
    facts = evidence.facts
    facts.postings.pop()
    facts.balances = sum_postings(facts.postings)


def book_wrong_unit(evidence: Evidence) -> None:
    """In postings and kept balances alike, so that only the chain contradicts."""
    facts = evidence.facts
    posting = next(row for row in facts.postings if row["debit"] == "inventory")
    posting["amount"] = str(int(posting["amount"]) + 1)
    facts.balances = sum_postings(facts.postings)
    facts.kept_balances = dict(facts.balances)


def keep_wrong_balance(evidence: Evidence) -> None:
    evidence.facts.address_balances[0]["dust"] = "7"


def send_unbooked(evidence: Evidence) -> None:
    facts = evidence.facts
    known = next(tx for tx in facts.transactions if tx.kind == CALL)
    facts.transactions.append(replace(known, tx_id="unbooked", moved=()))


def drop_event(evidence: Evidence) -> None:
    evidence.accepted = dict(list(evidence.accepted.items())[1:])


def swap_events(evidence: Evidence) -> None:
    evidence.accepted = dict(reversed(evidence.accepted.items()))


def forget_payment(evidence: Evidence) -> None:
    """The record, as if its transaction had been rolled back after it was acknowledged."""
    created = next(p.created for p in evidence.payments if p.created)
    facts = evidence.facts
    facts.intents = [row for row in facts.intents if row["address"] != created["intent_address"]]


def create_twice(evidence: Evidence) -> None:
    named = next(row for row in evidence.facts.intents if "campaign" in row["metadata"])
    evidence.facts.intents.append({**named, "id": 10**9})


def answer_wrongly(evidence: Evidence) -> None:
    address = completed(evidence.facts)["address"]
    shown = {**evidence.listed[address], "intent_status": "?"}
    evidence.listed = {**evidence.listed, address: shown}


def leave_alert(evidence: Evidence) -> None:
    evidence.facts.alerts.append({"kind": "engine", "subject": "tick", "message": "failed"})


def log_error(evidence: Evidence) -> None:
    evidence.logs = {**evidence.logs, "api": "Traceback (most recent call last):\nValueError"}


DAMAGES = [
    (take_payout, "lost"),
    (pay_again, "paid twice"),
    (keep_deposit, "lost"),
    (leave_open, "unended"),
    (leave_transaction, "unended"),
    (lose_posting, "books"),
    (book_wrong_unit, "books"),
    (keep_wrong_balance, "books"),
    (send_unbooked, "books"),
    (take_payout, "chain"),
    (drop_event, "events"),
    (swap_events, "events"),
    (forget_payment, "answers"),
    (create_twice, "answers"),
    (answer_wrongly, "answers"),
    (leave_alert, "alerts"),
    (log_error, "logs"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("damage", "check"), DAMAGES)
def test_each_damage_is_noticed(
    campaign: tuple[Run, Evidence], damage: Callable[[Evidence], None], check: str
) -> None:
    _, evidence = campaign
    copy = replace(evidence, facts=deepcopy(evidence.facts))
    damage(copy)
    assert check in {name for name, _ in copy.violations()}


def a_run(**changes: object) -> Run:
    counts = {"lost": 0, "books": 0}
    run = Run("2026-11-23", "abc", "sqlite", 1, 9, 60_000, 500, 50, 9, {"COMPLETED": 9}, 9, counts)
    return replace(run, **changes)  # type: ignore[arg-type]


def test_recorded_runs_add_up_to_the_goal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.jsonl"
    record(a_run(), file)
    assert total(file) == 1
    record(a_run(seed=2), file)
    assert total(file) == 0
    assert "2 runs, of them 2 without a violation" in capsys.readouterr().out
    found = a_run(seed=3, violations={"lost": 1})
    record(found, file)
    assert total(file) == 1
    assert "found by seed 3 on sqlite at abc: lost: 1" in capsys.readouterr().out


def test_a_run_that_found_something_does_not_count_and_needs_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.jsonl"
    found = a_run(violations={"lost": 1}, note="Mended in def.")
    for run in (a_run(), found):
        record(run, file)
    assert total(file) == 1
    record(a_run(), file)
    assert total(file) == 0
    assert f"operations: {GOAL['operations'] + 20_000}  " in capsys.readouterr().out
