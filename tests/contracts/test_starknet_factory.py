"""What leaves a deposit address on Starknet: the exact total once, everything else to the payer."""

import json
from collections.abc import Iterator

import pytest

from crossway.adapters.chains.intent_hash import chain_word
from crossway.adapters.chains.starknet.contracts import REDIRECT_SECONDS
from crossway.adapters.chains.starknet.felts import selector, split_u256, split_word, to_felt
from tests.chains.starknet.network import CATALOGUE, Starknet, address_of, made_up, shared
from tests.contracts.starknet_terms import (
    AT,
    CHAIN_WORD,
    COORDINATOR,
    EXCESS,
    REFUND,
    REFUND_TO,
    START,
    STRANGER,
    TOTAL,
    Deal,
    text,
)
from tests.processes import ROOT

HOUR = 3_600


@pytest.fixture
def network() -> Iterator[Starknet]:
    with shared() as found:
        yield found


@pytest.fixture
def deal(network: Starknet) -> Deal:
    return Deal(network, network.token, int(network.time.timestamp()) + HOUR)


def test_the_contracts_compute_the_hashes_of_every_chain(deal: Deal) -> None:
    view = deal.network.view
    assert tuple(view(AT.factory, "chain_word")) == split_word(CHAIN_WORD)
    assert tuple(view(AT.factory, "intent_hash", *deal.felts)) == split_word(deal.intent_hash)
    assert view(AT.factory, "deposit_address", *split_word(deal.intent_hash)) == [
        to_felt(deal.address)
    ]
    assert view(AT.factory, "deposit_class") == [to_felt(AT.deposit_class)]
    assert view(AT.escrow, "factory") == [to_felt(AT.factory)]


def test_the_contracts_compute_the_vectors_of_every_family(network: Starknet) -> None:
    """The hash of the destination comes from any chain; that of the source is of this one."""
    vectors = json.loads((ROOT / "tests" / "contracts" / "binding.json").read_text())
    seen = 0
    for one in vectors:
        terms, starts = one["terms"], one["terms"]["source_chain"].startswith("STARKNET")
        if not starts:
            continue
        seen += 1
        chain = CATALOGUE.chains[terms["source_chain"]]
        felts = (
            *split_word(chain_word(chain)),
            *split_u256(terms["nonce"]),
            to_felt(terms["token_in"]),
            *split_u256(terms["deposit_amount"]),
            to_felt(one["bridger"]),
            to_felt(terms["refund_address"]),
            to_felt(one["coordinator"]),
            *split_u256(terms["expires_at"]),
            *split_word(bytes.fromhex(one["dest_hash"])),
        )
        found = network.view(AT.factory, "intent_hash", *felts)
        assert tuple(found) == split_word(bytes.fromhex(one["intent_hash"]))
    assert seen


def test_the_exact_total_is_collected_and_excess_is_returned(deal: Deal) -> None:
    deal.deposit(TOTAL + 3)
    assert deal.start() == ""
    assert deal.balance(AT.escrow) == TOTAL
    assert deal.balance(REFUND_TO) == 3
    assert deal.executed(AT.factory)
    # The address is the one that was known before anything lay there.
    assert deal.network.rpc("starknet_getClassHashAt", "latest", hex(to_felt(deal.address))) == hex(
        to_felt(AT.deposit_class)
    )
    assert deal.tokens_moved() == [
        (START, deal.address, AT.escrow, TOTAL),
        (EXCESS, deal.address, REFUND_TO, 3),
    ]


def test_a_deposit_after_the_start_is_refunded_and_starts_nothing(deal: Deal) -> None:
    deal.deposit(TOTAL)
    assert deal.start() == ""
    deal.deposit(TOTAL)
    assert deal.start() == "ALREADY_STARTED"
    assert deal.refund() == ""
    assert deal.balance(REFUND_TO) == deal.balance(AT.escrow) == TOTAL
    assert deal.tokens_moved() == [(REFUND, deal.address, REFUND_TO, TOTAL)]
    assert deal.refund() == "NOTHING_TO_TRANSFER"


def test_invalid_terms_are_not_started(deal: Deal) -> None:
    deal.deposit(TOTAL - 1)
    assert deal.start() == "INSUFFICIENT_DEPOSIT"
    deal.deposit(1)
    assert deal.but(chain=bytes(31) + b"\x0a").start() == "WRONG_CHAIN"
    assert deal.but(bridger=STRANGER).start() == "INSUFFICIENT_DEPOSIT"
    assert deal.but(total=0).start() == "INVALID_TERMS"
    assert deal.but(token="0x" + "0" * 64).start() == "INVALID_TERMS"
    assert deal.but(token=made_up("no contract")).start() != ""
    assert deal.balance(deal.address) == TOTAL
    assert not deal.executed(AT.factory)


