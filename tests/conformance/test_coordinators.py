"""A coordinator that is another account than the relayer, on every family whose contracts know
agents: what it signs is what an operator's commands and a payment's page print."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest
from eth_account import Account

from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS
from crossway.adapters.chains.evm.family import EvmOperator
from crossway.adapters.chains.rpc.operator_txs import UnsignedCall
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.adapters.chains.solana.family import SolanaOperator
from crossway.adapters.chains.starknet.family import StarknetOperator
from crossway.adapters.chains.tron.family import TronOperator
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain_calls import PublicCall
from tests.chains.anvil import CATALOGUE, STRANGER_KEY
from tests.chains.starknet import network as starknet
from tests.chains.tron import node as tron
from tests.conformance.networks import (
    AnvilNetwork,
    Network,
    SolanaNetwork,
    StarknetNetwork,
    TronNetwork,
)
from tests.conformance.test_chain import TOTAL, Payment, mined, send

KEPT = 10
on_agents = pytest.mark.parametrize(
    "network", ["anvil", "tron token that answers true", "starknet"], indirect=True
)


def coordinator_of(network: Network) -> str:
    """The account of `network.carry_out`."""
    match network:
        case TronNetwork():
            return tron.STRANGER.address
        case StarknetNetwork():
            return starknet.STRANGER
    return str(Account.from_key(STRANGER_KEY).address)


def operator_of(network: Network) -> ChainOperator:
    match network:
        case TronNetwork():
            return TronOperator(network.opened, network.node.contracts, {})
        case StarknetNetwork():
            return StarknetOperator(network.opened)
        case SolanaNetwork():
            return SolanaOperator(network.opened)
    assert isinstance(network, AnvilNetwork)
    return EvmOperator(network.opened)


def signed_by_coordinator(network: Network, calls: Sequence[UnsignedCall]) -> None:
    for call in calls:
        network.carry_out(PublicCall(call.contract, call.data))


class ColdPayment(Payment):
    """A payment whose coordinator is not the relayer."""

    def __init__(self, network: Network, life: float = 600) -> None:
        super().__init__(network, "cold", life)
        self.coordinator = coordinator_of(network)
        self.key = self.chain.intent_hash(self.terms, coordinator=self.coordinator)
        self.address = self.chain.deposit_address(self.key)

    def action(
        self,
        duty: OutboundTxKind,
        outputs: tuple[Output, ...],
        marker: str | None = None,
        not_after: datetime | None = None,
    ) -> OutboundCall:
        made = super().action(duty, outputs, marker, not_after)
        return replace(made, coordinator=self.coordinator)

    def settle(self) -> OutboundCall:
        own = self.chain.accounts
        paid = Output(own.bridger, own.relayer, self.network.token, TOTAL - KEPT)
        return self.action(OutboundTxKind.REIMBURSE, (paid,), f"settle:{self.key}")


@on_agents
def test_the_relayer_settles_while_it_is_an_agent_and_not_without(network: Network) -> None:
    payment, operator = ColdPayment(network), operator_of(network)
    own, coordinator = network.chain.accounts, payment.coordinator
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    assert network.chain.authorized({coordinator, own.relayer}) == {own.relayer}
    assert mined(send(network, payment.settle())).reason != ""
    signed_by_coordinator(network, operator.agent_calls(own.relayer, True))
    assert network.chain.authorized({coordinator}) == {coordinator}
    signed_by_coordinator(network, operator.agent_calls(own.relayer, False))
    assert network.chain.authorized({coordinator}) == set()
    signed_by_coordinator(network, operator.agent_calls(own.relayer, True))
    assert mined(send(network, payment.settle())).reason == ""
    retained = network.chain.retained([coordinator, own.relayer], network.token)
    assert retained == {coordinator: KEPT, own.relayer: 0}


@on_agents
def test_the_coordinator_withdraws_what_was_retained_by_the_printed_call(network: Network) -> None:
    payment, operator = ColdPayment(network), operator_of(network)
    own, taker = network.chain.accounts, network.wallet("taker")
    signed_by_coordinator(network, operator.agent_calls(own.relayer, True))
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    assert mined(send(network, payment.settle())).reason == ""
    token = replace(next(iter(CATALOGUE.tokens.values())), address=network.token)
    calls = operator.withdrawal_calls(token, taker, payment.coordinator)
    signed_by_coordinator(network, calls)
    assert payment.holds(taker) == KEPT
    assert operator.retained_amount(network.token, payment.coordinator) == 0


@on_agents
def test_the_coordinator_redirects_a_refund_by_the_call_of_the_page(network: Network) -> None:
    payment, other = ColdPayment(network, life=-REDIRECT_SECONDS - 60), network.wallet("other")
    network.pay(payment.address, TOTAL)
    network.refuse(payment.refund)
    away = (Output(payment.address, other, network.token, None),)
    redirect = payment.action(OutboundTxKind.REFUND, away)
    assert mined(send(network, redirect)).reason != ""
    call = network.chain.public_call(redirect)
    assert call is not None
    network.carry_out(call)
    assert payment.holds(other) == TOTAL


@pytest.mark.parametrize("network", ["solana"], indirect=True)
def test_solana_knows_no_agents(network: Network) -> None:
    own = network.chain.accounts
    assert network.chain.authorized({own.relayer, network.wallet("another")}) == {own.relayer}
    with pytest.raises(ValueError, match="its contracts know no agents"):
        operator_of(network).agent_calls(own.relayer, True)
