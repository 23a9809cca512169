"""How the chains of one family are opened, and their nodes checked."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from crossway.adapters.chains.rpc.chain_context import NodeParams
from crossway.adapters.chains.rpc.connecting import connect_pool
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.keys import KeyKind, Keyring, S
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead, NodeProbe, probe_nodes
from crossway.adapters.chains.rpc.operator_txs import ContractCheck
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.domain.catalogue import Catalogue, Chain


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """One chain of a profile, and what it is opened with. `catalogue` has all chains, because terms
    may name any; `keyring` shares keys between chains; `bridges` are those that the profile
    names."""

    catalogue: Catalogue
    name: str
    profile: ChainProfile
    keyring: Keyring
    bridges: tuple[str, ...] = ()

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment that has the keys and the variables of URLs."""
        return self.keyring.environment

    @property
    def chain(self) -> Chain:
        """The chain's entry in the catalogue."""
        return self.catalogue.chains[self.name]

    def relayer_signer(self, kind: KeyKind[S]) -> S:
        """The relayer's signer. Raises `ValueError` that names the profile's field."""
        return self.keyring.relayer_signer(kind, self.name, self.profile)

    def gas_signers(self, kind: KeyKind[S], relayer: str) -> tuple[S, ...]:
        """Those of the accounts that hold gas alone. Raises `ValueError` that names the profile's
        field."""
        return self.keyring.gas_signers(kind, self.name, self.profile, relayer)


class ChainFamily(ABC):
    """One family of live chains."""

    keys: ClassVar[KeyKind[Any]]
    """The family's private keys; their signers have an `address` or what stands for it."""

    @abstractmethod
    def open_chain(self, settings: ChainSettings) -> ChainOperator:
        """One chain of a profile; reads no node yet. Raises `ValueError` that names the invalid
        field."""

    @abstractmethod
    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        """Where the contracts are or will be; empty where that is unknown yet. Reads no node."""

    def connect(
        self, chain: Chain, profile: ChainProfile, environment: Mapping[str, str]
    ) -> RpcPool:
        """The pool of a chain's nodes. Raises `ValueError` where a URL is invalid or an environment
        variable in it is not set."""
        identity, batch_size = self._identity(chain), self._node_params(chain).batch_size
        return connect_pool(chain.id, profile, environment, identity, batch_size)

    def diagnose_nodes(
        self, chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
    ) -> Iterator[Finding]:
        """Findings about each node, and about how the nodes agree."""
        check = partial(self._check_capabilities, chain, profile)
        probe = NodeProbe(partial(self.connect, chain), self._read_head, check)
        return probe_nodes(chain, profile, environment, now, probe)

    @abstractmethod
    def _identity(self, chain: Chain) -> ChainIdentity:
        """How to check that a node serves the right chain."""

    @abstractmethod
    def _node_params(self, chain: Chain) -> NodeParams:
        """The limits of a chain's usual nodes."""

    @abstractmethod
    def _read_head(self, session: RpcSession) -> NodeHead:
        """A node's newest block."""

    @abstractmethod
    def _check_capabilities(
        self, chain: Chain, profile: ChainProfile, subject: str, pool: RpcPool, head: NodeHead
    ) -> Iterator[Finding]:
        """Whether a node supports what finding deposits needs."""
