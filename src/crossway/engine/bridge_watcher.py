"""Follows transfers that bridges carry: asks their services, and looks for arrivals."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from crossway.domain.bridge_transfer import (
    BridgeTransfer,
    BridgeTransferEvent,
    BridgeTransferState,
    is_overdue,
)
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.engine.alerts import TaskHealth, raise_alert
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.bridge_arrivals import enqueue_delivery
from crossway.engine.bridge_polls import ARRIVAL_POLL, is_to_be_asked, next_look, next_poll
from crossway.engine.serial_worker import SerialWorker
from crossway.ports.bridge import (
    BridgeStatus,
    Claimable,
    Contradicted,
    Expired,
    MessageSeen,
    Pending,
    Unknown,
)
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

BATCH: Final = 500
# So many questions of one batch are stored together.
ASKED_AT_ONCE: Final = 50
# As for ramps: a task usually takes seconds.
HANG_SECONDS: Final = 60.0
S, Event = BridgeTransferState, BridgeTransferEvent
Followed = tuple[BridgeTransfer, Intent]


class BridgeWatcher:
    """Follows the transfers from this engine's chains. Each bridge's service is asked in a thread
    of its own, so that one that hangs keeps nothing else waiting."""

    def __init__(
        self, services: Services, batch: int = BATCH, hang_seconds: float = HANG_SECONDS
    ) -> None:
        self._services, self._batch, self._hang_seconds = services, batch, hang_seconds
        self._workers: dict[str, SerialWorker] = {}

    def follow(
        self, heads: Mapping[str, ChainHead], in_background: bool, shards: Shards = ALL_SHARDS
    ) -> int:
        """Look for the arrivals of transfers that are due, and ask the bridges' services about the
        others, here or `in_background`; returns how many advanced."""
        services, now = self._services, self._services.clock.now()
        for worker in self._workers.values():
            worker.report_hanging(self._hang_seconds)
        with services.store.read() as unit:
            due = unit.bridge_transfers.list_due(heads.keys(), now, self._batch, shards)
            intents = unit.intents.get_many({transfer.intent_id for transfer in due})
        followed = [(transfer, intents[transfer.intent_id]) for transfer in due]
        if not followed:
            return 0
        services.process.failpoint("before-bridge-poll")
        arrived = _find_arrived(services, followed)
        to_ask = [(t, i) for t, i in followed if i.id not in arrived and is_to_be_asked(t, now)]
        asked_ids = set() if in_background else {intent.id for _, intent in to_ask}
        # Those about to be asked are due later, too: else they would fill each batch while a
        # service hangs, and the transfers of other bridges would never be listed.
        looked_at = [(f, None) for f in followed if f[1].id not in asked_ids]
        advanced = _store(services, arrived, looked_at)
        for bridge, of_bridge in _group_by_bridge(to_ask).items():
            if in_background:
                self._enqueue(bridge, of_bridge)
            else:
                advanced += _ask(services, bridge, of_bridge)
        return advanced

    def stop(self) -> None:
        """End the threads, without waiting for a service that hangs."""
        for worker in self._workers.values():
            worker.stop()

    def _enqueue(self, bridge: str, followed: Sequence[Followed]) -> None:
        worker = self._worker_of(bridge)
        ready = set(worker.without_pending([intent.id for _, intent in followed]))
        to_ask = [(t, i) for t, i in followed if i.id in ready]
        for start in range(0, len(to_ask), ASKED_AT_ONCE):
            part = to_ask[start : start + ASKED_AT_ONCE]
            worker.enqueue({i.id for _, i in part}, partial(_ask, self._services, bridge, part))

    def _worker_of(self, bridge: str) -> SerialWorker:
        if bridge not in self._workers:
            health = TaskHealth(self._services, f"transfers over {bridge_title(bridge)}")
            self._workers[bridge] = SerialWorker(f"bridge {bridge}", health)
        return self._workers[bridge]


def _group_by_bridge(followed: Sequence[Followed]) -> dict[str, list[Followed]]:
    by_bridge: dict[str, list[Followed]] = defaultdict(list)
    for transfer, intent in followed:
        by_bridge[transfer.bridge].append((transfer, intent))
    return by_bridge


def _ask(services: Services, bridge: str, followed: Sequence[Followed]) -> int:
    """Ask a bridge's service about transfers, and store what it says."""
    client = services.bridge_clients.get(bridge)
    if client is None:
        unknown = Unknown(f"{bridge_title(bridge)} is not configured here.")
        answers: Sequence[BridgeStatus] = [unknown] * len(followed)
    else:
        answers = client.track(followed)
    advanced = _store(services, set(), list(zip(followed, answers, strict=True)))
    services.process.failpoint("bridge-polled")
    return advanced


def _find_arrived(services: Services, followed: Sequence[Followed]) -> set[int]:
    """The payments whose money is at the bridge's contract already, whoever delivered it. Where
    their chain does not answer, that is not known, and nothing is concluded."""
    by_contract: dict[tuple[str, str], list[Intent]] = defaultdict(list)
    for _, intent in followed:
        by_contract[intent.terms.destination_chain, intent.bridger].append(intent)
    arrived: set[int] = set()
    for (chain, bridger), intents in by_contract.items():
        end = services.bridge_ends.get(chain)
        if end is None:
            continue
        try:
            states = end.contract_states(bridger, {i.intent_hash for i in intents})
        except Unreachable:
            continue
        arrived |= {i.id for i in intents if states[i.intent_hash].arrived}
    return arrived


Change = tuple[Followed, BridgeStatus | None]


