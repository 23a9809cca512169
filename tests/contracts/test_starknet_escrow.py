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


def kept(deal: Deal, coordinator: str) -> int:
    low, high = deal.network.view(AT.escrow, "kept", to_felt(coordinator), to_felt(deal.token))
    return high << 128 | low


def test_a_started_total_is_paid_out_once_and_the_rest_is_kept(deal: Deal) -> None:
    assert deal.settle((RELAYER, 1)) == "NOT_STARTED"
    started(deal)
    before = deal.held(RELAYER)
    assert deal.settle((RELAYER, OUT), (TREASURY, 60_000)) == ""
    assert deal.moved() == [
        (SETTLE, AT.escrow, RELAYER, OUT),
        (SETTLE, AT.escrow, TREASURY, 60_000),
    ]
    assert (deal.held(RELAYER) - before, deal.held(TREASURY)) == (OUT, 60_000)
    assert deal.used(AT.escrow)
    assert kept(deal, COORDINATOR) == TOTAL - OUT - 60_000
    assert deal.settle((RELAYER, 1)) == "ALREADY_SETTLED"


def test_what_is_kept_is_its_coordinators_alone(deal: Deal) -> None:
    started(deal)
    assert deal.settle((RELAYER, TOTAL - 100)) == ""
    asked = (to_felt(deal.token), to_felt(TREASURY))
    assert deal.tried(AT.escrow, "withdraw", *asked, *split_u256(1)) == "TOO_MUCH"
    by = {"by": COORDINATOR}
    assert deal.tried(AT.escrow, "withdraw", *asked, *split_u256(101), **by) == "TOO_MUCH"
    assert deal.tried(AT.escrow, "withdraw", *asked, *split_u256(0), **by) == "NOTHING_LEFT"
    assert deal.tried(AT.escrow, "withdraw", *asked, *split_u256(100), **by) == ""
    assert deal.held(TREASURY) == 100
    assert deal.held(AT.escrow) == kept(deal, COORDINATOR) == 0


def test_only_whom_the_terms_name_settles_and_never_more_than_the_total(deal: Deal) -> None:
    started(deal.but(nonce=8))
    started(deal)
    assert deal.settle((STRANGER, 1), by=STRANGER) == "NOT_ALLOWED"
    # Whoever names himself names another intent, which nobody started.
    assert deal.but(coordinator=STRANGER).settle((STRANGER, 1), by=STRANGER) == "NOT_STARTED"
    assert deal.but(bridger=STRANGER).settle((STRANGER, 1)) == "BAD_TERMS"
    assert deal.but(chain=bytes(32)).settle((STRANGER, 1)) == "WRONG_CHAIN"
    assert deal.settle((STRANGER, TOTAL + 1)) == "TOO_MUCH"
    assert deal.settle((STRANGER, TOTAL), (STRANGER, 1)) == "TOO_MUCH"
    assert deal.settle((STRANGER, 0)) == "NOTHING_LEFT"
    assert deal.held(AT.escrow) == 2 * TOTAL
    deal.tried(AT.factory, "set_agent", to_felt(RELAYER), 1, by=COORDINATOR)
    assert deal.settle((RELAYER, TOTAL - 7), by=RELAYER) == ""
    assert (kept(deal, COORDINATOR), kept(deal, RELAYER)) == (7, 0)


def test_a_refused_payout_leaves_the_total_where_it_was(deal: Deal) -> None:
    started(deal)
    deal.tried(deal.token, "block", to_felt(TREASURY), 1)
    assert deal.settle((RELAYER, OUT), (TREASURY, 5)) == "REFUSED"
    assert deal.held(AT.escrow) == TOTAL
    assert not deal.used(AT.escrow)


def test_a_recipient_is_paid_once(deal: Deal) -> None:
    assert deal.fill() == ""
    assert deal.held(RECIPIENT) == OUT
    assert deal.moved() == [(FILL, RELAYER, RECIPIENT, OUT)]
    assert deal.fill() == "ALREADY_FILLED"
    assert deal.held(RECIPIENT) == OUT
    assert deal.used(AT.filler)


def test_paying_less_marks_another_intent(deal: Deal) -> None:
    assert deal.fill(1) == ""
    assert not deal.used(AT.filler)
    assert deal.fill(0) == "BAD_TERMS"
    assert deal.fill() == ""
    assert deal.used(AT.filler)


def test_what_the_token_does_not_pay_in_full_is_not_filled(deal: Deal) -> None:
    assert deal.fill(by=STRANGER) == "REFUSED"
    deal.tried(deal.token, "behave", 0, 1)
    assert deal.fill() == "REFUSED"
    deal.tried(deal.token, "behave", 1, 0)
    assert deal.fill() == "RECEIVED_LESS"
    assert not deal.used(AT.filler)
    assert deal.held(RECIPIENT) == 0


def test_an_old_token_is_filled_and_settled(deal: Deal) -> None:
    old = started(deal.but(token=address_of("USDT")))
    assert old.fill() == ""
    assert old.held(RECIPIENT) == OUT
    assert old.settle((RELAYER, TOTAL)) == ""
    assert old.held(AT.escrow) == 0


def test_a_token_cannot_fill_twice_by_calling_back(deal: Deal) -> None:
    again = (
        *split_u256(int.from_bytes(deal.source_hash, "big")),
        to_felt(deal.token),
        to_felt(RECIPIENT),
    )
    data = (*again, *split_u256(OUT))
    hook = (to_felt(AT.filler), selector("fill"), len(data), *data)
    deal.tried(deal.token, "call_on_transfer", *hook)
    assert deal.fill() == ""
    assert deal.held(RECIPIENT) == OUT
