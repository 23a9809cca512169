"""Addresses of the simulated Solana are what Solana's own libraries make of the same input."""

from hashlib import sha256

import base58
import pytest
from solders.pubkey import Pubkey
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from crossway.adapters.chains.simulated.blocks.solana_addresses import (
    derive_program_address,
    is_on_curve,
)
from tests.services import CATALOGUE
from tests.simulation import Simulation

CHAINS = ("SOLANA_MAINNET", "SOLANA_TESTNET")
HASH = "0x" + "5a" * 32


def digest(number: int) -> bytes:
    return sha256(f"{number}".encode()).digest()


def test_public_keys_are_told_from_derived_addresses() -> None:
    found = [is_on_curve(digest(number)) for number in range(300)]
    assert found == [Pubkey.from_bytes(digest(number)).is_on_curve() for number in range(300)]
    assert 50 < sum(found) < 250


def test_programs_derive_what_solana_derives() -> None:
    for number in range(100):
        program, seeds = Pubkey.from_bytes(digest(number)), (b"intent", digest(number + 1))
        expected = str(Pubkey.find_program_address(seeds, program)[0])
        assert derive_program_address(str(program), *seeds) == expected


@pytest.mark.parametrize("chain", CHAINS)
def test_a_deposit_address_is_off_the_curve(chain: str, simulation: Simulation) -> None:
    """service.md, Intent: on Solana `intent_address` is the program-derived address."""
    addresses = {simulation.chain(chain).deposit_address(f"{HASH}{n}") for n in range(20)}
    assert len(addresses) == 20
    assert not any(Pubkey.from_string(address).is_on_curve() for address in addresses)


@pytest.mark.parametrize("chain", CHAINS)
def test_the_token_account_is_the_associated_one(chain: str, simulation: Simulation) -> None:
    """service.md, Intent, `deposit_token_account`."""
    simulated = simulation.chain(chain)
    address = simulated.deposit_address(HASH)
    owner, programs = Pubkey.from_string(address), set()
    for token in CATALOGUE.by_chain[chain]:
        account = simulated.deposit_token_account(address, token.address)
        if token.native:
            assert account is None
            continue
        mint = Pubkey.from_string(token.address)
        expected = {
            str(get_associated_token_address(owner, mint, program)): program
            for program in (TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID)
        }
        programs.add(expected[str(account)])
    usdc = simulated.deposit_token_account(address, CATALOGUE.tokens[chain, "USDC"].address)
    mint = Pubkey.from_string(CATALOGUE.tokens[chain, "USDC"].address)
    assert usdc == str(get_associated_token_address(owner, mint, TOKEN_PROGRAM_ID))
    assert TOKEN_PROGRAM_ID in programs


def test_transactions_have_signatures_of_64_bytes(simulation: Simulation) -> None:
    chain = simulation.chain("SOLANA_MAINNET")
    usdc = CATALOGUE.tokens[chain.id, "USDC"].address
    sent = simulation.sandbox.deposit(chain.id, chain.deposit_address(HASH), usdc, 5)
    assert len(base58.b58decode(sent.tx_hash)) == 64
    again = simulation.sandbox.deposit(
        chain.id, chain.deposit_address(HASH), usdc, 5, reference="order"
    )
    assert len(base58.b58decode(again.tx_hash)) == 64
