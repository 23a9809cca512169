"""A live Starknet chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.starknet import balances, deposits, tx_history
from crossway.adapters.chains.starknet.chain_context import ChainContext
from crossway.adapters.chains.starknet.head_tracker import StarknetHeadTracker
from crossway.adapters.chains.starknet.tx_sender import StarknetTxSender
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import AccountTx, AddressFilter, Cursor, Scan


class StarknetChain(RpcChain[ChainContext, StarknetTxSender]):
    """`ports.chain.Chain` over the nodes of a Starknet chain."""

    kind = "starknet"
    # The sequencer replaces a transaction by one with the same nonce and a 10 % higher fee.
    supports_rbf = True

    def __init__(self, context: ChainContext, poll_seconds: float | None = None) -> None:
        head_tracker = StarknetHeadTracker(context, poll_seconds)
        super().__init__(context, head_tracker, StarknetTxSender(context, head_tracker))

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
        return self.context.fee_token

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return balances.read_balances(self.context, session, addresses, token)
