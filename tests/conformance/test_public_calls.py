"""What a payer's page shows of a waiting refund: anyone can carry it out, from its text alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.ports.chain_calls import PublicCall
from tests.chains.solana.node import NATIVE, key_of
from tests.conformance.hardhat_networks import HARDHATS
from tests.conformance.networks import NETWORKS, Network, SolanaNetwork, on_solana
from tests.conformance.test_chain import TOTAL, Payment, mined, send

WITHOUT_CONTRACTS = [n for n in NETWORKS if n.startswith("simulated") or n.endswith("derived keys")]
WITH_CONTRACTS = [n for n in NETWORKS | HARDHATS if n not in WITHOUT_CONTRACTS]
on_contracts = pytest.mark.parametrize("network", WITH_CONTRACTS, indirect=True)


@pytest.fixture
def solana(tmp_path: Path) -> Iterator[SolanaNetwork]:
    with on_solana("program", tmp_path) as network:
        assert isinstance(network, SolanaNetwork)
        yield network


def find_call(payment: Payment, token: str) -> PublicCall | None:
    """As the payer's page has it: in the name of the refund address."""
    return payment.chain.public_call(replace(payment.give_back(token), account=payment.refund))


def public_call(payment: Payment, token: str) -> PublicCall:
    call = find_call(payment, token)
    assert call is not None
    return call


def held(payment: Payment, token: str | None = None) -> tuple[int, int]:
    """At the deposit address and at the refund address."""
    return payment.holds(payment.address, token), payment.holds(payment.refund, token)


@pytest.mark.parametrize("network", WITHOUT_CONTRACTS, indirect=True)
def test_without_contracts_only_we_can_move_it(network: Network) -> None:
    assert find_call(Payment(network), network.token) is None


@on_contracts
def test_a_stranger_carries_a_refund_out_after_expiry(network: Network) -> None:
    payment = Payment(network, life=-1)
    call = public_call(payment, network.token)
    network.pay(payment.address, TOTAL)
    network.carry_out(call)
    assert held(payment) == (0, TOTAL)
    # Another deposit goes back by the same text.
    network.pay(payment.address, 7)
    network.carry_out(call)
    assert held(payment) == (0, TOTAL + 7)


@on_contracts
def test_a_stranger_moves_nothing_before_expiry(network: Network) -> None:
    payment = Payment(network)
    call = public_call(payment, network.token)
    network.pay(payment.address, TOTAL)
    network.carry_out(call)
    assert held(payment) == (TOTAL, 0)


@on_contracts
def test_a_stranger_returns_what_came_after_the_start(network: Network) -> None:
    payment = Payment(network)
    call = public_call(payment, network.token)
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    network.pay(payment.address, 5)
    network.carry_out(call)
    assert held(payment) == (0, 5)
    assert payment.holds(payment.chain.accounts.bridger) == TOTAL


@on_contracts
def test_a_stranger_returns_another_token_at_any_time(network: Network) -> None:
    payment, token = Payment(network), network.foreign_token
    call = public_call(payment, token)
    # On Solana a receiver needs an account of the token, which its first payment makes.
    network.pay(payment.refund, 1, token)
    network.pay(payment.address, 9, token)
    network.carry_out(call)
    assert held(payment, token) == (0, 10)


def test_on_solana_the_refund_address_signs_the_text_as_it_stands(solana: SolanaNetwork) -> None:
    payment = Payment(solana, "one", life=-1)
    solana.pay(payment.address, TOTAL)
    solana.node.carry_out(public_call(payment, solana.token).data, by=key_of("payer of one"))
    assert held(payment) == (0, TOTAL)


def test_on_solana_a_stranger_returns_coins(solana: SolanaNetwork) -> None:
    payment = Payment(solana)
    solana.pay(payment.address, 10**9, NATIVE)
    solana.carry_out(public_call(payment, NATIVE))
    assert held(payment, NATIVE) == (0, 10**9)


def test_on_solana_money_stays_where_its_receiver_has_no_account(solana: SolanaNetwork) -> None:
    payment, token = Payment(solana), solana.foreign_token
    solana.pay(payment.address, 9, token)
    solana.carry_out(public_call(payment, token))
    assert held(payment, token) == (9, 0)
    solana.pay(payment.refund, 1, token)
    solana.carry_out(public_call(payment, token))
    assert held(payment, token) == (0, 10)
