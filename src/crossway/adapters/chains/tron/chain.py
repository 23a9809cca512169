"""A live Tron chain behind the chain port: converts addresses and transaction ids between Tron's
formats, which the port uses, and those of JSON-RPC, which the shared EVM code uses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.adapters.chains.evm import balances, deposits, tx_history
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.head_tracker import EvmHeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.tron.address_format import (
    add_0x,
    strip_0x,
    to_base58,
    to_evm_address,
)
from crossway.adapters.chains.tron.blocks import BlockReader
from crossway.adapters.chains.tron.chain_params import TronParams
from crossway.adapters.chains.tron.sequence import SequenceTracker
from crossway.adapters.chains.tron.tx_results import TxResults
from crossway.adapters.chains.tron.tx_sender import TronTxSender
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import (
    AccountTx,
    AddressFilter,
    ChainAddresses,
    Cursor,
    IncludedTx,
    Scan,
)

_NATIVE = "native"


class TronChain(RpcChain[ChainContext, TronTxSender]):
    """`ports.chain.Chain` over the nodes of Tron."""

    kind = "tron"
    supports_rbf = False

    def __init__(
        self,
        context: ChainContext,
        accounts: ChainAddresses,
        params: TronParams,
        blocks: BlockReader,
        poll_seconds: float | None = None,
    ) -> None:
        """`context` has addresses in EVM form, `accounts` in base58check."""
        head_tracker, self._results = EvmHeadTracker(context, poll_seconds), TxResults(context)
        sender = TronTxSender(context, params, head_tracker, self._results)
        super().__init__(context, head_tracker, sender, accounts)
        self._sequence = SequenceTracker(context, blocks)

    def deposit_address(self, key: str) -> str:
        return to_base58(self.context.deployment.deposit_address(bytes.fromhex(key[2:])))

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        found = deposits.scan(self.context, self.heads(), after, _EvmAddressFilter(watch))
        return replace(found, incoming=[_from_evm(transfer) for transfer in found.incoming])

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        to = [to_evm_address(address) for address in addresses]
        found = deposits.transfers_to(self.context, self.heads(), to, since)
        return [_from_evm(transfer) for transfer in found]

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        transfers = [_to_evm(transfer) for transfer in incoming]
        return deposits.verify_inclusion(self.context, transfers)

    def next_nonce(self, account: str) -> int:
        head = self.heads()
        # A node that is behind reports too low a number, which the books correct.
        return min(
            self.context.pool.quorum(lambda session: self._sequence.next_number(session, head))
        )

    def executed(self, markers: Collection[str]) -> set[str]:
        return tx_history.executed_markers(self.context, markers)

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        head, pool = self.heads(), self.context.pool
        if self.next_nonce(account) <= from_nonce:
            return []
        numbers = pool.first(lambda s: self._sequence.numbers_from(s, head, from_nonce))
        results = pool.first(lambda s: self._results.read_included(s, list(numbers)))
        transactions = [
            AccountTx(tx_id, numbers[tx_id], result)
            for tx_id, result in results.items()
            if isinstance(result, IncludedTx)
        ]
        return sorted(transactions, key=lambda transaction: transaction.nonce)

    def _native_token(self) -> str:
        return _NATIVE

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        by_evm_address = {to_evm_address(address): address for address in addresses}
        evm_token = ZERO if token == _NATIVE else to_evm_address(token)
        held = balances.read_balances(self.context, session, list(by_evm_address), evm_token)
        return {by_evm_address[address]: amount for address, amount in held.items()}


@dataclass(frozen=True, slots=True)
class _EvmAddressFilter:
    """An address filter with addresses in EVM form."""

    watch: AddressFilter

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        """The deposit addresses among these."""
        known = self.watch.filter_known({to_base58(address) for address in addresses})
        return {to_evm_address(address) for address in known}

    def list_all(self) -> Sequence[str]:
        """Every address to query nodes for."""
        return [to_evm_address(address) for address in self.watch.list_all()]


def _from_evm(transfer: IncomingTransfer) -> IncomingTransfer:
    token, sender, to = (to_base58(a) for a in (transfer.token, transfer.sender, transfer.to))
    return replace(transfer, tx_hash=strip_0x(transfer.tx_hash), token=token, sender=sender, to=to)


def _to_evm(transfer: IncomingTransfer) -> IncomingTransfer:
    token, sender, to = (to_evm_address(a) for a in (transfer.token, transfer.sender, transfer.to))
    return replace(transfer, tx_hash=add_0x(transfer.tx_hash), token=token, sender=sender, to=to)
