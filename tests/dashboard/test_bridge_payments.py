"""Payments over bridges on the operator's page: steps, timeline, who acts next, whom to trust."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.dashboard.views.available_actions import AvailableAction
from crossway.dashboard.views.intent_actions import list_actions
from crossway.dashboard.views.payment_steps import build_steps
from crossway.dashboard.views.timeline import build_timeline
from crossway.domain.bridge_transfer import BridgeTransferEvent as Event
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent, IntentEvent
from crossway.usecases.payments import manual_refunds
from crossway.usecases.payments.timeline import IntentTimeline, get_timeline
from tests.bridged import (
    DESTINATION_TX,
    SOURCE_TX,
    add_bridged,
    advance,
    apply_event,
    attest,
    delay,
    deliver,
    park,
    plan,
    send,
)
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
ALLOWANCE = "Circle's allowance for fast transfers is used up."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


def timeline_of(world: Harness, intent: Intent) -> IntentTimeline:
    return get_timeline(world.services, world.operator, intent.id)


def steps_of(world: Harness, intent: Intent) -> list[tuple[str, str]]:
    found = timeline_of(world, intent)
    steps = build_steps(found.intent, found.transitions, found.outbound_txs, found.progress)
    return [(step.title, step.status) for step in steps]


def next_of(world: Harness, intent: Intent) -> str:
    return timeline_of(world, intent).next_action


def test_a_payment_over_cctp_shows_each_step_and_who_acts_next(world: Harness) -> None:
    intent = add_bridged(world)
    assert [title for title, _ in steps_of(world, intent)] == [
        "Created",
        "Waiting for the deposit",
        "Send over CCTP",
        "Attested by Circle",
        "Recipient paid",
    ]
    assert next_of(world, intent).startswith("Payer: send")
    send(world, intent)
    assert steps_of(world, intent)[2:] == [
        ("Sent over CCTP", "done"),
        ("Attestation by Circle", "now"),
        ("Recipient paid", "todo"),
    ]
    found = timeline_of(world, intent)
    assert found.progress is not None
    assert found.next_action == "Circle: attest to the send."
    assert found.next_action_due_at == found.progress.expected_at
    attest(world, intent)
    assert steps_of(world, intent)[3:] == [
        ("Attested by Circle", "done"),
        ("Recipient paid", "now"),
    ]
    assert next_of(world, intent) == "Crossway: deliver it on Arbitrum One. Anyone else can, too."
    deliver(world, intent)
    assert {status for _, status in steps_of(world, intent)} == {"done"}
    assert next_of(world, intent) == "None. The delivery becomes final."
    advance(world, intent, Event.FINALIZE)
    assert next_of(world, intent) == "None. This payment is finished."


def test_the_timeline_has_both_transactions_and_the_attestation(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    world.machine.seconds += 60
    delay(world, intent, ALLOWANCE)
    world.machine.seconds += 60
    attest(world, intent)
    world.machine.seconds += 60
    deliver(world, intent)
    entries = build_timeline(CATALOGUE, timeline_of(world, intent))[::-1]
    titles = [entry.title for entry in entries]
    assert titles == [
        "Payment created",
        "Deposit complete",
        "Sent over CCTP",
        "CCTP is late",
        "Attested by Circle",
        "Recipient paid by CCTP",
    ]
    by_title = {entry.title: entry for entry in entries}
    sent, paid = by_title["Sent over CCTP"], by_title["Recipient paid by CCTP"]
    assert sent.tx is not None
    assert paid.tx is not None
    assert (sent.tx.copy, paid.tx.copy) == (SOURCE_TX, DESTINATION_TX)
    assert by_title["CCTP is late"].note == ALLOWANCE


def test_a_delay_says_why_and_a_contradiction_asks_the_operator(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    delay(world, intent, ALLOWANCE)
    assert next_of(world, intent) == f"Circle: attest to the send. {ALLOWANCE}"
    advance(world, intent, Event.CONTRADICT, reason="Circle attests to another amount.")
    assert ("Attestation contradicts the chain", "failed") in steps_of(world, intent)
    assert next_of(world, intent).startswith("Operator: ask CCTP.")
    assert next_of(world, intent).endswith("Circle attests to another amount.")


def test_parked_money_waits_for_its_release(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    attest(world, intent)
    park(world, intent, "The recipient cannot be paid.")
    assert steps_of(world, intent)[-2:] == [
        ("Parked", "failed"),
        ("Release to the recipient", "now"),
    ]
    assert next_of(world, intent).startswith("Crossway: release it to the recipient")


def test_a_prefilled_payment_is_paid_before_its_delivery_repays(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    apply_event(world, intent, IntentEvent.PREFILLED, DESTINATION_TX, relayer="0x01")
    assert steps_of(world, intent)[3:] == [
        ("Recipient paid", "done"),
        ("Attestation by Circle", "now"),
        ("Inventory repaid", "todo"),
    ]
    repays = "Circle: attest to the send, which repays the payout from inventory."
    assert next_of(world, intent) == repays
    attest(world, intent)
    advance(world, intent, Event.DELIVER, DESTINATION_TX, destination_tx=DESTINATION_TX)
    assert ("Inventory repaid", "done") in steps_of(world, intent)


def test_what_nobody_fills_is_returned_and_refunded(world: Harness) -> None:
    intent = add_bridged(world, "ACROSS")
    send(world, intent)
    assert steps_of(world, intent)[2:] == [("Sent over Across", "done"), ("Recipient paid", "now")]
    assert next_of(world, intent) == "Across: let a relayer fill it."
    reason = "Nobody filled it in time. Across returns the deposit, usually within 12 hours."
    advance(world, intent, Event.PASS_DEADLINE, reason=reason)
    apply_event(world, intent, IntentEvent.UNFILLED, reason)
    assert steps_of(world, intent)[3:] == [
        ("Nobody filled it", "failed"),
        ("Return by Across", "now"),
    ]
    assert "usually within 12 hours" in next_of(world, intent)
    advance(world, intent, Event.END_UNSENT, "0x05")
    assert steps_of(world, intent)[4:] == [("Returned by Across", "done"), ("Refund", "now")]


def test_a_collected_deposit_is_sent_or_taken_back(world: Harness) -> None:
    intent = add_bridged(world)
    amount = intent.terms.deposit_amount
    apply_event(world, intent, IntentEvent.DEPOSIT_FULL, received_amount=amount)
    plan(world, intent)
    assert next_of(world, intent) == "Crossway: send the deposit over CCTP."
    advance(world, intent, Event.COLLECT, "0x05")
    assert "which somebody else has collected" in next_of(world, intent)
    advance(world, intent, Event.GIVE_BACK)
    assert next_of(world, intent) == "Crossway: take the deposit back from the contract of CCTP."


def test_it_is_said_whom_the_payer_trusts(world: Harness) -> None:
    assert timeline_of(world, add_bridged(world)).trust.startswith("Circle, to attest")
    assert timeline_of(world, add_bridged(world, "ACROSS")).trust.startswith("Across, until")
    plain = world.create_intent()
    expiry = replace(plain.terms).expires_at
    trust = timeline_of(world, plain).trust
    assert trust.startswith("The operator, from the collection")
    assert f"{expiry:%Y-%m-%d}" in trust


def test_nothing_can_be_refunded_that_a_bridge_has(world: Harness) -> None:
    intent = add_bridged(world)
    send(world, intent)
    assert refund_reason(world, intent) == (
        "It was sent over CCTP, which alone can deliver or return it."
    )
    attest(world, intent)
    park(world, intent, "The recipient cannot be paid.")
    assert refund_reason(world, intent) == "The contract of CCTP has the money."
    with pytest.raises(InvalidStatus, match="a bridge's contract has the money"):
        manual_refunds.refund(world.services, world.operator, intent.address)


def test_only_what_the_contract_holds_unsent_is_offered_back_before_the_expiry(
    world: Harness,
) -> None:
    intent = add_bridged(world)
    total = intent.terms.deposit_amount
    fields = {"received_amount": total, "balance_at_address": total}
    apply_event(world, intent, IntentEvent.DEPOSIT_FULL, **fields)
    plan(world, intent)
    assert refund_reason(world, intent).startswith("A refund is possible once the payment has")
    with pytest.raises(InvalidStatus, match="Intent is not expired"):
        manual_refunds.refund(world.services, world.operator, intent.address)
    advance(world, intent, Event.COLLECT)
    apply_event(world, intent, IntentEvent.LEDGER_ONLY, balance_at_address=0)
    [offer] = [a for a in actions_of(world, intent) if a.name == "refund"]
    assert (offer.label, offer.disabled_reason) == ("Take 25.06325 USDC back", "")
    assert "The contract of CCTP holds 25.06325 USDC on Base" in offer.confirm_text
    with pytest.raises(InvalidStatus, match="Intent is not expired"):
        manual_refunds.refund(world.services, world.caller, intent.address)


def actions_of(world: Harness, intent: Intent) -> list[AvailableAction]:
    return list_actions(CATALOGUE, world.reload(intent), [], [], [], world.clock.now())


def refund_reason(world: Harness, intent: Intent) -> str:
    [reason] = [a.disabled_reason for a in actions_of(world, intent) if a.name == "refund"]
    return reason
