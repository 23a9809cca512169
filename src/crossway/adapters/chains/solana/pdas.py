"""Derived addresses on Solana: of the program, wallets and mints."""

from dataclasses import dataclass
from functools import lru_cache

from solders import system_program, sysvar
from solders.pubkey import Pubkey
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from crossway.adapters.chains.words import NATIVE

SYSTEM, CLOCK = str(system_program.ID), str(sysvar.CLOCK)
TOKEN, TOKEN_2022 = str(TOKEN_PROGRAM_ID), str(TOKEN_2022_PROGRAM_ID)
_PROGRAM_NAMES = 1 << 18


def is_native(token: str) -> bool:
    """Whether this token is the native coin, SOL."""
    return token in (SYSTEM, NATIVE)


@dataclass(frozen=True, slots=True)
class MintRegistry:
    """The token program of each mint."""

    token_2022_mints: frozenset[str]

    def program_of(self, token: str) -> str:
        """The token program of a mint; the system program for SOL."""
        if is_native(token):
            return SYSTEM
        return TOKEN_2022 if token in self.token_2022_mints else TOKEN

    def account_of(self, wallet: str, token: str) -> str:
        """The account of a wallet's token balance: its associated token account; itself for SOL."""
        if is_native(token):
            return wallet
        return associated_token_account(wallet, token, self.program_of(token))


@lru_cache(maxsize=_PROGRAM_NAMES)
def associated_token_account(wallet: str, mint: str, program: str) -> str:
    """The associated token account of a wallet."""
    keys = (Pubkey.from_string(address) for address in (wallet, mint, program))
    return str(get_associated_token_address(*keys))


@dataclass(frozen=True, slots=True)
class ProgramAddresses:
    """Crossway's program and its derived addresses."""

    id: str

    def deposit_owner(self, key: bytes) -> str:
        """The owner of an intent's deposits."""
        return derive_address(self.id, b"intent", key)

    def state(self, key: bytes) -> str:
        """The state account that marks an intent as started."""
        return derive_address(self.id, b"state", key)

    def marker(self, key: bytes) -> str:
        """The marker account of an intent's fill."""
        return derive_address(self.id, b"fill", key)

    def vault(self, coordinator: str) -> str:
        """The vault of a coordinator's collected deposits."""
        return derive_address(self.id, b"vault", bytes(Pubkey.from_string(coordinator)))

    def retained(self, coordinator: str, token: str) -> str:
        """The account that counts a coordinator's retained amount of a token."""
        mint = SYSTEM if is_native(token) else token
        parts = (coordinator, mint)
        return derive_address(
            self.id, b"retained", *(bytes(Pubkey.from_string(address)) for address in parts)
        )


@lru_cache(maxsize=_PROGRAM_NAMES)
def derive_address(program: str, *seeds: bytes) -> str:
    """The program-derived address of these seeds, at its canonical bump."""
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(program))[0])
