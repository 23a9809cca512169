"""Follows inventory transfers: has the services of bridges agree to them, and asks what has become
of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import RebalancingMode
from crossway.engine.alerts import TaskHealth
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.inventory_answers import (
    Answer,
    Followed,
    Held,
    NeverSent,
    NotNeeded,
    apply_answers,
)
from crossway.engine.serial_worker import SerialWorker
from crossway.engine.unified_promises import keep_promises
from crossway.engine.unsent_inventory import REBALANCING_PATIENCE, find_stale_deposit, find_unsent
from crossway.ports.chain import ChainHead
from crossway.ports.inventory_bridge import (
    InventoryBridge,
    Pending,
    TransferStatus,
    Unanswered,
)
from crossway.ports.records import KillSwitch
from crossway.ports.services import Services
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.money.emergency_stop import (
    describe_hold,
    find_stop,
    find_stop_before_signing,
)
from crossway.usecases.payments.inventory_transfers import (
    BEFORE_START,
    PAUSED,
    InventoryTransferBatch,
    why_disabled,
)

BATCH: Final = 200
# So many of one batch are asked about and stored together.
ASKED_AT_ONCE: Final = 20
# As for ramps: a task usually takes seconds.
HANG_SECONDS: Final = 60.0
# Those about to be asked in the background are due no earlier: a service that hangs must not fill
# each batch.
_WHILE_ASKED: Final = timedelta(seconds=30)
_S = InventoryTransferState
_ENDED: Final = (State.EXPIRED, State.REFUNDED, State.FAILED)
_PAYMENT_ENDED: Final = "The payment ended before it was needed."
# What rebalances is planned anew rather than agreed on without end.
_MOST_AGREEMENTS: Final = 3
_UNANSWERED: Final = "The bridge has not agreed to it within an hour."
_HELD: Final = "It could not begin within an hour: {}"
_UNSIGNED: Final = "Its transaction was not signed."
_LAPSED: Final = "What the bridge agreed to has lapsed unused several times."
_UNSTARTED: Final = (State.PENDING, State.FUNDED)


class InventoryFunding:
    """Follows the transfers whose transactions are made on this engine's chains. Each bridge's
    service is asked in a thread of its own, so that one that hangs keeps nothing else waiting."""

    def __init__(self, services: Services, batch: int = BATCH) -> None:
        self._services, self._batch = services, batch
        self._workers: dict[str, SerialWorker] = {}

    def follow(
        self, heads: Mapping[str, ChainHead], in_background: bool, shards: Shards = ALL_SHARDS
    ) -> int:
        """Take the transfers that are due a step on, here or `in_background`; returns how many
        advanced."""
        services, now = self._services, self._services.clock.now()
        for worker in self._workers.values():
            worker.report_hanging(HANG_SECONDS)
        if not services.inventory_bridges:
            return 0
        with services.store.read() as unit:
            due = unit.inventory_transfers.list_due(heads.keys(), now, self._batch, shards)
            intents = unit.intents.get_many({transfer.intent_id for transfer in due})
        by_bridge: dict[str, list[Followed]] = defaultdict(list)
        for transfer in due:
            by_bridge[transfer.bridge].append((transfer, intents.get(transfer.intent_id)))
        if not due:
            return 0
        services.process.failpoint("before-inventory-poll")
        finalized = {chain: head.finalized for chain, head in heads.items()}
        advanced = 0
        for bridge, followed in by_bridge.items():
            for start in range(0, len(followed), ASKED_AT_ONCE):
                part = followed[start : start + ASKED_AT_ONCE]
                if in_background:
                    self._enqueue(bridge, part, finalized)
                else:
                    advanced += take_step(services, bridge, part, finalized)
        return advanced

    def stop(self) -> None:
        """End the threads, without waiting for a service that hangs."""
        for worker in self._workers.values():
            worker.stop()

    def _enqueue(
        self, bridge: str, followed: Sequence[Followed], finalized: Mapping[str, int]
    ) -> None:
        services = self._services
        if bridge not in self._workers:
            health = TaskHealth(services, f"inventory transfers over {bridge_title(bridge)}")
            self._workers[bridge] = SerialWorker(f"inventory {bridge}", health)
        worker = self._workers[bridge]
        ready = set(worker.without_pending([transfer.id for transfer, _ in followed]))
        part = [(t, i) for t, i in followed if t.id in ready]
        if part:
            services.store.write(partial(_postpone, services, part))
            work = partial(take_step, services, bridge, part, finalized)
            worker.enqueue({transfer.id for transfer, _ in part}, work)


def _postpone(services: Services, followed: Sequence[Followed], unit: UnitOfWork) -> None:
    batch = InventoryTransferBatch(services.clock.now())
    batch.preload(unit, {transfer.intent_id for transfer, _ in followed})
    for asked, _ in followed:
        for current in batch.list_of(unit, asked.intent_id):
            if current == asked:
                batch.update(current, next_at=batch.now + _WHILE_ASKED)
    batch.store(unit)


def take_step(
    services: Services, bridge: str, followed: Sequence[Followed], finalized: Mapping[str, int]
) -> int:
    """Ask a bridge's service about its transfers, and store what it says; returns how many
    advanced. `finalized` are the newest final heights of some chains."""
    client, context = services.inventory_bridges.get(bridge), _read_switches(services)
    answers: list[tuple[Followed, Answer]] = []
    sent: list[Followed] = []
    for transfer, intent in followed:
        if client is None:
            silent = Unanswered(f"{bridge_title(bridge)} is not configured here.")
            answers.append(((transfer, intent), silent))
        elif transfer.state is not _S.PLANNED:
            sent.append((transfer, intent))
        elif unasked := _why_unasked(transfer, intent, services.clock.now(), *context):
            answers.append(((transfer, intent), unasked))
        elif promised := keep_promises(services, transfer):
            answers.append(((transfer, intent), promised))
        else:
            asked, answer = _have_agreed(services, client, transfer)
            answers.append(((asked, intent), answer))
    if client is not None and sent:
        statuses = client.track([transfer for transfer, _ in sent])
        for one, status in zip(sent, statuses, strict=True):
            answers.append((one, _unless_unsent(services, one[0], status)))
        finalized = _read_missing(services, finalized, sent)
    services.process.failpoint("inventory-polled")

    def write(batch: Sequence[tuple[Followed, Answer]]) -> int:
        return services.store.write(lambda unit: apply_answers(unit, services, batch, finalized))

    return sum(bisect_batch(services, "moving inventory", answers, _intent_of, write))


def _read_switches(services: Services) -> tuple[Mapping[str, str], bool, KillSwitch | None]:
    """The kill switches' reasons by subject, whether rebalancing is paused, and the emergency
    stop."""
    with services.store.read() as unit:
        is_paused = unit.rebalancing.get_settings().mode is RebalancingMode.PAUSED
        stop = find_stop(unit)
    return active_kill_switches(services), is_paused, stop


def _why_unasked(
    transfer: InventoryTransfer,
    intent: Intent | None,
    now: datetime,
    disabled: Mapping[str, str],
    is_paused: bool,
    stop: KillSwitch | None,
) -> NotNeeded | Held | None:
    """Why a bridge is not asked to agree to a transfer, now or ever; None where it is."""
    if intent is not None:
        if intent.state in _ENDED:
            return NotNeeded(_PAYMENT_ENDED)
        if intent.state in _UNSTARTED:
            return Held(BEFORE_START)
    elif transfer.attempt > _MOST_AGREEMENTS:
        return NotNeeded(_LAPSED)
    reason = PAUSED if intent is None and is_paused else why_disabled(disabled, transfer)
    if stop is not None:
        reason = describe_hold(stop)
    if intent is None and now - transfer.created_at > REBALANCING_PATIENCE:
        return NotNeeded(_HELD.format(reason) if reason else _UNANSWERED)
    return Held(reason) if reason else None


def _unless_unsent(
    services: Services, transfer: InventoryTransfer, status: TransferStatus
) -> Answer:
    """What is said of a transfer, unless our own books and nodes say that it was never sent in
    time."""
    if isinstance(status, Pending | Unanswered):
        if waiting := find_stale_deposit(services, transfer, services.clock.now()):
            reasons = (tx.reason for tx in waiting if tx.reason)
            return NeverSent(waiting, _HELD.format(next(reasons, _UNSIGNED)))
        with suppress(Unreachable):
            if (tx := find_unsent(services, transfer)) is not None:
                return NeverSent([tx])
    return status


def _intent_of(item: tuple[Followed, Answer]) -> int:
    return item[0][0].intent_id


def _have_agreed(
    services: Services, client: InventoryBridge, transfer: InventoryTransfer
) -> tuple[InventoryTransfer, Answer]:
    """Ask the service to agree to a transfer; what we sign for it is stored before. Returns it as
    stored when the service was asked."""
    now = services.clock.now()
    try:
        commitment = transfer.commitment or client.commit(transfer, now)
    except Unreachable as error:
        return transfer, Unanswered(str(error))
    if commitment and not transfer.commitment:
        stored = services.store.write(partial(_store_commitment, services, transfer, commitment))
        if stored is None:
            return transfer, Unanswered("Another engine asks, or all is stopped.")
        transfer = stored
        services.process.failpoint("inventory-committed")
    answer = client.agree(transfer, now)
    services.process.failpoint("inventory-agreed")
    return transfer, answer


def _store_commitment(
    services: Services, asked: InventoryTransfer, commitment: bytes, unit: UnitOfWork
) -> InventoryTransfer | None:
    """The transfer with what was signed for it; None where another engine has changed it, or where
    all outgoing money was stopped meanwhile: what was signed is forgotten, unseen by anybody."""
    if find_stop_before_signing(unit) is not None:
        return None
    batch = InventoryTransferBatch(services.clock.now())
    same = [t for t in batch.list_of(unit, asked.intent_id) if t.id == asked.id]
    current = same[0] if same else None
    if current is None or (current.state, current.attempt) != (asked.state, asked.attempt):
        return None
    if current.commitment:
        return current
    stored = batch.update(current, commitment=commitment)
    batch.store(unit)
    return stored


def _read_missing(
    services: Services, finalized: Mapping[str, int], followed: Sequence[Followed]
) -> Mapping[str, int]:
    """The final heights of the chains where something arrived, of other engines' chains too."""
    arrived = {t.arrival_chain for t, _ in followed if t.state is _S.DELIVERED}
    heights = dict(finalized)
    for chain in arrived - heights.keys():
        if chain in services.chains:
            with suppress(Unreachable):
                heights[chain] = services.chains[chain].heads().finalized
    return heights
