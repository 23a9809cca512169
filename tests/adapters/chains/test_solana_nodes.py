"""What a single node of Solana says wrongly is no answer, and never a loss."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor, IncludedTx, TxNotFound, TxUnknown
from tests.adapters.chains.test_solana_world import Front
from tests.chains.front import LAGGING, WRONG_CHAIN, asked_for
from tests.chains.solana import node as solana
from tests.conformance.networks import SolanaNetwork, open_solana
from tests.conformance.test_chain import TOTAL, Payment, send, sign
from tests.simulation import AddressWatch

HIDING, LATE, GREEDY, SPLIT, FORGETFUL = "hiding", "late", "greedy", "split", "forgetful"


class Liar(Front):
    """Hides transactions, lists them late, or asks for a fee that nobody takes."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method = asked["method"]
        if self.mood == HIDING and method == "getTransaction":
            return asked_for(asked, None)
        if self.mood == LATE and method == "getSignaturesForAddress":
            return asked_for(asked, [])
        if self.mood == GREEDY and method == "getRecentPrioritizationFees":
            return asked_for(asked, [{"slot": 1, "prioritizationFee": 10**12}])
        if self.mood == FORGETFUL and method == "getBlock" and asked["params"][0] < 1_500:
            words = "Block 1009 cleaned up, does not exist on node. First available block: 1500"
            return {
                "jsonrpc": "2.0",
                "id": asked["id"],
                "error": {"code": -32001, "message": words},
            }
        if self.mood == SPLIT and method == "getSignatureStatuses":
            nothing = [None] * len(asked["params"][0])
            return asked_for(asked, {"context": {"slot": 1}, "value": nothing})
        return super()._one(asked)


@pytest.fixture
def node() -> Iterator[solana.Node]:
    with solana.running() as running:
        yield running


@pytest.fixture
def liar(node: solana.Node) -> Iterator[Liar]:
    made = Liar(node)
    yield made
    made.close()


@pytest.fixture
def behind(node: solana.Node, liar: Liar) -> Iterator[SolanaChain]:
    """The cluster through the one node that lies."""
    made = open_solana(node, liar.url)
    yield made
    made.close()


@pytest.fixture
def payment(node: solana.Node) -> Iterator[Payment]:
    network = SolanaNetwork(node, "program")
    yield Payment(network)
    network.opened.close()


def again(chain: SolanaChain) -> None:
    """A node that failed is asked again at once."""
    for health in chain.context.pool._health.values():
        health.paused_until = 0.0


def test_a_node_that_hides_what_it_says_is_in_a_block_is_no_answer(
    behind: SolanaChain, liar: Liar, payment: Payment
) -> None:
    done = sign(payment.chain, payment.fill())
    payment.chain.broadcast([done])
    payment.network.mine()
    liar.mood = HIDING
    with pytest.raises(Unreachable, match="does not return"):
        behind.status([done.tx_id])
    liar.mood = "honest"
    again(behind)
    assert isinstance(behind.status([done.tx_id])[done.tx_id], IncludedTx)


def test_a_list_of_transactions_that_is_late_holds_the_cursor_until_it_adds_up(
    behind: SolanaChain, liar: Liar, node: solana.Node, payment: Payment
) -> None:
    heads = behind.heads()
    before = Cursor(heads.height, heads.block_hash)
    node.pay(payment.address, TOTAL)
    liar.mood = LATE
    late = behind.scan(before, AddressWatch(payment.address))
    assert (list(late.incoming), late.cursor) == ([], before)
    node.mine(3)
    liar.mood = "honest"
    found = behind.scan(late.cursor, AddressWatch(payment.address))
    assert [one.amount for one in found.incoming] == [TOTAL]
    assert found.cursor.height == node.height


def test_what_was_found_and_not_stored_is_found_again(
    behind: SolanaChain, node: solana.Node, payment: Payment
) -> None:
    heads = behind.heads()
    before = Cursor(heads.height, heads.block_hash)
    node.pay(payment.address, TOTAL)
    first = behind.scan(before, AddressWatch(payment.address))
    assert behind.scan(before, AddressWatch(payment.address)).incoming == first.incoming
    assert not behind.scan(first.cursor, AddressWatch(payment.address)).incoming


def test_a_pause_longer_than_nodes_keep_blocks_loses_nothing(
    behind: SolanaChain, liar: Liar, node: solana.Node, payment: Payment
) -> None:
    heads = behind.heads()
    before = Cursor(heads.height, heads.block_hash)
    liar.mood = FORGETFUL
    with pytest.raises(Unreachable, match="does not return block 1009"):
        behind.scan(before, AddressWatch(payment.address))
    again(behind)
    node.cluster.skip(2_000)
    node.pay(payment.address, TOTAL)
    node.mine(20)
    found = behind.scan(before, AddressWatch(payment.address))
    assert [one.amount for one in found.incoming] == [TOTAL]
    assert found.reorged_from is None


def test_a_node_of_another_cluster_or_of_yesterday_is_no_answer(
    behind: SolanaChain, liar: Liar, node: solana.Node
) -> None:
    liar.old = node.rpc("getLatestBlockhash", {"commitment": "confirmed"})
    liar.mood = WRONG_CHAIN
    with pytest.raises(Unreachable, match="has chain 1111"):
        behind.heads()
    liar.mood = "honest"
    again(behind)
    node.mine(30)
    assert behind.heads().height == node.height
    liar.mood = LAGGING
    with pytest.raises(Unreachable, match=r"behind|above its newest"):
        behind.heads()


