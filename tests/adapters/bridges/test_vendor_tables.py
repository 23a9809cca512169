"""Our tables of CCTP and Across against the packages that Circle and Across publish."""

import json
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.bridges.cctp.networks import attestation_times, cctp_contracts
from crossway.adapters.bridges.gateway.networks import gateway_contracts, has_gateway
from crossway.adapters.chains.addresses import canonical_address
from crossway.catalogue import load_catalogue
from tests.npm_packages import (
    ACROSS_CONSTANTS,
    CIRCLE_BRIDGE_KIT,
    CIRCLE_CCTP_PROVIDER,
    npm_package,
)
from tests.processes import ROOT

CATALOGUE = load_catalogue()
SOURCES = ROOT / "contracts" / "evm" / "src"
ACROSS_TABLE = ROOT / "src" / "crossway" / "adapters" / "bridges" / "across.toml"
EVM = [chain for chain in CATALOGUE.chains.values() if chain.kind == "evm"]
_END = re.compile(r"chain == (\d+)\) return End\((\d+), (true|false), (0x[0-9a-fA-F]{40})\)")
_CONSTANT = re.compile(r"constant (\w+) = (0x[0-9a-fA-F]{40});")


def exports(module: Path, name: str = "") -> Any:
    """What a module of npm exports, as JSON."""
    program = f"""
        const found = require({json.dumps(str(module))}){f".{name}" if name else ""};
        const plain = (_, value) => typeof value === "bigint" ? `${{value}}` : value;
        process.stdout.write(JSON.stringify(found, plain));
    """
    done = subprocess.run(["node", "-e", program], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def circle() -> Mapping[str, Mapping[str, Any]]:
    """Circle's EVM chains with CCTP by their ids."""
    chains = exports(npm_package(*CIRCLE_BRIDGE_KIT) / "chains.cjs").values()
    return {str(one["chainId"]): one for one in chains if one.get("cctp") and one["type"] == "evm"}


def test_the_catalogues_domains_and_usdc_are_circles(
    circle: Mapping[str, Mapping[str, Any]],
) -> None:
    with_cctp = {chain.chain_id: chain for chain in EVM if chain.cctp_domain is not None}
    assert len(with_cctp) == 14
    # Circle has more chains than the catalogue, and the catalogue leaves out none of them.
    assert {chain.chain_id for chain in EVM} & circle.keys() == with_cctp.keys()
    for chain_id, chain in with_cctp.items():
        entry = circle[chain_id]
        assert (entry["cctp"]["domain"], entry["isTestnet"]) == (chain.cctp_domain, chain.testnet)
        usdc = CATALOGUE.tokens[chain.id, "USDC"].address
        assert canonical_address("evm", entry["usdcAddress"]) == usdc


def test_circles_contracts_are_those_of_each_chain(
    circle: Mapping[str, Mapping[str, Any]],
) -> None:
    for chain in EVM:
        if chain.cctp_domain is None:
            continue
        published = circle[chain.chain_id]["cctp"]["contracts"]["v2"]
        ours = cctp_contracts(chain.testnet)
        assert canonical_address("evm", published["tokenMessenger"]) == ours.token_messenger
        transmitter = canonical_address("evm", published["messageTransmitter"])
        assert transmitter == ours.message_transmitter


def test_sources_with_fast_messages_are_attested_to_sooner(
    circle: Mapping[str, Mapping[str, Any]],
) -> None:
    for chain in EVM:
        if chain.cctp_domain is None or attestation_times(chain).fast_seconds is None:
            continue
        published = circle[chain.chain_id]["cctp"]["contracts"]["v2"]
        assert published["fastConfirmations"] < published["confirmations"]


def test_gateways_chains_and_contracts_are_circles() -> None:
    published = exports(npm_package(*CIRCLE_BRIDGE_KIT) / "chains.cjs").values()
    with_gateway = {
        str(one["chainId"]): one["gateway"]
        for one in published
        if one.get("gateway") and one["type"] == "evm"
    }
    assert {chain.chain_id for chain in EVM if has_gateway(chain)} == {
        chain.chain_id for chain in EVM if chain.chain_id in with_gateway
    }
    for chain in EVM:
        if not has_gateway(chain):
            continue
        entry, ours = with_gateway[chain.chain_id], gateway_contracts(chain.testnet)
        assert entry["domain"] == chain.cctp_domain
        found = entry["contracts"]["v1"]
        assert canonical_address("evm", found["wallet"]) == ours.wallet
        assert canonical_address("evm", found["minter"]) == ours.minter


def test_the_attestation_services_are_circles() -> None:
    text = (npm_package(*CIRCLE_CCTP_PROVIDER) / "index.mjs").read_text()
    found = dict(re.findall(r"const IRIS_API_(\w*)BASE_URL = '(https://[^']+)'", text))
    assert found == {
        "": cctp_contracts(testnet=False).attestation_service,
        "SANDBOX_": cctp_contracts(testnet=True).attestation_service,
    }


def test_the_constants_of_our_contracts_are_those_of_the_catalogue() -> None:
    text = (SOURCES / "CctpChains.sol").read_text()
    main, test = cctp_contracts(testnet=False), cctp_contracts(testnet=True)
    assert dict(_CONSTANT.findall(text)) == {
        "MESSENGER": main.token_messenger,
        "TRANSMITTER": main.message_transmitter,
        "TEST_MESSENGER": test.token_messenger,
        "TEST_TRANSMITTER": test.message_transmitter,
    }
    assert {
        chain: (int(domain), testnet == "true", usdc)
        for chain, domain, testnet, usdc in _END.findall(text)
    } == {
        chain.chain_id: (
            chain.cctp_domain,
            chain.testnet,
            CATALOGUE.tokens[chain.id, "USDC"].address,
        )
        for chain in EVM
        if chain.cctp_domain is not None
    }


def test_the_tokens_of_across_are_those_that_it_publishes() -> None:
    module = npm_package(*ACROSS_CONSTANTS) / "dist" / "cjs" / "index.js"
    published = exports(module, "TOKEN_SYMBOLS_MAP")
    listed = tomllib.loads(ACROSS_TABLE.read_text())["tokens"]
    assert len(listed) == 14
    for name, symbols in listed.items():
        chain_id = CATALOGUE.chains[name].chain_id
        for symbol in symbols:
            # Some chains have a token of the name that another bridge brought there.
            known = {
                canonical_address("evm", at)
                for key in (symbol, f"{symbol}.e", f"{symbol}-BNB")
                if (at := published.get(key, {}).get("addresses", {}).get(chain_id))
            }
            assert CATALOGUE.tokens[name, symbol].address in known, (name, symbol)
