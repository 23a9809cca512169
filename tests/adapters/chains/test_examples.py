"""The example profiles: what an operator copies is read once the addresses are the operator's."""

import re
from pathlib import Path

import pytest

from crossway.adapters.chains.live.profile import ChainProfile, read_profile
from crossway.catalogue import load
from tests.processes import ROOT

EXAMPLES = ROOT / "deploy" / "profiles"
CATALOGUE = load()
OWN = {
    "EVM chains": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "Solana": "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN",
    "Starknet": "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "Tron": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
}
NAMES = ["mainnets.toml", "testnets.toml"]


def filled(text: str) -> str:
    """An example with an address of the operator's in each place."""
    for family, address in OWN.items():
        text = text.replace(f"(an address of {family})", address)
    return text


@pytest.mark.parametrize("name", NAMES)
def test_an_example_names_every_chain_and_is_read_once_its_addresses_are_filled_in(
    name: str, tmp_path: Path
) -> None:
    text, path = (EXAMPLES / name).read_text(), tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match="treasury is not an EVM address"):
        read_profile(path, CATALOGUE)
    path.write_text(filled(text))
    testnet = name == "testnets.toml"
    wanted = {chain.id for chain in CATALOGUE.chains.values() if chain.testnet == testnet}
    assert set(read_profile(path, CATALOGUE).chains) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_an_example_explains_each_field_that_it_uses(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    head = text[: text.index("prices =")]
    used = set(re.findall(r"^(\w+) =", text.replace(head, "", 1), re.MULTILINE)) - {"prices"}
    assert used <= set(ChainProfile.model_fields)
    explained = set(re.findall(r"^# (\w+)(?: \([^)]*\))?:", head, re.MULTILINE))
    assert used - {"key_password"} <= explained
    assert "key_password =" in head


@pytest.mark.parametrize("kind", ["solana", "starknet", "tron"])
def test_a_field_of_another_family_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(filled((EXAMPLES / "mainnets.toml").read_text()).replace(
        "[chains.BASE_MAINNET]\n",
        "[chains.BASE_MAINNET]\n" + {
            "solana": 'program = "x"\n', "starknet": 'account = "0x1"\n',
            "tron": 'contracts = { factory = "x" }\n',
        }[kind],
    ))  # fmt: skip
    with pytest.raises(ValueError, match=r"chains.BASE_MAINNET.\w+ means nothing on Base"):
        read_profile(path, CATALOGUE)
