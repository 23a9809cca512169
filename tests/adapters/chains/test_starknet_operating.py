"""What an operator does on Starknet before going live, and what is said where something lacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.contracts import default_deployment
from crossway.adapters.chains.starknet.family import StarknetFamily, StarknetOperator
from crossway.adapters.chains.starknet.felts import to_hex
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from tests.chains.starknet.front import TIPLESS, starknet_front
from tests.chains.starknet.network import Starknet, address_of, shared
from tests.conformance.networks import StarknetNetwork, open_starknet
from tests.conformance.test_chain import TOTAL, Payment, mined, send
from tests.simulation import catalogue

AT = default_deployment()


@pytest.fixture
def node() -> Iterator[Starknet]:
    with shared() as network:
        yield network


@pytest.fixture
def opened(node: Starknet) -> Iterator[StarknetOperator]:
    made = StarknetOperator(open_starknet(node))
    yield made
    made.chain.close()


def profile(node: Starknet, account: str = "") -> ChainProfile:
    return ChainProfile(
        rpc=[node.url],
        key="env:KEY",
        treasury=node.treasury,
        account=account or node.relayer,
        poll_seconds=0,
        clock_seconds=1e9,
        timeout_seconds=60,
    )


def open_starknet_chain(node: Starknet, settings: ChainProfile) -> StarknetChain:
    """The chain as a profile with another key opens it."""
    keyring = Keyring({"KEY": "0x5"})
    return (
        StarknetFamily().open_chain(ChainSettings(catalogue(), node.chain, settings, keyring)).chain
    )


@contextmanager
def blocks(node: Starknet) -> Iterator[None]:
    """Blocks come by themselves, as an errand waits for one."""
    over = Event()

    def mining() -> None:
        while not over.wait(0.3):
            node.mine()

    thread = Thread(target=mining)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def said(opened: StarknetOperator) -> dict[str, str]:
    """What is wrong, by what was looked at; every such finding says what to do."""
    return {one.subject: one.message for one in opened.diagnose() if not one.ok}


def test_where_everything_is_right_nothing_is_missing_and_doctor_is_content(
    node: Starknet, opened: StarknetOperator
) -> None:
    assert opened.unmet_requirements() == []
    assert said(opened) == {}
    assert [(one.name, one.problem) for one in opened.check_contracts()] == [
        (one.name, "") for one in StarknetFamily().contract_locations(None)
    ]
    facts = opened.chain.context.chain
    looked = list(StarknetFamily().diagnose_nodes(facts, profile(node), {}, node.time))
    assert looked
    assert all(one.ok for one in looked), looked


def test_what_is_missing_is_named_deployed_by_one_command_and_compared(
    node: Starknet, opened: StarknetOperator
) -> None:
    for address in (AT.factory, AT.escrow, AT.filler):
        node.take_away(address)
    assert "IntentFactory: not deployed" in said(opened)["contracts"]
    assert all("crossway contracts deploy --chain" in one for one in opened.unmet_requirements())
    plan = opened.plan_deployment("")
    assert [one.description.split()[0] for one in plan.transactions] == [
        "IntentFactory",
        "Escrow",
        "Filler",
    ]
    assert 0 < plan.max_cost < plan.balance
    sent: list[str] = []
    with blocks(node):
        for errand in plan.transactions:
            done = errand.send(sent.append)
            assert (done.succeeded, done.tx_id) == (True, sent[-1])
            assert 0 < done.gas_used <= errand.gas_limit
    assert opened.unmet_requirements() == []
    assert opened.plan_deployment("").transactions == ()
    network = StarknetNetwork(node, address_of("USDC"), address_of("ETH"))
    payment = Payment(network)
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    network.opened.close()


def test_a_node_that_estimates_no_tip_is_enough_to_deploy(node: Starknet) -> None:
    node.take_away(AT.filler)
    with starknet_front(node) as front:
        front.mood = TIPLESS
        opened = StarknetOperator(open_starknet(node, front.url))
        (filler,) = opened.plan_deployment("").transactions
        assert filler.description == f"Filler at {AT.filler}"
        opened.chain.close()


def test_another_class_at_our_address_is_never_worked_with(
    node: Starknet, opened: StarknetOperator
) -> None:
    node.place(AT.filler, "Deployer")
    assert "another class" in said(opened)["contracts"]
    assert any("another class" in one for one in opened.unmet_requirements())
    with pytest.raises(ValueError, match="another class"):
        opened.plan_deployment("")


def test_an_account_that_is_not_there_or_has_another_owner_is_named(node: Starknet) -> None:
    nobody = open_starknet_chain(node, profile(node, to_hex(77)))
    assert "is not deployed" in said(StarknetOperator(nobody))["account"]
    assert any("is not deployed" in one for one in StarknetOperator(nobody).unmet_requirements())
    stranger = open_starknet_chain(node, profile(node))
    words = said(StarknetOperator(stranger))["account"]
    assert "does not take the signature of this key" in words
    assert StarknetOperator(stranger).unmet_requirements()
    for one in (nobody, stranger):
        one.close()


def test_an_account_must_be_named_and_written_in_full(node: Starknet) -> None:
    for account, words in (
        ("0x7", "account must be written 0x0"),
        ("seven", "account is not a Starknet address"),
    ):
        with pytest.raises(ValueError, match=words):
            open_starknet_chain(node, profile(node, account))
    bare = profile(node).model_copy(update={"account": ""})
    with pytest.raises(ValueError, match="must be the address of the relayer's account"):
        open_starknet_chain(node, bare)


def test_recipients_are_paid_without_any_approval_and_another_key_pays_no_deployment(
    opened: StarknetOperator,
) -> None:
    tokens = [t for t in catalogue().by_chain[opened.chain.id] if t.symbol == "USDC"]
    assert opened.token_balances(tokens)[tokens[0].address] > 0
    assert opened.plan_approval(tokens, None).transactions == ()
    with pytest.raises(ValueError, match="--key"):
        opened.plan_deployment("env:OTHER")


def test_what_stays_of_a_settled_payment_is_told_and_taken_out(
    node: Starknet, opened: StarknetOperator
) -> None:
    network = StarknetNetwork(node, address_of("USDC"), address_of("ETH"))
    payment = Payment(network)
    network.pay(payment.address, TOTAL)
    assert mined(send(network, payment.start())).reason == ""
    own = network.chain.accounts
    outputs = (
        Output(own.bridger, own.relayer, network.token, TOTAL - 30),
        Output(own.bridger, own.treasury, network.token, 20),
    )
    settle: OutboundCall = payment.action(
        OutboundTxKind.REIMBURSE, outputs, f"settle:{payment.key}"
    )
    status = mined(send(network, settle))
    assert (status.reason, [one.amount for one in status.transfers]) == ("", [TOTAL - 30, 20])
    assert network.chain.executed({f"settle:{payment.key}"}) == {f"settle:{payment.key}"}
    assert opened.retained_amount(network.token, own.relayer) == 10
    [token] = [t for t in catalogue().by_chain[opened.chain.id] if t.symbol == "USDC"]
    plan = opened.plan_withdrawal(token, own.treasury, 10)
    before = node.balance(own.treasury)
    with blocks(node):
        assert plan.transactions[0].send(lambda tx_id: None).succeeded
    left = opened.retained_amount(network.token, own.relayer)
    assert (left, node.balance(own.treasury)) == (0, before + 10)
    network.opened.close()
