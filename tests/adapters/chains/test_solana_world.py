"""A whole Crossway on a cluster of Solana: payments both ways, nodes that fail or lie, transactions
that get lost and times that run out."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.usecases.money.reconciliation import reconcile
from tests.chains import anvil
from tests.chains.families import SolanaHands
from tests.chains.front import (
    BROKEN,
    BUSY,
    FORGING,
    GONE,
    HONEST,
    LAGGING,
    NONSENSE,
    WRONG_CHAIN,
    asked_for,
)
from tests.chains.front import Front as PlainFront
from tests.chains.service import RealWorld, paid, profile_of
from tests.chains.solana import node as solana
from tests.chains.solana.cluster import HASH_LIFE

SOLANA, BASE = "SOLANA_MAINNET", "BASE_MAINNET"
FINALITY = 8


class Front(PlainFront):
    """A node of Solana that misbehaves; `forged` is what it says of a payment that never was."""

    def __init__(self, node: solana.Node) -> None:
        super().__init__(node)  # type: ignore[arg-type]
        self.node = node
        self.old: dict[str, Any] = {}
        self.lie: dict[str, Any] = {}

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method = asked["method"]
        if self.mood == WRONG_CHAIN and method == "getGenesisHash":
            return asked_for(asked, "1" * 44)
        if self.mood == LAGGING and method == "getLatestBlockhash":
            return asked_for(asked, self.old)
        if self.mood == FORGING and (told := self._forged(asked)) is not None:
            return asked_for(asked, told)
        return self.node._one(asked)

    def _forged(self, asked: dict[str, Any]) -> Any:
        method, params = asked["method"], asked["params"]
        if method == "getSignaturesForAddress" and params[0] == self.lie["account"]:
            return [self.lie["listed"]]
        if method == "getTransaction" and params[0] == self.lie["listed"]["signature"]:
            return self.lie["shown"]
        if method == "getMultipleAccounts" and self.lie["account"] in params[0]:
            told = self.node._one(asked)["result"]
            told["value"][params[0].index(self.lie["account"])] = self.lie["there"]
            return told
        return None


class Behind(SolanaHands):
    """A cluster whose nodes a profile reaches through other URLs."""

    def __init__(self, node: solana.Node, derived: Path | None = None) -> None:
        """`derived`: the folder of a profile, in which the key of deposit addresses lies."""
        super().__init__(node)
        self.derived = derived

    def fields(self) -> dict[str, Any]:
        if self.derived is None:
            return super().fields()
        store = self.derived / f"relayer-{self.relayer[-8:]}.json"
        return super().fields() | {"deposits": "derived", "deposit_key": f"keystore:{store}"}


Pair = tuple[Behind, anvil.Anvil]


@pytest.fixture
def node() -> Iterator[solana.Node]:
    with solana.running(SOLANA, time=int(time.time())) as running:
        yield running


@pytest.fixture(scope="module")
def base() -> Iterator[anvil.Anvil]:
    with anvil.running(BASE) as running:
        yield running


@pytest.fixture(autouse=True)
def put_back(base: anvil.Anvil) -> Iterator[None]:
    before = base.rpc("evm_snapshot")
    yield
    base.rpc("evm_revert", before)


@contextmanager
def world(
    folder: Path, hands: Behind, base: anvil.Anvil, *urls: str, quorum: int = 1
) -> Iterator[RealWorld[Any]]:
    both: dict[str, Any] = {SOLANA: hands, BASE: base}
    nodes = {SOLANA: list(urls) or [hands.url], BASE: [base.url] * quorum}
    made: RealWorld[Any] = RealWorld(folder, both, profile_of(folder, both.values(), nodes, quorum))
    try:
        yield made
    finally:
        made.close()


STOCK = solana.STOCK + anvil.STOCK


def rested(made: RealWorld[Any]) -> None:
    """Nodes that failed are asked again at once."""
    for chain in made.services.chains.values():
        for health in chain.context.pool._health.values():  # type: ignore[attr-defined]
            health.paused_until = 0.0
            health.failures = 0


def went_well(made: RealWorld[Any], intent: Intent, before: int = STOCK) -> None:
    made.ends(intent, State.COMPLETED)
    made.settled(intent)
    assert made.held(intent) == paid(intent, before)


@pytest.mark.parametrize("derived", [False, True], ids=["program", "derived keys"])
def test_a_payment_from_solana_is_right_to_the_unit(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil, derived: bool
) -> None:
    with world(tmp_path, Behind(node, tmp_path if derived else None), base) as made:
        intent = made.ask("one", SOLANA, BASE)
        assert intent.deposit_token_account == node.associated(intent.address, node_dollars())
        made.step()
        made.record_openings()
        made.deposit(intent)
        went_well(made, intent)
        sentences = reconcile(made.services, made.operator).sentences()
        assert sentences == ["The books and the chains agree."]


def node_dollars() -> str:
    return solana.dollars(SOLANA)


def test_a_payment_to_solana_makes_the_recipients_account(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil
) -> None:
    with world(tmp_path, Behind(node), base) as made:
        intent = made.ask("two", BASE, SOLANA)
        made.step()
        made.deposit(intent)
        went_well(made, intent)


def test_a_node_that_fails_in_the_middle_delays_and_loses_nothing(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil
) -> None:
    front = Front(node)
    with world(tmp_path, Behind(node), base, front.url) as made:
        intent = made.ask("one", SOLANA, BASE)
        made.step()
        made.deposit(intent)
        front.old = node.rpc("getLatestBlockhash", {"commitment": "confirmed"})
        node.mine(30)
        made.step()
        for mood in (GONE, BUSY, BROKEN, NONSENSE, WRONG_CHAIN, LAGGING):
            front.mood = mood
            for health in made.services.chains[SOLANA].context.pool._health.values():  # type: ignore[attr-defined]
                health.chain_verified = False
            made.step()
            before = made.now(intent).state
            made.engine.tick()
            assert made.now(intent).state is before
            front.mood = HONEST
            rested(made)
            made.step()
        went_well(made, intent)
    front.close()


def test_a_forged_deposit_is_not_credited_where_nodes_must_agree(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil
) -> None:
    front = Front(node)
    with world(tmp_path, Behind(node), base, front.url, node.url, quorum=2) as made:
        intent = made.ask("one", SOLANA, BASE)
        made.step(2)
        front.lie = forgery(node, intent)
        front.mood = FORGING
        made.step(5)
        assert made.now(intent).state is State.PENDING
        assert any("not credited" in words for words in made.words())
        front.mood = HONEST
        rested(made)
        made.deposit(intent)
        went_well(made, intent)
    front.close()


def forgery(node: solana.Node, intent: Intent) -> dict[str, Any]:
    """What would be told of a payment of the total, made out of one to a stranger."""
    stranger = node.wallet("a stranger")
    name = node.pay(stranger, intent.terms.deposit_amount)
    account, other = (node.associated(who, node_dollars()) for who in (intent.address, stranger))
    depth = {"commitment": "confirmed"}
    how = {**depth, "encoding": "json", "maxSupportedTransactionVersion": 0}
    asked = {**depth, "encoding": "base64", "dataSlice": {"offset": 64, "length": 8}}
    shown = json.dumps(node.rpc("getTransaction", name, how)).replace(other, account)
    return {
        "account": account,
        "listed": node.rpc("getSignaturesForAddress", other, depth)[0],
        "shown": json.loads(shown.replace(stranger, intent.address)),
        "there": node.rpc("getMultipleAccounts", [other], asked)["value"][0],
    }


def test_a_transaction_that_the_node_forgets_is_sent_again(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil
) -> None:
    with world(tmp_path, Behind(node), base) as made:
        intent = made.ask("one", SOLANA, BASE)
        made.step()
        made.deposit(intent)
        made.until(lambda: bool(node.cluster.pool))
        node.cluster.pool.clear()
        post = made.services.chains[SOLANA].tx_sender  # type: ignore[attr-defined]
        # As if the time had passed after which it is sent again.
        with made.services.store.read() as unit:
            name = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)[0].tx_id
        post._sent.update({name: replace(post._sent.get(name), taken_at=0.0)})
        went_well(made, intent)
        with made.services.store.read() as unit:
            start = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)[0]
            assert len(unit.outbound_txs.list_attempts([start.id])) == 1


def test_a_transaction_whose_time_ran_out_is_signed_anew_and_pays_once(
    tmp_path: Path, node: solana.Node, base: anvil.Anvil
) -> None:
    with world(tmp_path, Behind(node), base) as made:
        intent = made.ask("one", BASE, SOLANA)
        made.step()
        made.deposit(intent)
        made.until(lambda: bool(node.cluster.pool))
        lost = node.cluster.pool[:]
        node.cluster.pool.clear()
        node.mine(HASH_LIFE + 1)
        # Over, and not final yet: nothing is signed.
        made.engine.tick()
        assert node.cluster.pool == []
        node.mine(FINALITY)
        went_well(made, intent)
        for one in lost:
            node.cluster.send(one)
        made.step(3)
        assert node.balance(intent.terms.recipient) == intent.terms.payout_amount
        with made.services.store.read() as unit:
            fill = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)[0]
            assert len(unit.outbound_txs.list_attempts([fill.id])) == 2
