"""Where things lie on Solana: addresses derived from the program, wallets and mints."""

from dataclasses import dataclass
from functools import lru_cache

from solders.pubkey import Pubkey

from crossway.adapters.chains.binding import NATIVE

SYSTEM = "11111111111111111111111111111111"
TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
ASSOCIATED = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
CLOCK = "SysvarC1ock11111111111111111111111111111111"
_MANY = 1 << 18


def is_native(token: str) -> bool:
    """Whether this stands for the cluster's own coin."""
    return token in (SYSTEM, NATIVE)


@dataclass(frozen=True, slots=True)
class Mints:
    """Which token program each mint belongs to."""

    newer: frozenset[str]

    def program_of(self, token: str) -> str:
        """The token program of a mint; the system program of the native coin."""
        if is_native(token):
            return SYSTEM
        return TOKEN_2022 if token in self.newer else TOKEN

    def account_of(self, wallet: str, token: str) -> str:
        """Where what a wallet holds of a token lies: its associated token account, or itself."""
        if is_native(token):
            return wallet
        return associated(wallet, token, self.program_of(token))


@lru_cache(maxsize=_MANY)
def associated(wallet: str, mint: str, program: str) -> str:
    """The associated token account of a wallet."""
    seeds = [bytes(Pubkey.from_string(one)) for one in (wallet, program, mint)]
    return _found(seeds, ASSOCIATED)


@dataclass(frozen=True, slots=True)
class Program:
    """Crossway's program and the accounts that it derives."""

    id: str

    def deposit_owner(self, key: bytes) -> str:
        """The account that deposits of an intent belong to."""
        return derived(self.id, b"intent", key)

    def state(self, key: bytes) -> str:
        """Where the program notes that an intent was started."""
        return derived(self.id, b"state", key)

    def marker(self, key: bytes) -> str:
        """Where the program notes that an intent was filled."""
        return derived(self.id, b"fill", key)

    def vault(self, coordinator: str) -> str:
        """The account that collected money of a coordinator belongs to."""
        return derived(self.id, b"vault", bytes(Pubkey.from_string(coordinator)))

    def kept(self, coordinator: str, token: str) -> str:
        """Where the program counts what stayed with a coordinator of a token."""
        mint = SYSTEM if is_native(token) else token
        parts = (coordinator, mint)
        return derived(self.id, b"kept", *(bytes(Pubkey.from_string(one)) for one in parts))


@lru_cache(maxsize=_MANY)
def derived(program: str, *seeds: bytes) -> str:
    """The address that a program derives from seeds, off the curve, at its canonical bump."""
    return _found(list(seeds), program)


def _found(seeds: list[bytes], program: str) -> str:
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(program))[0])
