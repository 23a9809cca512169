"""The compiled contracts and their addresses, which are the same on every EVM chain."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Final

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.intent_hash import create2_address
from crossway.adapters.chains.rpc.chain_context import ContractAddresses
from crossway.adapters.chains.words import WORD
from crossway.domain.catalogue import Chain
from crossway.domain.quotes import BridgeName

# The deterministic deployment proxy: deploys code with CREATE2, and has the same address on every
# chain, because the transaction that deployed it has no chain id.
DEPLOYER = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
SALT = bytes(WORD)
EVM_PREFIX = 0xFF
# The constants REDIRECT_DELAY of the factory and RECLAIM_DELAY of the escrow; a test compares them.
REDIRECT_SECONDS = 3 * 86_400
RECLAIM_SECONDS = 86_400
# The bridges' contracts: artifact, and types and values of the constructor's arguments after the
# factory's and the filler's address. Names are those that quotes give.
BRIDGES: Final[Mapping[str, tuple[str, list[str], list[int]]]] = {
    "CCTP_FAST": ("CctpBridge", ["uint32"], [1000]),
    "CCTP_STANDARD": ("CctpBridge", ["uint32"], [2000]),
    "CCTP_SWAP_FAST": ("CctpSwapBridge", ["uint32"], [1000]),
    "CCTP_SWAP_STANDARD": ("CctpSwapBridge", ["uint32"], [2000]),
    "ACROSS": ("AcrossBridge", [], []),
}
BRIDGE_CONTRACTS: Final[Mapping[str, tuple[str, ...]]] = {
    BridgeName.CCTP: (
        *("CCTP_FAST", "CCTP_STANDARD", "CallBatch"),
        # Each is the receiver too, so they are also where nothing can be swapped.
        *("CCTP_SWAP_FAST", "CCTP_SWAP_STANDARD"),
    ),
    BridgeName.ACROSS: ("ACROSS",),
}
"""The contracts of each bridge that carries payments, by its name in profiles."""
STANDING: Final = "STANDING"
"""What profiles that offer standing addresses name beside their bridges."""
OPTIONAL_CONTRACTS: Final[Mapping[str, tuple[str, ...]]] = {
    **BRIDGE_CONTRACTS,
    STANDING: ("StandingFactory",),
}
"""The contracts that only those profiles need which name their user."""
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
    """The artifact of a contract by its name. `family` is the package that has it: Tron has its own
    artifacts."""
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
    """The addresses of the contracts in EVM form. `prefix` is that of CREATE2 addresses.

    New payments use `escrow2` and `filler2`, and those that were created with `escrow` end with
    `escrow` and `filler`; without the second set, which Tron does not have, all use the first.
    `bridges` has the contracts of the bridges that reach the chain, by the names of `BRIDGES`;
    `call_batch`, where one of them takes calls from anyone, makes several in one transaction.
    `permit_pay_in` is the spender of payers' signatures for Permit2. `standing` creates standing
    addresses, with `standing_implementation` behind them.
    """

    implementation: str
    prefix: int = EVM_PREFIX
    family: str = "evm"
    escrow2: str = ""
    filler2: str = ""
    bridges: Mapping[str, str] = field(default_factory=dict)
    call_batch: str = ""
    permit_pay_in: str = ""
    standing: str = ""
    standing_implementation: str = ""

    @property
    def contracts(self) -> tuple[str, ...]:
        second = (self.escrow2, self.filler2) if self.escrow2 else ()
        standing = (self.standing,) if self.standing else ()
        return *super().contracts, *second, *standing, *self.bridges.values()

    @property
    def optional(self) -> Mapping[str, str]:
        """What bridges that reach the chain, standing addresses and signatures for Permit2 need of
        ours, by the names of `OPTIONAL_CONTRACTS`."""
        batch = {"CallBatch": self.call_batch} if self.call_batch else {}
        standing = {"StandingFactory": self.standing} if self.standing else {}
        pay_in = {"PermitPayIn": self.permit_pay_in} if self.permit_pay_in else {}
        return {**standing, **self.bridges, **batch, **pay_in}

    def contract_of(self, marker: str) -> str:
        kind, *rest = marker.split(":")
        if kind == "standing":
            return self.standing
        bridger = rest[1] if len(rest) > 1 else ""
        if kind == "fill":
            return self.filler_of(bridger)
        if kind == "settle" and self.escrow2 and bridger != self.escrow:
            return self.escrow2
        return super().contract_of(marker)

    def filler_of(self, bridger: str) -> str:
        """The contract that pays the recipients of payments with this bridger. One alone may: each
        pays a payment once, and does not know of the other."""
        return self.filler2 if self.filler2 and bridger != self.escrow else self.filler

    def deposit_address(self, key: bytes) -> str:
        return _to_text(
            create2_address(self.prefix, _to_bytes(self.factory), key, self._clone_hash)
        )

    def standing_address(self, key: bytes) -> str:
        """The standing address of a hash of terms."""
        clone = _clone_code_hash(self.standing_implementation)
        return _to_text(create2_address(self.prefix, _to_bytes(self.standing), key, clone))

    @cached_property
    def _clone_hash(self) -> bytes:
        return _clone_code_hash(self.implementation)


def _clone_code_hash(implementation: str) -> bytes:
    return keccak256(_CLONE_HEAD + _to_bytes(implementation) + _CLONE_TAIL)


def init_code(name: str, prefix: int = EVM_PREFIX, factory: str = "", family: str = "evm") -> bytes:
    """The bytecode with its constructor arguments; `name` is an artifact's or one of `BRIDGES`. The
    escrow's argument is the factory: by default the one that the deterministic deployer deploys."""
    if name in BRIDGES:
        artifact, types, values = BRIDGES[name]
        needed = [_deterministic_address(n, prefix, family) for n in ("IntentFactory", "Filler2")]
        arguments = encode(["address", "address", *types], [*needed, *values])
        return load_artifact(artifact, family).bytecode + arguments
    code = load_artifact(name, family).bytecode
    if name == "IntentFactory":
        return code + encode(["bytes1"], [bytes([prefix])])
    if name in ("Escrow", "Escrow2", "StandingFactory"):
        at = factory or _deterministic_address("IntentFactory", prefix, family)
        return code + encode(["address"], [at])
    return code


