"""Nodes of Starknet that go away, lie or take no wide questions; old tokens, and offering more."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.felts import split_u256, to_felt, to_hex
from crossway.domain.errors import Unreachable, WrongChain
from crossway.ports.chain import Cursor, IncludedTx, TxNotFound, TxPending
from tests.chains.front import (
    BROKEN,
    BUSY,
    FORGING,
    GONE,
    HONEST,
    LAGGING,
    NARROW,
    NONSENSE,
    WRONG_CHAIN,
)
from tests.chains.starknet.front import StarknetFront, starknet_front
from tests.chains.starknet.network import Starknet, address_of, shared
from tests.conformance.networks import StarknetNetwork, open_starknet
from tests.conformance.test_chain import TOTAL, Payment, mined, send, sign
from tests.simulation import AddressWatch

OLD = address_of("USDT")


@pytest.fixture
def node() -> Iterator[Starknet]:
    with shared() as network:
        yield network


@pytest.fixture
def front(node: Starknet) -> Iterator[StarknetFront]:
    with starknet_front(node) as made:
        yield made


@pytest.fixture
def through(front: StarknetFront, node: Starknet) -> Iterator[StarknetChain]:
    """The chain seen through the front alone."""
    chain = open_starknet(node, front.url)
    yield chain
    chain.close()


@pytest.fixture
def network(node: Starknet) -> Iterator[StarknetNetwork]:
    made = StarknetNetwork(node, address_of("USDC"), OLD)
    yield made
    made.opened.close()


def cursor(chain: StarknetChain) -> Cursor:
    head = chain.heads()
    return Cursor(head.height, head.block_hash)


def test_a_node_that_fails_rests_and_the_next_one_is_asked(
    node: Starknet, front: StarknetFront
) -> None:
    for mood in (GONE, BUSY, BROKEN, NONSENSE, WRONG_CHAIN):
        front.mood = mood
        chain = open_starknet(node, front.url, node.url)
        assert chain.heads().height == node.height
        [first, second] = chain.context.pool.node_states()
        assert (first[1], second[1]) == (False, True)
        chain.close()


def test_a_node_of_another_network_is_named_and_never_believed(
    front: StarknetFront, through: StarknetChain
) -> None:
    front.mood = WRONG_CHAIN
    with pytest.raises(WrongChain, match="has chain SN_SEPOLIA and not SN_MAIN"):
        through.heads()


def test_a_node_of_another_network_is_told_of_while_another_node_suffices(
    node: Starknet, front: StarknetFront
) -> None:
    front.mood = WRONG_CHAIN
    chain = open_starknet(node, front.url, node.url)
    head = chain.heads()
    assert head.height == node.height
    [sentence] = head.wrong_chains
    assert "has chain SN_SEPOLIA and not SN_MAIN" in sentence
    chain.close()


def test_a_silent_node_serves_no_other_network(
    front: StarknetFront, through: StarknetChain
) -> None:
    front.mood = GONE
    with pytest.raises(Unreachable) as silent:
        through.heads()
    assert not isinstance(silent.value, WrongChain)


def test_a_node_that_falls_behind_is_no_answer(
    node: Starknet, front: StarknetFront, through: StarknetChain
) -> None:
    node.mine(2)
    assert through.heads().height == node.height
    front.mood, front.frozen_at = LAGGING, 0
    with pytest.raises(Unreachable, match="behind"):
        through.heads()


def test_an_event_that_no_transaction_has_is_never_a_deposit(
    network: StarknetNetwork, front: StarknetFront, through: StarknetChain
) -> None:
    payment = Payment(network)
    before = cursor(through)
    true_one = network.node.pay(payment.address, 1)
    block = network.node.rpc("starknet_getBlockWithTxHashes", "latest")
    keys = ["0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9", "0x5"]
    forged = {
        "from_address": hex(to_felt(network.token)),
        "keys": [*keys, hex(to_felt(payment.address))],
        "data": [hex(TOTAL), "0x0"],
        "block_number": block["block_number"],
        "block_hash": block["block_hash"],
        "transaction_hash": "0x123",
    }
    front.mood, front.forged = FORGING, [forged]
    with pytest.raises(Unreachable, match="lacks its transaction"):
        through.scan(before, AddressWatch(payment.address))
    # Told of a transaction that did something else, it is told what that did.
    front.forged = [{**forged, "transaction_hash": true_one}]
    chain = open_starknet(network.node, front.url)
    found = chain.scan(before, AddressWatch(payment.address)).incoming
    assert [one.amount for one in found] == [1]
    # One unit more than was paid is not still there.
    assert chain.verify_inclusion([replace(found[0], amount=2)]) == [False]
    chain.close()


def test_with_a_quorum_one_node_alone_credits_nothing(
    network: StarknetNetwork, front: StarknetFront
) -> None:
    payment = Payment(network)
    chain = open_starknet(network.node, front.url, network.node.url, quorum=2)
    before = cursor(chain)
    network.pay(payment.address, TOTAL)
    found = chain.scan(before, AddressWatch(payment.address)).incoming
    assert chain.verify_inclusion(found) == [True]
    front.mood = GONE
    with pytest.raises(Unreachable, match="1 of the 2 nodes that must agree"):
        chain.verify_inclusion(found)
    chain.close()


def test_a_node_that_takes_no_wide_questions_is_asked_narrower_ones(
    network: StarknetNetwork, front: StarknetFront, through: StarknetChain
) -> None:
    payments = [Payment(network, name) for name in ("a", "b", "c")]
    addresses = AddressWatch(*(one.address for one in payments))
    before = cursor(through)
    for place, payment in enumerate(payments, start=1):
        network.node.send(payment.address, place)
    network.mine()
    front.mood = NARROW
    found = through.scan(before, addresses).incoming
    assert sorted((one.to, one.amount) for one in found) == sorted(
        (payment.address, place) for place, payment in enumerate(payments, start=1)
    )
    assert (through.context.limits.page, through.context.limits.recipients < 250) == (1, True)


def test_what_is_not_in_an_accepted_block_is_neither_a_deposit_nor_mined(
    network: StarknetNetwork,
) -> None:
    payment, chain = Payment(network), network.opened
    before = cursor(chain)
    network.node.send(payment.address, TOTAL)
    one = sign(chain, payment.fill())
    assert list(chain.broadcast([one])) == [""]
    network.node.rpc("hand_preconfirm")
    assert not chain.scan(before, AddressWatch(payment.address)).incoming
    assert chain.status([one.tx_id]) == {one.tx_id: TxPending()}
    network.mine()
    found = chain.scan(before, AddressWatch(payment.address)).incoming
    assert [one.amount for one in found] == [TOTAL]
    assert isinstance(chain.status([one.tx_id])[one.tx_id], IncludedTx)


def test_of_a_busy_token_without_keys_balances_tell_where_to_look(
    network: StarknetNetwork,
) -> None:
    payment, chain = Payment(network), network.opened
    before = cursor(chain)
    for place in range(9):
        network.node.send(to_hex(4_000 + place), 1, OLD)
    network.mine()
    network.pay(payment.address, 3, OLD)
    network.mine()
    network.pay(payment.address, 4, OLD)
    # With one event a page, nine are very many.
    chain.context.limits.page = 1
    found = chain.scan(before, AddressWatch(payment.address)).incoming
    assert [(one.token, one.amount) for one in found] == [(OLD, 3), (OLD, 4)]
    assert len({one.block_hash for one in found}) == 2


def test_every_deposit_is_found_again_though_it_was_taken_out_since(
    network: StarknetNetwork,
) -> None:
    network.token, network.foreign_token = OLD, network.token
    payment, chain = Payment(network), network.chain
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    network.pay(payment.address, 5)
    network.pay(payment.address, 6, network.foreign_token)
    found = chain.transfers_to([payment.address])
    assert [(one.token == OLD, one.amount) for one in found] == [
        (True, TOTAL),
        (True, 5),
        (False, 6),
    ]


def test_the_same_nonce_offered_more_takes_the_place_of_what_waits(
    network: StarknetNetwork,
) -> None:
    chain, payment = network.opened, Payment(network)
    assert chain.has_nonces
    nonce, fee = chain.next_nonce(chain.accounts.relayer), chain.fee_units()
    [poor] = chain.sign([(payment.fill(), nonce)], fee)
    [same] = chain.sign([(payment.fill(), nonce)], fee * 101 // 100)
    [more] = chain.sign([(payment.fill(), nonce)], fee * 5 // 4 + 1)
    assert list(chain.broadcast([poor])) == [""]
    assert list(chain.broadcast([same])) != [""]
    assert list(chain.broadcast([more])) == [""]
    network.mine()
    became = chain.status([poor.tx_id, more.tx_id])
    assert mined(became[more.tx_id]).reason == ""
    assert became[poor.tx_id] == TxNotFound(dropped=False)
    assert mined(became[more.tx_id]).fee_units <= more.fee_units


def test_a_fill_without_stock_may_work_later_and_says_why(network: StarknetNetwork) -> None:
    payment, node = Payment(network), network.node
    held = node.balance(node.relayer)
    node.call(network.token, "transfer", to_felt(to_hex(9)), *split_u256(held), by=node.relayer)
    network.mine()
    status = mined(send(network, payment.fill()))
    assert status.reason
    assert not status.permanent


def test_a_node_that_asks_for_very_much_is_not_believed(
    network: StarknetNetwork, front: StarknetFront, through: StarknetChain
) -> None:
    through.context.params = replace(through.context.params, max_strk=0)
    with pytest.raises(Unreachable, match="is not believed"):
        through.fee_units()
    assert front.mood == HONEST
