"""The part of a chain adapter that is the same for every family behind RPC nodes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.domain.catalogue import Catalogue, Chain, ChainKind
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import ChainAddresses, ChainHead, SignedTx, TxStatus


class RpcContext(Protocol):
    """What every family's `ChainContext` has."""

    @property
    def chain(self) -> Chain:
        """The chain's entry in the catalogue."""
        ...

    @property
    def catalogue(self) -> Catalogue:
        """All chains and tokens."""
        ...

    @property
    def pool(self) -> RpcPool:
        """The chain's nodes."""
        ...

    @property
    def accounts(self) -> ChainAddresses:
        """Crossway's own addresses, as the family's nodes spell them."""
        ...


class HeadSource(Protocol):
    """Where the newest block comes from."""

    def heads(self) -> ChainHead:
        """The newest and the final block."""
        ...


class TxSender(Protocol):
    """Signs, sends and follows our account's transactions."""

    def fee_units(self) -> int:
        """The maximum cost of one transaction, in base units of the native coin."""
        ...

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        """Sign each call with its nonce."""
        ...

    def broadcast(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        """Send; per transaction the node's error, or an empty string."""
        ...

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        """The status of each transaction."""
        ...


ContextT = TypeVar("ContextT", bound=RpcContext)
SenderT = TypeVar("SenderT", bound=TxSender)


class RpcChain(ABC, Generic[ContextT, SenderT]):
    """`ports.chain.Chain` over RPC nodes; safe to share between threads. A family adds reading
    deposits, balances, executed markers and the account's transactions."""

    kind: ClassVar[ChainKind]
    supports_rbf: bool

    def __init__(
        self,
        context: ContextT,
        head_tracker: HeadSource,
        tx_sender: SenderT,
        accounts: ChainAddresses | None = None,
    ) -> None:
        """`accounts` in canonical form, where the context has them in another one."""
        self.id, self.context = context.chain.id, context
        self.accounts = context.accounts if accounts is None else accounts
        self.tx_sender, self._head_tracker = tx_sender, head_tracker

    def close(self) -> None:
        """Close the connections to the nodes."""
        self.context.pool.close()

    def canonical_address(self, text: str) -> str:
        return canonical_address(self.kind, text)

    def intent_hash(self, terms: Terms) -> str:
        bridger, coordinator = self.accounts.bridger, self.accounts.coordinator
        hashes = hash_terms(self.context.catalogue, terms, bridger, coordinator)
        return "0x" + hashes.intent_hash.hex()

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None

    def heads(self) -> ChainHead:
        return self._head_tracker.heads()

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        unique = list(dict.fromkeys(addresses))
        if not unique:
            return {}
        return self.context.pool.first(lambda session: self._read_balances(session, unique, token))

    def native_balance(self, address: str) -> int:
        return self.balances([address], self._native_token())[address]

    def fee_units(self) -> int:
        return self.tx_sender.fee_units()

    def sign(
        self, actions: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        return self.tx_sender.sign(actions, fee_units)

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        return self.tx_sender.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        return self.tx_sender.status(tx_ids)

    @abstractmethod
    def _native_token(self) -> str:
        """The token address that stands for the native coin."""

    @abstractmethod
    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        """The balance of each address in base units."""
