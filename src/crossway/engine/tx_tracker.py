"""Follows signed transactions: confirms, rebroadcasts, bumps fees, retries or gives up."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from crossway.domain.errors import Unreachable
from crossway.domain.outbound import (
    OutboundTxKind,
)
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.domain.standing import is_standing, standing_deposit_id
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.empty_sweeps import mark_started
from crossway.engine.fee_bumper import bump_fees, split_refused
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.engine.start_confirmation import find_backed_starts, find_sends
from crossway.engine.tx_settlement import DecidedTx, gives_up_after, store_settlements
from crossway.engine.tx_submitter import broadcast
from crossway.ports.chain import (
    NOTHING_TO_MOVE,
    Chain,
    ChainHead,
    IncludedTx,
    TxNotFound,
    TxPending,
    TxStatus,
    TxUnknown,
)
from crossway.ports.records import InFlightTx, TxAttempt
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.shared_transactions import group_by_slot, status_of_each

BATCH = 2_000
STUCK_SECONDS = 30
# A transaction for several payments that nodes still refuse then, at any fee, is made smaller.
SPLIT_SECONDS = 120


@dataclass
class TrackingResult:
    """What to do with the signed transactions of one chain, by group."""

    confirmed: list[DecidedTx] = field(default_factory=list)
    dropped: list[InFlightTx] = field(default_factory=list)
    to_rebroadcast: list[TxAttempt] = field(default_factory=list)
    stuck: list[TxAttempt] = field(default_factory=list)
    rejected: list[TxAttempt] = field(default_factory=list)


def track_signed(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Follow every signed transaction on these chains."""
    with services.store.read() as unit:
        signed = unit.outbound_txs.list_signed(heads.keys(), BATCH, shards)
        usd_values = _read_usd_values(unit, signed)
    by_chain: dict[str, list[InFlightTx]] = defaultdict(list)
    for tx in signed:
        by_chain[tx.chain].append(tx)
    for chain_id, txs in by_chain.items():
        try:
            _track_chain(
                services, services.chains[chain_id], heads[chain_id], txs, usd_values, writes
            )
        except Unreachable:
            continue


def _read_usd_values(unit: UnitOfWork, txs: Sequence[InFlightTx]) -> dict[int, int]:
    """What payments, rebalancing transfers and deposits at standing addresses are worth, by the
    number that is theirs."""
    owners = {tx.intent_id for tx in txs}
    ids = {rebalancing_id(owner) for owner in owners if is_rebalancing(owner)}
    rebalanced = unit.rebalancing.get_many(ids).values()
    standing = {standing_deposit_id(owner) for owner in owners if is_standing(owner)}
    deposits = unit.standing.get_deposits(standing).values()
    values = {t.owner: t.micro_usd for t in rebalanced} | {d.owner: d.micro_usd for d in deposits}
    return dict(unit.intents.get_usd_values(owners)) | values


def _track_chain(
    services: Services,
    chain: Chain,
    head: ChainHead,
    txs: Sequence[InFlightTx],
    usd_values: Mapping[int, int],
    writes: PassWrites,
) -> None:
    statuses = chain.status({t.tx_id for t in txs})
    own = status_of_each(services, [(t.id, t.intent_id, t.tx_id) for t in txs], statuses)
    result = TrackingResult()
    unsettled: list[InFlightTx] = []
    succeeded = [
        (tx, status)
        for tx in txs
        if isinstance(status := own.get((tx.id, tx.tx_id)), IncludedTx) and not status.reason
    ]
    backed = find_backed_starts(services, chain.id, head, succeeded)
    backed |= find_sends(services, succeeded)
    for tx in txs:
        status = own.get((tx.id, tx.tx_id))
        if not isinstance(status, IncludedTx) or status.reason:
            unsettled.append(tx)
        elif tx.id in backed or _is_confirmed(services, tx, usd_values[tx.intent_id], status, head):
            result.confirmed.append(DecidedTx(tx, tx.tx_id, status))
    if unsettled:
        _track_unsettled(services, chain, head, unsettled, usd_values, statuses, result)
    confirmed, dropped = mark_started(services, chain, result.confirmed), result.dropped
    if not confirmed and not dropped:
        return
    services.process.failpoint("before-confirm")
    decided: list[DecidedTx | InFlightTx] = [*confirmed, *dropped]
    kind = (confirmed[0].tx if confirmed else dropped[0]).kind.value

    def done(settled: int) -> int:
        services.process.failpoint(f"confirmed:{kind}")
        return settled

    settle = partial(_settle, services, chain, decided)
    writes.add(PassWrite(settle, partial(_settle_alone, services, chain, decided), done))


def _intent_of(item: DecidedTx | InFlightTx) -> int:
    return (item.tx if isinstance(item, DecidedTx) else item).intent_id


def _settle(
    services: Services, chain: Chain, settled: Sequence[DecidedTx | InFlightTx], unit: UnitOfWork
) -> int:
    decided = [item for item in settled if isinstance(item, DecidedTx)]
    dropped = [item for item in settled if isinstance(item, InFlightTx)]
    store_settlements(unit, services, chain, decided, dropped)
    return len(settled)


