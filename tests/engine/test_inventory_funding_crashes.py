"""The engine is killed, its transactions are reorganised, and others act, while inventory moves."""

from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.sandbox import Faults
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, TRANSFER, FundingWorld
from tests.engine.killed_world import KilledWorld

STEPS = (
    "before-inventory-poll",
    "inventory-agreed",
    "inventory-polled",
    "signed:INVENTORY_SEND",
    "sent:INVENTORY_SEND",
    "confirmed:INVENTORY_SEND",
)
APPROVALS = ("signed:INVENTORY_APPROVE", "confirmed:INVENTORY_APPROVE")
OVER_RHINO = [*STEPS, *APPROVALS]
OVER_GATEWAY = [(step, 1) for step in (*STEPS, *APPROVALS, "inventory-committed")]
# The mint comes first; these belong to its end and to the deposit.
OVER_GATEWAY += [("inventory-polled", number) for number in (2, 3, 4, 5)]
OVER_GATEWAY += [("confirmed:INVENTORY_SEND", 2)]


class PayingWorld(KilledWorld):
    """A `KilledWorld` in which a payment is made."""

    def pay_to_the_end(self) -> Intent:
        self.set_inventory(ARBITRUM, 0)
        intent = self.pay()
        self.run(110)
        assert self.left == 0, f"{self.step} was not reached"
        return self.reload(intent)


@pytest.mark.parametrize(("step", "number"), OVER_GATEWAY)
def test_gateway_survives(tmp_path: Path, step: str, number: int) -> None:
    world = PayingWorld(tmp_path, "GATEWAY", step=step, number=number)
    began = world.unified()
    intent = world.pay_to_the_end()
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
    mint = world.moved(intent, MINT)
    assert mint is not None
    assert (world.state(intent, MINT), world.state(intent, DEPOSIT)) == ("CLOSED", "CLOSED")
    # One mint and one deposit, whatever was done twice.
    assert world.unified() == began - (mint.source_amount - mint.amount)
    assert world.inventory(ARBITRUM) == 0
    world.check_books()


@pytest.mark.parametrize("step", OVER_RHINO)
def test_rhino_survives(tmp_path: Path, step: str) -> None:
    world = PayingWorld(tmp_path, "RHINOFI", step=step)
    base = world.inventory(BASE)
    intent = world.pay_to_the_end()
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.state(intent, TRANSFER) == "CLOSED"
    # What it took, and what the escrow repaid: once each.
    assert world.inventory(BASE) == base - 25_020_000 + 25_000_000
    world.check_books()


def test_a_mint_that_a_reorganisation_removes_is_made_again_once(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_moved(intent, MINT, "DELIVERED")
    world.reorganise(ARBITRUM, 6)
    world.wait_moved(intent, MINT, "CLOSED")
    world.wait_for_state(intent, State.COMPLETED)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.inventory(ARBITRUM) == 0
    world.check_books()


def test_a_deposit_that_a_reorganisation_removes_is_made_again_once(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    began = world.unified()
    intent = world.pay()
    world.wait_moved(intent, DEPOSIT, "SENT")
    world.reorganise(BASE, 6, drop=1)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.unified() == began + 25_000_000
    world.check_books()


def test_a_payout_by_rhino_that_a_reorganisation_removes_is_waited_for(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI")
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "DELIVERED")
    world.reorganise(ARBITRUM, 6)
    world.wait_for_state(intent, State.COMPLETED)
    world.wait_moved(intent, TRANSFER, "CLOSED")
    world.pass_time(60)
    assert world.inventory(ARBITRUM) == 0
    world.check_books()


def test_reverts_are_tried_again_and_cost_fees_alone(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)

    world.sandbox.inject_faults(ARBITRUM, Faults(revert_next=2))
    world.wait_for_state(intent, State.COMPLETED)
    mint = world.wait_moved(intent, MINT, "CLOSED")
    assert mint.attempt == 1
    world.check_books()


class StuckWorld(FundingWorld):
    """Its chain is cut off for longer than an attestation lives, once a mint is signed."""

    def __init__(self, folder: Path) -> None:
        self.cuts = True
        super().__init__(folder, "GATEWAY", reached=self.reach)

    def reach(self, step: str) -> None:
        if step == "signed:INVENTORY_SEND" and self.cuts:
            self.cuts = False
            self.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=700))


def test_a_signed_mint_whose_attestation_lapses_is_replaced_and_minted_once(tmp_path: Path) -> None:
    world = StuckWorld(tmp_path)
    world.set_inventory(ARBITRUM, 0)
    began = world.unified()
    intent = world.pay()
    world.wait_moved(intent, MINT, "SENDING")
    world.pass_time(700, step=20)
    world.wait_for_state(intent, State.COMPLETED)
    mint = world.wait_moved(intent, MINT, "CLOSED")
    assert mint.attempt == 2
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.unified() == began - (mint.source_amount - mint.amount)
    assert world.inventory(ARBITRUM) == 0
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.INVENTORY_SEND)
    mints = {tx.cause: tx.state for tx in txs if tx.cause.startswith("MINT")}
    assert mints == {"MINT:1:0": "CANCELLED", "MINT:2:0": "FINAL"}
    world.check_books()


def test_a_mint_that_offers_too_low_a_fee_is_replaced_by_the_same(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY")
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    # The fee rises after it is signed and before its block.
    world.pass_time(1)
    assert world.state(intent, MINT) == "SENDING"
    world.sandbox.inject_faults(ARBITRUM, Faults(fee_factor=5))
    world.wait_for_state(intent, State.COMPLETED)
    mint = world.wait_moved(intent, MINT, "CLOSED")
    assert mint.attempt == 1
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    assert world.inventory(ARBITRUM) == 0
    world.check_books()
