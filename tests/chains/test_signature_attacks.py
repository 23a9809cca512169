"""Attacks on payments by a signature, each on a real chain: nobody else is paid, nothing twice."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from eth_account import Account

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxState
from crossway.domain.payer_signatures import SignatureState
from crossway.ports.store import UnitOfWork
from crossway.usecases.payers.signature_offers import find_offer
from crossway.usecases.payers.signed_payments import SignatureRefused
from tests.chains.anvil import RELAYER, STRANGER_KEY
from tests.chains.live import BASE, LiveWorld
from tests.chains.signing import (
    cancel_data,
    changed,
    has_worked,
    new_payer,
    pay_ins,
    send_as_stranger,
    stored,
    transfer_data,
    turned,
)

STRANGER = str(Account.from_key(STRANGER_KEY).address)


@pytest.fixture
def signed(world: LiveWorld) -> Iterator[LiveWorld]:
    """The world, whose dollars on Base move by a signature, with an engine that has begun."""
    world.anvils[BASE].sign_dollars()
    world.step()
    return world


def test_the_same_signature_again_is_the_one_that_is_stored(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "replay")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    first = payer.hand_in(intent, signature)
    assert payer.hand_in(intent, signature).id == first.id
    done = signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    assert len(pay_ins(signed, intent)) == len(stored(signed, intent)) == 1
    replay = send_as_stranger(signed, transfer_data(asked, signature))
    signed.step()
    assert not has_worked(signed, replay)
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount


def test_who_sends_a_signature_first_pays_the_payment_and_we_send_nothing(
    signed: LiveWorld,
) -> None:
    intent, payer = signed.pay(), new_payer(signed, "first")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    payer.hand_in(intent, signature)
    theirs = send_as_stranger(signed, transfer_data(asked, signature))
    signed.anvils[BASE].mine()
    signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    [kept], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert (kept.state, kept.tx_id, kept.revert_count) == (SignatureState.PAID, theirs, 0)
    assert pay_in.state in (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
    assert pay_in.tx_id == theirs
    with signed.services.store.read() as unit:
        assert unit.outbound_txs.list_attempts([pay_in.id]) == []


def test_what_a_stranger_sent_counts_when_it_is_deep_and_ours_follows_a_reorg(
    signed: LiveWorld,
) -> None:
    intent, payer, base = signed.pay(), new_payer(signed, "theirs"), signed.anvils[BASE]
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    payer.hand_in(intent, signature)
    theirs = send_as_stranger(signed, transfer_data(asked, signature))
    base.mine()
    signed.engine.tick()
    [kept], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert (kept.state, pay_in.state) == (SignatureState.STORED, OutboundTxState.DUE)
    base.reorganise(1)
    done = signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    [kept], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert (kept.state, kept.tx_id) == (SignatureState.PAID, pay_in.tx_id)
    assert pay_in.tx_id not in (None, theirs)
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount


def test_who_overtakes_ours_in_a_block_pays_the_payment(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "overtaken")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    payer.hand_in(intent, signature)
    signed.engine.tick()
    [pay_in] = pay_ins(signed, intent)
    assert pay_in.state is OutboundTxState.SIGNED
    theirs = send_as_stranger(signed, transfer_data(asked, signature))
    done = signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    [kept] = stored(signed, intent)
    assert has_worked(signed, theirs)
    assert (kept.state, kept.tx_id, kept.revert_count) == (SignatureState.PAID, theirs, 1)
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount
    # It was not the payer's doing: the next payment may be signed for.
    payer.pay(signed.pay("next"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"to": STRANGER}, "signature"),
        ({"value": "1"}, "signature"),
        ({"validBefore": "4000000000"}, "signature"),
        ({"validAfter": "4000000000"}, "signature"),
        ({"nonce": "0x" + "11" * 32}, "signature"),
        ({"from": STRANGER}, "signature"),
    ],
)
def test_a_signature_for_anything_else_is_refused_and_moves_nothing(
    signed: LiveWorld, change: dict[str, str], reason: str
) -> None:
    intent, payer = signed.pay(), new_payer(signed, "altered")
    asked = payer.asked(intent)
    other = payer.sign(changed(asked, **change))
    with pytest.raises(SignatureRefused) as refused:
        payer.hand_in(intent, other)
    assert refused.value.reason == reason
    # What was signed as asked is worth nothing with other words.
    forged = transfer_data(changed(asked, **change), payer.sign(asked))
    name = send_as_stranger(signed, forged)
    signed.step()
    assert not has_worked(signed, name)
    assert (stored(signed, intent), payer.dollars) == ([], 100 * 10**6)


def test_another_form_of_a_signature_is_refused_as_the_token_refuses_it(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "high s")
    asked = payer.asked(intent)
    signature = payer.sign(asked)
    for wrong in (turned(signature), signature[:-2], signature[:-2] + "1d", "0x", "no hex", ""):
        with pytest.raises(SignatureRefused) as refused:
            payer.hand_in(intent, wrong)
        assert refused.value.reason == "signature"
    name = send_as_stranger(signed, transfer_data(asked, turned(signature)))
    signed.step()
    assert not has_worked(signed, name)
    assert stored(signed, intent) == []


def test_a_signature_for_one_payment_pays_no_other(signed: LiveWorld) -> None:
    one, other, payer = signed.pay("one"), signed.pay("other"), new_payer(signed, "two")
    with pytest.raises(SignatureRefused, match="not the payer's, or for something else"):
        payer.hand_in(other, payer.sign(payer.asked(one)))


def test_a_signature_is_worth_nothing_after_the_payment(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "late")
    asked = payer.asked(intent)
    assert int(asked["message"]["validBefore"]) == int(intent.terms.expires_at.timestamp())
    signature, base = payer.sign(asked), signed.anvils[BASE]
    payer.hand_in(intent, signature)
    over = intent.terms.expires_at + timedelta(seconds=1)
    base.rpc("evm_setNextBlockTimestamp", int(over.timestamp()))
    name = send_as_stranger(signed, transfer_data(asked, signature))
    base.mine()
    assert not has_worked(signed, name)
    signed.ends(intent, State.EXPIRED)
    [kept], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert kept.state is SignatureState.LAPSED
    assert (pay_in.state, pay_in.tx_id) == (OutboundTxState.CANCELLED, None)


def test_a_cancelled_signature_is_told_and_another_one_pays(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "cancels")
    asked = payer.asked(intent)
    payer.pay(intent)
    send_as_stranger(signed, cancel_data(payer.account, asked))
    signed.anvils[BASE].mine()
    signed.step()
    [kept] = stored(signed, intent)
    assert (kept.state, kept.revert_count) == (SignatureState.CANCELLED, 0)
    assert "worthless" in kept.reason
    payer.pay(signed.now(intent))
    signed.ends(intent, State.COMPLETED)
    assert [one.state for one in stored(signed, intent)][1:] == [SignatureState.PAID]


def test_a_cancelled_signature_is_not_taken(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "cancelled")
    asked = payer.asked(intent)
    send_as_stranger(signed, cancel_data(payer.account, asked))
    signed.anvils[BASE].mine()
    with pytest.raises(SignatureRefused) as refused:
        payer.pay(intent)
    assert refused.value.reason == "used"


def test_a_nonce_that_was_used_elsewhere_pays_nothing_here(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "elsewhere")
    asked = payer.asked(intent)
    payer.pay(intent)
    elsewhere = changed(asked, to=STRANGER)
    send_as_stranger(signed, transfer_data(elsewhere, payer.sign(elsewhere)))
    signed.anvils[BASE].mine()
    signed.step()
    [kept] = stored(signed, intent)
    assert kept.state is SignatureState.USED_ELSEWHERE
    assert signed.now(intent).state is State.PENDING


def test_an_account_that_made_us_burn_gas_is_taken_no_signature_from(signed: LiveWorld) -> None:
    """It moves its dollars away between our sending and the block."""
    intent, payer, base = signed.pay(), new_payer(signed, "burns"), signed.anvils[BASE]
    base.rpc("anvil_setBalance", payer.address, hex(10**18))
    payer.pay(intent)
    signed.engine.tick()
    words = address_word("evm", STRANGER), number_word(payer.dollars)
    data = keccak256(b"transfer(address,uint256)")[:4] + b"".join(words)
    key = "0x" + bytes(payer.account.key).hex()
    base.rpc("eth_sendRawTransaction", base.signed(base.token, data, 0, key, 200_000, 10**11))
    signed.until(lambda: stored(signed, intent)[0].state is SignatureState.REFUSED)
    [kept], [pay_in] = stored(signed, intent), pay_ins(signed, intent)
    assert (kept.revert_count, pay_in.state) == (1, OutboundTxState.CANCELLED)
    for again in (signed.now(intent), signed.pay("another")):
        with pytest.raises(SignatureRefused) as refused:
            payer.asked(again)
        assert refused.value.reason == "limit"
    other = new_payer(signed, "honest")
    other.pay(signed.pay("honest"))


def test_where_too_many_failed_nobodys_is_taken_and_the_operator_is_told(
    signed: LiveWorld,
) -> None:
    intent, payer, base = signed.pay(), new_payer(signed, "last"), signed.anvils[BASE]
    proven, before = new_payer(signed, "proven"), signed.pay("before")
    proven.pay(before)
    signed.ends(before, State.COMPLETED)
    signed.settled(before)
    template = payer.asked(intent)
    kept = payer.pay(intent)
    earlier = signed.pay("earlier")
    with_nonce = [f"0x{n:064x}" for n in range(19)]

    def fail(unit: UnitOfWork) -> None:
        for nonce in with_nonce:
            authorization = replace(kept.authorization, nonce=nonce, payer=STRANGER)
            one = replace(kept, intent_id=earlier.id, authorization=authorization)
            unit.payer_signatures.add(one)
            unit.payer_signatures.count_revert(earlier.id, nonce, signed.services.clock.now())

    signed.services.store.write(fail)
    signed.engine.tick()
    asked = {**template, "message": {"nonce": kept.authorization.nonce}}
    data = cancel_data(payer.account, asked)
    send_as_stranger(signed, data)
    base.mine()
    signed.step(2)
    assert any("signatures failed within a day on Base" in words for words in signed.words())
    with pytest.raises(SignatureRefused) as refused:
        new_payer(signed, "honest").asked(signed.pay("honest"))
    assert refused.value.reason == "limit"
    again = signed.pay("again")
    proven.pay(again)
    assert signed.ends(again, State.COMPLETED).state is State.COMPLETED


def test_an_empty_account_costs_nothing(signed: LiveWorld) -> None:
    intent, payer = signed.pay(), new_payer(signed, "poor", dollars=1)
    coins = signed.anvils[BASE].coins(RELAYER)
    with pytest.raises(SignatureRefused) as refused:
        payer.pay(intent)
    assert refused.value.reason == "balance"
    signed.step(3)
    assert signed.anvils[BASE].coins(RELAYER) == coins


def test_a_payment_has_one_signature_at_a_time(signed: LiveWorld) -> None:
    intent = signed.pay()
    new_payer(signed, "one").pay(intent)
    with pytest.raises(SignatureRefused) as refused:
        new_payer(signed, "two").asked(intent)
    assert refused.value.reason == "limit"


def test_what_a_reorg_removed_is_sent_again(signed: LiveWorld) -> None:
    intent, payer, base = signed.pay(), new_payer(signed, "reorg"), signed.anvils[BASE]
    payer.pay(intent)
    signed.until(lambda: stored(signed, intent)[0].state is SignatureState.PAID)
    base.reorganise(3)
    done = signed.ends(intent, State.COMPLETED)
    signed.settled(intent)
    [kept] = stored(signed, intent)
    assert kept.state is SignatureState.PAID
    assert payer.dollars == 100 * 10**6 - done.terms.deposit_amount


def test_a_token_that_signs_under_another_domain_is_not_offered(world: LiveWorld) -> None:
    intent = world.pay()
    assert find_offer(world.services, intent) is None
    other = world.ask("domain", BASE, BASE)
    world.anvils[BASE].sign_dollars("OtherDomain")
    assert find_offer(world.services, other) is None
