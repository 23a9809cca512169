"""A live EVM chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.evm import balances, deposits, tx_history
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.head_tracker import EvmHeadTracker
from crossway.adapters.chains.evm.tx_sender import EvmTxSender
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import AccountTx, AddressFilter, Cursor, Scan


class EvmChain(RpcChain[ChainContext, EvmTxSender]):
    """`ports.chain.Chain` over the nodes of an EVM chain."""

    kind = "evm"
    supports_rbf = True

    def __init__(self, context: ChainContext, poll_seconds: float | None = None) -> None:
        head_tracker = EvmHeadTracker(context, poll_seconds)
        super().__init__(context, head_tracker, EvmTxSender(context, head_tracker))

    def deposit_address(self, key: str) -> str:
        return self.context.deployment.deposit_address(bytes.fromhex(key[2:]))

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        return deposits.scan(self.context, self.heads(), after, watch)

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        return deposits.transfers_to(self.context, self.heads(), addresses, since)

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        return deposits.verify_inclusion(self.context, incoming)

    def next_nonce(self, account: str) -> int:
        return self.tx_sender.next_nonce(account)

    def executed(self, markers: Collection[str]) -> set[str]:
        return tx_history.executed_markers(self.context, markers)

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        return tx_history.transactions_from(self.context, self.heads(), account, from_nonce)

    def _native_token(self) -> str:
        return ZERO

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return balances.read_balances(self.context, session, addresses, token)
