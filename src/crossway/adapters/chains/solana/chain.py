"""One live Solana cluster behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.solana import accounts, deposit_transactions, deposits, tx_history
from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.head_tracker import HeadTracker, RecentBlockhash
from crossway.adapters.chains.solana.pdas import SYSTEM, is_native
from crossway.adapters.chains.solana.tx_sender import TxSender
from crossway.adapters.chains.solana.watched_accounts import DepositMemory
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import (
    AccountTx,
    AddressFilter,
    ChainHead,
    Cursor,
    Scan,
    SignedTx,
    TxStatus,
)


class SolanaChain:
    """`ports.chain.Chain` over the nodes of a cluster; safe to share between threads. Heights are
    slots; nonces are sequence numbers that our transactions carry."""

    supports_rbf = False

    def __init__(self, context: ChainContext, poll_seconds: float | None = None) -> None:
        self.id, self.accounts = context.chain.id, context.accounts
        self.context = context
        self._memory = DepositMemory()
        self._summit = HeadTracker(context, poll_seconds)
        self._post = TxSender(context, self._summit, self._memory)
        self._numbers = tx_history.SequenceTracker(context, self._post.number)

    def recent(self) -> RecentBlockhash:
        """The most recent blockhash, for signing."""
        return self._summit.recent()

    def close(self) -> None:
        """Close the connections to the nodes."""
        self.context.pool.close()

    def canonical_address(self, text: str) -> str:
        return canonical_address("solana", text)

    def intent_hash(self, terms: Terms) -> str:
        own = self.accounts
        return (
            "0x"
            + hash_terms(
                self.context.catalogue, terms, own.bridger, own.coordinator
            ).intent_hash.hex()
        )

    def deposit_address(self, key: str) -> str:
        return self.context.deposit_address(bytes.fromhex(key[2:]))

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None if is_native(token) else self.context.mints.account_of(address, token)

    def heads(self) -> ChainHead:
        return self._summit.heads()

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        return deposits.scan(self.context, self._memory, self._summit.heads(), after, watch)

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        return deposits.transfers_to(self.context, addresses)

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        standing = deposit_transactions.verify_inclusion(self.context, incoming)
        if not all(standing):
            # The cache came from the node that lied.
            self._memory.forget()
        return standing

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        wallets = list(dict.fromkeys(addresses))
        if not wallets:
            return {}
        return self.context.pool.first(
            lambda line: accounts.balances(self.context, line, wallets, token)
        )

    def next_nonce(self, account: str) -> int:
        return self._numbers.next_nonce(account)

    def fee_units(self) -> int:
        return self._post.fee_units()

    def native_balance(self, address: str) -> int:
        return self.balances([address], SYSTEM)[address]

    def sign(
        self, actions: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        return self._post.sign(actions, fee_units)

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        return self._post.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        return self._post.status(tx_ids)

    def executed(self, markers: Collection[str]) -> set[str]:
        return accounts.executed_markers(self.context, markers)

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        return tx_history.transactions_from(self.context, account, from_nonce)
