"""Signing, sending and following transactions: what all families do alike."""

import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.chain_context import ContextT
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.head_tracker import HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import (
    ChainHead,
    IncludedTx,
    SignedTx,
    TxNotFound,
    TxPending,
    TxStatus,
)
from crossway.ports.chain_calls import CallCosts

T = TypeVar("T")
_MAX_CACHED_TXS = 100_000
HeadTrackerT = TypeVar("HeadTrackerT", bound=HeadTracker[Any, Any])


class FeeCache:
    """The maximum cost of a transaction, read again after some seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._cached: tuple[float, int] | None = None

    def get(self, read: Callable[[], int]) -> int:
        """The cached fee, or the result of `read`, which is called without holding the lock."""
        with self._lock:
            if self._cached is not None and time.monotonic() - self._cached[0] < self._seconds:
                return self._cached[1]
        fee = read()
        with self._lock:
            self._cached = (time.monotonic(), fee)
        return fee


class BoundedCache(Generic[T]):
    """A value for each transaction id; holds the newest 100,000."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: OrderedDict[str, T] = OrderedDict()

    def update(self, values: Mapping[str, T]) -> None:
        """Store these as the newest."""
        with self._lock:
            for tx_id, value in values.items():
                self._values[tx_id] = value
                self._values.move_to_end(tx_id)
            while len(self._values) > _MAX_CACHED_TXS:
                self._values.popitem(last=False)

    def get(self, tx_id: str) -> T | None:
        """The stored value, if any."""
        with self._lock:
            return self._values.get(tx_id)


