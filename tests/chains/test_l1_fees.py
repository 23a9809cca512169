"""What a rollup charges for L1, on a node that charges it: Hardhat's chain of the OP stack."""

from crossway.adapters.chains.evm.call_costs import measured_gas
from crossway.ports.chain import IncludedTx
from tests.chains import hardhat
from tests.conformance.hardhat_networks import HardhatNetwork
from tests.conformance.networks import BASE
from tests.conformance.test_chain import TOTAL, Payment


def test_the_fee_of_a_transaction_is_all_that_left_the_account_with_its_part_of_l1() -> None:
    with hardhat.running(BASE) as running:
        network = HardhatNetwork(running)
        chain, payment = network.chain, Payment(network)
        network.pay(payment.address, TOTAL)
        before = running.coins(running.relayer)
        signed = chain.sign(
            [(payment.start(), chain.next_nonce(running.relayer))], chain.fee_units()
        )[0]
        assert list(chain.broadcast([signed])) == [""]
        network.mine()
        included = chain.status([signed.tx_id])[signed.tx_id]
        assert isinstance(included, IncludedTx)
        assert included.reason == ""
        receipt = running.rpc("eth_getTransactionReceipt", signed.tx_id)
        l1_fee = int(receipt["l1Fee"], 16)
        assert l1_fee > 0
        assert included.fee_units == before - running.coins(running.relayer)
        # What a quote expects, from the chain's own oracle: at least what was paid for L1.
        costs = chain.call_costs()
        price = int(running.rpc("eth_gasPrice"), 16)
        assert costs.start > l1_fee
        assert costs.start < 4 * (measured_gas()["start"] * price + l1_fee)
        network.opened.close()
