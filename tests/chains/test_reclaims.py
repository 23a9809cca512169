"""Collected deposits that nobody pays out: the engine gives them back in time, and anybody a day
after expiry, with the operator's keys gone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import RUN_BATCH
from crossway.adapters.chains.evm.call_batches import CALL_GAS
from crossway.adapters.chains.evm.contracts import (
    DEPLOYER,
    RECLAIM_SECONDS,
    SALT,
    default_deployment,
    init_code,
)
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import LAST_PAYOUT_SECONDS
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.lifecycle import new_outbound_tx
from crossway.usecases.payments.self_service import (
    CallName,
    Guarantee,
    SelfServiceCall,
    get_self_service,
)
from tests.chains.anvil import RELAYER, RICH, STOCK, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, given_back
from tests.chains.test_claims import AGREE, ClaimWorld
from tests.contracts.gas import SOURCE, TOTAL, payment

ZERO = "0x" + "0" * 40


class ReclaimWorld(ClaimWorld):
    """A service whose inventory goes away, and strangers that have what payers keep."""

    def set_inventory(self, units: int) -> None:
        """What the relayer has on the destination chain: balances are the token's first field."""
        place = keccak256(address_word("evm", RELAYER) + number_word(0))
        token, word = dollars(ARBITRUM), "0x" + number_word(units).hex()
        self.live.anvils[ARBITRUM].rpc("anvil_setStorageAt", token, "0x" + place.hex(), word)

    def start(self, name: str = "one", **more: str) -> Intent:
        """A payment that is started and cannot be paid out."""
        live = self.live
        intent = live.pay(name, **more)
        live.step()
        live.record_openings()
        live.deposit(intent, token=ZERO if "token_in" in more else None)
        live.until(lambda: any(t.tx_id for t in self.txs(intent, OutboundTxKind.START)))
        self.set_inventory(0)
        return live.ends(intent, State.INITIATED)

    def txs(self, intent: Intent, kind: OutboundTxKind) -> list[OutboundTx]:
        with self.live.services.store.read() as unit:
            return unit.outbound_txs.list_by_intents([intent.id], kind)

    def booked(self, account: Account) -> int:
        with self.live.services.store.read() as unit:
            return unit.ledger.get_balances().get((account, BASE, dollars(BASE)), 0)

    def pass_seconds(self, seconds: int) -> None:
        """Time passes while no engine runs."""
        self.clock.ahead += timedelta(seconds=seconds)
        for chain in self.live.anvils.values():
            chain.rpc("evm_increaseTime", seconds)
            chain.mine()

    def pass_until_reclaimable(self, intent: Intent) -> None:
        left = intent.terms.expires_at - self.base.time + timedelta(seconds=RECLAIM_SECONDS)
        self.pass_seconds(int(left.total_seconds()) + 5)

    def kept_call(self, intent: Intent) -> SelfServiceCall:
        """What the payer keeps of the way back from the escrow."""
        kept = get_self_service(self.live.services, intent)
        assert kept.guarantee is Guarantee.RECLAIMABLE
        (call,) = (call for call in kept.calls if call.name is CallName.RECLAIM)
        assert call.available_from == intent.terms.expires_at + timedelta(seconds=RECLAIM_SECONDS)
        return call

    def reclaim(self, intent: Intent) -> None:
        call = self.kept_call(intent)
        self.base.carry_out(call.contract, call.data)

    def deposited(self, intent: Intent) -> list[int]:
        with self.live.services.store.read() as unit:
            deposits = unit.deposits.list_by_intents([intent.id])
        return [deposit.incoming.amount for deposit in deposits]

    def compare(self) -> list[str]:
        """What the books and the chains say, with the inventory that a test took away."""
        self.set_inventory(STOCK)
        return reconcile(self.live.services, self.live.operator).sentences()


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[ReclaimWorld]:
    made = ReclaimWorld(tmp_path, chains)
    yield made
    made.live.close()


def test_without_inventory_the_engine_gives_the_deposit_back(world: ReclaimWorld) -> None:
    live = world.live
    intent = world.start()
    world.pass_seconds(4_000 + LAST_PAYOUT_SECONDS)
    live.ends(intent, State.REFUNDED)
    world.set_inventory(STOCK)
    live.settled(intent)
    assert live.held(intent) == given_back(intent.terms.deposit_amount)
    world.pass_until_reclaimable(intent)
    world.reclaim(intent)
    live.step(3)
    assert live.held(intent) == given_back(intent.terms.deposit_amount)