def test_before_expiry_it_can_be_started_and_then_refunded(deal: Deal) -> None:
    deal.deposit(TOTAL)
    other = deal.but(nonce=8)
    other.deposit(5)
    assert deal.refund() == "TOO_EARLY"
    deal.network.elapse(HOUR + 5)
    deal.network.mine()
    assert deal.start() == "EXPIRED"
    assert deal.refund() == other.refund() == ""
    assert deal.balance(REFUND_TO) == TOTAL + 5


def test_other_tokens_are_refunded_at_any_time(deal: Deal) -> None:
    euros = address_of("ETH")
    deal.deposit(9, euros)
    assert deal.refund(euros) == ""
    assert deal.balance(REFUND_TO, euros) == 9
    deal.deposit(TOTAL)
    assert deal.start() == ""


def test_a_camel_case_token_is_collected_and_refunded(deal: Deal) -> None:
    old = deal.but(token=address_of("USDT"))
    old.deposit(TOTAL + 1)
    assert old.start() == ""
    assert old.balance(AT.escrow) == TOTAL
    assert old.balance(REFUND_TO) == 1
    old.deposit(4)
    assert old.refund() == ""
    assert old.balance(REFUND_TO) == 5


def test_a_token_that_takes_a_fee_or_returns_false_is_not_collected(deal: Deal) -> None:
    deal.deposit(TOTAL)
    deal.call(deal.token, "behave", 1, 0)
    assert deal.start() == "RECEIVED_LESS"
    deal.call(deal.token, "behave", 0, 1)
    assert deal.start() == "TRANSFER_FAILED"
    deal.call(deal.token, "behave", 1, 0)
    deal.network.elapse(HOUR + 5)
    deal.network.mine()
    assert deal.refund() == ""
    assert deal.balance(REFUND_TO) == TOTAL - TOTAL // 100


def test_a_refund_address_on_a_deny_list_does_not_block_the_start(deal: Deal) -> None:
    deal.deposit(TOTAL + 5)
    deal.call(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.start() == ""
    assert deal.balance(AT.escrow) == TOTAL
    assert deal.balance(deal.address) == 5
    assert [one[0] for one in deal.tokens_moved()] == [START]
    assert deal.refund() == "TRANSFER_FAILED"
    deal.call(deal.token, "block", to_felt(REFUND_TO), 0)
    assert deal.refund() == ""
    assert deal.balance(REFUND_TO) == 5


def test_only_the_coordinator_redirects_refused_refunds_days_after_expiry(deal: Deal) -> None:
    deal.deposit(6)
    deal.network.elapse(HOUR + REDIRECT_SECONDS - 600)
    deal.network.mine()
    assert deal.redirect(STRANGER) == "TOO_EARLY"
    deal.network.elapse(1_200)
    deal.network.mine()
    assert deal.redirect(STRANGER, by=STRANGER) == "NOT_AUTHORIZED"
    deal.call(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.redirect(STRANGER) == ""
    assert deal.balance(STRANGER) == 6
    assert deal.tokens_moved() == [(REFUND, deal.address, STRANGER, 6)]
    # Who accepts after all is paid himself.
    deal.call(deal.token, "block", to_felt(REFUND_TO), 0)
    deal.deposit(2)
    assert deal.redirect(STRANGER) == ""
    assert deal.balance(REFUND_TO) == 2


def test_only_the_coordinator_and_its_agents_refund_on_another_network(deal: Deal) -> None:
    foreign = deal.but(chain=bytes(31) + b"\x0a")
    foreign.deposit(7)
    assert foreign.refund() == "NOT_AUTHORIZED"
    deal.call(AT.factory, "set_agent", to_felt(STRANGER), 1, by=COORDINATOR)
    assert foreign.refund() == ""
    assert foreign.balance(REFUND_TO) == 7
    deal.call(AT.factory, "set_agent", to_felt(STRANGER), 0, by=COORDINATOR)
    foreign.deposit(7)
    assert foreign.refund() == "NOT_AUTHORIZED"
    assert foreign.refund(by=COORDINATOR) == ""


def test_a_token_cannot_reenter(deal: Deal) -> None:
    deal.deposit(TOTAL + 5)
    again = (to_felt(AT.factory), selector("start"), len(deal.felts), *deal.felts)
    deal.call(deal.token, "call_on_transfer", *again)
    assert deal.start() == ""
    assert text(deal.network.view(deal.token, "refused_with")) == "REENTRANT_CALL"
    assert deal.balance(AT.escrow) == TOTAL


def test_only_the_factory_controls_a_deposit_address(deal: Deal) -> None:
    deal.deposit(TOTAL + 1)
    deal.call(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.start() == ""
    asked = (to_felt(deal.token), to_felt(STRANGER), *split_u256(1))
    assert deal.call(deal.address, "pay", *asked) == "NOT_AUTHORIZED"
    assert deal.balance(deal.address) == 1