def test_a_fee_that_nobody_asks_for_is_not_offered(
    behind: SolanaChain, liar: Liar, node: solana.Node
) -> None:
    fair = behind.fee_units()
    assert fair < 10_000_000
    liar.mood = GREEDY
    later = open_solana(node, liar.url)
    with closing(later), pytest.raises(Unreachable, match="is not plausible"):
        later.fee_units()


def test_nothing_is_gone_for_good_while_one_of_the_nodes_that_must_agree_has_it(
    node: solana.Node, liar: Liar, payment: Payment
) -> None:
    both = open_solana(node, liar.url, node.url, quorum=2)
    done = sign(both, payment.fill())
    both.broadcast([done])
    node.mine(payment.network.life + 20)
    liar.mood = SPLIT
    assert not isinstance(both.status([done.tx_id])[done.tx_id], TxNotFound)
    both.close()


def test_what_a_machine_that_is_behind_does_not_know_is_not_gone_for_good(
    behind: SolanaChain, liar: Liar, node: solana.Node, payment: Payment
) -> None:
    done = sign(behind, payment.fill())
    assert behind.broadcast([done]) == [""]
    node.mine(payment.network.life + 20)
    liar.mood = SPLIT
    assert behind.status([done.tx_id])[done.tx_id] == TxUnknown()
    liar.mood = "honest"
    assert isinstance(behind.status([done.tx_id])[done.tx_id], IncludedTx)


def test_a_process_that_knows_nothing_learns_from_the_bytes_when_time_is_over(
    node: solana.Node, payment: Payment
) -> None:
    lost = sign(payment.chain, payment.fill())
    node.mine(payment.network.life + 20)
    fresh = open_solana(node)
    assert fresh.status([lost.tx_id]) == {lost.tx_id: TxNotFound(dropped=False)}
    assert fresh.broadcast([lost]) != [""]
    assert fresh.status([lost.tx_id]) == {lost.tx_id: TxNotFound(dropped=True)}
    fresh.close()


def test_a_process_that_knows_nothing_goes_on_counting_where_the_last_one_ended(
    node: solana.Node, payment: Payment
) -> None:
    relayer = payment.chain.accounts.relayer
    send(payment.network, payment.fill())
    node.send(relayer, 5, solana.NATIVE)
    node.mine()
    fresh = open_solana(node)
    assert fresh.next_nonce(relayer) == payment.chain.next_nonce(relayer) == 1
    fresh.close()


def test_more_accounts_than_one_look_takes_are_looked_at_by_turns(
    behind: SolanaChain, node: solana.Node
) -> None:
    behind.context.params = replace(behind.context.params, max_accounts=400)
    bitcoin = behind.context.catalogue.tokens[node.chain, "WBTC"].address
    node.put_mint(bitcoin)
    node.give(str(solana.RICH.pubkey()), solana.STOCK, bitcoin)
    paid = [behind.deposit_address(f"0x{number:064x}") for number in range(40)]
    heads = behind.heads()
    cursor = behind.scan(Cursor(heads.height, heads.block_hash), AddressWatch(*paid)).cursor
    for number, address in enumerate(paid):
        node.send(address, 10 + number)
        node.send(address, 100 + number)
        node.send(address, 5 + number, bitcoin)
    node.mine()
    found = set()
    for _ in range(12):
        seen = behind.scan(cursor, AddressWatch(*paid))
        cursor = seen.cursor
        found |= {(one.tx_ref, one.to, one.amount) for one in seen.incoming}
    assert found == {(one.tx_ref, one.to, one.amount) for one in behind.transfers_to(paid)}
    assert sum(units for _, _, units in found) == sum(115 + 3 * n for n in range(len(paid)))


class LateWatch(AddressWatch):
    """A few open payments, and many that ended long ago."""

    def __init__(self, recent: Sequence[str], ended: Sequence[str]) -> None:
        super().__init__(*recent, *ended)
        self.recent = recent

    def list_recent(self) -> Sequence[str]:
        return self.recent


def test_watching_costs_by_open_payments_and_late_deposits_are_found_by_turns(
    payment: Payment, node: solana.Node
) -> None:
    chain = open_solana(node)
    addresses = [chain.deposit_address(f"0x{number:064x}") for number in range(300)]
    watch = LateWatch(addresses[:2], addresses[2:])
    heads = chain.heads()
    cursor = chain.scan(Cursor(heads.height, heads.block_hash), watch).cursor
    node.send(addresses[1], 11)
    node.send(addresses[250], 12)
    node.mine()
    before = chain.context.pool.calls_by_node()[0]
    seen = chain.scan(cursor, watch)
    # The accounts of 22 addresses and not of 300: one call for a hundred accounts.
    assert chain.context.pool.calls_by_node()[0] - before < 25
    assert [one.to for one in seen.incoming if one.amount == 11] == [addresses[1]]
    late = [one for one in seen.incoming if one.amount == 12]
    for _ in range(16):
        seen = chain.scan(seen.cursor, watch)
        late += [one for one in seen.incoming if one.amount == 12]
    assert {one.to for one in late} == {addresses[250]}
    chain.close()


def test_a_cursor_from_a_false_head_is_left(payment: Payment, node: solana.Node) -> None:
    chain = open_solana(node)
    node.send(payment.address, 7)
    node.mine()
    false = Cursor(chain.heads().height + 1_000_000, "1" * 32)
    seen = chain.scan(false, AddressWatch(payment.address))
    assert seen.reorged_from is not None
    assert seen.cursor.height == chain.heads().height
    chain.close()
