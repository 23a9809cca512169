"""The contracts as they were built, and where they lie: the same addresses on every network."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from crossway.adapters.chains.starknet.felts import (
    contract_address,
    name_of,
    number,
    salt_of,
)

# Puts an instance of a declared class at the address that class, salt and calldata determine.
UNIVERSAL_DEPLOYER = "0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf"
# GRACE of the factory: its own constant, which tests compare.
REDIRECT_SECONDS = 3 * 86_400
CLASSES = ("IntentFactory", "Escrow", "Filler", "DepositAddress")


@dataclass(frozen=True)
class Deployment:
    """Where the contracts are, and which classes they have; all in canonical form."""

    factory: str
    escrow: str
    filler: str
    deposit_class: str

    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent: known before anything is deployed there."""
        felt = contract_address(number(self.deposit_class), salt_of(key), (), number(self.factory))
        return name_of(felt)


@lru_cache
def class_hash(name: str) -> str:
    """The hash of a contract's class, by which a network knows what was declared."""
    read = json.loads(files(__package__).joinpath("artifacts", "build.json").read_bytes())
    return name_of(int(read["classes"][name], 16))


def arguments(name: str) -> tuple[int, ...]:
    """What a contract's constructor is told."""
    if name == "IntentFactory":
        return (number(class_hash("DepositAddress")),)
    return (number(_placed("IntentFactory")),) if name == "Escrow" else ()


@lru_cache
def deployment() -> Deployment:
    """Where the universal deployer puts the contracts."""
    return Deployment(
        _placed("IntentFactory"),
        _placed("Escrow"),
        _placed("Filler"),
        class_hash("DepositAddress"),
    )


@lru_cache
def _placed(name: str) -> str:
    return name_of(contract_address(number(class_hash(name)), 0, arguments(name), 0))
