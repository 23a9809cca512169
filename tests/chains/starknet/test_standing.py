"""The Starknet of tests is one: the library that wallets use deploys, pays and reads on it."""

from collections.abc import Iterator

import pytest
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.net.account.account import Account
from starknet_py.net.client_errors import ClientError
from starknet_py.net.client_models import (
    Call,
    ResourceBounds,
    ResourceBoundsMapping,
    TransactionExecutionStatus,
)
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.models import StarknetChainId
from starknet_py.net.signer.key_pair import KeyPair

from crossway.adapters.chains.starknet.contracts import (
    UNIVERSAL_DEPLOYER,
    class_hash,
    default_deployment,
)
from crossway.adapters.chains.starknet.felts import to_felt
from tests.chains.starknet.network import (
    COINS,
    RELAYER,
    RELAYER_KEY,
    Starknet,
    address_of,
    made_up,
    shared,
)
from tests.event_loops import run_async

LIMITS = ResourceBoundsMapping(
    l1_gas=ResourceBounds(0, 10**20),
    l2_gas=ResourceBounds(20_000_000, 6 * 10**9),
    l1_data_gas=ResourceBounds(8_000, 10**9),
)


@pytest.fixture
def network() -> Iterator[Starknet]:
    with shared() as found:
        yield found


def account(network: Starknet, key: int = RELAYER_KEY) -> Account:
    return Account(
        client=FullNodeClient(network.url),
        address=to_felt(RELAYER),
        key_pair=KeyPair.from_private_key(key),
        chain=StarknetChainId.MAINNET,
    )


def transfer(to: str, units: int) -> Call:
    selector = get_selector_from_name("transfer")
    return Call(to_felt(address_of("USDC")), selector, [to_felt(to), units, 0])


async def sent(who: Account, calls: list[Call], nonce: int) -> str:
    made = await who.sign_invoke_v3(calls, nonce=nonce, resource_bounds=LIMITS)
    return hex((await who.client.send_transaction(made)).transaction_hash)


def test_the_usual_library_deploys_pays_and_reads(network: Starknet) -> None:
    async def use() -> None:
        who, to, filler = account(network), made_up("a friend"), default_deployment().filler
        network.take_away(filler)
        data = [to_felt(class_hash("Filler")), 0, 0, 0]
        deploy = get_selector_from_name("deployContract")
        # The later one waits for the earlier.
        second = await sent(who, [transfer(to, 5), transfer(to, 2)], 1)
        network.mine()
        assert network.asked("starknet_getTransactionReceipt", second)["error"]["code"] == 29
        first = await sent(who, [Call(to_felt(UNIVERSAL_DEPLOYER), deploy, data)], 0)
        network.mine()
        found = await who.client.get_class_hash_at(to_felt(filler))
        assert found == to_felt(class_hash("Filler"))
        paid = await who.client.get_transaction_receipt(second)
        assert paid.execution_status is TransactionExecutionStatus.SUCCEEDED
        assert network.balance(to) == 7
        fees = [network.receipt(one)["actual_fee"]["amount"] for one in (first, second)]
        cost = COINS - network.balance(RELAYER, address_of("STRK"))
        assert sum(int(fee, 16) for fee in fees) == cost > 0
        events = await who.client.get_events(
            address=to_felt(address_of("USDC")),
            keys=[[get_selector_from_name("Transfer")], [], [to_felt(to)]],
            chunk_size=1,
            follow_continuation_token=True,
        )
        assert [event.data for event in events.events] == [[5, 0], [2, 0]]
        assert await who.get_nonce() == 2

    run_async(use())


def test_what_a_node_refuses_is_refused(network: Starknet) -> None:
    async def use() -> None:
        who, to = account(network), made_up("a friend")
        with pytest.raises(ClientError, match="55"):
            await sent(account(network, RELAYER_KEY + 1), [transfer(to, 1)], 0)
        refused = await sent(who, [transfer(to, 10**30)], 0)
        network.mine()
        receipt = network.receipt(refused)
        assert receipt["execution_status"] == "REVERTED"
        assert "('ERC20: insufficient balance')" in receipt["revert_reason"]
        assert int(receipt["actual_fee"]["amount"], 16) > 0
        with pytest.raises(ClientError, match="52"):
            await sent(who, [transfer(to, 1)], 0)
        assert await who.get_nonce() == 1

    run_async(use())


def test_a_reorganised_block_is_forgotten_and_deep_ones_are_final(network: Starknet) -> None:
    to = made_up("a friend")
    network.pay(to, 3)
    block = network.rpc("starknet_getBlockWithTxHashes", "latest")
    network.rpc("hand_reorganise", 1)
    assert network.balance(to) == 0
    gone = network.asked("starknet_getBlockWithTxHashes", {"block_hash": block["block_hash"]})
    assert gone["error"]["code"] == 24
    name = network.send(to, 4)
    network.rpc("hand_preconfirm")
    asked = {"from_block": "pre_confirmed", "to_block": "pre_confirmed", "chunk_size": 10}
    (event,) = network.rpc("starknet_getEvents", asked)["events"]
    assert "block_hash" not in event
    status = network.rpc("starknet_getTransactionStatus", name)
    assert status["finality_status"] == "PRE_CONFIRMED"
    assert network.balance(to) == 0
    network.mine(20)
    assert network.balance(to) == 4
    assert network.receipt(name)["finality_status"] == "ACCEPTED_ON_L1"
