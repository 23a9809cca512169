"""The compiled contract classes and their addresses, which are the same on every network."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from crossway.adapters.chains.rpc.chain_context import ContractAddresses
from crossway.adapters.chains.starknet.felts import (
    contract_address,
    deposit_salt,
    to_felt,
    to_hex,
)

# The universal deployer: deploys an instance of a declared class at an address that follows from
# class, salt and calldata.
UNIVERSAL_DEPLOYER = "0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf"
# The constant REDIRECT_DELAY of the factory; a test compares them.
REDIRECT_SECONDS = 3 * 86_400
CLASSES = ("IntentFactory", "Escrow", "Filler", "DepositAddress")


@dataclass(frozen=True)
class Deployment(ContractAddresses):
    """The addresses of the contracts, and the class of deposit addresses, in canonical form."""

    deposit_class: str

    def deposit_address(self, key: bytes) -> str:
        deposit_class, factory = to_felt(self.deposit_class), to_felt(self.factory)
        return to_hex(contract_address(deposit_class, deposit_salt(key), (), factory))


@lru_cache
def class_hash(name: str) -> str:
    """The hash of a contract's class, which identifies it once it was declared."""
    data = json.loads(files(__package__).joinpath("artifacts", "build.json").read_bytes())
    return to_hex(int(data["classes"][name], 16))


def constructor_calldata(name: str) -> tuple[int, ...]:
    """The constructor arguments of a contract."""
    if name == "IntentFactory":
        return (to_felt(class_hash("DepositAddress")),)
    return (to_felt(_universal_address("IntentFactory")),) if name == "Escrow" else ()


@lru_cache
def default_deployment() -> Deployment:
    """The addresses at which the universal deployer deploys the contracts."""
    return Deployment(
        _universal_address("IntentFactory"),
        _universal_address("Escrow"),
        _universal_address("Filler"),
        class_hash("DepositAddress"),
    )


@lru_cache
def _universal_address(name: str) -> str:
    calldata = constructor_calldata(name)
    return to_hex(contract_address(to_felt(class_hash(name)), 0, calldata, 0))
