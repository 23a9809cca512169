"""Payments from the simulated Solana with addresses from before a program derived them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.domain.intent import Intent, State
from crossway.ports.store import UnitOfWork
from tests.databases import new_sqlite
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants

SOLANA = "SOLANA_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path))
    yield world
    world.store.close()


@pytest.fixture
def older(world: Harness) -> Intent:
    """An open payment with the address that it would have got before."""
    intent = world.create_intent(SOLANA)
    address = derive_address("solana", f"deposit {intent.intent_hash}")
    assert address != intent.address
    changed = text("UPDATE intents SET address = :address WHERE id = :id")

    def work(unit: UnitOfWork) -> None:
        db = unit.intents._db  # type: ignore[attr-defined]
        assert db.execute(changed, {"address": address, "id": intent.id}).rowcount == 1

    world.store.write(work)
    return world.reload(intent)


def test_it_is_paid_out_and_a_late_deposit_is_returned(world: Harness, older: Intent) -> None:
    world.deposit(older)
    world.wait_for_state(older, State.COMPLETED)
    before = world.sandbox.holdings(older.terms.refund_address)
    world.deposit(older, "3000000")
    world.pass_time(60)
    usdc = CATALOGUE.tokens[SOLANA, "USDC"].address
    assert before == []
    assert world.sandbox.holdings(older.terms.refund_address) == [(SOLANA, usdc, 3_000_000)]
    check_invariants(world)


def test_it_is_refunded_after_it_expired(world: Harness, older: Intent) -> None:
    world.deposit(older, "short")
    world.pass_time(20)
    world.pass_time(3700, step=600)
    world.wait_for_state(older, State.REFUNDED)
    check_invariants(world)
