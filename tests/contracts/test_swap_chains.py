"""The table of CctpSwapBridge against what Uniswap publishes and our catalogue."""

import re

from crossway.catalogue import load_catalogue
from tests.bridges.uniswap import FACTORIES, WRAPPED
from tests.contracts.test_build import SOURCES
from tests.npm_packages import UNISWAP_SDK, npm_package

ADDRESS = r"0x[0-9a-fA-F]{40}"
ENTRY = re.compile(r"chain == (\d+)\) (?:\{\s+)?return End\(\s*(\w+),\s+(\w+)\s*\)")
CONSTANT = re.compile(rf"address internal constant (\w+) = ({ADDRESS});")
# Its name in Uniswap's package.
NAMES = {
    1: "MAINNET",
    10: "OPTIMISM",
    137: "POLYGON",
    143: "MONAD",
    8453: "BASE",
    42161: "ARBITRUM_ONE",
    43114: "AVALANCHE",
    84532: "BASE_SEPOLIA",
    421614: "ARBITRUM_SEPOLIA",
    11155111: "SEPOLIA",
    11155420: "OPTIMISM_SEPOLIA",
}
# Of Polygon's coin, the catalogue has no wrapped token.
UNLISTED = {137}
CATALOGUE = load_catalogue()


def table() -> dict[int, tuple[str, str]]:
    """Factory and wrapped coin by chain id."""
    text = (SOURCES / "src" / "SwapChains.sol").read_text(encoding="utf-8")
    constants = dict(CONSTANT.findall(text))
    return {
        int(chain): (constants.get(factory, factory), constants.get(wrapped, wrapped))
        for chain, factory, wrapped in ENTRY.findall(text)
    }


def published(name: str) -> str:
    folder = npm_package(*UNISWAP_SDK) / "dist" / "cjs" / "src"
    return (folder / name).read_text(encoding="utf-8")


def test_the_factories_are_those_that_uniswap_publishes() -> None:
    text = published("addresses.js")
    (first,) = re.findall(rf"DEFAULT_ADDRESSES = {{\s+v3CoreFactoryAddress: '({ADDRESS})'", text)
    ends = table()
    assert ends.keys() == NAMES.keys()
    for chain, (factory, _) in ends.items():
        name = NAMES[chain]
        (entry,) = re.findall(rf"ChainId\.{name}\]: (\w+_ADDRESSES),", text)
        (fields,) = re.findall(rf"const {entry} = {{\n(.*?)\n}};", text, re.DOTALL)
        own = re.findall(rf"v3CoreFactoryAddress: '({ADDRESS})'", fields)
        assert own or "...DEFAULT_ADDRESSES" in fields
        assert factory.lower() == (own or [first])[0].lower(), name


def test_the_wrapped_coins_are_those_of_uniswap_and_of_the_catalogue() -> None:
    tokens = re.compile(rf"(\d+): new \w+\.Token\(\d+, '({ADDRESS})'")
    listed = dict(tokens.findall(published("entities/weth9.js")))
    chains = {chain.chain_id: name for name, chain in CATALOGUE.chains.items()}
    for chain, (_, wrapped) in table().items():
        assert wrapped == listed[str(chain)]
        coin = CATALOGUE.chains[chains[str(chain)]].native_symbol
        if chain not in UNLISTED:
            assert wrapped == CATALOGUE.tokens[chains[str(chain)], f"W{coin}"].address


def test_every_chain_of_the_table_is_one_that_cctp_reaches() -> None:
    reached = {c.chain_id for c in CATALOGUE.chains.values() if c.cctp_domain is not None}
    assert {str(chain) for chain in table()} < reached


def test_the_harness_places_them_where_they_are() -> None:
    ends = table()
    for name, factory in FACTORIES.items():
        assert (factory, WRAPPED[name]) == ends[int(CATALOGUE.chains[name].chain_id)]
