"""The compiled contracts and their addresses, which are the same on every EVM chain."""

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.intent_hash import create2_address
from crossway.adapters.chains.rpc.chain_context import ContractAddresses
from crossway.adapters.chains.words import WORD

# The deterministic deployment proxy: deploys code with CREATE2, and has the same address on every
# chain, because the transaction that deployed it has no chain id.
DEPLOYER = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
SALT = bytes(WORD)
EVM_PREFIX = 0xFF
# The constant REDIRECT_DELAY of the factory; a test compares them.
REDIRECT_SECONDS = 3 * 86_400
_CLONE_HEAD = bytes.fromhex("3d602d80600a3d3981f3363d3d373d3d3d363d73")
_CLONE_TAIL = bytes.fromhex("5af43d82803e903d91602b57fd5bf3")


@dataclass(frozen=True)
class Artifact:
    """A compiled contract; `immutables` are offset and length of the parts of `runtime` that its
    constructor fills in."""

    name: str
    abi: tuple[Any, ...]
    bytecode: bytes
    runtime: bytes
    immutables: tuple[tuple[int, int], ...]

    def matches_code(self, code: bytes) -> bool:
        """Whether deployed code is this contract's, apart from its immutables."""
        same_length = len(code) == len(self.runtime)
        return same_length and self._mask(code) == self._mask(self.runtime)

    def _mask(self, code: bytes) -> bytes:
        masked = bytearray(code)
        for start, length in self.immutables:
            masked[start : start + length] = bytes(length)
        return bytes(masked)


@lru_cache
def load_artifact(name: str, family: str = "evm") -> Artifact:
    """The artifact of IntentFactory, Escrow, Filler, DepositAddress or BalanceLens. `family` is the
    package that has it: Tron has its own artifacts."""
    package = files(__package__.rpartition(".")[0] + "." + family)
    data = json.loads(package.joinpath("artifacts", f"{name}.json").read_bytes())
    return Artifact(
        data["contract"],
        tuple(data["abi"]),
        bytes.fromhex(data["bytecode"][2:]),
        bytes.fromhex(data["runtime"][2:]),
        tuple((start, length) for start, length in data["immutables"]),
    )


@dataclass(frozen=True)
class Deployment(ContractAddresses):
    """The addresses of the contracts in EVM form. `prefix` is that of CREATE2 addresses."""

    implementation: str
    prefix: int = EVM_PREFIX
    family: str = "evm"

    def deposit_address(self, key: bytes) -> str:
        return _to_text(
            create2_address(self.prefix, _to_bytes(self.factory), key, self._clone_hash)
        )

    @cached_property
    def _clone_hash(self) -> bytes:
        return keccak256(_CLONE_HEAD + _to_bytes(self.implementation) + _CLONE_TAIL)


def init_code(name: str, prefix: int = EVM_PREFIX, factory: str = "", family: str = "evm") -> bytes:
    """The bytecode with its constructor arguments. The escrow's argument is the factory: by default
    the one that the deterministic deployer deploys."""
    code = load_artifact(name, family).bytecode
    if name == "IntentFactory":
        return code + encode(["bytes1"], [bytes([prefix])])
    if name == "Escrow":
        at = factory or _deterministic_address("IntentFactory", prefix, family)
        return code + encode(["address"], [at])
    return code


@lru_cache
def default_deployment(prefix: int = EVM_PREFIX, family: str = "evm") -> Deployment:
    """The addresses at which the deterministic deployer deploys the contracts."""
    factory, escrow, filler = (
        _deterministic_address(name, prefix, family)
        for name in ("IntentFactory", "Escrow", "Filler")
    )
    return build_deployment(factory, escrow, filler, prefix, family)


def build_deployment(
    factory: str, escrow: str, filler: str, prefix: int, family: str = "evm"
) -> Deployment:
    """A deployment at given addresses."""
    code_hash = keccak256(load_artifact("DepositAddress", family).bytecode)
    implementation = _to_text(create2_address(prefix, _to_bytes(factory), SALT, code_hash))
    return Deployment(factory, escrow, filler, implementation, prefix, family)


def _deterministic_address(name: str, prefix: int, family: str) -> str:
    code_hash = keccak256(init_code(name, prefix, family=family))
    return _to_text(create2_address(prefix, _to_bytes(DEPLOYER), SALT, code_hash))


def _to_bytes(address: str) -> bytes:
    return bytes.fromhex(address[2:])


def _to_text(address: bytes) -> str:
    return canonical_address("evm", "0x" + address.hex())
