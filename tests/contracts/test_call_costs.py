"""What quotes charge for calls on EVM chains is what they cost on a node."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from crossway.adapters.chains.evm.call_costs import (
    CALLS,
    cost_data,
    measured_gas,
    transaction_bytes,
)
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.transactions import gas_price, sign_transaction
from crossway.domain.errors import Unreachable
from tests.bridges.cctp_chains import FAST
from tests.bridges.messages import attest, sent_message
from tests.chains.anvil import L1_ANSWER, running
from tests.conformance.networks import AnvilNetwork
from tests.conformance.test_chain import Payment
from tests.contracts.bridge_gas import ACROSS, TOTAL, BridgePayment, calldata
from tests.contracts.gas import AT, Standing
from tests.contracts.test_gas import ROW
from tests.processes import ROOT

GWEI = 10**9
# The rows of docs/contracts.md, which test_gas.py compares with a node.
DEAREST = {
    "start": "start, with excess",
    "fill": "fill, recipient without a balance",
    "settle": "settle: relayer and treasury, rest retained",
    "refund": "refund after expiry, native",
    "send": "startAndBridge (CCTP), with excess",
    "deliver": "deliver (CCTP), recipient without a balance",
    "swap": "swap, then startAndBridge (CCTP), a token, two pools, with excess",
    "pay_in": "pay (Permit2), new deposit address",
    "forward": "forward, first from its address",
}
# How the rows of a call begin where that is not its name.
ROWS = {"send": "startAndBridge", "pay_in": "(transferWithAuthorization|pay)"}


def test_the_gas_of_calls_is_that_of_the_measured_table() -> None:
    text = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
    measured = {what: int(gas.replace(",", "")) for what, gas in ROW.findall(text)}
    assert cost_data()["gas"] == {call: measured[row] for call, row in DEAREST.items()}
    for call in CALLS:
        row = re.compile(rf"{ROWS.get(call, call)}\b(?!Many|.*least gas limit)")
        group = [gas for what, gas in measured.items() if row.match(what)]
        assert measured_gas()[call] >= max(group), call


def test_the_sizes_of_transactions_are_at_least_the_real_ones() -> None:
    with network("ETHEREUM_MAINNET") as on:
        payment = Payment(on)
        chain = payment.chain
        calls = {
            "start": payment.start(),
            "fill": payment.fill(),
            "refund": payment.give_back(payment.network.token),
        }
        for name, call in calls.items():
            (signed,) = chain.sign([(call, 0)], chain.fee_units())
            assert len(signed.raw) <= transaction_bytes()[name] <= len(signed.raw) + 60, name


def test_the_sizes_of_longer_transactions_are_at_least_the_real_ones() -> None:
    message = sent_message()
    with network("BASE_MAINNET") as on:
        context = on.opened.context
        payment = BridgePayment(on.anvil, "sized", ACROSS, paid=False)
        calls = {
            "send": Call(ACROSS, payment.bridge_across(TOTAL)),
            "forward": Call(AT.standing, Standing(2**31).forward(7)),
            "deliver": Call(FAST, calldata("deliver", ["bytes"] * 2, message, attest(message))),
        }
        fee, price = 10**16, gas_price(10**16, context.params, GWEI)
        for name, call in calls.items():
            signed = sign_transaction(context.signer, 8453, context.params, call, 1, fee, price)
            assert len(signed.raw) <= transaction_bytes()[name] <= len(signed.raw) + 60, name


@contextmanager
def network(chain: str) -> Iterator[AnvilNetwork]:
    with running(chain) as one:
        made = AnvilNetwork(one, one.token, one.token)
        try:
            yield made
        finally:
            made.opened.close()


@pytest.mark.parametrize(
    ("chain", "l1_wei", "l1_gas"),
    [
        ("ETHEREUM_MAINNET", 0, 0),
        ("BASE_MAINNET", L1_ANSWER, 0),
        ("ARBITRUM_MAINNET", 0, L1_ANSWER),
    ],
)
def test_costs_follow_the_nodes_prices(chain: str, l1_wei: int, l1_gas: int) -> None:
    """At a base fee of 3 gwei and of 30: gas times the base fee and the tip, and the part of L1."""
    with network(chain) as on:
        one, opened = on.anvil, on.opened
        for base_gwei in (3, 30):
            one.rpc("anvil_setNextBlockBaseFeePerGas", hex(base_gwei * GWEI))
            one.mine()
            tip = int(one.rpc("eth_maxPriorityFeePerGas"), 16)
            found = opened.call_costs()
            for call in CALLS:
                gas = measured_gas()[call] + l1_gas
                price = base_gwei * GWEI + tip
                assert getattr(found, call) == gas * price + l1_wei


def test_a_rollup_that_does_not_tell_what_l1_costs_is_not_priced() -> None:
    with network("BASE_MAINNET") as on:
        on.anvil.rpc("anvil_setCode", "0x420000000000000000000000000000000000000F", "0x")
        with pytest.raises(Unreachable, match="does not tell what L1 costs"):
            on.opened.call_costs()


def test_a_gas_price_that_is_not_believed_is_not_charged() -> None:
    with network("BASE_MAINNET") as on:
        on.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(600 * GWEI))
        on.anvil.mine()
        with pytest.raises(Unreachable, match="more than 500 is not believed"):
            on.opened.call_costs()
