"""What the escrow and the filler of Starknet pay, once an intent, and to whom alone."""

from collections.abc import Iterator

import pytest

from crossway.adapters.chains.starknet.felts import selector, split_u256, to_felt
from tests.chains.starknet.network import address_of, shared
from tests.contracts.starknet_terms import (
    AT,
    COORDINATOR,
    FILL,
    OUT,
    RECIPIENT,
    RELAYER,
    SETTLE,
    STRANGER,
    TOTAL,
    TREASURY,
    Deal,
)

STOCK = 10 * TOTAL


@pytest.fixture
def deal() -> Iterator[Deal]:
    with shared() as network:
        made = Deal(network, network.token, int(network.time.timestamp()) + 3_600)
        for token in (made.token, address_of("USDT")):
            network.give(RELAYER, STOCK, token)
            network.call(token, "approve", to_felt(AT.filler), *split_u256(STOCK), by=RELAYER)
        network.mine()
        yield made


def started(deal: Deal) -> Deal:
    deal.deposit(deal.total)
    assert deal.start() == ""
    return deal


def retained(deal: Deal, coordinator: str) -> int:
    low, high = deal.network.view(AT.escrow, "retained", to_felt(coordinator), to_felt(deal.token))
    return high << 128 | low


def test_a_started_total_is_settled_once_and_the_rest_is_retained(deal: Deal) -> None:
    assert deal.settle((RELAYER, 1)) == "NOT_STARTED"
    started(deal)
    before = deal.balance(RELAYER)
    assert deal.settle((RELAYER, OUT), (TREASURY, 60_000)) == ""
    assert deal.tokens_moved() == [
        (SETTLE, AT.escrow, RELAYER, OUT),
        (SETTLE, AT.escrow, TREASURY, 60_000),
    ]
    assert (deal.balance(RELAYER) - before, deal.balance(TREASURY)) == (OUT, 60_000)
    assert deal.executed(AT.escrow)
    assert retained(deal, COORDINATOR) == TOTAL - OUT - 60_000
    assert deal.settle((RELAYER, 1)) == "ALREADY_SETTLED"


def test_only_the_coordinator_withdraws_retained_amounts(deal: Deal) -> None:
    started(deal)
    assert deal.settle((RELAYER, TOTAL - 100)) == ""
    asked = (to_felt(deal.token), to_felt(TREASURY))
    assert deal.call(AT.escrow, "withdraw", *asked, *split_u256(1)) == "EXCEEDS_AVAILABLE"
    by = {"by": COORDINATOR}
    assert deal.call(AT.escrow, "withdraw", *asked, *split_u256(101), **by) == "EXCEEDS_AVAILABLE"
    assert deal.call(AT.escrow, "withdraw", *asked, *split_u256(0), **by) == "NOTHING_TO_TRANSFER"
    assert deal.call(AT.escrow, "withdraw", *asked, *split_u256(100), **by) == ""
    assert deal.balance(TREASURY) == 100
    assert deal.balance(AT.escrow) == retained(deal, COORDINATOR) == 0


def test_only_the_coordinator_settles_and_never_more_than_the_total(deal: Deal) -> None:
    started(deal.but(nonce=8))
    started(deal)
    assert deal.settle((STRANGER, 1), by=STRANGER) == "NOT_AUTHORIZED"
    # Whoever names himself names another intent, which nobody started.
    assert deal.but(coordinator=STRANGER).settle((STRANGER, 1), by=STRANGER) == "NOT_STARTED"
    assert deal.but(bridger=STRANGER).settle((STRANGER, 1)) == "INVALID_TERMS"
    assert deal.but(chain=bytes(32)).settle((STRANGER, 1)) == "WRONG_CHAIN"
    assert deal.settle((STRANGER, TOTAL + 1)) == "EXCEEDS_AVAILABLE"
    assert deal.settle((STRANGER, TOTAL), (STRANGER, 1)) == "EXCEEDS_AVAILABLE"
    assert deal.settle((STRANGER, 0)) == "NOTHING_TO_TRANSFER"
    assert deal.balance(AT.escrow) == 2 * TOTAL
    deal.call(AT.factory, "set_agent", to_felt(RELAYER), 1, by=COORDINATOR)
    assert deal.settle((RELAYER, TOTAL - 7), by=RELAYER) == ""
    assert (retained(deal, COORDINATOR), retained(deal, RELAYER)) == (7, 0)


def test_a_refused_payout_leaves_the_total_where_it_was(deal: Deal) -> None:
    started(deal)
    deal.call(deal.token, "block", to_felt(TREASURY), 1)
    assert deal.settle((RELAYER, OUT), (TREASURY, 5)) == "TRANSFER_FAILED"
    assert deal.balance(AT.escrow) == TOTAL
    assert not deal.executed(AT.escrow)


def test_a_recipient_is_paid_once(deal: Deal) -> None:
    assert deal.fill() == ""
    assert deal.balance(RECIPIENT) == OUT
    assert deal.tokens_moved() == [(FILL, RELAYER, RECIPIENT, OUT)]
    assert deal.fill() == "ALREADY_FILLED"
    assert deal.balance(RECIPIENT) == OUT
    assert deal.executed(AT.filler)


def test_a_fill_with_a_smaller_amount_marks_another_intent(deal: Deal) -> None:
    assert deal.fill(1) == ""
    assert not deal.executed(AT.filler)
    assert deal.fill(0) == "INVALID_TERMS"
    assert deal.fill() == ""
    assert deal.executed(AT.filler)


def test_a_fill_that_does_not_arrive_in_full_is_refused(deal: Deal) -> None:
    assert deal.fill(by=STRANGER) == "TRANSFER_FAILED"
    deal.call(deal.token, "behave", 0, 1)
    assert deal.fill() == "TRANSFER_FAILED"
    deal.call(deal.token, "behave", 1, 0)
    assert deal.fill() == "RECEIVED_LESS"
    assert not deal.executed(AT.filler)
    assert deal.balance(RECIPIENT) == 0


def test_a_camel_case_token_is_filled_and_settled(deal: Deal) -> None:
    old = started(deal.but(token=address_of("USDT")))
    assert old.fill() == ""
    assert old.balance(RECIPIENT) == OUT
    assert old.settle((RELAYER, TOTAL)) == ""
    assert old.balance(AT.escrow) == 0


def test_a_token_cannot_fill_twice_by_reentering(deal: Deal) -> None:
    again = (
        *split_u256(int.from_bytes(deal.source_hash, "big")),
        to_felt(deal.token),
        to_felt(RECIPIENT),
    )
    data = (*again, *split_u256(OUT))
    hook = (to_felt(AT.filler), selector("fill"), len(data), *data)
    deal.call(deal.token, "call_on_transfer", *hook)
    assert deal.fill() == ""
    assert deal.balance(RECIPIENT) == OUT
