"""What the signing policy refuses costs no other payment anything, and what it must not pass."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from crossway.domain.errors import SigningRefused
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.fee_bumper import bump_fees
from crossway.engine.loop import Engine
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.chain import Chain
from crossway.ports.records import TxAttempt
from crossway.ports.sandbox import Faults
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.return_budgets import load_budget
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.harness import Harness
from tests.invariants import check_invariants
from tests.security.test_signing import BASE, INTENT, OPTIMISM, OTHER, Held, World, of_tx

K, T = OutboundTxKind, OutboundTxState
_INSERT = (
    "INSERT INTO outbound_txs (id, intent_id, kind, cause, chain, token, amount, to_address, "
    "state, attempt_count, reason, next_at, created_at, updated_at) "
)


def change(world: World, *changes: str) -> None:
    with world.store.writer.begin() as db:
        for sql in changes:
            assert db.execute(text(sql)).rowcount == 1


def test_a_refund_that_is_refused_each_minute_leaves_the_budget_to_others(tmp_path: Path) -> None:
    three = 30_000
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = World(url, K.REFUND, return_allowance_micro_usd=three)
    change(world, INTENT.format(f"refund_address = '{OTHER}'"))
    world.holds = False
    world.pass_time(300, step=10)
    assert world.tx().reason.startswith("Not signed")
    with world.store.read() as unit:
        assert load_budget(unit, world.services, BASE).micro_usd == three
    world.store.close()


class PickySigner:
    """A chain whose signer refuses one payment by rules of its own, and counts what it is asked."""

    def __init__(self, chain: Chain) -> None:
        self._chain, self.refused, self.asked = chain, "", 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Any:
        self.asked += len(calls)
        if any(call.intent_hash == self.refused for call, _ in calls):
            raise SigningRefused("Not signed: signer kms refuses it.")
        return self._chain.sign(calls, fee_units)


def test_a_transaction_that_its_signer_refuses_keeps_no_other_waiting(tmp_path: Path) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    signer = PickySigner(world.services.chains[OPTIMISM])
    services = replace(world.services, chains={**world.services.chains, OPTIMISM: signer})
    world.engine = Engine(services, "picky", sole=True)
    refused, *others = [world.create_intent(BASE, OPTIMISM) for _ in range(5)]
    signer.refused = refused.intent_hash
    for intent in (refused, *others):
        world.deposit(intent)
    for intent in others:
        world.wait_for_state(intent, State.COMPLETED)
    with world.store.read() as unit:
        (payout,) = unit.outbound_txs.list_by_intents([refused.id], K.FILL)
        (alert,) = [a for a in unit.alerts.list_active() if a.kind == "signing"]
    assert (payout.state, payout.reason) == (T.DUE, "Not signed: signer kms refuses it.")
    assert (alert.key, alert.subject) == (f"signing:{payout.id}", str(refused.id))
    # It is asked again once a minute, not in each pass.
    asked = signer.asked
    world.pass_time(180)
    assert signer.asked - asked <= 4
    signer.refused = ""
    world.wait_for_state(refused, State.COMPLETED)
    world.store.close()


def test_a_payout_that_its_signer_refuses_for_ever_is_given_up(tmp_path: Path) -> None:
    """The payer gets the deposit back, as with every payout that cannot be sent."""
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    signer = PickySigner(world.services.chains[OPTIMISM])
    services = replace(world.services, chains={**world.services.chains, OPTIMISM: signer})
    world.engine = Engine(services, "picky", sole=True)
    intent = world.create_intent(BASE, OPTIMISM)
    signer.refused = intent.intent_hash
    world.deposit(intent)
    world.pass_time(60)
    assert world.reload(intent).state is State.INITIATED
    world.pass_time(2 * 3_600, 60)
    world.wait_for_state(intent, State.REFUNDED)
    check_invariants(world)
    world.store.close()


def test_a_refused_replacement_keeps_no_other_waiting(tmp_path: Path) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    signer = PickySigner(world.services.chains[OPTIMISM])
    services = replace(world.services, chains={**world.services.chains, OPTIMISM: signer})
    payments = [world.create_intent(BASE, OPTIMISM) for _ in range(3)]
    world.sandbox.inject_faults(OPTIMISM, Faults(slow_blocks=90))
    for intent in payments:
        world.deposit(intent)
    attempts: list[TxAttempt] = []
    while len(attempts) < len(payments):
        world.pass_time(1)
        with world.store.read() as unit:
            txs = unit.outbound_txs.list_by_intents([i.id for i in payments], K.FILL)
            attempts = unit.outbound_txs.list_attempts([tx.id for tx in txs])
    world.sandbox.inject_faults(OPTIMISM, Faults(fee_factor=3))
    signer.refused = payments[0].intent_hash
    bump_fees(services, services.chains[OPTIMISM], attempts)
    with world.store.read() as unit:
        replaced = unit.outbound_txs.list_attempts([tx.id for tx in txs])
        (alert,) = [a for a in unit.alerts.list_active() if a.kind == "signing"]
    counts = {tx.intent_id: [a.outbound_tx_id for a in replaced].count(tx.id) for tx in txs}
    assert [counts[intent.id] for intent in payments] == [1, 2, 2]
    assert alert.subject == str(payments[0].id)
    world.store.close()


class ReplacedContracts:
    """A chain with other contracts than its older payments were made with."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def deposit_address(self, intent_hash: str) -> str:
        return self._chain.deposit_address(f"other contracts {intent_hash}")

    def is_deposit_address(self, address: str, intent_hash: str) -> bool:
        return address == self.deposit_address(intent_hash)