def _store(services: Services, arrived: Collection[int], changes: Sequence[Change]) -> int:
    """Store what was found; returns how many transfers advanced."""

    def write(batch: Sequence[Change]) -> int:
        return services.store.write(lambda unit: _apply(unit, services, arrived, batch))

    return sum(bisect_batch(services, "following", changes, lambda c: c[0][1].id, write))


def _apply(
    unit: UnitOfWork, services: Services, arrived: Collection[int], changes: Sequence[Change]
) -> int:
    now = services.clock.now()
    batch = IntentBatch(services, now, unit.intents.lock([intent.id for (_, intent), _ in changes]))
    advanced = 0
    for (asked, intent), status in changes:
        transfer = batch.transfers.get(unit, intent.id)
        if transfer.state is not asked.state or transfer.poll_count != asked.poll_count:
            continue  # Another engine has followed it meanwhile.
        if intent.id in arrived:
            enqueue_delivery(batch, batch.current[intent.id])
            batch.transfers.update(unit, intent.id, next_at=now + ARRIVAL_POLL)
        elif status is not None:
            advanced += _APPLY[type(status)](unit, batch, transfer, status)
        else:
            batch.transfers.update(unit, intent.id, next_at=next_look(now, transfer.ask_at))
    batch.store(unit)
    return advanced


def _apply_message(
    unit: UnitOfWork, batch: IntentBatch, transfer: BridgeTransfer, status: MessageSeen
) -> int:
    ask_at = batch.now if transfer.expected_at is None else transfer.expected_at
    batch.transfers.update(
        unit,
        transfer.intent_id,
        sent_message=status.sent_message,
        message_id=status.message_id,
        ask_at=ask_at,
        next_at=min(batch.now + ARRIVAL_POLL, max(ask_at, batch.now)),
    )
    return 1


def _apply_pending(
    unit: UnitOfWork, batch: IntentBatch, transfer: BridgeTransfer, status: Pending | Unknown
) -> int:
    fields = next_poll(batch.now, transfer)
    is_late = is_overdue(transfer, batch.now)
    says_why = isinstance(status, Pending) and bool(status.reason)
    if transfer.state not in (S.SEEN, S.DELAYED, S.OVERDUE) or not (is_late or says_why):
        batch.transfers.update(unit, transfer.intent_id, **fields)
        return 0
    title = bridge_title(transfer.bridge)
    reason = status.reason or f"{title} takes longer than usual and does not say why."
    if transfer.state is not S.SEEN and transfer.reason == reason:
        batch.transfers.update(unit, transfer.intent_id, **fields)
        return 0
    event = Event.LATE_FILL if transfer.bridge == BridgeName.ACROSS else Event.DELAY
    batch.transfers.apply(unit, transfer.intent_id, event, reason=reason, **fields)
    if is_late:
        message = f"Payment {transfer.intent_id} is delayed on its way over {title}: {reason}"
        _alert(unit, batch, "delayed", transfer, message)
    return 1


def _apply_claimable(
    unit: UnitOfWork, batch: IntentBatch, transfer: BridgeTransfer, status: Claimable
) -> int:
    batch.transfers.apply(
        unit,
        transfer.intent_id,
        Event.ATTEST,
        message_id=status.message_id,
        message=status.message,
        attestation=status.attestation,
        reason="",
        next_at=batch.now + ARRIVAL_POLL,
    )
    enqueue_delivery(batch, batch.current[transfer.intent_id])
    return 1


def _apply_contradiction(
    unit: UnitOfWork, batch: IntentBatch, transfer: BridgeTransfer, status: Contradicted
) -> int:
    fields = next_poll(batch.now, transfer)
    if transfer.state is S.HALTED:
        batch.transfers.update(unit, transfer.intent_id, **fields)
        return 0
    batch.transfers.apply(
        unit, transfer.intent_id, Event.CONTRADICT, reason=status.reason, **fields
    )
    message = f"Nothing is delivered for payment {transfer.intent_id}: {status.reason}"
    _alert(unit, batch, "halted", transfer, message)
    return 1


def _apply_expiry(
    unit: UnitOfWork, batch: IntentBatch, transfer: BridgeTransfer, status: Expired
) -> int:
    del status
    fields = next_poll(batch.now, transfer)
    if transfer.state is S.EXPIRED:
        batch.transfers.update(unit, transfer.intent_id, **fields)
        return 0
    title = bridge_title(transfer.bridge)
    reason = f"Nobody filled it in time. {title} returns the deposit, usually within 12 hours."
    batch.transfers.apply(unit, transfer.intent_id, Event.PASS_DEADLINE, reason=reason, **fields)
    intent = batch.current[transfer.intent_id]
    if intent.state is State.INITIATED:
        batch.apply_event(intent.id, IntentEvent.UNFILLED, "expired", reason, needs_relay=False)
    _alert(unit, batch, "unfilled", transfer, f"Payment {transfer.intent_id}: {reason}")
    return 1


def _alert(
    unit: UnitOfWork, batch: IntentBatch, kind: str, transfer: BridgeTransfer, message: str
) -> None:
    subject = str(transfer.intent_id)
    raise_alert(unit, batch.services, f"{kind}:{subject}", kind, subject, message)


_APPLY: Final[Mapping[type[BridgeStatus], Callable[..., int]]] = {
    MessageSeen: _apply_message,
    Pending: _apply_pending,
    Unknown: _apply_pending,
    Claimable: _apply_claimable,
    Contradicted: _apply_contradiction,
    Expired: _apply_expiry,
}
