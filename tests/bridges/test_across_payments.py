"""Payments that Across carries between two real chains with its real pools: who gets what, to the
unit."""

from crossway.adapters.bridges.across.deposits import format_deposit_id, payment_deposit_id
from crossway.domain.bridge_amounts import bridge_fee_units
from crossway.domain.bridge_transfer import BridgeTransferState, Custody
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.across_chains import BRIDGE, AcrossWorld, Places, places

S = BridgeTransferState
AMOUNT = 25_000_000
AGREED = ["The books and the chains agree."]


def booked(world: AcrossWorld, intent: Intent, account: Account) -> int:
    with world.services.store.read() as unit:
        balances = unit.ledger.get_balances()
    return balances.get((account, intent.terms.source_chain, intent.terms.token_in), 0)


def test_a_relayer_pays_the_recipient_through_our_contract(across_world: AcrossWorld) -> None:
    world = across_world
    intent = world.pay()
    assert (intent.custody, intent.bridger, intent.terms.bridge) == (
        Custody.BRIDGE,
        BRIDGE,
        "ACROSS",
    )
    world.deposit(intent)
    world.until(lambda: world.is_seen(intent))
    total = intent.terms.deposit_amount
    # What the API of Across suggests of the deposit, and a fifth more.
    fee = -(-total * 18 // 100_000) + 2_400
    assert bridge_fee_units(intent) == fee
    assert world.transfer(intent).message_id == format_deposit_id(payment_deposit_id(intent))
    assert world.fill(intent)
    done = world.ends(intent, State.COMPLETED)
    rest = total - fee - AMOUNT
    assert places(world, intent) == Places(0, 0, total, AMOUNT, 0, rest)
    assert world.owed(intent) == rest
    transfer = world.transfer(intent)
    assert transfer.state in (S.DELIVERED, S.CLOSED)
    assert transfer.destination_tx == done.tx_hash
    world.settled(intent)
    assert booked(world, intent, Account.BRIDGE_FEES) == fee
    assert reconcile(world.services, world.operator).sentences() == AGREED


def test_what_nobody_fills_comes_back_with_all_fees(across_world: AcrossWorld) -> None:
    world = across_world
    intent = world.sent()
    world.pass_deadline()
    failed = world.ends(intent, State.FAILED)
    assert failed.balance_at_address == 0
    assert world.transfer(intent).state is S.EXPIRED
    assert not world.fill(intent)
    world.return_deposit(intent)
    world.ends(intent, State.REFUNDED)
    assert places(world, intent) == Places(intent.terms.deposit_amount, 0, 0, 0, 0, 0)
    assert world.transfer(intent).state is S.REFUNDED
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == AGREED