def _settle_alone(
    services: Services, chain: Chain, settled: Sequence[DecidedTx | InFlightTx]
) -> int:
    def store(part: Sequence[DecidedTx | InFlightTx]) -> int:
        return services.store.write(partial(_settle, services, chain, part))

    return sum(bisect_batch(services, "settling", settled, _intent_of, store))


def _is_confirmed(
    services: Services, tx: InFlightTx, usd_value: int, included: IncludedTx, head: ChainHead
) -> bool:
    """Whether a transaction has enough confirmations to act on.

    A result that gives a payout up, or attributes it to another transaction, must be final: if the
    attempt were included later after all, it would pay twice.
    """
    gives_up = tx.kind is OutboundTxKind.FILL and gives_up_after(
        tx.kind, tx.attempt_count + 1, included
    )
    if included.reason == NOTHING_TO_MOVE or gives_up:
        return included.block_height <= head.finalized
    confirmations = services.catalogue.chains[tx.chain].confirmations
    return head.height - included.block_height >= confirmations.depth_for_value(usd_value)


def _track_unsettled(
    services: Services,
    chain: Chain,
    head: ChainHead,
    txs: Sequence[InFlightTx],
    usd_values: Mapping[int, int],
    statuses: Mapping[str, TxStatus],
    result: TrackingResult,
) -> None:
    """Classify transactions whose newest attempt has not succeeded.

    An earlier attempt may have; otherwise they are rebroadcast, bumped, or dropped when no attempt
    can be included any more.
    """
    attempts = _load_attempts(services, chain, txs, statuses)
    for tx in txs:
        outcomes = attempts[tx.id]
        decisive = _find_decisive(outcomes)
        if decisive is not None:
            attempt, included = decisive
            if _is_confirmed(services, tx, usd_values[tx.intent_id], included, head):
                result.confirmed.append(DecidedTx(tx, attempt.signed.tx_id, included))
            continue
        newest = outcomes[-1][0]
        current = [status for a, status in outcomes if a.signed.slot == newest.signed.slot]
        if all(isinstance(status, TxNotFound) and status.dropped for status in current):
            result.dropped.append(tx)
            continue
        if any(isinstance(status, TxUnknown) for status in current):
            continue
        late = abs(services.clock.now() - newest.at) > timedelta(seconds=STUCK_SECONDS)
        if any(isinstance(status, TxPending) for status in current):
            result.stuck += [newest] if late and chain.has_nonces else []
            continue
        result.to_rebroadcast.append(newest)
        result.rejected += [newest] if late and chain.has_nonces else []
    _rebroadcast(services, chain, result)


def _load_attempts(
    services: Services,
    chain: Chain,
    txs: Sequence[InFlightTx],
    known: Mapping[str, TxStatus],
) -> Mapping[int, list[tuple[TxAttempt, TxStatus]]]:
    """All attempts of these transactions, oldest first, each with its status on the chain."""
    with services.store.read() as unit:
        attempts = unit.outbound_txs.list_attempts([t.id for t in txs])
    older = {a.signed.tx_id for a in attempts if a.signed.tx_id not in known}
    statuses = {**known, **(chain.status(older) if older else {})}
    intent_ids = {tx.id: tx.intent_id for tx in txs}
    sent = [(a.outbound_tx_id, intent_ids[a.outbound_tx_id], a.signed.tx_id) for a in attempts]
    own = status_of_each(services, sent, statuses)
    by_tx: dict[int, list[tuple[TxAttempt, TxStatus]]] = defaultdict(list)
    for attempt in attempts:
        status = own.get((attempt.outbound_tx_id, attempt.signed.tx_id), TxNotFound(False))
        by_tx[attempt.outbound_tx_id].append((attempt, status))
    return by_tx


def _rebroadcast(services: Services, chain: Chain, result: TrackingResult) -> None:
    """Rebroadcast transactions that the chain does not know and bump those that are stuck."""
    refused: set[str] = set()
    if result.to_rebroadcast:
        signed = [attempt.signed for attempt in result.to_rebroadcast]
        refused = broadcast(services, chain, signed)
    if result.rejected:
        # Some nodes reject a transaction below their current fee instead of keeping it pending.
        fee = chain.fee_units()
        result.stuck += [item for item in result.rejected if item.signed.fee_units < fee]
        long_ago = services.clock.now() - timedelta(seconds=SPLIT_SECONDS)
        for group in group_by_slot(result.rejected).values():
            newest = group[0]
            is_refused = newest.signed.tx_id in refused and newest.signed.fee_units >= fee
            if is_refused and len(group) > 1 and newest.at < long_ago:
                split_refused(services, chain, group)
    if result.stuck:
        bump_fees(services, chain, result.stuck)


def _find_decisive(
    attempts: Sequence[tuple[TxAttempt, TxStatus]],
) -> tuple[TxAttempt, IncludedTx] | None:
    """The attempt that succeeded, however old; else an included one with the newest nonce.

    Reverts of older nonces were counted when they happened.
    """
    included = [(attempt, status) for attempt, status in attempts if isinstance(status, IncludedTx)]
    newest = attempts[-1][0].signed.slot
    succeeded = [item for item in included if not item[1].reason]
    current = [item for item in included if item[0].signed.slot == newest]
    return next(iter((*succeeded, *current)), None)
