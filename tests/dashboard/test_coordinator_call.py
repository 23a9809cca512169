"""A redirected refund that only the coordinator can send, on the payment's page."""

from dataclasses import replace

import pytest

from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_calls import PublicCall
from crossway.ports.sandbox import Faults
from crossway.usecases.operating.incidents import list_alert_groups
from crossway.usecases.payments.manual_operations import redirect_refund
from tests.conformance.networks import made_up
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE, Harness

BASE = "BASE_MAINNET"
CONTRACT, DATA = "0x" + "c0" * 20, "0x" + "da7a" * 8


class ContractChain(SimulatedChain):
    """As if contracts asked who the coordinator is."""

    def __init__(self, network: SimulatedNetwork, chain: str) -> None:
        super().__init__(network, chain)
        self.accounts = replace(self.accounts, redirect_seconds=3 * 86_400)

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        assert call.account == call.coordinator == self.accounts.coordinator
        return PublicCall(CONTRACT, DATA)


class ReplacedContracts(ContractChain):
    """The payment was created with others."""

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        raise ValueError("no deposit address of the contracts in use")


def redirected(world: Harness, other: str) -> Intent:
    intent = world.create_intent()
    faults = Faults(refuse=(intent.terms.refund_address,))
    world.sandbox.inject_faults(BASE, faults)
    token = CATALOGUE.tokens[BASE, "USDC"].address
    world.sandbox.deposit(BASE, intent.address, token, 5_000_000)
    world.pass_time(20)
    world.pass_time(3_700, 300)
    state = OutboundTxState.DUE
    while state is not OutboundTxState.FAILED:
        world.pass_time(30, 10)
        with world.store.read() as unit:
            (refund,) = unit.outbound_txs.list_by_intents([intent.id])
        state = refund.state
    world.book_address(BASE, other)
    redirect_refund(world.services, world.operator, intent.id, other)
    world.pass_time(10, 5)
    return world.reload(intent)


@pytest.mark.parametrize("chain", [ContractChain, ReplacedContracts])
def test_the_page_shows_what_the_coordinator_signs(
    screen: DashboardApp, chain: type[ContractChain]
) -> None:
    world, other = screen.world, made_up("another wallet")
    assert isinstance(world.services.chains, dict)
    world.services.chains[BASE] = chain(world.network, BASE)
    intent = redirected(world, other)
    assert intent.state is State.EXPIRED
    text = screen.open("intent", id=str(intent.id)).text
    assert f"Only the coordinator {intent.coordinator} can send" in text
    assert f"to {other}" in text
    if chain is ContractChain:
        assert {CONTRACT, DATA, intent.coordinator, "8453"} <= set(text.splitlines())
    else:
        assert "created with other contracts" in text
    assert any(b.label.startswith("Send the failed refund") for b in screen.at.button)
    (group,) = list_alert_groups(world.services, world.operator)
    assert group.title == "Refund waits for the coordinator"
    assert [context.intent_id for context in group.contexts] == [intent.id]
