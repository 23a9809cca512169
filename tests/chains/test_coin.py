"""The native coin, of which no log tells, and transactions that wait for a better price."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.words import address_word
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.chain import Cursor, IncludedTx, TxPending
from tests.chains import anvil
from tests.chains.anvil import RELAYER, Anvil
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.conformance.networks import COIN, AnvilNetwork, made_up, open_evm
from tests.conformance.test_chain import Payment
from tests.simulation import AddressWatch

# Sends what it is sent on to the address in its call.
FORWARDER, FORWARDS = made_up("a forwarder"), "0x60006000600060003460003" + "55af100"


@pytest.fixture
def base() -> Iterator[Anvil]:
    with anvil.running(BASE) as running:
        yield running


@pytest.fixture
def chain(base: Anvil) -> Iterator[EvmChain]:
    opened = open_evm(base)
    yield opened
    opened.close()


def cursor(chain: EvmChain) -> Cursor:
    heads = chain.heads()
    return Cursor(heads.height, heads.block_hash)


def test_coins_sent_from_within_a_contract_are_found_once_in_their_block(
    base: Anvil, chain: EvmChain
) -> None:
    base.rpc("anvil_setCode", FORWARDER, FORWARDS)
    to, watch = made_up("a deposit"), AddressWatch(made_up("a deposit"))
    before, since = cursor(chain), chain.heads().time
    base.mine(3)
    base.transact(FORWARDER, address_word("evm", to), value=700)
    base.transact(to, value=50)
    base.mine()
    there = base.height
    base.mine(3)
    found = chain.scan(before, watch)
    assert sorted((one.amount, one.block_height) for one in found.incoming) == [
        (50, there),
        (700, there),
    ]
    assert chain.verify_inclusion(found.incoming) == [True, True]
    assert not chain.scan(found.cursor, watch).incoming
    # Found again from anywhere, they have the same names, so that nobody credits them twice.
    again = open_evm(base)
    names = {one.tx_ref for one in found.incoming}
    later = again.transfers_to([to], since - timedelta(seconds=60))
    assert {one.tx_ref for one in later} == names
    assert {one.tx_ref for one in again.scan(before, watch).incoming} == names
    again.close()


def test_coins_that_come_while_others_leave_are_seen(base: Anvil, chain: EvmChain) -> None:
    network = AnvilNetwork(base, COIN, anvil.dollars(BASE))
    payment = Payment(network)
    base.pay(payment.address, 25_000_000, COIN)
    seen = chain.scan(
        Cursor(0, base.rpc("eth_getBlockByNumber", "0x0", False)["hash"]),
        AddressWatch(payment.address),
    )
    assert [one.amount for one in seen.incoming] == [25_000_000]
    own = network.chain
    (start,) = own.sign([(payment.start(), own.next_nonce(RELAYER))], own.fee_units())
    assert list(own.broadcast([start])) == [""]
    base.mine()
    base.pay(payment.address, 25_000_000, COIN)
    late = chain.scan(seen.cursor, AddressWatch(payment.address))
    assert [one.amount for one in late.incoming] == [25_000_000]
    network.opened.close()


def test_a_look_at_one_address_does_not_make_coins_of_another_come_again(
    base: Anvil, chain: EvmChain
) -> None:
    # As on a chain whose nodes keep no old balances.
    chain.context.params = replace(chain.context.params, archive=False)
    paid, other = made_up("a paid one"), made_up("another one")
    watch, before = AddressWatch(paid, other), cursor(chain)
    base.mine()
    empty = chain.scan(before, watch)
    base.pay(paid, 50, COIN)
    found = chain.scan(empty.cursor, watch)
    assert [one.amount for one in found.incoming] == [50]
    assert not chain.transfers_to([other])
    base.mine()
    assert not chain.scan(found.cursor, watch).incoming


def test_a_transaction_that_waits_is_replaced_by_one_that_offers_more(
    base: Anvil,
) -> None:
    network = AnvilNetwork(base, anvil.dollars(BASE), COIN)
    chain, payment = network.chain, Payment(network)
    nonce, fee = chain.next_nonce(RELAYER), chain.fee_units()
    (poor,) = chain.sign([(payment.fill(), nonce)], fee)
    assert list(chain.broadcast([poor])) == [""]
    assert chain.status([poor.tx_id])[poor.tx_id] == TxPending()
    # As the engine offers more: a quarter on top, with the same nonce.
    (better,) = chain.sign([(payment.fill(), nonce)], fee * 5 // 4 + 1)
    assert list(chain.broadcast([better])) == [""]
    base.mine()
    status = chain.status([poor.tx_id, better.tx_id])
    assert isinstance(status[better.tx_id], IncludedTx)
    assert not isinstance(status[poor.tx_id], IncludedTx)
    assert base.balance(payment.recipient) == 25_000_000
    network.opened.close()


def test_a_payment_in_coins_goes_from_chain_to_chain(world: LiveWorld) -> None:
    for one in world.anvils.values():
        one.rpc("anvil_setBalance", RELAYER, hex(anvil.COINS))
    asked = {"amount": str(10**16), "amount_symbol": "ETH", "token_in": COIN, "token_out": COIN}
    intent = world.pay("coins", **asked)
    world.step()
    world.deposit(intent, token=COIN)
    done = world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.anvils[ARBITRUM].coins(done.terms.recipient) == done.terms.payout_amount
    with world.services.store.read() as unit:
        claim = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REIMBURSE)
    assert claim
    assert world.anvils[BASE].coins(intent.address) == 0
