"""The contracts as they were built, and where they lie: the same addresses on every EVM chain."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from crossway.adapters.chains.addresses import canonical, keccak256
from crossway.adapters.chains.binding import WORD, address_word, create2

# Puts what it is sent at the address that the code and the salt determine; on every chain at the
# same address, as it was put there by a transaction without chain id and with a made-up signature.
DEPLOYER = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
SALT = bytes(WORD)
EVM_PREFIX = 0xFF
# GRACE of the factory: its own constant, which tests compare.
REDIRECT_SECONDS = 3 * 86_400
_CLONE_HEAD = bytes.fromhex("3d602d80600a3d3981f3363d3d373d3d3d363d73")
_CLONE_TAIL = bytes.fromhex("5af43d82803e903d91602b57fd5bf3")


@dataclass(frozen=True)
class Artifact:
    """One contract as the compiler left it; `immutables` are the places in `runtime`, offset and
    length, that its constructor filled in."""

    name: str
    abi: tuple[Mapping[str, Any], ...]
    bytecode: bytes
    runtime: bytes
    immutables: tuple[tuple[int, int], ...]

    def same_code(self, code: bytes) -> bool:
        """Whether code on a chain is this contract's, whatever its constructor filled in."""
        return len(code) == len(self.runtime) and self._blank(code) == self._blank(self.runtime)

    def _blank(self, code: bytes) -> bytes:
        blanked = bytearray(code)
        for start, length in self.immutables:
            blanked[start : start + length] = bytes(length)
        return bytes(blanked)


@lru_cache
def artifact(name: str, family: str = "evm") -> Artifact:
    """The artifact of a contract: IntentFactory, Escrow, Filler, DepositAddress, BalanceLens.
    Those of another family that runs such code are in its own package."""
    package = files(__package__.rpartition(".")[0] + "." + family)
    read = json.loads(package.joinpath("artifacts", f"{name}.json").read_bytes())
    return Artifact(
        read["contract"],
        tuple(read["abi"]),
        bytes.fromhex(read["bytecode"][2:]),
        bytes.fromhex(read["runtime"][2:]),
        tuple((start, length) for start, length in read["immutables"]),
    )


@dataclass(frozen=True)
class Deployment:
    """Where the contracts are; addresses are in canonical form."""

    factory: str
    escrow: str
    filler: str
    implementation: str
    prefix: int = EVM_PREFIX
    family: str = "evm"

    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent: known before anything is deployed there."""
        return _text(create2(self.prefix, _bytes(self.factory), key, self._clone_hash))

    @cached_property
    def _clone_hash(self) -> bytes:
        return keccak256(_CLONE_HEAD + _bytes(self.implementation) + _CLONE_TAIL)


def init_code(name: str, prefix: int = EVM_PREFIX, factory: str = "", family: str = "evm") -> bytes:
    """What is sent to be deployed: the code with its constructor's arguments. The escrow's is the
    factory, where the deterministic deployer puts it unless told."""
    code = artifact(name, family).bytecode
    if name == "IntentFactory":
        return code + bytes([prefix]).ljust(WORD, b"\0")
    if name == "Escrow":
        return code + address_word("evm", factory or _placed("IntentFactory", prefix, family))
    return code


@lru_cache
def deployment(prefix: int = EVM_PREFIX, family: str = "evm") -> Deployment:
    """Where the deterministic deployer puts the contracts."""
    factory, escrow, filler = (
        _placed(name, prefix, family) for name in ("IntentFactory", "Escrow", "Filler")
    )
    return deployment_at(factory, escrow, filler, prefix, family)


def deployment_at(
    factory: str, escrow: str, filler: str, prefix: int, family: str = "evm"
) -> Deployment:
    """Contracts that were put where somebody says."""
    code_hash = keccak256(artifact("DepositAddress", family).bytecode)
    implementation = _text(create2(prefix, _bytes(factory), SALT, code_hash))
    return Deployment(factory, escrow, filler, implementation, prefix, family)


def _placed(name: str, prefix: int, family: str) -> str:
    code_hash = keccak256(init_code(name, prefix, family=family))
    return _text(create2(prefix, _bytes(DEPLOYER), SALT, code_hash))


def _bytes(address: str) -> bytes:
    return bytes.fromhex(address[2:])


def _text(address: bytes) -> str:
    return canonical("evm", "0x" + address.hex())
