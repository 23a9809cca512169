"""Signing, sending and following transactions on EVM chains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.call_batches import batch_gas, encode_batch
from crossway.adapters.chains.evm.call_costs import read_call_costs
from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    EvmHeadTracker,
    block_request,
    read_blocks,
    transaction_request,
)
from crossway.adapters.chains.evm.market_price import MarketTip, parse_price, price_requests
from crossway.adapters.chains.evm.rpc_schemas import parse_block, parse_hash, parse_quantity
from crossway.adapters.chains.evm.transactions import GasPrice, gas_price, sign_transaction
from crossway.adapters.chains.evm.tx_results import read_included
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_object
from crossway.adapters.chains.rpc.tx_sender import BoundedCache, NonceTxSender
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import IncludedTx, SignedTx, TxPending, TxStatus, TxUnknown
from crossway.ports.chain_calls import CallCosts
from crossway.ports.signing import Signer

_MAX_CHECKPOINTS = 512
# How nodes say that they have a transaction already.
_KNOWN = ("already known", "known transaction", "already imported", "alreadyexists")


@dataclass(frozen=True, slots=True)
class NonceCheckpoint:
    """The next nonce of our account as of a block."""

    height: int
    block_hash: str
    nonce: int


class EvmTxSender(NonceTxSender[ChainContext, EvmHeadTracker]):
    """The sender of one account on an EVM chain."""

    def __init__(
        self, context: ChainContext, head_tracker: EvmHeadTracker, signer: Signer, tip: MarketTip
    ) -> None:
        super().__init__(context, head_tracker, signer.address)
        self._signer, self._tip = signer, tip
        self._lock = Lock()
        self._checkpoints: list[NonceCheckpoint] = []
        # By nonce: the fee and the tip of the attempt that was signed last.
        self._offered = BoundedCache[tuple[int, int]]()

    def _read_fee(self, session: RpcSession) -> int:
        params = self._context.params
        results = session.batch(price_requests(params))
        price = parse_price(params, results)
        self._tip.wei = price.tip
        if params.fees == "legacy":
            return price.base * params.gas_limit
        # The base fee may double until inclusion.
        return (2 * price.base + price.tip + 1) * params.gas_limit

    def market_tip(self) -> int:
        """The tip that the market pays, in wei, as it was read last."""
        if self._tip.wei is None:
            self.fee_units()
        return self._tip.wei or 0

    def _read_call_costs(self, session: RpcSession) -> CallCosts:
        return read_call_costs(session, self._context.params)

    def _read_nonce(self, session: RpcSession, account: str) -> int:
        return parse_quantity(session.call(nonce_request(account))[0], "a nonce")

    def _read_final_nonce(self, session: RpcSession, finalized: int) -> int:
        """Taken from checkpoints that were read when the final block was new, because few nodes
        keep old state."""
        newest, nonce = session.call(block_request("latest"), nonce_request(self._account))
        block = parse_block(newest)
        current = NonceCheckpoint(block.height, block.hash, parse_quantity(nonce, "a nonce"))
        with self._lock:
            if not self._checkpoints or self._checkpoints[-1].nonce != current.nonce:
                self._checkpoints = [*self._checkpoints[-_MAX_CHECKPOINTS:], current]
            final = [c for c in self._checkpoints if c.height <= finalized]
        for checkpoint in reversed(final):
            height = checkpoint.height
            if read_blocks(session, {height})[height].hash == checkpoint.block_hash:
                return checkpoint.nonce
            with self._lock:
                self._checkpoints = [c for c in self._checkpoints if c != checkpoint]
        return 0

    def _sign(
        self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        by_nonce: dict[int, list[OutboundCall]] = {}
        for action, nonce in calls:
            by_nonce.setdefault(nonce, []).append(action)
        signed = {n: self._sign_one(actions, n, fee_units) for n, actions in by_nonce.items()}
        return [signed[nonce] for _, nonce in calls]

    def _sign_one(self, actions: Sequence[OutboundCall], nonce: int, fee_units: int) -> SignedTx:
        """The transaction that makes one call, or several. Its fee is that of each call."""
        context, at = self._context, self._context.deployment
        encoded = [encode_call(context.catalogue, at, action) for action in actions]
        price, chain_id = self._price(nonce, fee_units), int(context.chain.chain_id)
        sign = partial(sign_transaction, self._signer, chain_id, context.params)
        if len(encoded) == 1:
            return sign(encoded[0], nonce, fee_units, price, actions[0])
        gas = batch_gas(context.params, len(encoded))
        return sign(encode_batch(at, encoded), nonce, fee_units, price, gas=gas)

    def _price(self, nonce: int, fee_units: int) -> GasPrice:
        """The price of a transaction: the same for the same fee, more than what it replaces."""
        known, params = self._offered.get(str(nonce)), self._context.params
        if known is not None and known[0] == fee_units:
            return gas_price(fee_units, params, known[1])
        replaced_tip = 0 if known is None else known[1]
        # Signing reads no node: whoever signs has asked for the fee before.
        tip = fee_units // params.gas_limit // 10 if self._tip.wei is None else self._tip.wei
        price = gas_price(fee_units, params, tip, replaced_tip)
        self._offered.update({str(nonce): (fee_units, price.priority_fee)})
        return price

    def _note_pending(self, fields: Mapping[str, Any]) -> None:
        """Remember what a pending transaction of ours offers: another process may have signed it,
        and what replaces it must offer more."""
        nonce = str(parse_quantity(fields.get("nonce"), "a nonce"))
        tip = parse_quantity(fields.get("maxPriorityFeePerGas") or "0x0", "a tip")
        if self._offered.get(nonce) is None:
            self._offered.update({nonce: (0, tip)})

    def _submit_request(self, transaction: SignedTx) -> RpcRequest:
        return submit_request(transaction)

    def _submission_error(self, result: Any, transaction: SignedTx) -> str:
        if not isinstance(result, RpcError):
            parse_hash(result, "a transaction's hash")
            return ""
        if any(part in result.message.lower() for part in _KNOWN):
            return ""
        return result.message or f"error {result.code}"

    def _read_known(self, session: RpcSession, tx_ids: list[str]) -> set[str]:
        results = session.call(*(transaction_request(tx_id) for tx_id in tx_ids))
        return {i for i, result in zip(tx_ids, results, strict=True) if result is not None}

    def _read_included(
        self, session: RpcSession, tx_ids: list[str]
    ) -> Mapping[str, IncludedTx | None]:
        return read_included(self._context, session, tx_ids)

    def _read_unincluded(
        self, session: RpcSession, tx_ids: list[str], height: int
    ) -> dict[str, TxStatus]:
        requests = [transaction_request(tx_id) for tx_id in tx_ids]
        newest, *results = session.call(block_request("latest"), *requests)
        if parse_block(newest).height < height:
            return dict.fromkeys(tx_ids, TxUnknown())
        statuses: dict[str, TxStatus] = {}
        for tx_id, result in zip(tx_ids, results, strict=True):
            if result:
                fields = as_object(result, "a transaction")
                included = fields.get("blockNumber") is not None
                statuses[tx_id] = TxUnknown() if included else TxPending()
                self._note_pending(fields)
        return statuses


def nonce_request(account: str, block: str = "latest") -> RpcRequest:
    """Request the next nonce of an account."""
    return RpcRequest("eth_getTransactionCount", (account, block))


def submit_request(transaction: SignedTx) -> RpcRequest:
    """Request that submits a signed transaction."""
    return RpcRequest("eth_sendRawTransaction", ("0x" + transaction.raw.hex(),))
