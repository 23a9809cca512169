"""What every part of a chain's adapter works with: context, contracts and parameters."""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from crossway.adapters.chains.rpc.block_scan import BlockHashes, QueryLimits
from crossway.adapters.chains.rpc.pool import RpcPool
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain_addresses import ChainAddresses


@dataclass(kw_only=True)
class RpcContext(ABC):
    """One chain: its nodes and our accounts, as the family's nodes spell addresses. `catalogue` has
    the chains of other families, too, because terms name their addresses."""

    chain: Chain
    catalogue: Catalogue
    pool: RpcPool
    accounts: ChainAddresses
    block_hashes: BlockHashes = field(default_factory=BlockHashes)

    @abstractmethod
    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent hash, known before anything is deployed there."""


@dataclass(frozen=True)
class ContractAddresses(ABC):
    """The addresses of Crossway's contracts."""

    factory: str
    escrow: str
    filler: str

    @property
    def contracts(self) -> tuple[str, ...]:
        """The contracts that report transfers."""
        return self.factory, self.escrow, self.filler

    def contract_of(self, marker: str) -> str:
        """The contract that has an on-chain marker."""
        contracts = {"start": self.factory, "fill": self.filler, "settle": self.escrow}
        return contracts[marker.partition(":")[0]]

    @abstractmethod
    def deposit_address(self, key: bytes) -> str:
        """The deposit address of an intent hash, known before anything is deployed there."""


@dataclass(frozen=True, slots=True)
class NodeParams:
    """Limits of a chain's usual nodes: one HTTP request has at most `batch_size` calls."""

    batch_size: int


@dataclass(kw_only=True)
class ContractContext(RpcContext):
    """A chain with Crossway's contracts, of whose blocks the transfers of `tokens` are scanned."""

    params: NodeParams
    deployment: ContractAddresses
    limits: QueryLimits
    tokens: frozenset[str]

    def deposit_address(self, key: bytes) -> str:
        return self.deployment.deposit_address(key)


ContextT = TypeVar("ContextT", bound=RpcContext)
ContractContextT = TypeVar("ContractContextT", bound=ContractContext)


def chain_section(package: str, chain: str) -> Mapping[str, Any]:
    """The parameters of a chain in its family's chain_params.toml: the section [default] with the
    chain's own values on top."""
    sections = read_params(package)
    merged: Mapping[str, Any] = sections["default"] | sections.get(chain, {})
    return merged


@cache
def read_params(package: str) -> Mapping[str, Any]:
    """The content of chain_params.toml in a package."""
    text = files(package).joinpath("chain_params.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
