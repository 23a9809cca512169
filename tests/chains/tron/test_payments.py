"""Payments from and to Tron: what becomes of deposits in USDT and TRX, to the unit."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crossway.adapters.chains.tron.address_format import to_evm_address
from crossway.adapters.chains.tron.sequence import NEWEST_BLOCKS
from crossway.adapters.chains.words import address_word
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.chain import Cursor, IncludedTx, TxNotFound, TxPending
from crossway.usecases.money.reconciliation import reconcile
from tests.chains import anvil
from tests.chains.front import (
    BROKEN,
    BUSY,
    FORGING,
    GONE,
    HONEST,
    LAGGING,
    NONSENSE,
    WRONG_CHAIN,
)
from tests.chains.service import Hands, Held, RealWorld, paid, profile_of
from tests.chains.tron.conftest import BASE
from tests.chains.tron.front import SECRET, front_of
from tests.chains.tron.machine import BYTE_SUN, ENERGY_SUN
from tests.chains.tron.node import FOREIGN, LIFE_SECONDS, RELAYER, TRON, TRX, USDT, Tron
from tests.conformance.networks import TronNetwork, open_tron
from tests.conformance.test_chain import Payment
from tests.simulation import AddressWatch

World = RealWorld[Hands]
STOCK = 2 * anvil.STOCK


def test_payments_from_and_to_tron_pay_everyone_what_the_terms_say(world: World) -> None:
    for name, source, to in (("out", TRON, BASE), ("in", BASE, TRON)):
        before = world.held(world.ask(f"before {name}", source, to))
        intent = world.ask(name, source, to)
        world.step()
        world.record_openings()
        world.deposit(intent, intent.terms.deposit_amount + 3_000_000)
        done = world.ends(intent, State.COMPLETED)
        world.settled(intent)
        # A return on Tron can cost more than two dollars.
        world.deposit(intent, 20_000_000)
        world.until(lambda one=intent: world.held(one).payer == 23_000_000)
        world.settled(intent)
        held, right = world.held(done), paid(done, STOCK, back=23_000_000)
        assert held.relayer - before.relayer == right.relayer - STOCK
        assert held.treasury - before.treasury == right.treasury
        assert (held.payer, held.recipient, held.deposit) == (23_000_000, right.recipient, 0)
        assert held.escrow == right.escrow
    sentences = reconcile(world.services, world.operator).sentences()
    assert sentences == ["The books and the chains agree."]


def test_what_expires_comes_back_with_foreign_tokens_and_coins(world: World, tron: Tron) -> None:
    intent = world.ask("late", TRON, BASE)
    world.step()
    for units, token in ((7_000_000, None), (5_000_000, FOREIGN), (900 * 10**6, TRX)):
        world.deposit(intent, units, token)
    world.step()
    tron.anvil.rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    payer = intent.terms.refund_address
    world.until(
        lambda: (tron.balance(payer, FOREIGN), tron.balance(payer, TRX)) == (5_000_000, 900_000_000)
    )
    assert world.held(intent) == Held(7_000_000, 0, STOCK, 0, 0, 0)


def test_a_token_that_answers_false_and_moves_nothing_is_not_believed(
    world: World, tron: Tron
) -> None:
    intent = world.ask("lied to", TRON, BASE)
    world.step()
    world.deposit(intent)
    tron.anvil.rpc("anvil_setCode", to_evm_address(tron.token), anvil.token_code("Lying"))
    world.until(lambda: any("refuses this transfer" in words for words in world.words()))
    assert world.now(intent).state is State.FUNDED
    tron.anvil.rpc("anvil_setCode", to_evm_address(tron.token), anvil.token_code("Denying"))
    tron.anvil.rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    assert world.held(intent) == Held(intent.terms.deposit_amount, 0, STOCK, 0, 0, 0)


def test_a_payment_in_trx_is_paid_out_in_trx_by_the_unit(world: World, tron: Tron) -> None:
    asked = {"amount": str(500 * 10**6), "amount_symbol": "TRON", "token_out": TRX}
    intent = world.ask("coins", BASE, TRON, **asked)
    world.step()
    world.deposit(intent)
    done = world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert tron.balance(done.terms.recipient, TRX) == done.terms.payout_amount


def test_trx_that_contracts_send_is_found_once_and_stands(tron: Tron) -> None:
    forwarder, forwards = tron.wallet("a forwarder"), "0x6000600060006000346000355af100"
    tron.anvil.rpc("anvil_setCode", to_evm_address(forwarder), forwards)
    chain = open_tron(tron)
    heads, to = chain.heads(), tron.wallet("a deposit")
    before = Cursor(heads.height, heads.block_hash)
    tron.call(forwarder, address_word("tron", to), 700)
    tron.transfer(to, 50, TRX)
    tron.mine()
    found = chain.scan(before, AddressWatch(to))
    assert sorted(one.amount for one in found.incoming) == [50, 700]
    assert chain.verify_inclusion(found.incoming) == [True, True]
    again = open_tron(tron)
    # Found from anywhere, they have the same names, so that nobody credits them twice.
    since = heads.time - timedelta(seconds=60)
    assert sorted(again.transfers_to([to], since), key=lambda one: one.index) == sorted(
        found.incoming, key=lambda one: one.index
    )
    tron.mine(400)
    later = again.transfers_to([to], since)
    assert {one.tx_ref for one in later} == {one.tx_ref for one in found.incoming}
    tron.reorganise(401)
    assert chain.verify_inclusion(found.incoming) == [False, False]
    chain.close()
    again.close()


def test_trx_that_contracts_send_waits_for_a_machine_that_has_the_block(tron: Tron) -> None:
    forwarder, forwards = tron.wallet("a forwarder"), "0x6000600060006000346000355af100"
    tron.anvil.rpc("anvil_setCode", to_evm_address(forwarder), forwards)
    chain, to = open_tron(tron), tron.wallet("a deposit")
    heads = chain.heads()
    before = Cursor(heads.height, heads.block_hash)
    tron.call(forwarder, address_word("tron", to), 700)
    tron.mine()
    tron.front.mood = LAGGING
    with pytest.raises(Unreachable, match="lacks transaction infos of block"):
        chain.scan(before, AddressWatch(to))
    tron.front.mood = HONEST
    again = open_tron(tron)
    assert [one.amount for one in again.scan(before, AddressWatch(to)).incoming] == [700]
    chain.close()
    again.close()


def test_several_deposits_of_one_block_stand_each_by_itself(tron: Tron) -> None:
    chain, to = open_tron(tron), tron.wallet("a deposit")
    heads = chain.heads()
    for units in (5, 6, 7):
        tron.transfer(to, units)
    tron.mine()
    found = chain.scan(Cursor(heads.height, heads.block_hash), AddressWatch(to)).incoming
    assert [one.amount for one in found] == [5, 6, 7]
    assert len({one.tx_ref for one in found}) == 3
    assert chain.verify_inclusion(found) == [True, True, True]
    moved = [replace(found[0], index=found[0].index + 9), replace(found[1], amount=5)]
    assert chain.verify_inclusion(moved) == [False, False]
    chain.close()


def test_running_numbers_are_learnt_again_from_what_older_blocks_tell(tron: Tron) -> None:
    network = TronNetwork(tron, USDT, FOREIGN)
    chain, relayer = network.chain, tron.relayer
    fills = [Payment(network, f"number {n}").fill() for n in range(6)]
    made = chain.sign([(fill, n) for n, fill in enumerate(fills)], chain.fee_units())
    assert list(chain.broadcast(made)) == [""] * 6
    assert set(chain.status([one.tx_id for one in made]).values()) == {TxPending()}
    tron.mine()
    statuses = chain.status([one.tx_id for one in made])
    assert [isinstance(one, IncludedTx) for one in statuses.values()] == [True] * 6
    tron.mine(2 * NEWEST_BLOCKS)
    again = open_tron(tron)
    assert again.next_nonce(relayer) == 6
    told = again.transactions_from(relayer, 2)
    assert [(one.tx_id, one.nonce) for one in told] == [(one.tx_id, one.nonce) for one in made[2:]]
    assert [one.included for one in told] == [statuses[one.tx_id] for one in made[2:]]
    network.opened.close()
    again.close()


def test_a_fee_counts_what_is_staked_and_is_what_was_burnt(world: World, tron: Tron) -> None:
    chain = open_tron(tron)
    dear = chain.fee_units()
    tron.machine.staked_energy, tron.machine.free_bytes = 100_000, 5_000
    other = open_tron(tron)
    assert dear - other.fee_units() == 100_000 * ENERGY_SUN + 800 * BYTE_SUN
    tron.machine.free_bytes = 0
    before = tron.balance(RELAYER.address, TRX)
    intent = world.ask("fees", BASE, TRON)
    world.step()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    with world.services.store.read() as unit:
        (fill,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
    assert fill.tx_id is not None
    status = chain.status([fill.tx_id])[fill.tx_id]
    assert isinstance(status, IncludedTx)
    assert before - tron.balance(RELAYER.address, TRX) == status.fee_units
    chain.close()
    other.close()


def test_what_was_never_mined_in_time_is_signed_anew_and_paid_once(
    world: World, tron: Tron
) -> None:
    intent = world.ask("slow", BASE, TRON)
    world.step()
    world.deposit(intent)
    # Blocks go by without any of our transactions in them.
    tron.machine.refuses = True
    for _ in range(6):
        world.step()
    assert world.now(intent).state is not State.COMPLETED
    with world.services.store.read() as unit:
        (fill,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
        first = fill.tx_id
    assert first is not None
    tron.mine(LIFE_SECONDS)
    tron.machine.refuses = False
    done = world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert done.tx_hash != first
    assert world.services.chains[TRON].status([first]) == {first: TxNotFound(dropped=True)}
    assert world.held(done) == paid(done, STOCK)


def event_of(tron: Tron, name: str, to: str) -> dict[str, object]:
    """The event of a payment, as if it had paid somebody else."""
    told = tron.front._renamed(
        tron.anvil.rpc("eth_getTransactionReceipt", tron.machine.sent[name].names[-1])["logs"][0]
    )
    topics = [*told["topics"][:2], "0x" + address_word("tron", to).hex()]
    return {**told, "topics": topics}


def test_nodes_that_fail_delay_and_lose_nothing(
    world: World, tron: Tron, capfd: pytest.CaptureFixture[str]
) -> None:
    intent = world.ask("moody", TRON, BASE)
    world.step()
    world.deposit(intent)
    told = ""
    for mood in (GONE, BUSY, BROKEN, NONSENSE, WRONG_CHAIN):
        tron.front.mood = mood
        for health in healths(world):
            health.chain_verified = False
        world.step()
        told += "".join(world.words())
        tron.front.mood = HONEST
        for health in healths(world):
            health.paused_until = 0.0
        world.step()
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent, STOCK)
    chain = world.services.chains[TRON]
    told += "".join(capfd.readouterr()) + repr(chain.context.pool._nodes)  # type: ignore[attr-defined]
    assert SECRET not in told + repr(chain.context)  # type: ignore[attr-defined]


def healths(world: World) -> list[object]:
    return list(world.services.chains[TRON].context.pool._health.values())  # type: ignore[attr-defined]


def test_a_forged_deposit_is_not_credited_where_nodes_must_agree(
    tmp_path_factory: pytest.TempPathFactory, hands: dict[str, Hands], tron: Tron
) -> None:
    folder = tmp_path_factory.mktemp("agreed")
    with front_of(tron.machine) as second:
        urls = {BASE: [hands[BASE].url] * 2, TRON: [tron.url, second.url]}
        world: World = RealWorld(folder, hands, profile_of(folder, hands.values(), urls, quorum=2))
        intent: Intent = world.ask("forged", TRON, BASE)
        world.step(2)
        name = tron.pay(tron.wallet("somebody"), intent.terms.deposit_amount)
        tron.front.forged = [event_of(tron, name, intent.address)]
        tron.front.mood = FORGING
        world.step(5)
        assert world.now(intent).state is State.PENDING
        tron.front.mood = HONEST
        world.deposit(intent)
        world.ends(intent, State.COMPLETED)
        world.settled(intent)
        assert world.held(intent).recipient == intent.terms.payout_amount
        world.close()
