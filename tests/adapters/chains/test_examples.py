"""The example profiles: what an operator copies is read once the addresses are the operator's."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import ChainProfile, read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.adapters.live_environment import restrict_catalogue
from crossway.catalogue import load_catalogue
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Terms
from tests.processes import ROOT

EXAMPLES = ROOT / "deploy" / "profiles"
CATALOGUE = load_catalogue()
OWN = {
    "evm": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "solana": "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN",
    "starknet": "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "tron": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
}
NAMED = {"evm": "EVM chains", "solana": "Solana", "starknet": "Starknet", "tron": "Tron"}
NAMES = ["mainnets.toml", "testnets.toml"]


def filled(text: str) -> str:
    """An example with an address of the operator's in each place."""
    for kind, address in OWN.items():
        text = text.replace(f"(an address of {NAMED[kind]})", address)
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
    path.write_text(
        filled((EXAMPLES / "mainnets.toml").read_text()).replace(
            "[chains.BASE_MAINNET]\n",
            "[chains.BASE_MAINNET]\n"
            + {
                "solana": 'program = "x"\n',
                "starknet": 'account = "0x1"\n',
                "tron": 'contracts = { factory = "x" }\n',
            }[kind],
        )
    )
    with pytest.raises(ValueError, match=r"chains.BASE_MAINNET.\w+ means nothing on Base"):
        read_profile(path, CATALOGUE)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ChainOperator]]:
    """Every chain of both examples as a service opens it, and nobody behind the nodes' names."""
    folder, made = tmp_path_factory.mktemp("examples"), {}
    # Any number of 251 bits is a key of every family.
    environment = {"KEY": "01" * 32}
    for name in NAMES:
        text = filled((EXAMPLES / name).read_text())
        text = re.sub(r"^(key|deposit_key) = .*$", r'\1 = "env:KEY"', text, flags=re.MULTILINE)
        text = re.sub(r"^key_password = .*$", "", text, flags=re.MULTILINE)
        text = re.sub(
            r"^rpc = .*$",
            'rpc = ["https://a.example", "https://b.example"]',
            text,
            flags=re.MULTILINE,
        )
        (folder / name).write_text(text)
        for chain, profile in read_profile(folder / name, CATALOGUE).chains.items():
            of, ring = load_family(CATALOGUE.chains[chain].kind), Keyring(environment)
            made[chain] = of.open_chain(ChainSettings(CATALOGUE, chain, profile, ring))
    yield made
    for one in made.values():
        one.chain.close()


def test_every_pair_of_live_chains_has_a_destination_address_without_asking_a_node(
    opened: dict[str, ChainOperator],
) -> None:
    chains = {name: one.chain for name, one in opened.items()}
    assert set(chains) == set(CATALOGUE.chains)
    for source, to in product(chains.values(), repeat=2):
        kinds = [CATALOGUE.chains[one.id].kind for one in (source, to)]
        tokens = [CATALOGUE.by_chain[one.id][0].address for one in (source, to)]
        terms = Terms(
            nonce=7,
            source_chain=source.id,
            destination_chain=to.id,
            token_in=tokens[0],
            token_out=tokens[1],
            deposit_amount=25_000_000,
            payout_amount=24_000_000,
            recipient=OWN[kinds[1]],
            refund_address=OWN[kinds[0]],
            bridge="",
            expires_at=datetime(2027, 1, 1, tzinfo=UTC),
        )
        key = source.intent_hash(terms)
        hashes = hash_terms(CATALOGUE, terms, source.accounts.bridger, source.accounts.coordinator)
        assert key == "0x" + hashes.intent_hash.hex()
        found = to.deposit_address(key)
        assert canonical_address(kinds[1], found) == found
        assert found == to.deposit_address(key)
        if kinds == ["evm", "evm"]:
            # Money that is paid on the wrong one of them lies at an address that is ours.
            assert found == source.deposit_address(key)


def test_a_live_network_offers_no_token_that_contracts_refuse_and_charges_what_a_profile_says(
    opened: dict[str, ChainOperator], tmp_path: Path
) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(filled((EXAMPLES / "mainnets.toml").read_text()))
    live = restrict_catalogue(CATALOGUE, read_profile(path, CATALOGUE), opened)
    assert CATALOGUE.tokens["SOLANA_MAINNET", "USDG"].enabled
    with pytest.raises(InvalidInput, match="its issuer can take back what others hold"):
        live.token("SOLANA_MAINNET", "USDG", "token_in")
    assert live.token("SOLANA_MAINNET", "USDC", "token_in").enabled
    # What one transaction costs is as the profile says, too, and else as the catalogue does.
    assert live.chains["SOLANA_MAINNET"].transfer_cost_micro_usd == 400_000
    costs = [one.chains["TRON_MAINNET"].transfer_cost_micro_usd for one in (live, CATALOGUE)]
    assert costs[0] == costs[1]
