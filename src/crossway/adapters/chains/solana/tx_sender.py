"""Transaction sending and tracking: fees, validity, and status."""

import base64
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_sender import (
    BoundedCache,
    FeeCache,
    check_accounts,
    drop_known_errors,
)
from crossway.adapters.chains.solana.chain_context import CONFIRMED, FINALIZED, ChainContext
from crossway.adapters.chains.solana.head_tracker import HeadTracker
from crossway.adapters.chains.solana.pdas import is_native
from crossway.adapters.chains.solana.rpc_schemas import (
    Malformed,
    parse_context_value,
    parse_int,
    parse_list,
    parse_object,
    parse_str,
)
from crossway.adapters.chains.solana.transactions import (
    deposit_amount_of,
    fee_of,
    last_height_of,
    sign_call,
    wire_bytes,
)
from crossway.adapters.chains.solana.tx_results import fetch_included
from crossway.adapters.chains.solana.watched_accounts import DepositMemory
from crossway.domain.errors import Unreachable
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx, TxNotFound, TxPending, TxStatus, TxUnknown

_PRICE_SECONDS = 2.0
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


class TxSender:
    """Signs, sends and tracks transactions of one account. Its memory is a cache: a new process
    fills it again by sending transactions again."""

    def __init__(self, context: ChainContext, summit: HeadTracker, memory: DepositMemory) -> None:
        self._ground, self._summit, self._memory = context, summit, memory
        self._account = context.accounts.relayer
        self._sent, self._price = BoundedCache[_Sent](), FeeCache(_PRICE_SECONDS)

    def fee_units(self) -> int:
        """The maximum cost of one transaction, including rent of accounts that it may create.
        Also refreshes the recent blockhash for the next signature."""
        self._summit.heads()
        context = self._ground
        return self._price.get(lambda: fee_of(context.params, context.pool.first(self._ask_price)))

    def _ask_price(self, session: RpcSession) -> int:
        """The priority fee of recent blocks, in general and for our account."""
        request = [RpcRequest("getRecentPrioritizationFees", (of,)) for of in ([], [self._account])]
        response = [fee for fee in session.batch(request) if not isinstance(fee, RpcError)]
        usual = max([_price_quantile(fee) for fee in response], default=0)
        if usual > self._ground.params.most_price:
            raise Unreachable(
                f"the node reports {usual} micro-lamports per unit: more than "
                f"{self._ground.params.most_price} is not plausible"
            )
        return max(usual, self._ground.params.least_price)

    def number(self, tx_id: str) -> int | None:
        """The sequence number of a transaction that this process signed or sent."""
        sent = self._sent.get(tx_id)
        return None if sent is None else sent.number

    def sign(
        self, actions: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        """Sign each call with its sequence number and the recent blockhash."""
        context = self._ground
        check_accounts(actions, context.accounts.relayer, context.chain.id)
        recent = self._summit.recent()
        signed = [
            sign_call(context, action, nonce, fee_units, recent, self._is_over(action))
            for action, nonce in actions
        ]
        for entry, (action, _) in zip(signed, actions, strict=True):
            self._learn(entry, None)
            self._memory.ours.sources.update({entry.tx_id: deposit_amount_of(action) or ""})
        return signed

    def _is_over(self, action: OutboundCall) -> bool:
        """Whether the last poll saw more than the deposit amount there."""
        if action.kind is not OutboundTxKind.START or not action.outputs:
            return False
        out = action.outputs[0]
        if is_native(out.token) or out.amount is None:
            return False
        account = self._ground.mints.account_of(out.source, out.token)
        return self._memory.held.get(account, 0) > out.amount

    def broadcast(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        """Send; returns for each an empty string or the node's objection."""
        if not transactions:
            return []
        now = time.monotonic()
        objections = self._ground.pool.first(lambda line: _send(line, transactions))
        for entry, objection in zip(transactions, objections, strict=True):
            self._learn(entry, None if objection else now)
        return drop_known_errors(self._ground.pool, transactions, objections, _in_blocks)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        """The status of each; unknown if the quorum disagrees."""
        if not tx_ids:
            return {}
        height = self._summit.heads().height
        return quorum_reads.tx_statuses(
            self._ground.pool, tx_ids, lambda line, wanted: self._look(line, wanted, height)
        )

    def _look(self, session: RpcSession, tx_ids: Sequence[str], height: int) -> dict[str, TxStatus]:
        slot, confirmations = statuses_at(session, tx_ids)
        deep = [tx_id for tx_id in tx_ids if confirmations[tx_id] in (CONFIRMED, FINALIZED)]
        in_blocks = fetch_included(self._ground, session, deep)
        if len(in_blocks) < len(deep):
            # Reporting it as pending would say that it was reorged.
            raise Malformed("the node does not return a transaction that it reports in a block")
        statuses: dict[str, TxStatus] = {
            tx_id: in_blocks.get(tx_id, TxPending())
            for tx_id in tx_ids
            if confirmations[tx_id] is not None
        }
        missing = [tx_id for tx_id in tx_ids if tx_id not in statuses]
        if slot < height:
            # A machine that is behind may not have it yet, or at a lower depth.
            return {tx_id: in_blocks.get(tx_id, TxUnknown()) for tx_id in tx_ids}
        return statuses | self._missing(session, missing) if missing else statuses

    def _missing(self, session: RpcSession, tx_ids: Sequence[str]) -> dict[str, TxStatus]:
        """For transactions in no block: whether they can still land and a node has them."""
        final = parse_object(
            session.call(RpcRequest("getEpochInfo", ({"commitment": FINALIZED},)))[0], "where"
        )
        height = parse_int(final.get("blockHeight"), "a height")
        known = {tx_id: self._sent.get(tx_id) for tx_id in tx_ids}
        over = [tx_id for tx_id, sent in known.items() if sent and sent.last_height < height]
        # Checked once more: a transaction below the final height is visible by now, unless a
        # machine behind a shared URL lags.
        slot, confirmations = statuses_at(session, over) if over else (0, {})
        if slot < parse_int(final.get("absoluteSlot"), "a slot"):
            confirmations = {
                tx_id: depth for tx_id, depth in confirmations.items() if depth is not None
            }
        now, again = time.monotonic(), self._ground.params.again_seconds
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

    def _learn(self, entry: SignedTx, taken_at: float | None) -> None:
        before = self._sent.get(entry.tx_id)
        if taken_at is None and before is not None:
            taken_at = before.taken_at
        self._sent.update({entry.tx_id: _Sent(last_height_of(entry.raw), entry.nonce, taken_at)})


def _price_quantile(answer: Any) -> int:
    """The compute unit price that sufficed in most recent blocks."""
    fees = sorted(
        parse_int(parse_object(fee, "a fee").get("prioritizationFee"), "a fee")
        for fee in parse_list(answer, "fees")
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
    """Send bytes and return the node's objections; `certain` also sends what will fail."""
    requests = {
        "encoding": "base64",
        "preflightCommitment": CONFIRMED,
        "skipPreflight": certain,
    }
    questions = [
        RpcRequest(
            "sendTransaction", (base64.b64encode(wire_bytes(transaction)).decode(), requests)
        )
        for transaction in transactions
    ]
    return [_parse_objection(answer) for answer in session.batch(questions)]


def _parse_objection(answer: Any) -> str:
    if not isinstance(answer, RpcError):
        parse_str(answer, "a transaction's name")
        return ""
    marker = _KNOWN in answer.message.lower()
    return "" if marker else answer.message or f"error {answer.code}"


def _in_blocks(session: RpcSession, tx_ids: list[str]) -> set[str]:
    """The transactions that are in a block."""
    return {tx_id for tx_id, depth in statuses(session, tx_ids).items() if depth is not None}


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
        listed = parse_list(value, "statuses")
        if len(listed) != len(part):
            raise Malformed("the node answered other statuses than were asked for")
        slots.append(slot)
        for entry, response in zip(part, listed, strict=True):
            statuses[entry] = None if response is None else _confirmation_of(response)
    return min(slots, default=0), statuses


def _confirmation_of(status: Any) -> str:
    # Old entries carry no commitment and are final.
    depth = parse_object(status, "a status").get("confirmationStatus") or FINALIZED
    return parse_str(depth, "a status")
