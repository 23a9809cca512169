"""Signing, sending and following transactions on Solana, which expire instead of having nonces."""

import base64
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.rpc.tx_sender import BoundedCache, RpcTxSender
from crossway.adapters.chains.solana.chain_context import CONFIRMED, FINALIZED, ChainContext
from crossway.adapters.chains.solana.head_tracker import RecentBlockhash, SolanaHeadTracker
from crossway.adapters.chains.solana.pdas import is_native
from crossway.adapters.chains.solana.rpc_schemas import as_text, as_u64, parse_context_value
from crossway.adapters.chains.solana.transactions import (
    call_costs_of,
    debited_address,
    fee_of,
    last_height_of,
    sign_call,
    wire_bytes,
)
from crossway.adapters.chains.solana.tx_history import SequenceTracker
from crossway.adapters.chains.solana.tx_results import fetch_included
from crossway.adapters.chains.solana.watched_accounts import DepositMemory
from crossway.domain.errors import Unreachable
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import (
    ChainHead,
    SignedTx,
    TxNotFound,
    TxPending,
    TxStatus,
    TxUnknown,
)
from crossway.ports.chain_calls import CallCosts

_STATUSES_AT_ONCE = 256
# The quantile of recent prices to pay.
_PRICE_QUANTILE = 0.75
# Node errors of transactions that will fail; those are sent anyway, to fail visibly in a block.
_FAILS = ("error processing instruction", "insufficient funds for rent")
_KNOWN = "already been processed"


@dataclass(frozen=True, slots=True)
class _Sent:
    """The last height at which a transaction can land, its sequence number, and when a node last
    accepted it."""

    last_height: int
    number: int
    taken_at: float | None


