"""The table of AcrossBridge against what Across publishes and against our catalogue."""

import json
import re

from crossway.catalogue import load_catalogue
from tests.contracts.test_build import SOURCES
from tests.npm_packages import ACROSS_CONTRACTS, npm_package

ENTRY = re.compile(r"chain == (\d+)\) \{\n(.*?)\n\s+\}", re.DOTALL)
FIELD = re.compile(r"end\.(\w+) = (0x[0-9a-fA-F]{40});")
# On BSC, the catalogue calls the token by which Across carries ether ETH.
ETHER = {("BSC_MAINNET", "WETH"): "ETH"}


def table() -> dict[int, dict[str, str]]:
    text = (SOURCES / "src" / "AcrossChains.sol").read_text(encoding="utf-8")
    return {int(chain): dict(FIELD.findall(fields)) for chain, fields in ENTRY.findall(text)}


def test_the_pools_are_those_that_across_publishes() -> None:
    listed = npm_package(*ACROSS_CONTRACTS) / "dist" / "broadcast" / "deployed-addresses.json"
    published = json.loads(listed.read_text(encoding="utf-8"))["chains"]
    ends = table()
    assert len(ends) == 14
    assert {chain: end["pool"] for chain, end in ends.items()} == {
        chain: published[str(chain)]["contracts"]["SpokePool"]["address"] for chain in ends
    }


def test_the_tokens_are_those_of_the_catalogue() -> None:
    catalogue = load_catalogue()
    names = {chain.chain_id: name for name, chain in catalogue.chains.items()}
    for chain_id, end in table().items():
        name = names[str(chain_id)]
        tokens = {symbol.upper(): at for symbol, at in end.items() if symbol != "pool"}
        assert tokens
        assert tokens == {
            symbol: catalogue.tokens[name, ETHER.get((name, symbol), symbol)].address
            for symbol in tokens
        }
