"""What `crossway doctor` tells of an EVM node and its chain before anything is deployed there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, init_code
from crossway.adapters.chains.evm.diagnostics import diagnose_chain
from crossway.adapters.chains.evm.family import EvmFamily, EvmOperator
from crossway.adapters.chains.evm.node_checks import deployment_gas
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.profile import ChainProfile
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, COINS, RELAYER, RELAYER_KEY, TREASURY, Anvil
from tests.chains.front import Front
from tests.conformance.networks import open_evm, settings

BASE, MONAD = "BASE_MAINNET", "MONAD_MAINNET"
SMALL_BLOCKS, NO_LOGS, TEN_BLOCKS = "small blocks", "no logs", "ten blocks"
PRUNED, SINGLE = "pruned", "single"
BIG_BLOCK_PRICE = 7 * 10**9


class Limited(Front):
    """A node of a chain that is not what Crossway is used to, as its mood says."""

    block_gas, big_blocks = 1_500_000, False

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        if self.mood == SINGLE and isinstance(asked, list):
            error = {"code": -32600, "message": "batch requests are not supported"}
            return 200, {}, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        return super().answer(body)

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method, params = asked["method"], asked["params"]
        refusal: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        if self.mood == NO_LOGS and method == "eth_getLogs":
            words = "the method eth_getLogs does not exist/is not available"
            return refusal | {"error": {"code": -32601, "message": words}}
        if self.mood == TEN_BLOCKS and method == "eth_getLogs":
            span = int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) + 1
            if span > 10:
                words = "Under the Free tier plan, up to a 10 block range is allowed"
                return refusal | {"error": {"code": -32600, "message": words}}
        if method == "eth_usingBigBlocks":
            return refusal | {"result": self.big_blocks}
        if method == "eth_bigBlockGasPrice":
            return refusal | {"result": hex(BIG_BLOCK_PRICE)}
        if self.mood == PRUNED and method == "eth_getBalance" and params[1] != "latest":
            words = "missing trie node 8f1b (path ) state 0x8f1b is not available"
            return refusal | {"error": {"code": -32000, "message": words}}
        answer = super()._one(asked)
        if self.mood == SMALL_BLOCKS and method == "eth_getBlockByNumber":
            answer["result"]["gasLimit"] = hex(self.block_gas)
        if method == "eth_estimateGas" and int(answer["result"], 16) > self._room():
            words = f"gas required exceeds allowance ({self.block_gas})"
            return refusal | {"error": {"code": -32000, "message": words}}
        return answer

    def _room(self) -> int:
        """The most gas that an estimate may have."""
        small = self.mood == SMALL_BLOCKS and not self.big_blocks
        return self.block_gas if small else 30_000_000


@pytest.fixture(scope="module")
def empty() -> Iterator[Anvil]:
    """A chain on which nothing is deployed."""
    with anvil.running(BASE, ready=False) as running:
        running.mine(40)
        yield running


@pytest.fixture
def limited(empty: Anvil) -> Iterator[Limited]:
    made = Limited(empty)
    yield made
    made.close()


def findings(limited: Limited, mood: str) -> dict[str, Finding]:
    """By subject, without the node's name."""
    limited.mood = mood
    profile = ChainProfile(rpc=[limited.url], key="env:KEY", treasury=TREASURY)
    chain, now = CATALOGUE.chains[limited.anvil.chain], datetime.now(UTC)
    found = EvmFamily().diagnose_nodes(chain, profile, {}, now)
    return {one.subject.partition(": ")[2]: one for one in found}


def test_a_usual_node_is_told_with_its_figures(limited: Limited) -> None:
    found = findings(limited, "usual")
    assert found["blocks"].message == "take 200,000,000 gas"
    assert found["batches"].message == "100 calls in one request"
    assert found["old balances"].message == "kept for an hour and more"
    assert all(one.ok for one in found.values())


def test_blocks_too_small_for_a_deployment_are_told_before_it(limited: Limited) -> None:
    found = findings(limited, SMALL_BLOCKS)["blocks"]
    assert found.message.startswith("take 1,500,000 gas, a deployment may take ")
    assert "usingBigBlocks" in found.remedy


def test_a_deployment_asks_for_no_more_gas_than_a_block_has(limited: Limited) -> None:
    # Enough for each contract without which the engine cannot work, but not with a margin.
    limited.mood, limited.block_gas = SMALL_BLOCKS, 2_000_000
    with deploying(limited) as operator:
        plan = operator.plan_deployment("")
        gas = [planned.gas_limit for planned in plan.transactions]
        assert len(gas) == 3
        assert gas[0] == max(gas) == 2_000_000
        assert gas[2] < 2_000_000
        assert plan.left_out == ()


@pytest.fixture(scope="module")
def hyperevm() -> Iterator[Anvil]:
    """A chain with blocks of two sizes, on which nothing is deployed."""
    with anvil.running("HYPEREVM_MAINNET", ready=False) as running:
        running.mine(2)
        yield running