class SolanaTxSender(RpcTxSender[ChainContext, SolanaHeadTracker]):
    """The sender for Solana, whose transactions expire and carry a sequence number."""

    def __init__(
        self, context: ChainContext, head_tracker: SolanaHeadTracker, memory: DepositMemory
    ) -> None:
        super().__init__(context, head_tracker)
        self._memory, self._sent = memory, BoundedCache[_Sent]()
        self._sequence = SequenceTracker(context, self.number)

    def recent(self) -> RecentBlockhash:
        """The most recent blockhash, for signing. Raises `Unreachable` where it is too old."""
        return self._head_tracker.recent()

    def next_nonce(self, account: str) -> int:
        """One more than the highest sequence number in a block."""
        return self._sequence.next_nonce(account)

    def fee_units(self) -> int:
        """The maximum cost of one transaction, including rent of accounts that it may create.
        Also refreshes the recent blockhash for the next signature."""
        self._head_tracker.heads()
        return super().fee_units()

    def _read_fee(self, session: RpcSession) -> int:
        return fee_of(self._context.params, self._read_unit_price(session))

    def _read_call_costs(self, session: RpcSession) -> CallCosts:
        return call_costs_of(self._context.params, self._read_unit_price(session))

    def _read_unit_price(self, session: RpcSession) -> int:
        """By the priority fees of recent blocks, in general and for our account."""
        params, method = self._context.params, "getRecentPrioritizationFees"
        results = session.batch([RpcRequest(method, (of,)) for of in ([], [self._account])])
        fees = [_price_quantile(r) for r in results if not isinstance(r, RpcError)]
        usual = max(fees, default=0)
        if usual > params.most_price:
            raise Unreachable(
                f"the node reports {usual} micro-lamports per unit: more than "
                f"{params.most_price} is not plausible"
            )
        return max(usual, params.least_price)

    def number(self, tx_id: str) -> int | None:
        """The sequence number of a transaction that this process signed or sent."""
        sent = self._sent.get(tx_id)
        return None if sent is None else sent.number

    def _sign(
        self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        context, recent = self._context, self._head_tracker.recent()
        transactions = [
            sign_call(context, call, number, fee_units, recent, self._exceeds_deposit(call))
            for call, number in calls
        ]
        for transaction, (call, _) in zip(transactions, calls, strict=True):
            self._memory.program_cursor.sources.update(
                {transaction.tx_id: debited_address(call) or ""}
            )
        return transactions

    def _exceeds_deposit(self, action: OutboundCall) -> bool:
        """Whether the last poll saw more than the deposit amount there."""
        if action.kind is not OutboundTxKind.START or not action.outputs:
            return False
        out = action.outputs[0]
        if is_native(out.token) or out.amount is None:
            return False
        account = self._context.mints.account_of(out.source, out.token)
        return self._memory.balances.get(account, 0) > out.amount

    def _remember(self, transactions: Sequence[SignedTx]) -> None:
        for transaction in transactions:
            self._remember_sent(transaction, None)

    def _submit(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        now = time.monotonic()
        errors = self._pool.first(lambda session: _send(session, transactions))
        for transaction, error in zip(transactions, errors, strict=True):
            self._remember_sent(transaction, None if error else now)
        return errors

    def _read_known(self, session: RpcSession, tx_ids: list[str]) -> set[str]:
        return {tx_id for tx_id, depth in statuses(session, tx_ids).items() if depth is not None}

    def _read_statuses(
        self, session: RpcSession, tx_ids: list[str], head: ChainHead
    ) -> Mapping[str, TxStatus]:
        slot, confirmations = statuses_at(session, tx_ids)
        deep = [tx_id for tx_id in tx_ids if confirmations[tx_id] in (CONFIRMED, FINALIZED)]
        included = fetch_included(self._context, session, deep)
        if len(included) < len(deep):
            # Reporting it as pending would say that it was reorged.
            raise MalformedResponse(
                "the node does not return a transaction that it reports in a block"
            )
        statuses: dict[str, TxStatus] = {
            tx_id: included.get(tx_id, TxPending())
            for tx_id in tx_ids
            if confirmations[tx_id] is not None
        }
        missing = [tx_id for tx_id in tx_ids if tx_id not in statuses]
        if slot < head.height:
            # A machine that is behind may not have it yet, or at a lower depth.
            return {tx_id: included.get(tx_id, TxUnknown()) for tx_id in tx_ids}
        return statuses | self._missing(session, missing) if missing else statuses

    def _missing(self, session: RpcSession, tx_ids: Sequence[str]) -> dict[str, TxStatus]:
        """For transactions in no block: whether they can still land and a node has them."""
        final = as_object(
            session.call(RpcRequest("getEpochInfo", ({"commitment": FINALIZED},)))[0], "where"
        )
        height = as_u64(final.get("blockHeight"), "a height")
        known = {tx_id: self._sent.get(tx_id) for tx_id in tx_ids}
        over = [tx_id for tx_id, sent in known.items() if sent and sent.last_height < height]
        # Checked once more: a transaction below the final height is visible by now, unless a
        # machine behind a shared URL lags.
        slot, confirmations = statuses_at(session, over) if over else (0, {})
        if slot < as_u64(final.get("absoluteSlot"), "a slot"):
            confirmations = {
                tx_id: depth for tx_id, depth in confirmations.items() if depth is not None
            }
        now, again = time.monotonic(), self._context.params.again_seconds
        statuses: dict[str, TxStatus] = {}
        for tx_id, sent in known.items():
            if tx_id in confirmations:
                statuses[tx_id] = (
                    TxNotFound(dropped=True) if confirmations[tx_id] is None else TxPending()
                )
            elif sent and sent.taken_at is not None and now - sent.taken_at < again:
                statuses[tx_id] = TxPending()
            else:
                statuses[tx_id] = TxNotFound(dropped=False)
        return statuses

    def _remember_sent(self, transaction: SignedTx, taken_at: float | None) -> None:
        before = self._sent.get(transaction.tx_id)
        if taken_at is None and before is not None:
            taken_at = before.taken_at
        sent = _Sent(last_height_of(transaction.raw), transaction.nonce, taken_at)
        self._sent.update({transaction.tx_id: sent})


def _price_quantile(answer: Any) -> int:
    """The compute unit price that sufficed in most recent blocks."""
    fees = sorted(
        as_u64(as_object(fee, "a fee").get("prioritizationFee"), "a fee")
        for fee in as_list(answer, "fees")
    )
    return fees[int(len(fees) * _PRICE_QUANTILE)] if fees else 0


def _send(session: RpcSession, transactions: Sequence[SignedTx]) -> list[str]:
    responses = send_signed(
        session, [transaction.raw for transaction in transactions], certain=False
    )
    failing = [
        n for n, message in enumerate(responses) if any(w in message.lower() for w in _FAILS)
    ]
    again = send_signed(session, [transactions[n].raw for n in failing], certain=True)
    for index, message in zip(failing, again, strict=True):
        responses[index] = message
    return responses


def send_signed(session: RpcSession, transactions: Sequence[bytes], certain: bool) -> list[str]:
    """Send bytes and return the node's errors; `certain` also sends what will fail."""
    options = {"encoding": "base64", "preflightCommitment": CONFIRMED, "skipPreflight": certain}
    encoded = [base64.b64encode(wire_bytes(raw)).decode() for raw in transactions]
    requests = [RpcRequest("sendTransaction", (raw, options)) for raw in encoded]
    return [_submission_error(result) for result in session.batch(requests)]


def _submission_error(result: Any) -> str:
    if not isinstance(result, RpcError):
        as_text(result, "a transaction's name")
        return ""
    return "" if _KNOWN in result.message.lower() else result.message or f"error {result.code}"


def statuses(session: RpcSession, tx_ids: Sequence[str]) -> dict[str, str | None]:
    """The commitment of each: processed, confirmed or finalized; None if it is in no block."""
    return statuses_at(session, tx_ids)[1]


def statuses_at(session: RpcSession, tx_ids: Sequence[str]) -> tuple[int, dict[str, str | None]]:
    """Like `statuses`, with the oldest context slot; 0 without transactions."""
    size = _STATUSES_AT_ONCE
    parts = [tx_ids[at : at + size] for at in range(0, len(tx_ids), size)]
    how = {"searchTransactionHistory": True}
    requests = [RpcRequest("getSignatureStatuses", (list(part), how)) for part in parts]
    statuses: dict[str, str | None] = {}
    slots: list[int] = []
    for part, answer in zip(parts, session.call(*requests), strict=True):
        slot, value = parse_context_value(answer, "statuses")
        listed = as_list(value, "statuses")
        if len(listed) != len(part):
            raise MalformedResponse("the node answered other statuses than were asked for")
        slots.append(slot)
        for entry, response in zip(part, listed, strict=True):
            statuses[entry] = None if response is None else _confirmation_of(response)
    return min(slots, default=0), statuses


def _confirmation_of(status: Any) -> str:
    # Old entries carry no commitment and are final.
    depth = as_object(status, "a status").get("confirmationStatus") or FINALIZED
    return as_text(depth, "a status")