def test_inventory_that_comes_an_hour_after_expiry_pays_nobody(world: ReclaimWorld) -> None:
    live = world.live
    intent = world.start()
    world.pass_seconds(4_000 + LAST_PAYOUT_SECONDS)
    world.set_inventory(STOCK)
    live.ends(intent, State.REFUNDED)
    live.settled(intent)
    assert live.held(intent) == given_back(intent.terms.deposit_amount)


def test_with_the_operators_keys_gone_a_stranger_reclaims_the_deposit(
    world: ReclaimWorld, tmp_path: Path
) -> None:
    intent = world.start()
    call = world.kept_call(intent)
    world.live.close()
    for store in tmp_path.glob("relayer-*.json"):
        store.unlink()
    total, payer = intent.terms.deposit_amount, intent.terms.refund_address
    world.pass_until_reclaimable(intent)
    world.base.rpc("evm_setNextBlockTimestamp", int(world.base.time.timestamp()) + 1)
    world.base.carry_out(call.contract, call.data)
    assert world.base.balance(payer) == total
    assert world.base.balance(intent.bridger) == world.base.balance(intent.address) == 0
    # Once.
    world.base.carry_out(call.contract, call.data)
    assert world.base.balance(payer) == total


def test_nothing_is_reclaimed_within_a_day_of_expiry(world: ReclaimWorld) -> None:
    intent = world.start()
    call = world.kept_call(intent)
    left = intent.terms.expires_at - world.base.time + timedelta(seconds=RECLAIM_SECONDS)
    world.pass_seconds(int(left.total_seconds()) - 120)
    world.base.carry_out(call.contract, call.data)
    assert world.base.balance(intent.bridger) == intent.terms.deposit_amount


def test_an_engine_that_was_down_for_a_day_books_what_was_reclaimed(world: ReclaimWorld) -> None:
    live = world.live
    intent = world.start()
    total = intent.terms.deposit_amount
    world.pass_until_reclaimable(intent)
    world.reclaim(intent)
    world.set_inventory(STOCK)
    live.ends(intent, State.REFUNDED)
    live.settled(intent)
    assert live.held(intent) == given_back(total)
    assert live.now(intent).tx_hash is not None
    for account in (Account.HELD, Account.ESCROW, Account.PAYER):
        assert world.booked(account) == 0
    assert not [t for t in world.txs(intent, OutboundTxKind.FILL) if t.tx_id]
    assert world.compare() == AGREE
    # What the escrow returned was no deposit.
    assert live.now(intent).received_amount == total


def test_a_reclaim_among_several_calls_is_booked_once(world: ReclaimWorld) -> None:
    live, base = world.live, world.base
    intent = world.start()
    total = intent.terms.deposit_amount
    base.transact(DEPLOYER, SALT + init_code("CallBatch"))
    base.mine()
    world.pass_until_reclaimable(intent)
    call = world.kept_call(intent)
    item = call.contract, CALL_GAS, bytes.fromhex(call.data[2:])
    base.carry_out(default_deployment().call_batch, "0x" + RUN_BATCH.encode([item]).hex())
    world.set_inventory(STOCK)
    live.ends(intent, State.REFUNDED)
    # Until its block is final, and after it.
    live.step(20)
    (refund,) = world.txs(intent, OutboundTxKind.REFUND)
    assert (refund.state, live.now(intent).state) == ("FINAL", State.REFUNDED)
    assert live.held(intent) == given_back(total)
    assert world.compare() == AGREE


def test_what_the_refund_address_refused_waits_at_the_deposit_address(world: ReclaimWorld) -> None:
    live = world.live
    intent = world.start()
    total = intent.terms.deposit_amount
    world.base.refuse(intent.terms.refund_address)
    world.pass_until_reclaimable(intent)
    world.reclaim(intent)
    assert world.base.balance(intent.address) == total
    live.until(
        lambda: any(t.state is OutboundTxState.FAILED for t in world.txs(intent, K_REFUND)), 200
    )
    assert live.now(intent).state is State.FAILED
    assert (world.booked(Account.HELD), world.booked(Account.ESCROW)) == (total, 0)
    words = address_word("evm", intent.terms.refund_address), number_word(0)
    world.base.call_token(dollars(BASE), "refuse(address,bool)", *words)
    refund = f"{refund_data(world, intent)}"
    world.base.carry_out(default_deployment().factory, refund)
    world.pass_minutes(11)
    assert live.now(intent).state is State.REFUNDED
    assert (world.booked(Account.HELD), world.booked(Account.PAYER)) == (0, 0)


K_REFUND = OutboundTxKind.REFUND


