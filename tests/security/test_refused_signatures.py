"""What the signing policy refuses costs no other payment anything, and what it must not pass."""

from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from crossway.domain.errors import SigningRefused
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.return_budgets import load_budget
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.security.test_signing import BASE, INTENT, OPTIMISM, OTHER, Held, World, of_tx

K = OutboundTxKind
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


def refusal_of(world: World, tx_id: int, *changes: str) -> str:
    """Why a transaction is not signed after these changes of rows, which are undone; else empty."""
    reasons = [""]

    def work(unit: UnitOfWork) -> None:
        for sql in changes:
            assert unit.intents._db.execute(text(sql)).rowcount == 1  # type: ignore[attr-defined]
        tx = unit.outbound_txs.lock([tx_id])[tx_id]
        chain = world.services.chains[tx.chain]
        call = build_outbound_call(tx, unit.intents.get_many([1])[1], chain.accounts)
        try:
            SigningPolicy(unit, world.services, chain, [tx]).require_signable(tx, call)
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
    assert "intent hash" in refusal_of(paying, paying.tx().id, changed)
    assert not refusal_of(paying, 99, skip, changed)
