"""Payments by a signature on a real chain: stored, sent once, and seen like any other deposit."""

from collections.abc import Iterator

import pytest

from crossway.domain.intent import State
from crossway.domain.payer_signatures import SignatureState
from crossway.usecases.money.reconciliation import reconcile
from tests.chains.anvil import RELAYER
from tests.chains.live import BASE, LiveWorld
from tests.chains.signing import new_payer, pay_ins, stored


@pytest.fixture
def signed(world: LiveWorld) -> Iterator[LiveWorld]:
    """The world, whose dollars on Base move by a signature."""
    world.anvils[BASE].sign_dollars()
    return world


def test_a_payer_without_gas_pays_by_a_signature(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "one")
    signed.step()
    signed.record_openings()
    coins = signed.anvils[BASE].coins(RELAYER)
    payer.pay(intent)
    done = signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    assert payer.dollars == 100 * 10**6 - intent.terms.deposit_amount
    assert done.received_amount == intent.terms.deposit_amount
    [signature], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert (signature.state, signature.tx_id) == (SignatureState.PAID, pay_in.tx_id)
    assert signed.anvils[BASE].coins(RELAYER) < coins
    assert reconcile(signed.services, signed.operator).sentences() == [
        "The books and the chains agree."
    ]
