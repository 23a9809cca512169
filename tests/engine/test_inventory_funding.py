"""Inventory that bridges move for payments: brought where it lacks, and settled afterwards."""

from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, TRANSFER, FundingWorld

UNIFIED = "gateway:mainnet"


@pytest.fixture
def gateway(tmp_path: Path) -> FundingWorld:
    return FundingWorld(tmp_path, "GATEWAY")


@pytest.fixture
def rhino(tmp_path: Path) -> FundingWorld:
    return FundingWorld(tmp_path, "RHINOFI")


def test_gateway_mints_where_inventory_lacks_and_settles_what_came_back(
    gateway: FundingWorld,
) -> None:
    world = gateway
    world.set_inventory(ARBITRUM, 0)
    began = world.unified()
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    assert world.paid(intent) == intent.terms.payout_amount
    # Half a basis point of 25 USDC, and a cent and a half for the burn's gas on Base or cheaper.
    mint = world.wait_moved(intent, MINT, "CLOSED")
    fee = mint.source_amount - mint.amount
    assert mint.amount == 25_000_000
    assert 1_250 < fee <= 1_250 + 15_000
    assert world.unified() == began - mint.source_amount
    deposit = world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert deposit.amount == 25_000_000
    assert world.unified() == began - fee
    assert world.booked(Account.INVENTORY, UNIFIED) == -fee
    assert world.booked(Account.BRIDGE_FEES, UNIFIED) == fee
    assert world.booked(Account.IN_TRANSIT, BASE) == 0
    world.check_books()


def test_a_gateway_payment_that_inventory_can_pay_is_paid_from_it(gateway: FundingWorld) -> None:
    world = gateway
    began = world.unified()
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.moved(intent, MINT) is None
    assert world.unified() == began + 25_000_000
    world.check_books()


def test_the_payout_says_what_it_waits_for(gateway: FundingWorld) -> None:
    world = gateway
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    world.set_faults("GATEWAY", silent=True)
    world.pass_time(8)
    reason = world.txs(intent)[OutboundTxKind.FILL].reason
    assert reason.startswith("Circle Gateway brings USDC to Arbitrum")
    assert "not agreed to yet" in reason
    assert "does not answer" in reason
    world.set_faults("GATEWAY", silent=False)
    world.wait_for_state(intent, State.COMPLETED)


def test_two_payments_do_not_count_on_the_same_balance(gateway: FundingWorld) -> None:
    world = gateway
    world.set_inventory(ARBITRUM, 0)
    # Each needs more than half of it.
    amount = world.unified() * 6 // 10
    intents = [
        world.create_intent(amount=str(amount), recipient=world.wallet(ARBITRUM, name))
        for name in ("first", "second")
    ]
    for intent in intents:
        world.deposit(intent)
    first, second = intents
    world.wait_for_state(first, State.COMPLETED)
    assert world.reload(second).state is State.FUNDED
    assert world.moved(second, MINT) is None
    assert [alert.key for alert in world.alerts("unified")] == ["unified:GATEWAY"]
    # What the first one brought is enough for the second, once it is settled.
    world.wait_for_state(second, State.COMPLETED)
    assert world.state(first, DEPOSIT) in ("DELIVERED", "CLOSED")
    assert [world.paid(intent) for intent in intents] == [amount, amount]


def test_a_mint_that_is_on_its_way_leaves_the_inventory_to_others(gateway: FundingWorld) -> None:
    """A payment that was started on inventory keeps it, although another one's mint is late."""
    world = gateway
    world.set_inventory(ARBITRUM, 30_000_000)
    first = world.pay()
    world.wait_for_state(first, State.INITIATED, State.COMPLETED)
    second = world.pay()
    world.wait_for_state(first, State.COMPLETED)
    world.wait_for_state(second, State.COMPLETED)
    assert world.moved(first, MINT) is None
    assert world.state(second, MINT) in ("DELIVERED", "CLOSED")
    world.pass_time(90)
    world.check_books()


def test_an_attestation_that_expires_is_replaced_and_minted_once(gateway: FundingWorld) -> None:
    world = gateway
    world.set_inventory(ARBITRUM, 0)
    world.set_faults("GATEWAY", expired_messages=True)
    began = world.unified()
    intent = world.pay()
    first = world.wait_moved(intent, MINT, "AGREED")
    world.set_faults("GATEWAY", expired_messages=False)
    world.wait_for_state(intent, State.COMPLETED)
    mint = world.wait_moved(intent, MINT, "CLOSED")
    assert (first.attempt, mint.attempt) == (1, 2)
    assert first.reference != mint.reference
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.unified() == began - (mint.source_amount - mint.amount)
    assert world.inventory(ARBITRUM) == 0
    world.check_books()


