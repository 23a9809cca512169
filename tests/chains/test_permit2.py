"""Payments by a signature for Permit2, and attacks on them, on a real chain."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from eth_account import Account

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.family import EvmFamily
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.words import number_word
from crossway.domain.intent import State
from crossway.domain.payer_signatures import SignatureStandard, SignatureState
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payers.signature_offers import find_offer, needs_approval
from crossway.usecases.payers.signed_payments import SignatureRefused, is_offered
from tests.chains.anvil import RELAYER_KEY, STRANGER_KEY, TREASURY, running
from tests.chains.live import BASE, LiveWorld
from tests.chains.permit2 import (
    PERMIT2,
    SPENDER,
    new_approved_payer,
    pay_data,
    permit2_code,
    put_permit2,
)
from tests.chains.signing import changed, has_worked, new_payer, pay_ins, stored, turned
from tests.conformance.networks import settings

STRANGER = str(Account.from_key(STRANGER_KEY).address)
INVALID_SIGNER = "0x815e1d64"


@pytest.fixture
def permitting(world: LiveWorld) -> Iterator[LiveWorld]:
    """The world, whose dollars on Base take no signatures, but have Permit2."""
    put_permit2(world.anvils[BASE])
    world.step()
    return world


def carry_out(world: LiveWorld, data: bytes, to: str = SPENDER) -> str:
    """Somebody calls our contract, or Permit2, in a block of its own."""
    return world.anvils[BASE].carry_out(to, "0x" + data.hex())


def why(world: LiveWorld, data: bytes) -> str:
    """The selector of the error with which a call of our contract reverts."""
    call = {"to": SPENDER, "from": STRANGER, "data": "0x" + data.hex()}
    return str(world.anvils[BASE].asked("eth_call", call, "latest")["error"]["data"])[:10]


def test_a_payer_who_approved_before_pays_by_a_signature(permitting: LiveWorld) -> None:
    intent, payer = permitting.pay(), new_approved_payer(permitting, "approved")
    permitting.record_openings()
    offer = find_offer(permitting.services, intent)
    assert offer is not None
    assert offer.domain.standard is SignatureStandard.PERMIT2
    payer.pay(intent)
    done = permitting.ends(intent, State.COMPLETED)
    permitting.settled(intent)
    [kept], [pay_in] = stored(permitting, intent), pay_ins(permitting, intent)
    assert (kept.state, kept.tx_id) == (SignatureState.PAID, pay_in.tx_id)
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount
    assert reconcile(permitting.services, permitting.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_who_has_not_approved_is_told_that_it_takes_that(permitting: LiveWorld) -> None:
    intent, payer = permitting.pay(), new_payer(permitting, "not approved")
    assert needs_approval(permitting.services, intent, payer.address)
    assert not is_offered(permitting.services, intent, payer.address)
    with pytest.raises(SignatureRefused) as refused:
        payer.pay(intent)
    assert refused.value.reason == "refused"
    approved = new_approved_payer(permitting, "approved")
    assert is_offered(permitting.services, intent, approved.address)


def test_without_our_contract_nothing_is_offered(world: LiveWorld) -> None:
    put_permit2(world.anvils[BASE])
    world.anvils[BASE].rpc("anvil_setCode", SPENDER, "0x")
    assert find_offer(world.services, world.pay()) is None


def test_nobody_can_send_the_money_anywhere_else(permitting: LiveWorld) -> None:
    intent, payer = permitting.pay(), new_approved_payer(permitting, "robbed")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    elsewhere = pay_data(asked, payer.address, STRANGER, signature)
    assert why(permitting, elsewhere) == INVALID_SIGNER
    more = {"permitted": {**asked["message"]["permitted"], "amount": str(10**8)}}
    dearer = pay_data(changed(asked, **more), payer.address, intent.address, signature)
    assert why(permitting, dearer) == INVALID_SIGNER
    assert not has_worked(permitting, carry_out(permitting, elsewhere))
    assert not has_worked(permitting, carry_out(permitting, elsewhere[4:], PERMIT2))
    assert payer.dollars == 100 * 10**6


@pytest.mark.parametrize(
    "change",
    [
        {"witness": {"to": STRANGER}},
        {"spender": STRANGER},
        {"deadline": "4000000000"},
        {"nonce": "7"},
    ],
    ids=str,
)
def test_a_signature_for_anything_else_is_refused(
    permitting: LiveWorld, change: dict[str, Any]
) -> None:
    intent, payer = permitting.pay(), new_approved_payer(permitting, "altered")
    with pytest.raises(SignatureRefused) as refused:
        payer.hand_in(intent, payer.sign(changed(payer.asked(intent), **change)))
    assert refused.value.reason == "signature"
    with pytest.raises(SignatureRefused):
        payer.hand_in(intent, turned(payer.sign(payer.asked(intent))))
    assert stored(permitting, intent) == []


def test_who_sends_it_first_pays_the_payment_and_it_works_once(permitting: LiveWorld) -> None:
    intent, payer = permitting.pay(), new_approved_payer(permitting, "first")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    payer.hand_in(intent, signature)
    data = pay_data(asked, payer.address, intent.address, signature)
    theirs = carry_out(permitting, data)
    assert has_worked(permitting, theirs)
    done = permitting.ends(intent, State.COMPLETED)
    permitting.settled(intent)
    [kept] = stored(permitting, intent)
    assert (kept.state, kept.tx_id, kept.revert_count) == (SignatureState.PAID, theirs, 0)
    assert not has_worked(permitting, carry_out(permitting, data))
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount


def test_a_nonce_that_its_owner_cancelled_is_told(permitting: LiveWorld) -> None:
    intent, payer, base = permitting.pay(), new_approved_payer(permitting, "c"), BASE
    asked = payer.asked(intent)
    payer.pay(intent)
    nonce = int(asked["message"]["nonce"])
    data = keccak256(b"invalidateUnorderedNonces(uint256,uint256)")[:4]
    data += number_word(nonce >> 8) + number_word(1 << (nonce & 255))
    key = "0x" + bytes(payer.account.key).hex()
    permitting.anvils[base].carry_out(PERMIT2, "0x" + data.hex(), key)
    permitting.step()
    [kept] = stored(permitting, intent)
    assert (kept.state, kept.revert_count) == (SignatureState.CANCELLED, 0)


def test_a_signature_is_worth_nothing_after_the_payment(permitting: LiveWorld) -> None:
    intent, payer = permitting.pay(), new_approved_payer(permitting, "late")
    asked = payer.asked(intent)
    expiry = int(intent.terms.expires_at.timestamp())
    assert int(asked["message"]["deadline"]) == expiry - 1
    payer.pay(intent)
    over = intent.terms.expires_at + timedelta(seconds=1)
    permitting.anvils[BASE].rpc("evm_setNextBlockTimestamp", int(over.timestamp()))
    data = pay_data(asked, payer.address, intent.address, payer.sign(asked))
    assert not has_worked(permitting, carry_out(permitting, data))
    permitting.ends(intent, State.EXPIRED)
    assert stored(permitting, intent)[0].state is SignatureState.LAPSED


def test_our_contract_is_deployed_where_permit2_is_and_not_missed_elsewhere() -> None:
    with running(BASE) as base:
        profile = ChainProfile(rpc=[base.url], key="env:KEY", treasury=TREASURY)
        operator = EvmFamily().open_chain(settings(BASE, profile, KEY=RELAYER_KEY))
        assert operator.plan_deployment("").transactions == ()
        base.rpc("anvil_setCode", PERMIT2, permit2_code())
        [planned] = operator.plan_deployment("").transactions
        assert planned.description.startswith("PermitPayIn at ")
        base.rpc("evm_setAutomine", True)
        assert planned.send(str).succeeded
        assert operator.plan_deployment("").transactions == ()
        assert {check.problem for check in operator.check_contracts()} == {""}
        operator.chain.close()
