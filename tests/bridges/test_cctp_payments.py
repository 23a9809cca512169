"""Payments that CCTP carries between two real chains: who gets what, to the unit."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.family import EvmOperator
from crossway.domain.bridge_transfer import BridgeTransferState, Custody
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.engine.loop import Engine
from crossway.ports.bridge import BridgeEnd
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.cctp_chains import (
    FAST,
    STANDARD,
    CctpWorld,
    Places,
    attesting,
    call,
    deliver_as_stranger,
    fill_as_stranger,
    places,
    send_as_stranger,
    two_cctp_chains,
)
from tests.chains.anvil import RELAYER, RELAYER_KEY, RICH, STOCK, dollars
from tests.chains.live import ARBITRUM, BASE

AMOUNT, INVENTORY = 25_000_000, 1_000_000_000


@contextmanager
def stocked_world(folder: Path, inventory: int = INVENTORY) -> Iterator[CctpWorld]:
    """A service whose relayer has inventory on both chains."""
    with two_cctp_chains(inventory) as chains, attesting(chains) as service:
        world = CctpWorld(folder, chains, service)
        try:
            yield world
        finally:
            world.close()


def standard(world: CctpWorld) -> Intent:
    """A payment by a standard message, which is not attested to before a test says so."""
    world.attestations.allowance, world.attestations.standard_seconds = "0", 1e9
    intent = world.pay()
    assert intent.bridger == STANDARD
    world.step()
    return intent


def test_a_fast_message_pays_the_recipient_without_inventory(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = world.pay()
    assert (intent.custody, intent.bridger, intent.terms.bridge) == (Custody.BRIDGE, FAST, "CCTP")
    world.step()
    world.record_openings()
    world.deposit(intent)
    done = world.ends(intent, State.COMPLETED)
    total, amount = intent.terms.deposit_amount, 25_000_000
    circle = places(world, intent).circle
    assert 0 < circle <= total // 500
    assert places(world, intent) == Places(
        payer=0,
        deposit=0,
        recipient=amount,
        source_contract=0,
        destination_contract=total - amount - circle,
        circle=circle,
    )
    with world.services.store.read() as unit:
        transfer = unit.bridge_transfers.get_many([intent.id])[intent.id]
        steps = unit.bridge_transfers.list_steps(intent.id)
    assert transfer.state is BridgeTransferState.DELIVERED
    assert transfer.destination_tx == done.tx_hash
    assert [step.state for step in steps] == ["SEEN", "CLAIMABLE", "DELIVERED"]
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_what_the_coordinator_withdraws_of_what_is_owed_leaves_the_books_once(
    cctp_world: CctpWorld,
) -> None:
    world = cctp_world
    to, own = world.anvils[ARBITRUM], "0x" + "77" * 20
    intent = world.pay()
    world.step()
    world.record_openings()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    owed = booked(world, Account.OWED)
    assert owed == to.balance(intent.bridger) > 0
    chain = world.services.chains[ARBITRUM]
    assert isinstance(chain, EvmChain)
    operator, token = EvmOperator(chain), world.services.catalogue.tokens[ARBITRUM, "USDC"]
    assert operator.retained_amount(token.address, RELAYER) == owed
    (withdrawal,) = operator.withdrawal_calls(token, own, RELAYER)
    to.transact(withdrawal.contract, bytes.fromhex(withdrawal.data[2:]), key=RELAYER_KEY)
    to.mine()
    assert operator.retained_amount(token.address, RELAYER) == 0
    assert to.balance(own) == owed
    for _ in range(3):
        world.clock.ahead += timedelta(minutes=6)
        to.mine(100)
        world.step()
    assert (booked(world, Account.OWED), booked(world, Account.SERVICE_FEES) > 0) == (0, True)
    again = world.pay("again")
    world.step()
    world.deposit(again)
    world.ends(again, State.COMPLETED)
    world.clock.ahead += timedelta(minutes=6)
    world.step()
    assert booked(world, Account.OWED) == to.balance(intent.bridger) > 0


def booked(world: CctpWorld, account: Account) -> int:
    """The USDC of an account on Arbitrum."""
    with world.services.store.read() as unit:
        return unit.ledger.get_balances().get((account, ARBITRUM, dollars(ARBITRUM)), 0)


def test_a_standard_message_is_paid_in_advance_and_repays_the_relayer(tmp_path: Path) -> None:
    with stocked_world(tmp_path) as world:
        intent = standard(world)
        world.deposit(intent)
        done = world.ends(intent, State.COMPLETED)
        arbitrum = world.anvils[ARBITRUM]
        assert arbitrum.balance(RELAYER) == INVENTORY - AMOUNT
        assert places(world, intent).recipient == AMOUNT
        assert (done.relayer, done.relayer_claimed) == (RELAYER, False)
        world.attestations.standard_seconds = 0
        world.clock.ahead += timedelta(hours=1)
        world.until(lambda: world.now(intent).relayer_claimed)
        assert arbitrum.balance(RELAYER) == INVENTORY
        total = intent.terms.deposit_amount
        assert places(world, intent) == Places(0, 0, AMOUNT, 0, total - AMOUNT, 0)


def test_without_inventory_a_standard_message_pays_when_it_comes(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = standard(world)
    world.deposit(intent)
    world.step(10)
    assert world.now(intent).state is State.INITIATED
    world.attestations.standard_seconds = 0
    world.clock.ahead += timedelta(hours=1)
    done = world.ends(intent, State.COMPLETED)
    assert done.relayer == ""
    assert places(world, intent).recipient == AMOUNT


def test_a_stranger_that_pays_in_advance_is_repaid(tmp_path: Path) -> None:
    with stocked_world(tmp_path, inventory=0) as world:
        intent = standard(world)
        world.deposit(intent)
        world.until(lambda: world.now(intent).state is State.INITIATED)
        fill_as_stranger(world, intent)
        arbitrum, before = world.anvils[ARBITRUM], STOCK - AMOUNT
        assert (arbitrum.balance(RICH.address), places(world, intent).recipient) == (before, AMOUNT)
        world.attestations.standard_seconds = 0
        world.clock.ahead += timedelta(hours=1)
        done = world.ends(intent, State.COMPLETED)
        assert (done.relayer, done.relayer_claimed) == ("", False)
        assert (arbitrum.balance(RICH.address), places(world, intent).recipient) == (STOCK, AMOUNT)


def test_a_payout_in_advance_and_a_delivery_in_one_block_pay_once(tmp_path: Path) -> None:
    with stocked_world(tmp_path, inventory=0) as world:
        intent = standard(world)
        world.deposit(intent)
        world.until(lambda: world.now(intent).state is State.INITIATED)
        world.attestations.standard_seconds = 0
        fill_as_stranger(world, intent, mine=False)
        deliver_as_stranger(world, intent)
        world.ends(intent, State.COMPLETED)
        arbitrum, total = world.anvils[ARBITRUM], intent.terms.deposit_amount
        assert arbitrum.balance(RICH.address) == STOCK
        assert places(world, intent) == Places(0, 0, AMOUNT, 0, total - AMOUNT, 0)


def test_a_burn_that_a_reorg_removes_is_made_again(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = standard(world)
    world.deposit(intent)
    world.until(lambda: world.now(intent).state is State.INITIATED)
    base.rpc("anvil_reorg", 4, [])
    world.until(lambda: world.now(intent).state is State.PENDING)
    base.rpc("eth_sendRawTransaction", base.sent[-1])
    world.until(lambda: world.now(intent).state is State.INITIATED)
    world.attestations.standard_seconds = 0
    world.clock.ahead += timedelta(hours=1)
    world.ends(intent, State.COMPLETED)
    total = intent.terms.deposit_amount
    assert places(world, intent) == Places(0, 0, AMOUNT, 0, total - AMOUNT, 0)


def test_a_burn_that_a_reorg_removes_after_its_attestation_pays_once(cctp_world: CctpWorld) -> None:
    world, base = cctp_world, cctp_world.anvils[BASE]
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    first = places(world, intent)
    base.rpc("anvil_reorg", 8, [])
    world.step(12)
    assert world.now(intent).state is State.COMPLETED
    for raw in base.sent:
        with suppress(AssertionError):
            base.rpc("eth_sendRawTransaction", raw)
    world.step(12)
    assert world.now(intent).state is State.COMPLETED
    assert places(world, intent).recipient == first.recipient == AMOUNT


def test_a_delivery_that_a_reorg_removes_is_made_again(cctp_world: CctpWorld) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    arbitrum.rpc("anvil_reorg", 4, [])
    assert places(world, intent).recipient == 0
    world.until(lambda: places(world, intent).recipient == AMOUNT)
    world.ends(intent, State.COMPLETED)
    total, held = intent.terms.deposit_amount, places(world, intent)
    assert held.destination_contract == total - AMOUNT - held.circle


def test_what_strangers_sent_and_delivered_is_followed_through_reorgs(
    cctp_world: CctpWorld,
) -> None:
    world, base, arbitrum = cctp_world, cctp_world.anvils[BASE], cctp_world.anvils[ARBITRUM]
    intent = world.pay()
    world.step()
    world.deposit(intent)
    send_as_stranger(world, intent)
    world.until(lambda: world.now(intent).state is State.INITIATED)
    base.reorganise(2)
    world.step(2)
    world.until(lambda: world.now(intent).state is State.INITIATED)
    deliver_as_stranger(world, intent)
    world.clock.ahead += timedelta(minutes=1)
    world.ends(intent, State.COMPLETED)
    arbitrum.rpc("anvil_reorg", 4, [])
    assert places(world, intent).recipient == 0
    world.until(lambda: places(world, intent).recipient == AMOUNT)
    world.ends(intent, State.COMPLETED)
    total, held = intent.terms.deposit_amount, places(world, intent)
    assert held.destination_contract == total - AMOUNT - held.circle


def test_a_released_payment_is_parked_again_after_a_reorg(cctp_world: CctpWorld) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.until(lambda: world.now(intent).state is State.INITIATED)
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", intent.terms.recipient)
    world.ends(intent, State.FAILED)
    call(arbitrum, dollars(ARBITRUM), "unBlacklist(address)", intent.terms.recipient)
    arbitrum.mine(6)
    world.clock.ahead += timedelta(hours=2)
    world.ends(intent, State.COMPLETED)
    arbitrum.rpc("anvil_reorg", 2, [])
    world.until(lambda: places(world, intent).recipient == AMOUNT)
    world.ends(intent, State.COMPLETED)
    total, held = intent.terms.deposit_amount, places(world, intent)
    assert held == Places(0, 0, AMOUNT, 0, total - AMOUNT - held.circle, held.circle)


def test_an_unreachable_destination_keeps_no_other_payment_waiting(cctp_world: CctpWorld) -> None:
    world = cctp_world
    waits, goes = world.pay("waits"), world.pay("goes", source=ARBITRUM, to=BASE)
    world.step()
    world.deposit(waits)
    ends = world.services.bridge_ends
    world.services = replace(
        world.services, bridge_ends={ARBITRUM: ends[ARBITRUM], BASE: Silent(ends[BASE])}
    )
    world.engine = Engine(world.services, "test", sole=True)
    world.deposit(goes)
    world.step(6)
    assert any("does not answer" in line for line in world.words())
    assert world.now(goes).state is State.FUNDED
    world.ends(waits, State.COMPLETED)


class Silent:
    """The contracts of a chain of which nobody tells who may be paid there."""

    def __init__(self, end: BridgeEnd) -> None:
        self._end = end

    def find_refusing(self, token: str, recipients: Collection[str]) -> set[str]:
        raise Unreachable("no node answers")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._end, name)


def test_a_stranger_finishes_a_payment_without_the_operators_keys(cctp_world: CctpWorld) -> None:
    """The engine never runs: what the payer was given to save is enough."""
    world = cctp_world
    intent = world.pay()
    world.deposit(intent)
    source_tx = send_as_stranger(world, intent)
    deliver_as_stranger(world, intent, source_tx)
    held = places(world, intent)
    assert held.recipient == AMOUNT
    assert held.destination_contract == intent.terms.deposit_amount - AMOUNT - held.circle