def test_contracts_that_no_block_has_room_for_are_told_and_the_others_deployed(
    hyperevm: Anvil,
) -> None:
    limited = Limited(hyperevm)
    limited.mood, limited.block_gas = SMALL_BLOCKS, 2_000_000
    with deploying(limited, "CCTP", "ACROSS") as operator:
        plan = operator.plan_deployment("")
        names = [planned.description.partition(" at ")[0] for planned in plan.transactions]
        assert names == ["IntentFactory", "Escrow2", "Filler2", "CallBatch"]
        assert [sentence.partition(" needs ")[0] for sentence in plan.left_out] == [
            f"HYPEREVM_MAINNET: {name}"
            for name in (
                *("CCTP_FAST", "CCTP_STANDARD", "CCTP_SWAP_FAST", "CCTP_SWAP_STANDARD"),
                "ACROSS",
            )
        ]
        assert plan.left_out[0] == (
            "HYPEREVM_MAINNET: CCTP_FAST needs 3,123,706 gas and a block of HyperEVM has "
            "2,000,000: have the account use big blocks (docs/going-live.md)"
        )
    limited.close()


def test_an_account_that_uses_big_blocks_deploys_everything(hyperevm: Anvil) -> None:
    limited = Limited(hyperevm)
    limited.mood, limited.block_gas, limited.big_blocks = SMALL_BLOCKS, 2_000_000, True
    with deploying(limited, "CCTP", "ACROSS") as operator:
        plan = operator.plan_deployment("")
        assert plan.left_out == ()
        assert len(plan.transactions) == 9
        # Its price is at least twice the base fee of big blocks.
        assert all(p.max_cost >= 2 * BIG_BLOCK_PRICE * p.gas_limit for p in plan.transactions)
        hyperevm.rpc("evm_setAutomine", True)
        for planned in plan.transactions:
            assert planned.send(str).succeeded
        assert {check.problem for check in operator.check_contracts()} == {""}
        assert operator.plan_deployment("").transactions == ()
    limited.close()


def test_contracts_of_bridges_that_are_not_named_are_neither_deployed_nor_missed(
    empty: Anvil,
) -> None:
    limited = Limited(empty)
    with deploying(limited, "INVENTORY") as operator:
        assert len(operator.plan_deployment("").transactions) == 3
        assert not {"CCTP_FAST", "ACROSS"} & {c.name for c in operator.check_contracts()}
    with deploying(limited, "ACROSS") as operator:
        planned = [
            p.description.partition(" at ")[0] for p in operator.plan_deployment("").transactions
        ]
        assert planned[3:] == ["ACROSS"]
        problems = {check.name: check.problem for check in operator.check_contracts()}
        assert problems["ACROSS"] == "not deployed"
        assert "CCTP_FAST" not in problems
    limited.close()


@contextmanager
def deploying(limited: Limited, *bridges: str) -> Iterator[EvmOperator]:
    """The chain of this node in a profile that names these bridges, and a relayer with coins."""
    profile = ChainProfile(rpc=[limited.url], key="env:KEY", treasury=TREASURY)
    chain = settings(limited.anvil.chain, profile, KEY=RELAYER_KEY)
    operator = EvmFamily().open_chain(replace(chain, bridges=bridges))
    limited.anvil.rpc("anvil_setBalance", RELAYER, hex(COINS))
    yield operator
    operator.chain.close()


def test_a_node_without_logs_is_to_be_removed(limited: Limited) -> None:
    found = findings(limited, NO_LOGS)["logs"]
    assert found.message.startswith("does not offer eth_getLogs")
    assert "no deposit of a token is found" in found.remedy


def test_a_small_range_is_found_out_and_what_it_costs(limited: Limited) -> None:
    found = findings(limited, TEN_BLOCKS)["logs"]
    # 41 blocks are halved until each half is taken: 20, 10, and 11 to 5; an hour has 1,800.
    assert found.message.startswith("takes 5 blocks and 500 recipients per query, not 41 blocks")
    assert "an hour takes 360 queries" in found.message
    assert not found.ok


def test_a_node_without_old_balances_says_what_that_means(limited: Limited) -> None:
    assert "block by block" in findings(limited, PRUNED)["old balances"].message


def test_a_node_that_takes_no_batches_is_told(limited: Limited) -> None:
    assert findings(limited, SINGLE)["batches"].message.startswith("refused")


def test_a_chain_that_charges_the_gas_limit_is_told(empty: Anvil) -> None:
    with anvil.running(MONAD) as running:
        operator_chain = open_evm(running)
        found = {one.subject: one for one in diagnose_chain(operator_chain)}
        assert "charges the whole limit of" in found["relayer"].message
        operator_chain.close()


def test_no_deployment_takes_more_than_what_is_told(empty: Anvil) -> None:
    for name in ("IntentFactory", "Escrow2", "Filler2"):
        sent = empty.transact(DEPLOYER, SALT + init_code(name))
        empty.mine()
        used = int(empty.rpc("eth_getTransactionReceipt", sent)["gasUsed"], 16)
        assert used <= deployment_gas(name) <= 1.5 * used