def test_a_bridge_that_refuses_is_alerted_and_the_payment_waits_for_inventory(
    gateway: FundingWorld,
) -> None:
    world = gateway
    world.set_inventory(ARBITRUM, 0)
    world.set_faults("GATEWAY", refused=True)
    intent = world.pay()
    world.wait_moved(intent, MINT, "REFUSED")
    world.pass_time(6)
    assert len(world.alerts("funding_refused")) == 1
    assert "short of USDC" in world.txs(intent)[OutboundTxKind.FILL].reason
    world.set_inventory(ARBITRUM, 25_000_000)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(10)
    assert not world.alerts("funding_refused")


def test_rhino_brings_inventory_where_it_lacks(rhino: FundingWorld) -> None:
    world = rhino
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    transfer = world.wait_moved(intent, TRANSFER, "CLOSED")
    assert transfer.source_amount == 25_000_000 + 20_000  # 8 basis points on top
    world.pass_time(60)
    # It came back by the reimbursement, less the bridge's fee, which the payer has paid for.
    assert world.inventory(ARBITRUM) == 0
    assert world.booked(Account.BRIDGE_FEES, BASE) == 20_000
    world.check_books()


def test_rhino_puts_inventory_back_after_a_payment_out_of_it(rhino: FundingWorld) -> None:
    world = rhino
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    assert world.moved(intent, TRANSFER) is None
    began = world.inventory(ARBITRUM)
    world.wait_moved(intent, TRANSFER, "CLOSED")
    assert world.inventory(ARBITRUM) == began + 25_000_000
    world.check_books()


def test_a_transfer_that_is_never_executed_is_overdue_and_the_payer_gets_all_back(
    rhino: FundingWorld,
) -> None:
    world = rhino
    world.set_inventory(ARBITRUM, 0)
    world.set_faults("RHINOFI", unexecuted=True)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "OVERDUE", within=300)
    assert len(world.alerts("funding_overdue")) == 1
    assert world.reload(intent).state is State.INITIATED
    life = intent.terms.expires_at.timestamp() - world.machine.seconds
    world.pass_time(life + world.services.policy.payout_grace_seconds, step=60)
    world.wait_for_state(intent, State.REFUNDED)
    assert world.paid(intent) == 0
    assert world.refunded(intent) == intent.terms.deposit_amount
    # The operator's loss stands in the books as on its way.
    assert world.booked(Account.IN_TRANSIT, BASE) == 25_020_000
    assert world.state(intent, TRANSFER) == "OVERDUE"
    world.check_books()


def test_a_payment_is_paid_from_other_inventory_that_comes(rhino: FundingWorld) -> None:
    world = rhino
    world.set_inventory(ARBITRUM, 0)
    world.set_faults("RHINOFI", unexecuted=True)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "OVERDUE", within=300)
    world.set_inventory(ARBITRUM, 25_000_000)
    world.wait_for_state(intent, State.COMPLETED)
    world.set_faults("RHINOFI", unexecuted=False)
    world.wait_moved(intent, TRANSFER, "CLOSED")
    world.pass_time(10)
    assert not world.alerts("funding_overdue")
    world.check_books()


def test_what_the_service_gives_back_is_booked_and_the_payment_waits(rhino: FundingWorld) -> None:
    world = rhino
    world.set_inventory(ARBITRUM, 0)
    world.set_faults("RHINOFI", returned=True)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "RETURNED")
    assert world.booked(Account.IN_TRANSIT, BASE) == 0
    assert len(world.alerts("funding_refused")) == 1
    assert world.reload(intent).state is State.INITIATED
    world.check_books()


def test_where_the_source_lacks_it_too_the_payment_waits_unstarted(rhino: FundingWorld) -> None:
    world = rhino
    world.set_inventory(ARBITRUM, 0)
    world.set_inventory(BASE, 1_000_000)
    intent = world.pay()
    world.pass_time(15)
    assert world.reload(intent).state is State.FUNDED
    assert world.moved(intent, TRANSFER) is None
    assert world.alerts("stock")
