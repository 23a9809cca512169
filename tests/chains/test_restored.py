"""Books put back from an older copy: what was done on the chains since is not done again."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.usecases.money.reconciliation import reconcile
from tests.adapters.chains.test_solana_world import BASE, SOLANA, STOCK, Behind, world
from tests.chains import anvil
from tests.chains.service import paid
from tests.chains.solana import node as solana


@pytest.fixture
def node() -> Iterator[solana.Node]:
    with solana.running(SOLANA, time=int(time.time())) as running:
        yield running


@pytest.fixture
def base() -> Iterator[anvil.Anvil]:
    with anvil.running(BASE) as running:
        yield running


def copied(source: Path, to: Path) -> None:
    """A copy as a backup makes it, of a database that is in use."""
    with sqlite3.connect(source) as there, sqlite3.connect(to) as copy:
        there.backup(copy)


@pytest.mark.parametrize(
    ("source", "to", "derived"),
    [(SOLANA, BASE, True), (BASE, SOLANA, False)],
    ids=["from derived keys", "to Solana"],
)
def test_a_fill_and_a_refund_after_the_copy_are_found_done_and_pay_once(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil, source: str, to: str, derived: bool
) -> None:
    hands = Behind(node, tmp_path if derived else None)
    books, copy = tmp_path / "crossway.db", tmp_path / "copy.db"
    with world(tmp_path, hands, base) as made:
        whole, short = made.ask("whole", source, to), made.ask("short", source, to)
        made.step()
        made.record_openings()
        made.deposit(short, 7_000_000)
        made.deposit(whole)
        copied(books, copy)
        made.ends(whole, State.COMPLETED)
        made.settled(whole)
        made.deposit(whole, 2_000_000)
        made.until(lambda: made.held(whole).payer == 2_000_000)
        base.rpc("evm_increaseTime", 4_000)
        node.cluster.later(4_000)
        made.ends(short, State.REFUNDED)
        made.settled(short)
        before = made.held(whole)
    for name in ("crossway.db", "crossway.db-wal", "crossway.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    copied(copy, books)
    with world(tmp_path, hands, base) as made:
        made.ends(whole, State.COMPLETED)
        made.ends(short, State.REFUNDED)
        made.settled(whole)
        made.settled(short)
        made.step(10)
        assert made.held(whole) == before == paid(whole, STOCK, back=2_000_000)
        assert made.held(short).payer == 7_000_000
        with made.services.store.read() as unit:
            done = unit.outbound_txs.list_by_intents([whole.id, short.id])
        assert {t.kind for t in done if t.state in ("CONFIRMED", "FINAL")} >= {
            OutboundTxKind.START,
            OutboundTxKind.FILL,
            OutboundTxKind.REIMBURSE,
            OutboundTxKind.REFUND,
        }
        # They lack the transactions and their fees, and say of no account anything else than the
        # chains.
        told = reconcile(made.services, made.operator).sentences()
        fees = [one for one in told if "The relayer's account" in one and " the books say " in one]
        assert all(one.endswith((" SOL.", " ETH.")) for one in fees)
        unbooked = [one for one in told if "a transaction that is not in the books" in one]
        assert unbooked
        assert sorted(told) == sorted(fees + unbooked)
        assert made.now(whole).balance_at_address == made.now(short).balance_at_address == 0
