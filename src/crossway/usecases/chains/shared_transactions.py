"""Calls of several payments in one transaction: which may share one, and what became of each.

Only calls that anyone may make share a transaction, and each can be carried out once: contracts
refuse it the second time, whoever asks. The transaction's own success says nothing of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from crossway.domain.outbound import OutboundTx
from crossway.domain.outbound_call import OutboundCall, is_open_to_anyone
from crossway.ports.chain import Chain, IncludedTx, Slot, TxStatus
from crossway.ports.records import TxAttempt
from crossway.ports.services import Services

CALL_FAILED: Final = "its call failed within a transaction that makes several"
SentTx = tuple[int, int, str]
"""An outbound transaction: its id, its intent's, and the transaction that carries it out."""


def share_transactions(
    chain: Chain, txs: Sequence[OutboundTx], calls: Mapping[int, OutboundCall], fee_units: int
) -> list[list[OutboundTx]]:
    """The transactions to sign at this fee, each with those that it carries out, in order. What
    failed before is signed by itself, so that its own reason is seen."""
    alone = [[tx] for tx in txs]
    open_to_anyone = [tx for tx in txs if is_open_to_anyone(calls[tx.id]) and not tx.attempt_count]
    if len(open_to_anyone) <= 1 or (size := chain.calls_per_tx(fee_units)) <= 1:
        return alone
    ids = {tx.id for tx in open_to_anyone}
    groups = [group for group in alone if group[0].id not in ids]
    starts = range(0, len(open_to_anyone), size)
    return groups + [open_to_anyone[start : start + size] for start in starts]


def group_by_slot(attempts: Iterable[TxAttempt]) -> dict[Slot, list[TxAttempt]]:
    """The attempts that share a transaction, in order."""
    groups: dict[Slot, list[TxAttempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.signed.slot, []).append(attempt)
    return groups


def status_of_each(
    services: Services, sent: Sequence[SentTx], statuses: Mapping[str, TxStatus]
) -> dict[tuple[int, str], TxStatus]:
    """What became of each, by its id and its transaction: of one of ours that makes several calls,
    its own call and its own share of the fee."""
    result = {
        (id, tx_id): status for id, _, tx_id in sent if (status := statuses.get(tx_id)) is not None
    }
    shared = [
        (key, intent_id, status)
        for (id, intent_id, tx_id) in sent
        if isinstance(status := result.get(key := (id, tx_id)), IncludedTx)
        and status.carried_out is not None
    ]
    if not shared:
        return result
    with services.store.read() as unit:
        intents = unit.intents.get_many({intent_id for _, intent_id, _ in shared})
        sharing = unit.outbound_txs.list_sharing({tx_id for (_, tx_id), _, _ in shared})
    for key, intent_id, status in shared:
        id, tx_id = key
        # What a stranger's does is judged by whoever found it.
        if id in sharing[tx_id]:
            result[key] = own_part(status, intents[intent_id].intent_hash, id, sharing[tx_id])
    return result


def own_part(included: IncludedTx, intent_hash: str, id: int, sharing: Sequence[int]) -> IncludedTx:
    """What a transaction of ours did for one of the outbound transactions that share it, with an
    equal part of the fee; what cannot be divided is the first one's."""
    each, rest = divmod(included.fee_units, len(sharing))
    own = replace(
        included,
        transfers=tuple(t for t in included.transfers if t.intent_hash == intent_hash),
        arrivals=tuple(a for a in included.arrivals if a.intent_hash == intent_hash),
        fee_units=each + (rest if id == sharing[0] else 0),
    )
    if own.reason or intent_hash in (own.carried_out or ()):
        return own
    return replace(own, reason=CALL_FAILED)