class RpcTxSender(ABC, Generic[ContextT, HeadTrackerT]):
    """Signs, sends and follows the transactions of one account.

    What it caches only saves requests: a new process fills it again as transactions are sent again.
    """

    fee_seconds: ClassVar[float] = 2.0

    def __init__(self, context: ContextT, head_tracker: HeadTrackerT, account: str = "") -> None:
        """`account` is the relayer's by default."""
        self._context, self._head_tracker, self._pool = context, head_tracker, context.pool
        self._account = account or context.accounts.relayer
        self._fee = FeeCache(self.fee_seconds)
        self._statuses_at: tuple[ChainHead | None, dict[str, TxStatus]] = (None, {})

    def fee_units(self) -> int:
        """The maximum cost of one transaction at the current price, in base units."""
        return self._fee.get(lambda: self._pool.first(self._read_fee))

    def call_costs(self) -> CallCosts:
        """What calls cost at current prices: the highest answer of the quorum."""
        readings = self._pool.quorum(self._read_call_costs)
        return CallCosts(
            start=max(reading.start for reading in readings),
            fill=max(reading.fill for reading in readings),
            settle=max(reading.settle for reading in readings),
            refund=max(reading.refund for reading in readings),
            send=max(reading.send for reading in readings),
            deliver=max(reading.deliver for reading in readings),
            swap=max(reading.swap for reading in readings),
            pay_in=max(reading.pay_in for reading in readings),
            forward=max(reading.forward for reading in readings),
        )

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        """Sign each call with its nonce. Raises `ValueError` where a call is not for our account on
        this chain."""
        account, chain = self._account, self._context.chain.id
        for call, _ in calls:
            if (call.account, call.chain) != (account, chain):
                raise ValueError(f"{call.account} on {call.chain} is not an account of {chain}")
        transactions = [replace(one, account=account) for one in self._sign(calls, fee_units)]
        self._remember(transactions)
        return transactions

    def broadcast(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        """Send; per transaction the node's error, or an empty string. A node rejects one that is
        already included for its nonce or its expiry, although it was sent: that is no error."""
        if not transactions:
            return []
        for transaction in transactions:
            self._statuses_at[1].pop(transaction.tx_id, None)
        errors = self._submit(transactions)
        rejected = [t.tx_id for t, error in zip(transactions, errors, strict=True) if error]
        if not rejected:
            return errors
        known = self._pool.first(lambda session: self._read_known(session, rejected))
        return [
            "" if transaction.tx_id in known else error
            for transaction, error in zip(transactions, errors, strict=True)
        ]

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        """The status of each transaction; `TxUnknown` where nodes of the quorum disagree."""
        if not tx_ids:
            return {}
        head = self._head_tracker.heads()
        if head is not self._statuses_at[0]:
            self._statuses_at = (head, {})
        # The engine asks more often than there is a new head.
        known = dict(self._statuses_at[1])
        statuses = {tx_id: known[tx_id] for tx_id in tx_ids if tx_id in known}
        missing = [tx_id for tx_id in tx_ids if tx_id not in known]
        if missing:
            read = partial(self._read_statuses, head=head)
            statuses |= quorum_reads.tx_statuses(self._pool, missing, read)
            self._statuses_at[1].update(statuses)
        return statuses

    @abstractmethod
    def next_nonce(self, account: str) -> int:
        """The nonce or sequence number that follows the included transactions."""

    @abstractmethod
    def _read_call_costs(self, session: RpcSession) -> CallCosts:
        """What calls cost at a node's prices. Raises `Unreachable` where they are not believed."""

    @abstractmethod
    def _read_fee(self, session: RpcSession) -> int:
        """The maximum cost of one transaction. Raises `Unreachable` for an implausible price."""

    @abstractmethod
    def _sign(
        self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        """Sign each call with its nonce."""

    @abstractmethod
    def _remember(self, transactions: Sequence[SignedTx]) -> None:
        """Cache what tells later whether a transaction was dropped."""

    @abstractmethod
    def _submit(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        """Send; per transaction the node's error, or an empty string."""

    @abstractmethod
    def _read_known(self, session: RpcSession, tx_ids: list[str]) -> set[str]:
        """The transactions that the node has, included or pending."""

    @abstractmethod
    def _read_statuses(
        self, session: RpcSession, tx_ids: list[str], head: ChainHead
    ) -> Mapping[str, TxStatus]:
        """The status of each transaction according to one node."""


class NonceTxSender(RpcTxSender[ContextT, HeadTrackerT]):
    """The sender for chains with account nonces."""

    def __init__(self, context: ContextT, head_tracker: HeadTrackerT, account: str = "") -> None:
        super().__init__(context, head_tracker, account)
        self._nonces = BoundedCache[int]()

    def knows(self, tx_id: str) -> bool:
        """Whether a transaction of this account was signed or sent here lately."""
        return self._nonces.get(tx_id) is not None

    def next_nonce(self, account: str) -> int:
        """The first nonce that no included transaction has used: the lowest that the quorum
        reports. A number that is too high would leave a gap, and the books correct a low one."""
        return min(self._pool.quorum(lambda session: self._read_nonce(session, account)))

    def _submit(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        self._remember(transactions)
        requests = [self._submit_request(transaction) for transaction in transactions]
        results = self._pool.first(lambda session: session.batch(requests))
        return [
            self._submission_error(result, transaction)
            for transaction, result in zip(transactions, results, strict=True)
        ]

    def _read_statuses(
        self, session: RpcSession, tx_ids: list[str], head: ChainHead
    ) -> Mapping[str, TxStatus]:
        included = self._read_included(session, tx_ids)
        statuses: dict[str, TxStatus] = {i: tx or TxPending() for i, tx in included.items()}
        missing = [tx_id for tx_id in tx_ids if tx_id not in statuses]
        if not missing:
            return statuses
        statuses |= self._read_unincluded(session, missing, head.height)
        unknown = [tx_id for tx_id in missing if tx_id not in statuses]
        used_nonces = self._read_final_nonce(session, head.finalized) if unknown else 0
        for tx_id in unknown:
            nonce = self._nonces.get(tx_id)
            statuses[tx_id] = TxNotFound(dropped=nonce is not None and nonce < used_nonces)
        return statuses

    def _remember(self, transactions: Sequence[SignedTx]) -> None:
        # Another account's nonces say nothing of this one's.
        self._nonces.update({t.tx_id: t.nonce for t in transactions if t.account == self._account})

    @abstractmethod
    def _read_nonce(self, session: RpcSession, account: str) -> int:
        """The next nonce of an account at the newest block."""

    @abstractmethod
    def _read_final_nonce(self, session: RpcSession, finalized: int) -> int:
        """The account's next nonce at the final block, 0 where the node cannot tell."""

    @abstractmethod
    def _submit_request(self, transaction: SignedTx) -> RpcRequest:
        """The request that submits a transaction."""

    @abstractmethod
    def _submission_error(self, result: Any, transaction: SignedTx) -> str:
        """The node's error, empty where it took the transaction or has it already."""

    @abstractmethod
    def _read_included(
        self, session: RpcSession, tx_ids: list[str]
    ) -> Mapping[str, IncludedTx | None]:
        """The transactions that have a receipt; None where its block was replaced."""

    @abstractmethod
    def _read_unincluded(
        self, session: RpcSession, tx_ids: list[str], height: int
    ) -> dict[str, TxStatus]:
        """The pending ones of those without a receipt. `TxUnknown` for one that is included after
        all, and for all where the node is below `height`."""
