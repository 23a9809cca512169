"""What an account and the contracts did, whoever signed it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Generic

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.chain_context import ContextT, ContractContextT
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.ports.chain import AccountTx, ChainHead, IncludedTx


class TxHistory(ABC, Generic[ContextT]):
    """Reads executed markers and an account's transactions from a chain's nodes."""

    def __init__(self, context: ContextT) -> None:
        self._context = context

    def executed(self, markers: Collection[str]) -> set[str]:
        """The markers that a contract has executed, according to every node of the quorum."""
        return quorum_reads.executed_markers(self._context.pool, markers, self._read_executed)

    def transactions_from(
        self, head: ChainHead, account: str, from_nonce: int
    ) -> Sequence[AccountTx]:
        """The included transactions of an account from a nonce on, oldest first."""
        transactions = self._context.pool.first(
            lambda session: self._read_transactions(session, head, account, from_nonce)
        )
        return sorted(transactions, key=lambda transaction: transaction.nonce)

    @abstractmethod
    def _read_executed(self, session: RpcSession, markers: Sequence[str]) -> set[str]:
        """The markers that are executed according to one node."""

    @abstractmethod
    def _read_transactions(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> Sequence[AccountTx]:
        """The transactions of an account from a nonce on."""


class ContractTxHistory(TxHistory[ContractContextT]):
    """For chains whose contracts tell which of many intents they have executed."""

    markers_per_call: ClassVar[int]

    def _read_executed(self, session: RpcSession, markers: Sequence[str]) -> set[str]:
        contract_of = self._context.deployment.contract_of
        groups = quorum_reads.group_markers(contract_of, markers, self.markers_per_call)
        results = session.call(
            *(
                self._executed_request(to, [marker.split(":")[1] for marker in part])
                for to, part in groups
            )
        )
        executed: set[str] = set()
        for (_, part), result in zip(groups, results, strict=True):
            flags = self._parse_executed(result, len(part))
            if flags is None:
                raise MalformedResponse("the contracts are not deployed where expected")
            executed |= {marker for marker, flag in zip(part, flags, strict=True) if flag}
        return executed

    def _read_transactions(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> Sequence[AccountTx]:
        nonces = self._find_nonces(session, head, account, from_nonce)
        included = self._read_included(session, list(nonces))
        return [
            AccountTx(tx_id, nonces[tx_id], result)
            for tx_id, result in included.items()
            if isinstance(result, IncludedTx)
        ]

    @abstractmethod
    def _executed_request(self, contract: str, intent_hashes: Sequence[str]) -> RpcRequest:
        """Request which of these intents a contract has executed."""

    @abstractmethod
    def _parse_executed(self, result: Any, count: int) -> Sequence[int] | None:
        """A flag for each of `count` intents; None for a result of another length."""

    @abstractmethod
    def _find_nonces(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> Mapping[str, int]:
        """Nonces by transaction id, from `from_nonce` on."""

    @abstractmethod
    def _read_included(self, session: RpcSession, tx_ids: list[str]) -> Mapping[str, object]:
        """The results of these transactions, of which those that are `IncludedTx` count."""