def refund_data(world: ReclaimWorld, intent: Intent) -> str:
    kept = get_self_service(world.live.services, intent)
    return next(call.data for call in kept.calls if call.name is CallName.REFUND)


def test_a_deposit_that_was_reclaimed_before_the_relayer_was_repaid_is_its_loss(
    world: ReclaimWorld,
) -> None:
    live = world.live
    intent = live.pay()
    call = world.kept_call(intent)
    live.step()
    live.record_openings()
    live.deposit(intent)
    live.until(lambda: bool(world.txs(intent, OutboundTxKind.REIMBURSE)))
    # The settlement, signed or not, is in no block of the day in which the engine is down.
    world.base.rpc("anvil_dropAllTransactions")
    world.pass_until_reclaimable(intent)
    world.base.carry_out(call.contract, call.data)
    live.settled(intent)
    held, terms = live.held(intent), intent.terms
    assert (held.payer, held.recipient) == (terms.deposit_amount, terms.payout_amount)
    assert held.relayer == 2 * STOCK - terms.payout_amount
    assert (held.escrow, held.treasury, held.deposit) == (0, 0, 0)
    done = live.now(intent)
    assert (done.state, done.relayer_claimed) == (State.COMPLETED, False)
    assert any("recipient and payer both have the money" in words for words in live.words())
    for account in (Account.HELD, Account.ESCROW, Account.PAYER):
        assert world.booked(account) == 0
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_the_relayer_is_repaid_long_before_anybody_may_reclaim(world: ReclaimWorld) -> None:
    live, now = world.live, world.live.services.clock.now()
    slow = replace(live.pay(), settle_seconds=30 * 86_400)
    claim = new_outbound_tx(live.services, slow, OutboundTxKind.REIMBURSE, "", now)
    assert claim.next_at == slow.terms.expires_at + timedelta(seconds=RECLAIM_SECONDS // 2)
    later = slow.terms.expires_at + timedelta(days=2)
    claim = new_outbound_tx(live.services, slow, OutboundTxKind.REIMBURSE, "", later)
    assert claim.next_at == later


def test_two_reclaimed_in_one_block_are_booked_apart(world: ReclaimWorld) -> None:
    live = world.live
    first = live.pay("first")
    second = world.start("second")
    world.pass_until_reclaimable(second)
    world.reclaim(second)
    live.ends(second, State.REFUNDED)
    assert live.now(first).state is State.EXPIRED
    assert live.held(second) == replace(given_back(second.terms.deposit_amount), relayer=STOCK)


def test_a_reclaim_that_a_reorganisation_removes_is_booked_back(world: ReclaimWorld) -> None:
    live = world.live
    intent = world.start()
    total = intent.terms.deposit_amount
    world.pass_until_reclaimable(intent)
    world.reclaim(intent)
    live.ends(intent, State.REFUNDED)
    world.base.rpc("anvil_reorg", 4, [])
    live.step(6)
    live.ends(intent, State.REFUNDED, 200)
    live.settled(intent)
    assert world.base.balance(intent.terms.refund_address) == total
    assert world.base.balance(intent.bridger) == 0
    for account in (Account.HELD, Account.ESCROW, Account.PAYER):
        assert world.booked(account) == 0


def test_reclaimed_coins_are_no_deposit(world: ReclaimWorld) -> None:
    live = world.live
    token = next(t for t in live.services.catalogue.by_chain[BASE] if t.native)
    intent = world.start("coins", token_in=token.address)
    payer = intent.terms.refund_address
    before = world.base.coins(payer)
    world.pass_until_reclaimable(intent)
    world.reclaim(intent)
    live.ends(intent, State.REFUNDED)
    live.settled(intent)
    assert world.base.coins(payer) - before == intent.terms.deposit_amount
    assert world.deposited(intent) == [intent.terms.deposit_amount]


def test_what_the_escrow_pays_to_the_address_of_another_payment_is_a_deposit(
    world: ReclaimWorld,
) -> None:
    """Another operator settles a payment of its own to the deposit address of ours."""
    live, base, units = world.live, world.base, 5_000_000
    intent = live.pay()
    live.step()
    made = payment(base, "another operator's")
    made.source = (*made.source[:6], RICH.address, made.source[7])
    made.source_hash = keccak256(encode([SOURCE], [made.source]))
    key = keccak256(made.source_hash + made.dest_hash)
    base.pay(default_deployment().deposit_address(key), TOTAL)
    base.transact(default_deployment().factory, made.start())
    base.transact(default_deployment().escrow2, made.settle((intent.address, units)))
    live.until(lambda: world.deposited(intent) == [units])
    live.step(3)
    assert live.now(intent).received_amount == units
