"""Which recipients and refund addresses are refused, wherever a request names them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidInput
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.developers import clients
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM, SOLANA = "BASE_MAINNET", "ARBITRUM_MAINNET", "SOLANA_MAINNET"
STARKNET, TRON = "STARKNET_MAINNET", "TRON_MAINNET"
BURN = {
    "evm": [
        "0x0000000000000000000000000000000000000000",
        "0x000000000000000000000000000000000000dead",
    ],
    "solana": ["1" * 32, "1nc1nerator11111111111111111111111111111111"],
    "starknet": ["0x1", "0x2", "0xdead"],
    "tron": ["T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy"],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    folder: Path = tmp_path_factory.mktemp("addresses")
    chains = [BASE, ARBITRUM, SOLANA, STARKNET, TRON]
    built = Harness(f"sqlite:///{folder / 'crossway.db'}", chains=chains)
    yield built
    built.store.close()


@pytest.mark.parametrize("chain", [BASE, SOLANA, STARKNET, TRON])
def test_burn_addresses_are_refused_on_every_family(world: Harness, chain: str) -> None:
    for address in BURN[CATALOGUE.chains[chain].kind]:
        with pytest.raises(InvalidInput, match=r"^recipient is .*funds sent there are lost; give"):
            parse_payable_address(world.services, CATALOGUE.chains[chain], address, "recipient")


@pytest.mark.parametrize("chain", [BASE, SOLANA, STARKNET, TRON])
def test_contracts_of_tokens_are_refused(world: Harness, chain: str) -> None:
    """Also those of tokens that are switched off, and of other tokens than the payment's."""
    tokens = CATALOGUE.by_chain[chain]
    assert len(tokens) > 2
    for token in tokens:
        with pytest.raises(InvalidInput, match=r"^refund_address is .*funds sent there are lost"):
            parse_payable_address(
                world.services, CATALOGUE.chains[chain], token.address, "refund_address"
            )


@pytest.mark.parametrize("chain", [BASE, SOLANA, STARKNET, TRON])
def test_our_own_accounts_and_contracts_are_refused(world: Harness, chain: str) -> None:
    accounts = world.services.chains[chain].accounts
    own = {
        accounts.relayer: "the relayer",
        accounts.treasury: "the treasury",
        accounts.bridger: "a contract",
        accounts.coordinator: "the coordinator",
    }
    for address, role in own.items():
        with pytest.raises(InvalidInput, match=f"^recipient is {role} of this service; give"):
            parse_payable_address(world.services, CATALOGUE.chains[chain], address, "recipient")


def test_deposit_addresses_of_any_payment_are_refused_on_both_of_its_chains(world: Harness) -> None:
    other = world.create_intent(SOLANA, STARKNET)
    for field, chains, address in (
        ("recipient", (BASE, STARKNET), other.destination_address),
        ("recipient", (BASE, SOLANA), other.address),
        ("refund_address", (SOLANA, BASE), other.address),
    ):
        with pytest.raises(InvalidInput, match=f"^{field} is the deposit address of a payment"):
            world.create_intent(*chains, **{field: address})


def test_every_way_to_name_a_recipient_or_a_refund_address_refuses_our_own(world: Harness) -> None:
    services, relayer = world.services, world.services.chains[BASE].accounts.relayer
    for field in ("recipient", "refund_address"):
        with pytest.raises(InvalidInput, match=f"^{field} is the relayer of this service"):
            world.create_intent(BASE, ARBITRUM, **{field: relayer})
    with pytest.raises(InvalidInput, match=r"^sender is the relayer of this service"):
        world.create_intent(BASE, ARBITRUM, refund_address=None, sender=relayer)
    link = LinkRequest(title="Rent", destination_chain=BASE, recipient=relayer)
    with pytest.raises(InvalidInput, match=r"^recipient is the relayer of this service"):
        links.create(services, world.caller, link)
    change = clients.ClientUpdate(refund_addresses={"evm": relayer})
    with pytest.raises(InvalidInput, match=r"^refund_addresses: the evm address is the relayer"):
        clients.update_client(services, world.caller.client.id, change, world.operator)
