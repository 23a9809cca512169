"""Confirmed transactions until their block is final, and what a reorganisation does to them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.domain.errors import Unreachable
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
)
from crossway.engine.outcomes import WORKED, undone
from crossway.ports.chain import Chain, Heads, Mined, Unsure
from crossway.ports.records import TransferChange
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import Step

BATCH = 2_000


def finalize(services: Services, heads: Mapping[str, Heads]) -> int:
    """Let go of confirmed transfers whose block is final; answers how many."""
    with services.store.read() as unit:
        deep = unit.transfers.settled_by({c: h.finalized for c, h in heads.items()}, BATCH)
    done = 0
    for chain_id, transfers in _by_chain(deep).items():
        try:
            done += _recheck(services, services.chains[chain_id], transfers, final=True)
        except Unreachable:
            continue
    return done


def reorganised(services: Services, chain_id: str, from_height: int) -> None:
    """After a reorganisation: look again at everything that was confirmed above its root."""
    with services.store.read() as unit:
        touched = unit.transfers.in_state(
            [chain_id], TransferState.CONFIRMED, BATCH, min_height=from_height
        )
    if touched:
        _recheck(services, services.chains[chain_id], touched, final=False)


def _recheck(services: Services, chain: Chain, transfers: Sequence[Transfer], final: bool) -> int:
    """Look at each again, and undo what is gone; answers of how many something is certain."""
    statuses = chain.status([t.tx_id for t in transfers if t.tx_id])
    standing: list[TransferChange] = []
    gone: list[Transfer] = []
    now = services.clock.now()
    for transfer in transfers:
        status = statuses.get(transfer.tx_id or "")
        if isinstance(status, Unsure):
            continue
        if not isinstance(status, Mined) or status.reason not in WORKED or _other(transfer, status):
            gone.append(transfer)
        elif final:
            standing.append(_rechecked(transfer, TransferEvent.FINALIZE, status.block_height, now))

    def work(unit: Unit) -> None:
        ids = [change.id for change in standing] + [transfer.id for transfer in gone]
        confirmed = unit.transfers.lock_in(ids, TransferState.CONFIRMED)
        lost = [transfer for transfer in gone if transfer.id in confirmed]
        step = Step(services, now, unit.intents.lock({t.intent_id for t in lost}))
        for transfer in lost:
            undone(unit, step, chain, transfer)
        changes = [change for change in standing if change.id in confirmed]
        changes += [_rechecked(t, TransferEvent.REORG, None, now) for t in lost]
        unit.transfers.change(changes, now)
        step.store(unit)

    if standing or gone:
        services.store.write(work)
    return len(standing) + len(gone)


def _other(transfer: Transfer, mined: Mined) -> bool:
    """Mined again in another block, a transaction that takes all there is may move other units."""
    takes_all = transfer.duty is Duty.START or transfer.units is None
    return takes_all and mined.block_height != transfer.block_height


def _rechecked(
    transfer: Transfer, event: TransferEvent, height: int | None, now: datetime
) -> TransferChange:
    after = advance_transfer(transfer.state, event)
    return TransferChange(
        transfer.id, transfer.state, after, transfer.tries, transfer.reason, now, None, height
    )  # fmt: skip


def _by_chain(transfers: Sequence[Transfer]) -> dict[str, list[Transfer]]:
    grouped: dict[str, list[Transfer]] = defaultdict(list)
    for transfer in transfers:
        grouped[transfer.chain].append(transfer)
    return grouped
