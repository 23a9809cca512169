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


def test_the_contracts_compute_the_names_that_every_chain_computes(deal: Deal) -> None:
    view = deal.network.view
    assert tuple(view(AT.factory, "chain_word")) == split_word(CHAIN_WORD)
    assert tuple(view(AT.factory, "key_of", *deal.felts)) == split_word(deal.key)
    assert view(AT.factory, "address_of", *split_word(deal.key)) == [to_felt(deal.address)]
    assert view(AT.factory, "deposit_class") == [to_felt(AT.deposit_class)]
    assert view(AT.escrow, "intents") == [to_felt(AT.factory)]


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
        found = network.view(AT.factory, "key_of", *felts)
        assert tuple(found) == split_word(bytes.fromhex(one["intent_hash"]))
    assert seen


def test_the_exact_total_is_collected_and_what_is_over_goes_back(deal: Deal) -> None:
    deal.deposit(TOTAL + 3)
    assert deal.start() == ""
    assert deal.held(AT.escrow) == TOTAL
    assert deal.held(REFUND_TO) == 3
    assert deal.used(AT.factory)
    # The address is the one that was known before anything lay there.
    assert deal.network.rpc("starknet_getClassHashAt", "latest", hex(to_felt(deal.address))) == hex(
        to_felt(AT.deposit_class)
    )
    assert deal.moved() == [
        (START, deal.address, AT.escrow, TOTAL),
        (EXCESS, deal.address, REFUND_TO, 3),
    ]


def test_what_comes_after_the_start_goes_back_and_starts_nothing(deal: Deal) -> None:
    deal.deposit(TOTAL)
    assert deal.start() == ""
    deal.deposit(TOTAL)
    assert deal.start() == "ALREADY_STARTED"
    assert deal.refund() == ""
    assert deal.held(REFUND_TO) == deal.held(AT.escrow) == TOTAL
    assert deal.moved() == [(REFUND, deal.address, REFUND_TO, TOTAL)]
    assert deal.refund() == "NOTHING_LEFT"


def test_terms_that_do_not_hold_start_nothing(deal: Deal) -> None:
    deal.deposit(TOTAL - 1)
    assert deal.start() == "SHORT"
    deal.deposit(1)
    assert deal.but(chain=bytes(31) + b"\x0a").start() == "WRONG_CHAIN"
    assert deal.but(bridger=STRANGER).start() == "SHORT"
    assert deal.but(total=0).start() == "BAD_TERMS"
    assert deal.but(token="0x" + "0" * 64).start() == "BAD_TERMS"
    assert deal.but(token=made_up("no contract")).start() != ""
    assert deal.held(deal.address) == TOTAL
    assert not deal.used(AT.factory)


def test_before_expiry_it_starts_and_from_then_on_it_goes_back(deal: Deal) -> None:
    deal.deposit(TOTAL)
    other = deal.but(nonce=8)
    other.deposit(5)
    assert deal.refund() == "TOO_EARLY"
    deal.network.elapse(HOUR + 5)
    deal.network.mine()
    assert deal.start() == "EXPIRED"
    assert deal.refund() == other.refund() == ""
    assert deal.held(REFUND_TO) == TOTAL + 5


def test_a_foreign_token_goes_back_at_any_time(deal: Deal) -> None:
    euros = address_of("ETH")
    deal.deposit(9, euros)
    assert deal.refund(euros) == ""
    assert deal.held(REFUND_TO, euros) == 9
    deal.deposit(TOTAL)
    assert deal.start() == ""


def test_an_old_token_is_collected_and_goes_back(deal: Deal) -> None:
    old = deal.but(token=address_of("USDT"))
    old.deposit(TOTAL + 1)
    assert old.start() == ""
    assert old.held(AT.escrow) == TOTAL
    assert old.held(REFUND_TO) == 1
    old.deposit(4)
    assert old.refund() == ""
    assert old.held(REFUND_TO) == 5


def test_a_token_that_keeps_a_part_or_lies_is_not_collected(deal: Deal) -> None:
    deal.deposit(TOTAL)
    deal.tried(deal.token, "behave", 1, 0)
    assert deal.start() == "RECEIVED_LESS"
    deal.tried(deal.token, "behave", 0, 1)
    assert deal.start() == "REFUSED"
    deal.tried(deal.token, "behave", 1, 0)
    deal.network.elapse(HOUR + 5)
    deal.network.mine()
    assert deal.refund() == ""
    assert deal.held(REFUND_TO) == TOTAL - TOTAL // 100


def test_a_refund_address_that_is_blocked_does_not_block_the_start(deal: Deal) -> None:
    deal.deposit(TOTAL + 5)
    deal.tried(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.start() == ""
    assert deal.held(AT.escrow) == TOTAL
    assert deal.held(deal.address) == 5
    assert [one[0] for one in deal.moved()] == [START]
    assert deal.refund() == "REFUSED"
    deal.tried(deal.token, "block", to_felt(REFUND_TO), 0)
    assert deal.refund() == ""
    assert deal.held(REFUND_TO) == 5


def test_the_coordinator_redirects_what_is_refused_only_days_after_expiry(deal: Deal) -> None:
    deal.deposit(6)
    deal.network.elapse(HOUR + REDIRECT_SECONDS - 600)
    deal.network.mine()
    assert deal.redirect(STRANGER) == "TOO_EARLY"
    deal.network.elapse(1_200)
    deal.network.mine()
    assert deal.redirect(STRANGER, by=STRANGER) == "NOT_ALLOWED"
    deal.tried(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.redirect(STRANGER) == ""
    assert deal.held(STRANGER) == 6
    assert deal.moved() == [(REFUND, deal.address, STRANGER, 6)]
    # Who accepts after all is paid himself.
    deal.tried(deal.token, "block", to_felt(REFUND_TO), 0)
    deal.deposit(2)
    assert deal.redirect(STRANGER) == ""
    assert deal.held(REFUND_TO) == 2


def test_terms_of_another_network_go_back_by_the_coordinator_or_an_agent_alone(deal: Deal) -> None:
    foreign = deal.but(chain=bytes(31) + b"\x0a")
    foreign.deposit(7)
    assert foreign.refund() == "NOT_ALLOWED"
    deal.tried(AT.factory, "set_agent", to_felt(STRANGER), 1, by=COORDINATOR)
    assert foreign.refund() == ""
    assert foreign.held(REFUND_TO) == 7
    deal.tried(AT.factory, "set_agent", to_felt(STRANGER), 0, by=COORDINATOR)
    foreign.deposit(7)
    assert foreign.refund() == "NOT_ALLOWED"
    assert foreign.refund(by=COORDINATOR) == ""


def test_a_token_cannot_call_back(deal: Deal) -> None:
    deal.deposit(TOTAL + 5)
    again = (to_felt(AT.factory), selector("start"), len(deal.felts), *deal.felts)
    deal.tried(deal.token, "call_on_transfer", *again)
    assert deal.start() == ""
    assert text(deal.network.view(deal.token, "refused_with")) == "ENTERED"
    assert deal.held(AT.escrow) == TOTAL


def test_a_deposit_address_obeys_its_factory_alone(deal: Deal) -> None:
    deal.deposit(TOTAL + 1)
    deal.tried(deal.token, "block", to_felt(REFUND_TO), 1)
    assert deal.start() == ""
    asked = (to_felt(deal.token), to_felt(STRANGER), *split_u256(1))
    assert deal.tried(deal.address, "pay", *asked) == "NOT_ALLOWED"
    assert deal.held(deal.address) == 1
