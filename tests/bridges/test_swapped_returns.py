"""What is said of a swapped deposit that goes back: it is another token by then."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind as K
from crossway.payer.checkout_status import checkout_status, kept_amount
from crossway.ports.sandbox import Faults
from crossway.usecases.money.amount_confirmation import TransferAmount, amount_of_collected
from crossway.usecases.payers.checkout import get_checkout
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.payments.manual_transfers import redirected_amount
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE

SOLANA, BASE = "SOLANA_MAINNET", "BASE_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "GATEWAY", chains=(SOLANA, BASE))


def pay(world: BridgeWorld) -> Intent:
    token = CATALOGUE.tokens[SOLANA, "SOL"].address
    return world.pay(source=SOLANA, to=BASE, token_in=token)


def test_the_page_says_what_a_refusal_costs_in_the_token_that_goes_back(world: BridgeWorld) -> None:
    intent = pay(world)
    swap = intent.swap
    assert swap is not None
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.FAILED, within=120)
    snapshot = get_checkout(world.services, create_token(world.services, intent.id))
    assert kept_amount(snapshot) == swap.network_fee_units > 0
    assert checkout_status(snapshot, CATALOGUE).state == "refused"


def test_the_page_does_not_say_that_costs_are_kept_where_all_goes_back(world: BridgeWorld) -> None:
    intent = pay(world)
    assert intent.swap is not None
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.FAILED, within=120)
    snapshot = get_checkout(world.services, create_token(world.services, intent.id))
    refunds = [
        replace(tx, amount=intent.swap.output) if tx.kind is K.REFUND else tx
        for tx in snapshot.outbound_txs
    ]
    assert checkout_status(replace(snapshot, outbound_txs=refunds), CATALOGUE).state == (
        "undelivered"
    )


def test_who_sends_it_elsewhere_confirms_its_value_in_the_token_that_goes_back(
    world: BridgeWorld,
) -> None:
    intent = pay(world)
    swap = intent.swap
    assert swap is not None
    value = intent.costs.total_micro_usd
    whole = TransferAmount(swap.output, 6, "USDC", value)
    assert amount_of_collected(intent, swap.output) == whole
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.FAILED, within=120)
    refund = replace(world.txs(intent)[K.REFUND], amount=swap.output)
    assert redirected_amount(world.reload(intent), [refund]) == whole
