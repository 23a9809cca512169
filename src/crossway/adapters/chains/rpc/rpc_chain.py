"""The part of a chain adapter that is the same for every family behind RPC nodes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.chain_context import ContextT
from crossway.adapters.chains.rpc.deposit_scan import DepositReader
from crossway.adapters.chains.rpc.head_tracker import HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_history import TxHistory
from crossway.adapters.chains.rpc.tx_sender import RpcTxSender
from crossway.adapters.chains.rpc.watch_cost import WatchCost
from crossway.adapters.chains.signers.external_key import ExternalSigner
from crossway.domain.catalogue import ChainKind
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import (
    AccountTx,
    ChainHead,
    Cursor,
    Scan,
    SignedTx,
    TxStatus,
)
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.chain_calls import CallCosts, PublicCall
from crossway.ports.standing_contracts import StandingContracts

MAX_SIGNATURES, MAX_OUTSIDE_SIGNATURES = 2_000, 16
"""Signed in one database transaction, with a key in this process and with one outside."""
SenderT = TypeVar("SenderT", bound=RpcTxSender[Any, Any])


class RpcChain(ABC, Generic[ContextT, SenderT]):
    """`ports.chain.Chain` over RPC nodes; safe to share between threads. A family composes it of
    its own parts and adds reading balances and simulating payouts."""

    kind: ClassVar[ChainKind]
    has_nonces: bool

    def __init__(
        self,
        context: ContextT,
        head_tracker: HeadTracker[Any, Any],
        tx_sender: SenderT,
        deposits: DepositReader[Any],
        tx_history: TxHistory[Any],
        accounts: ChainAddresses | None = None,
    ) -> None:
        """`accounts` in canonical form, where the context has them in another one."""
        self.id, self.context = context.chain.id, context
        self.accounts = context.accounts if accounts is None else accounts
        self.tx_sender, self._head_tracker = tx_sender, head_tracker
        self._deposits, self._tx_history = deposits, tx_history
        self._signers = getattr(context, "signer", None), *getattr(context, "gas_signers", ())
        is_outside = any(isinstance(signer, ExternalSigner) for signer in self._signers)
        self.has_outside_signer = is_outside
        self.max_signatures = MAX_OUTSIDE_SIGNATURES if is_outside else MAX_SIGNATURES
        self.standing: StandingContracts | None = None

    def calls_per_tx(self, fee_units: int) -> int:
        del fee_units
        return 1

    def close(self) -> None:
        """Close the connections to the nodes, and to signers outside."""
        self.context.pool.close()
        for signer in self._signers:
            if (close := getattr(signer, "close", None)) is not None:
                close()

    def canonical_address(self, text: str) -> str:
        return canonical_address(self.kind, text)

    def intent_hash(
        self, terms: Terms, bridger: str | None = None, coordinator: str | None = None
    ) -> str:
        accounts = self.accounts
        hashes = hash_terms(
            self.context.catalogue,
            terms,
            accounts.bridger if bridger is None else bridger,
            accounts.coordinator if coordinator is None else coordinator,
        )
        return "0x" + hashes.intent_hash.hex()

    def deposit_address(self, intent_hash: str) -> str:
        return self.context.deposit_address(bytes.fromhex(intent_hash[2:]))

    def is_deposit_address(self, address: str, intent_hash: str) -> bool:
        return self.deposit_address(intent_hash) == address

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None

    def heads(self) -> ChainHead:
        return self._head_tracker.heads()

    def look(self, watch: AddressFilter) -> WatchCost:
        """Look at the chain once as the engine does, and return what that took."""
        pool, tracker = self.context.pool, self._head_tracker
        cursor = self._deposits.cursor_before(tracker.heads())
        before = pool.calls_by_node()
        tracker.forget()
        self.scan(cursor, watch)
        calls = max(n - b for n, b in zip(pool.calls_by_node(), before, strict=True))
        return WatchCost(calls, tracker.poll_seconds, pool.seconds_worth(before))

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        head = self.heads()
        if after is not None and not self._head_tracker.begin_scan():
            return Scan([], after, None)
        return self._deposits.scan(head, after, watch)

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        return self._deposits.transfers_to(self.heads(), addresses, since)

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        return self._deposits.verify_inclusion(incoming)

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        unique = list(dict.fromkeys(addresses))
        if not unique:
            return {}
        return self.context.pool.first(lambda session: self._read_balances(session, unique, token))

    def agreed_balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        unique = list(dict.fromkeys(addresses))
        if not unique:
            return {}

        def read(session: RpcSession) -> Mapping[str, int]:
            self._head_tracker.require_current(session)
            return self._read_balances(session, unique, token)

        return quorum_reads.agreed_balances(self.context.pool, read)

    def native_balance(self, address: str) -> int:
        return self.balances([address], self._native_token())[address]

    def next_nonce(self, account: str) -> int:
        return self.tx_sender.next_nonce(account)

    def fee_units(self) -> int:
        return self.tx_sender.fee_units()

    def call_costs(self) -> CallCosts:
        return self.tx_sender.call_costs()

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        return self.tx_sender.sign(calls, fee_units)

    def find_refusals(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return quorum_reads.agreed_refusals(
            self.context.pool, lambda session: self._read_refusals(session, calls)
        )

    @abstractmethod
    def public_call(self, call: OutboundCall) -> PublicCall | None:
        pass

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        return self.tx_sender.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        return self.tx_sender.status(tx_ids)

    def executed(self, markers: Collection[str]) -> set[str]:
        return self._tx_history.executed(markers)

    def authorized(self, coordinators: Collection[str]) -> set[str]:
        own = {one for one in coordinators if one == self.accounts.relayer}
        others = set(coordinators) - own
        return own | quorum_reads.executed_markers(self.context.pool, others, self._read_agencies)

    def retained(self, coordinators: Collection[str], token: str) -> Mapping[str, int]:
        ordered = sorted(set(coordinators))

        def read(session: RpcSession) -> Mapping[str, int]:
            self._head_tracker.require_current(session)
            return {one: self._read_retained(session, one, token) for one in ordered}

        amounts = quorum_reads.agreed_balances(self.context.pool, read)
        if len(amounts) < len(ordered):
            raise Unreachable("the nodes disagree on what is retained")
        return amounts

    def find_reclaims(self, intent_hashes: Collection[str], since: datetime) -> Mapping[str, str]:
        """None, where a family's escrow returns nothing."""
        return {}

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        return self._tx_history.transactions_from(self.heads(), account, from_nonce)

    @abstractmethod
    def _native_token(self) -> str:
        """The token address that stands for the native coin."""

    @abstractmethod
    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        """The balance of each address in base units."""

    def _read_agencies(self, session: RpcSession, coordinators: Collection[str]) -> set[str]:
        """Those of the coordinators that have named the relayer their agent; none where a family's
        contracts know no agents."""
        return set()

    @abstractmethod
    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        """What the contracts retain for a coordinator, in base units."""

    @abstractmethod
    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        """For each payout why its receiver refuses it, by a node's simulation; empty where it does
        not, or where something else is in the way."""
