"""Payers' signatures as stored: one for each nonce of an account, and what became of each."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from crossway.domain.errors import Conflict
from crossway.domain.payer_signatures import (
    Authorization,
    PayerSignature,
    SignatureEvent,
    SignatureOutcome,
    SignatureStandard,
    SignatureState,
)
from crossway.storage.store import SqlStore

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
NONCE = "0x" + "5f" * 32
PAY = SignatureOutcome(SignatureEvent.PAY, tx_id="0xpaid")


def new(intent_id: int = 7, **of_it: Any) -> PayerSignature:
    facts = {
        "standard": SignatureStandard.EIP3009, "chain": "BASE_MAINNET", "token": "0xtoken",
        "payer": "0xpayer", "to": "0xdeposit", "amount": 2**200, "valid_after": 0,
        "valid_before": 1_795_841_047, "nonce": NONCE,
    }  # fmt: skip
    authorization = Authorization(**(facts | of_it))
    state = SignatureState.STORED
    return PayerSignature(0, intent_id, authorization, b"r" * 65, state, "", None, 0, NOW, NOW)


def test_what_is_stored_is_read_again(store: SqlStore) -> None:
    stored = store.write(lambda unit: unit.payer_signatures.add(new()))
    with store.read() as unit:
        assert unit.payer_signatures.list_of_intent(7) == [stored]
        assert unit.payer_signatures.get_many({7, 8}) == {(7, NONCE): stored}
        found = unit.payer_signatures.find_account_nonce
        assert found("BASE_MAINNET", "0xtoken", "0xpayer", NONCE) == stored
        assert found("BASE_MAINNET", "0xtoken", "0xother", NONCE) is None


def test_a_nonce_of_an_account_is_stored_once(store: SqlStore) -> None:
    store.write(lambda unit: unit.payer_signatures.add(new()))
    with pytest.raises(Conflict):
        store.write(lambda unit: unit.payer_signatures.add(new(8)))
    for other in (new(8, payer="0xother"), new(9, token="0xother"), new(10, chain="X")):
        store.write(lambda unit, other=other: unit.payer_signatures.add(other))


def test_what_ended_stays_as_it_ended_unless_a_reorg_removes_it(store: SqlStore) -> None:
    store.write(lambda unit: unit.payer_signatures.add(new()))

    def apply(outcome: SignatureOutcome) -> PayerSignature:
        store.write(lambda unit: unit.payer_signatures.apply(7, NONCE, outcome, NOW))
        with store.read() as unit:
            return unit.payer_signatures.list_of_intent(7)[0]

    reversal = SignatureOutcome(SignatureEvent.REVERSE)
    assert apply(reversal).state is SignatureState.STORED
    assert apply(PAY).tx_id == "0xpaid"
    assert apply(SignatureOutcome(SignatureEvent.CANCEL, "late")).state is SignatureState.PAID
    assert apply(reversal).state is SignatureState.STORED
    assert apply(SignatureOutcome(SignatureEvent.REFUSE, "no")).reason == "no"
    assert apply(PAY).state is SignatureState.REFUSED


def test_failed_transactions_are_counted_by_chain_and_by_account(store: SqlStore) -> None:
    for intent_id, payer in ((7, "0xpayer"), (8, "0xhonest")):
        one = new(intent_id, payer=payer)
        store.write(lambda unit, one=one: unit.payer_signatures.add(one))
        store.write(lambda unit, id=intent_id: unit.payer_signatures.count_revert(id, NONCE, NOW))
    # Somebody else carried this one out, before ours.
    store.write(lambda unit: unit.payer_signatures.apply(8, NONCE, PAY, NOW))
    with store.read() as unit:
        count, since = unit.payer_signatures.count_reverts, NOW - timedelta(days=1)
        assert (count("BASE_MAINNET", since), count("X", since)) == (1, 0)
        assert count("BASE_MAINNET", since, "0xpayer") == 1
        assert count("BASE_MAINNET", since, "0xhonest") == 0
        assert count("BASE_MAINNET", NOW + timedelta(seconds=1)) == 0


def test_offers_are_known_by_their_payment(store: SqlStore) -> None:
    store.write(lambda unit: unit.payer_signatures.mark_offers([7, 9], NOW))
    with store.read() as unit:
        assert [unit.payer_signatures.is_offer(one) for one in (7, 8, 9)] == [True, False, True]
