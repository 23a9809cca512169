"""A short campaign: mixed work, kills and a freeze lose nothing, and the checks would notice."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.campaign.campaign import Plan, run_campaign
from benchmarks.campaign.evidence import Evidence
from benchmarks.campaign.facts import CALL, Facts, Moved, Row, sum_postings
from benchmarks.campaign.flows import Swap, flows_by_intent, swap_of
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
    facts = evidence.facts
    paid = {row["intent_hash"]: row for row in facts.intents if row["state"] == "COMPLETED"}
    payout = next(
        tx
        for tx in facts.transactions
        if tx.purpose == "FILL" and tx.moved and tx.intent_hash in paid
    )
    intent = paid[payout.intent_hash]
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


def closed_transfer(evidence: Evidence) -> Row:
    """Inventory that a bridge brought to another chain."""
    transfers = evidence.facts.inventory_transfers.values()
    closed = (row for rows in transfers for row in rows if row["state"] == "CLOSED")
    return next(row for row in closed if row["destination_chain"])


def bring_less(evidence: Evidence) -> None:
    transfer = closed_transfer(evidence)
    transfer["amount"] = str(int(transfer["amount"]) - 1)


def leave_transfer(evidence: Evidence) -> None:
    closed_transfer(evidence)["state"] = "SENT"


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
    (bring_less, "books"),
    (leave_transfer, "unended"),
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


def swapped(facts: Facts, custody: str) -> Row:
    """A completed payment whose start swapped its deposit."""
    return next(
        row
        for row in facts.intents
        if row["swap"] and (row["state"], row["custody"]) == ("COMPLETED", custody)
    )


def alter_start(facts: Facts, intent: Row, altered: Callable[[Moved, Swap, str], Moved]) -> None:
    """Change transfers of a payment's start, and what everybody has with them, so that the chain
    explains itself; the third argument is the relayer."""
    swap = swap_of(intent, flows_by_intent(facts)[intent["id"]])
    assert swap is not None
    start = next(
        tx
        for tx in facts.transactions
        if (tx.purpose, tx.intent_hash) == ("START", intent["intent_hash"]) and tx.moved
    )
    moved = tuple(altered(move, swap, start.account) for move in start.moved)
    assert moved != start.moved
    for sign, moves in ((-1, start.moved), (1, moved)):
        for source, to, token, units in moves:
            for address, change in ((source, -units), (to, units)):
                place = (start.chain, address, token)
                if address:
                    facts.holdings[place] = facts.holdings.get(place, 0) + sign * change
    facts.transactions[facts.transactions.index(start)] = replace(start, moved=moved)


def buy_less(facts: Facts, intent: Row) -> None:
    """One unit of what is bought stays with the exchange."""

    def altered(move: Moved, swap: Swap, _: str) -> Moved:
        is_bought = move.token == swap.token and move.source in swap.sellers
        return move._replace(units=move.units - 1) if is_bought else move

    alter_start(facts, intent, altered)


def keep_change(facts: Facts, intent: Row) -> None:
    """The relayer gets what the swap did not need."""

    def altered(move: Moved, swap: Swap, relayer: str) -> Moved:
        return move._replace(to=relayer) if move.to == intent["refund_address"] else move

    alter_start(facts, intent, altered)


def swap_dearly(facts: Facts, intent: Row) -> None:
    """The exchange gets a unit more than was deposited."""

    def altered(move: Moved, swap: Swap, _: str) -> Moved:
        is_spent = move.token == intent["token_in"] and move.to in swap.sellers
        return move._replace(units=int(intent["deposit_amount"]) + 1) if is_spent else move

    alter_start(facts, intent, altered)


def send_to_relayer(facts: Facts, intent: Row) -> None:
    """What was bought goes to the relayer instead of into the contract or the bridge."""

    def altered(move: Moved, swap: Swap, relayer: str) -> Moved:
        leaves = move.source == intent["bridger"] or intent["custody"] == "OPERATOR"
        return move._replace(to=relayer) if leaves and move.token == swap.token else move

    alter_start(facts, intent, altered)


def keep_bought(facts: Facts, intent: Row) -> None:
    """The payment says that it was refunded, and nothing of what was bought went back."""
    intent["state"] = "REFUNDED"


def refund_deposited_token(facts: Facts, intent: Row) -> None:
    """The refund is in the token that the exchange has."""
    refund_instead(facts, intent, intent["token_in"], int(intent["deposit_amount"]))


def refund_instead(facts: Facts, intent: Row, token: str, units: int) -> None:
    """A refund from the operator's contract instead of the payout."""
    intent["state"] = "REFUNDED"
    mine = [tx for tx in facts.transactions if tx.intent_hash == intent["intent_hash"]]
    facts.transactions = [tx for tx in facts.transactions if tx not in mine]
    start = next(tx for tx in mine if tx.purpose == "START" and tx.moved)
    moved = (Moved(intent["bridger"], intent["refund_address"], token, units),)
    refund = replace(start, tx_id="refund", purpose="REFUND", moved=moved)
    facts.transactions += [start, refund]


def book_other_price(facts: Facts, intent: Row) -> None:
    mine = facts.balances_by_intent[intent["id"]]
    mine["exchanged", intent["source_chain"], intent["token_in"]] += 1


SWAP_DAMAGES = [
    (buy_less, "lost", "its swap bought"),
    (keep_change, "lost", " back, "),
    (swap_dearly, "lost", "its swap took"),
    (send_to_relayer, "lost", "bought"),
    (keep_bought, "lost", " 0 is due"),
    (refund_deposited_token, "lost", " 0 is due"),
    (book_other_price, "books", "were exchanged"),
]


@pytest.mark.slow
@pytest.mark.parametrize("custody", ["BRIDGE", "OPERATOR"])
@pytest.mark.parametrize(("damage", "check", "words"), SWAP_DAMAGES)
def test_each_damage_of_a_swap_is_noticed(
    campaign: tuple[Run, Evidence],
    damage: Callable[[Facts, Row], None],
    check: str,
    words: str,
    custody: str,
) -> None:
    _, evidence = campaign
    copy = replace(evidence, facts=deepcopy(evidence.facts))
    intent = swapped(copy.facts, custody)
    damage(copy.facts, intent)
    told = {name for name, text in copy.violations() if words in text and str(intent["id"]) in text}
    assert check in told


@pytest.mark.slow
def test_what_a_swap_bought_may_go_back_and_nothing_less(
    campaign: tuple[Run, Evidence],
) -> None:
    _, evidence = campaign
    for missing in (0, 1):
        copy = replace(evidence, facts=deepcopy(evidence.facts))
        intent = swapped(copy.facts, "OPERATOR")
        swap = swap_of(intent, flows_by_intent(copy.facts)[intent["id"]])
        assert swap is not None
        refund_instead(copy.facts, intent, swap.token, swap.output - missing)
        name = f"payment {intent['id']} "
        told = [text for _, text in copy.violations() if name in text and " collected, " in text]
        assert len(told) == missing


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
