"""The chains, the pools and the errors of Across in the EVM adapter, against its contracts."""

import json
import re

import pytest

from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED, POOL_ERRORS, error_selectors
from crossway.adapters.chains.evm.contracts import chain_deployment, default_deployment
from crossway.adapters.chains.evm.tx_results import decode_revert
from crossway.adapters.chains.rpc.tx_results import UNKNOWN_REVERT
from crossway.catalogue import load_catalogue
from tests.npm_packages import ACROSS_CONTRACTS, npm_package
from tests.processes import ROOT

CATALOGUE = load_catalogue()
SOURCES = ROOT / "contracts" / "evm" / "src"
EVM = [chain for chain in CATALOGUE.chains.values() if chain.kind == "evm"]


def source(name: str) -> str:
    return (SOURCES / f"{name}.sol").read_text(encoding="utf-8")


def test_the_pools_of_the_catalogue_are_those_of_our_contract() -> None:
    entry = re.compile(r"chain == (\d+)\) \{\s+end\.pool = (0x[0-9a-fA-F]{40});")
    assert dict(entry.findall(source("AcrossChains"))) == {
        chain.chain_id: chain.across_pool for chain in EVM if chain.across_pool
    }
    assert not any(c.across_pool for c in CATALOGUE.chains.values() if c not in EVM)


def test_a_bridges_contracts_are_deployed_where_they_know_the_chain() -> None:
    cctp = set(re.findall(r"chain == (\d+)\) return End", source("CctpChains")))
    across = set(re.findall(r"chain == (\d+)\) \{", source("AcrossChains")))
    assert cctp != across
    everywhere = default_deployment()
    for chain in EVM:
        expected = []
        if chain.chain_id in cctp:
            expected += ["CCTP_FAST", "CCTP_STANDARD", "CCTP_SWAP_FAST", "CCTP_SWAP_STANDARD"]
        expected += ["ACROSS"] if chain.chain_id in across else []
        deployment = chain_deployment(chain)
        assert deployment.bridges == {name: everywhere.bridges[name] for name in expected}
        assert (deployment.filler2, deployment.escrow2) == (everywhere.filler2, everywhere.escrow2)


@pytest.mark.parametrize("name", POOL_ERRORS)
def test_each_refusal_of_the_pool_is_a_sentence(name: str) -> None:
    reason = decode_revert(dict(error_selectors())[name])
    assert reason != UNKNOWN_REVERT
    assert reason.message.startswith("its pool ")
    assert not reason.permanent


def test_the_pools_errors_and_its_event_are_those_of_its_code() -> None:
    path = npm_package(*ACROSS_CONTRACTS) / "dist/evm/artifacts/Ethereum_SpokePool.sol"
    abi = json.loads((path / "Ethereum_SpokePool.json").read_text(encoding="utf-8"))["abi"]
    errors = {e["name"]: e["inputs"] for e in abi if e["type"] == "error"}
    assert [errors[name] for name in POOL_ERRORS] == [[]] * len(POOL_ERRORS)
    (event,) = (e for e in abi if e["type"] == "event" and e["name"] == "FundsDeposited")
    plain = tuple(e["type"] for e in event["inputs"] if not e["indexed"])
    indexed = [e["name"] for e in event["inputs"] if e["indexed"]]
    assert plain == FUNDS_DEPOSITED.types
    assert indexed == ["destinationChainId", "depositId", "depositor"]
