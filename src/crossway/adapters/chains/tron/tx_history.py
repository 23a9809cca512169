"""What our account and the contracts did on Tron, whoever signed it."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.tx_history import EvmTxHistory
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.tron.sequence import SequenceTracker
from crossway.adapters.chains.tron.tx_results import TxResults
from crossway.adapters.chains.tron.tx_sender import TronTxSender
from crossway.ports.chain import AccountTx, ChainHead


class TronTxHistory(EvmTxHistory):
    """Reads markers as on EVM chains, and finds transactions by their sequence numbers."""

    def __init__(
        self,
        context: ChainContext,
        tx_sender: TronTxSender,
        results: TxResults,
        sequence: SequenceTracker,
    ) -> None:
        super().__init__(context)
        self._tx_sender, self._results, self._sequence = tx_sender, results, sequence

    def transactions_from(
        self, head: ChainHead, account: str, from_nonce: int
    ) -> Sequence[AccountTx]:
        if self._tx_sender.next_nonce(account) <= from_nonce:
            return []
        return super().transactions_from(head, account, from_nonce)

    def _find_nonces(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> dict[str, int]:
        return self._sequence.numbers_from(session, head, from_nonce)

    def _read_included(self, session: RpcSession, tx_ids: list[str]) -> Mapping[str, object]:
        return self._results.read_included(session, tx_ids)