def refusal_of(world: World, tx_id: int, *changes: str, services: Services | None = None) -> str:
    """Why a transaction is not signed after these changes of rows, which are undone; else empty."""
    reasons, used = [""], services or world.services

    def work(unit: UnitOfWork) -> None:
        for sql in changes:
            assert unit.intents._db.execute(text(sql)).rowcount == 1  # type: ignore[attr-defined]
        tx = unit.outbound_txs.lock([tx_id])[tx_id]
        chain = used.chains[tx.chain]
        call = build_outbound_call(tx, unit.intents.get_many([1])[1], chain.accounts)
        try:
            SigningPolicy(unit, used, chain, [tx]).require_signable(tx, call)
        except SigningRefused as refused:
            reasons.append(str(refused))
        raise Held

    with suppress(Held):
        world.store.write(work)
    return reasons[-1]


@pytest.fixture
def paying(tmp_path: Path) -> World:
    """A payment whose payout is due."""
    return World(f"sqlite:///{tmp_path / 'crossway.db'}", K.FILL)


def test_a_collected_deposit_does_not_go_back_while_its_payout_is_under_way(paying: World) -> None:
    """The books show the payout only when it is confirmed."""
    refund = (
        _INSERT + "SELECT 99, intent_id, 'REFUND', 'failed', chain, token, amount, "
        "(SELECT refund_address FROM intents WHERE id = 1), 'DUE', 0, '', 0, 0, 0 "
        "FROM outbound_txs WHERE kind = 'START'"
    )
    failed = INTENT.format("state = 'FAILED'")
    given_up = of_tx(K.FILL, "state = 'FAILED'")
    assert not refusal_of(paying, 99, refund, failed, given_up)
    for state in ("SIGNED", "CONFIRMED", "FINAL"):
        sent = of_tx(K.FILL, f"state = '{state}'")
        assert "the payout was sent" in refusal_of(paying, 99, refund, failed, sent)


def test_a_payout_of_a_deposit_that_no_book_shows_is_not_signed(tmp_path: Path) -> None:
    """Three rows changed, of a payment that anyone may create and nobody paid."""
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", K.START)
    collected = of_tx(K.START, "state = 'FINAL'")
    started = INTENT.format("state = 'INITIATED'")
    payout = (
        _INSERT + "SELECT 99, id, 'FILL', 'fill', destination_chain, token_out, payout_amount, "
        "recipient, 'DUE', 0, '', 0, 0, 0 FROM intents WHERE id = 1"
    )
    refusal = refusal_of(world, 99, collected, started, payout)
    assert refusal == "Not signed: the books do not show that the deposit was collected."
    world.store.close()


@pytest.mark.parametrize("kind", [K.START, K.FILL, K.REIMBURSE, K.REFUND])
def test_what_was_collected_is_paid_on_after_contracts_were_replaced(
    tmp_path: Path, kind: OutboundTxKind
) -> None:
    """A payout and a repayment go by the escrow that the payment stores. Only what leaves the
    deposit address goes by the contracts of today, which would empty another one."""
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", kind)
    replaced = {BASE: ReplacedContracts(world.services.chains[BASE])}
    services = replace(world.services, chains={**world.services.chains, **replaced})
    refusal = refusal_of(world, world.tx().id, services=services)
    assert refusal == (
        "Not signed: the deposit address of the payment is not that of its intent hash."
        if kind in (K.START, K.REFUND)
        else ""
    )
    world.store.close()


def test_a_nonce_is_skipped_whatever_became_of_the_payment_that_waits_for_it(
    paying: World,
) -> None:
    """It moves nothing, and everything on its chain waits for it."""
    relayer = paying.services.chains[OPTIMISM].accounts.relayer
    skip = (
        _INSERT + f"VALUES (99, 1, 'SKIP_NONCE', 'nonce:7', '{OPTIMISM}', 'native', '0', "
        f"'{relayer}', 'DUE', 0, '', 0, 0, 0)"
    )
    assert not refusal_of(paying, 99, skip)
    changed = INTENT.format(f"refund_address = '{OTHER}'")
    assert "other terms than the payment" in refusal_of(paying, paying.tx().id, changed)
    assert not refusal_of(paying, 99, skip, changed)