def artifact_of(name: str) -> str:
    """The artifact of a contract, whose name is that or one of `BRIDGES`."""
    return BRIDGES[name][0] if name in BRIDGES else name


@lru_cache
def default_deployment(prefix: int = EVM_PREFIX, family: str = "evm") -> Deployment:
    """The addresses at which the deterministic deployer deploys the contracts."""
    factory, escrow, filler = (
        _deterministic_address(name, prefix, family)
        for name in ("IntentFactory", "Escrow", "Filler")
    )
    plain = build_deployment(factory, escrow, filler, prefix, family)
    if family != "evm":
        return plain
    escrow2, filler2 = (
        _deterministic_address(name, prefix, family) for name in ("Escrow2", "Filler2")
    )
    bridges = {name: _deterministic_address(name, prefix, family) for name in BRIDGES}
    call_batch = _deterministic_address("CallBatch", prefix, family)
    pay_in = _deterministic_address("PermitPayIn", prefix, family)
    standing = _deterministic_address("StandingFactory", prefix, family)
    return replace(
        plain,
        escrow2=escrow2,
        filler2=filler2,
        bridges=bridges,
        call_batch=call_batch,
        permit_pay_in=pay_in,
        standing=standing,
        standing_implementation=_implementation(standing, prefix, family),
    )


def chain_deployment(chain: Chain) -> Deployment:
    """The deployment on an EVM chain: with the contracts of those bridges that reach it."""
    everywhere = default_deployment()
    cctp = chain.cctp_domain is not None
    reaching = {"CctpBridge": cctp, "CctpSwapBridge": cctp, "AcrossBridge": chain.across_pool}
    bridges = {name: at for name, at in everywhere.bridges.items() if reaching[artifact_of(name)]}
    call_batch = everywhere.call_batch if cctp else ""
    return replace(everywhere, bridges=bridges, call_batch=call_batch)


def build_deployment(
    factory: str, escrow: str, filler: str, prefix: int, family: str = "evm"
) -> Deployment:
    """A deployment at given addresses."""
    implementation = _implementation(factory, prefix, family)
    return Deployment(factory, escrow, filler, implementation, prefix, family)


def _implementation(factory: str, prefix: int, family: str) -> str:
    """The implementation behind the addresses that a factory creates."""
    code_hash = keccak256(load_artifact("DepositAddress", family).bytecode)
    return _to_text(create2_address(prefix, _to_bytes(factory), SALT, code_hash))


def _deterministic_address(name: str, prefix: int, family: str) -> str:
    code_hash = keccak256(init_code(name, prefix, family=family))
    return _to_text(create2_address(prefix, _to_bytes(DEPLOYER), SALT, code_hash))


def _to_bytes(address: str) -> bytes:
    return bytes.fromhex(address[2:])


def _to_text(address: bytes) -> str:
    return canonical_address("evm", "0x" + address.hex())
