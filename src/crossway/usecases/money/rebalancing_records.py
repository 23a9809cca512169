"""What is stored of rebalancing: the transfers, the story of one, and what they cost by day."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import NotFound
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import Account, Posting
from crossway.domain.outbound import OutboundTx
from crossway.domain.rebalancing import (
    OPEN_REBALANCING_STATES,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

COST_DAYS: Final = 14
MAX_ENDED: Final = 50
_MOVING: Final = (RebalancingState.STARTED, RebalancingState.ARRIVED, RebalancingState.RETURNED)
_BPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class TransferRecord:
    """A rebalancing transfer, and the inventory transfer that carries it out: None until it has
    started."""

    transfer: RebalancingTransfer
    carried: InventoryTransfer | None


@dataclass(frozen=True, slots=True)
class TransferLists:
    """The transfers that a person has to approve and those under way, oldest first, and the newest
    of those that have ended."""

    proposed: tuple[RebalancingTransfer, ...]
    under_way: tuple[TransferRecord, ...]
    ended: tuple[TransferRecord, ...]


@dataclass(frozen=True, slots=True)
class TransferStory:
    """One transfer with its transactions, and its postings with their times, oldest first."""

    record: TransferRecord
    txs: tuple[OutboundTx, ...]
    postings: tuple[tuple[datetime, Posting], ...]


@dataclass(frozen=True, slots=True)
class DayOfCosts:
    """What was moved on a day (UTC), in millionths of USD: what that was planned to cost with
    network fees, which counts against the day's limit, and what bridges took of it so far."""

    day: date
    transfers: int
    moved_micro_usd: int
    planned_micro_usd: int
    taken_micro_usd: int

    @property
    def planned_bps(self) -> float:
        """The planned cost in basis points of what was moved."""
        return self.planned_micro_usd * _BPS / self.moved_micro_usd if self.moved_micro_usd else 0


def list_transfers(services: Services, caller: Principal) -> TransferLists:
    """All transfers that are open, and the newest `MAX_ENDED` that have ended."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        opened = unit.rebalancing.list_open()
        newest = unit.rebalancing.list_page(MAX_ENDED + len(opened))
        ended = [t for t in newest if t.state not in OPEN_REBALANCING_STATES][:MAX_ENDED]
        started = [t for t in opened if t.state is RebalancingState.STARTED]
        records = {r.transfer.id: r for r in _with_carried(unit, [*started, *ended])}
    return TransferLists(
        tuple(t for t in opened if t.state is RebalancingState.PROPOSED),
        tuple(records[t.id] for t in started),
        tuple(records[t.id] for t in ended),
    )


def get_story(services: Services, caller: Principal, id: int) -> TransferStory:
    """Everything about one transfer; raises `NotFound`."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        transfer = unit.rebalancing.get_many([id]).get(id)
        if transfer is None:
            raise NotFound(f"There is no rebalancing transfer {id}")
        (record,) = _with_carried(unit, [transfer])
        txs = unit.outbound_txs.list_by_intents([transfer.owner])
        return TransferStory(record, tuple(txs), tuple(unit.ledger.list_by_intent(transfer.owner)))


def list_costs(services: Services, caller: Principal) -> list[DayOfCosts]:
    """What was moved on each of the last `COST_DAYS` days on which something was, newest first."""
    caller.require_permission(Permission.VIEW)
    today = services.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    with services.store.read() as unit:
        stored = unit.rebalancing.list_since(today - timedelta(days=COST_DAYS - 1))
        moved = [transfer for transfer in stored if transfer.state in _MOVING]
        owners = [transfer.owner for transfer in moved]
        fees = unit.ledger.sum_by_intent(Account.BRIDGE_FEES, owners) if owners else {}
        records = _with_carried(unit, moved)
    by_day: dict[date, list[TransferRecord]] = defaultdict(list)
    for record in records:
        by_day[record.transfer.created_at.date()].append(record)
    return [_sum_day(day, of_day, fees) for day, of_day in sorted(by_day.items(), reverse=True)]


def taken_micro_usd(record: TransferRecord, fee_units: int) -> int:
    """What a bridge took, in units of the source's token, by the price of the transfer's plan."""
    carried, transfer = record.carried, record.transfer
    at_par = (carried.source_amount if carried else 0) - fee_units
    return fee_units * transfer.micro_usd // at_par if at_par > 0 else 0


def _sum_day(day: date, records: Sequence[TransferRecord], fees: dict[int, int]) -> DayOfCosts:
    transfers = [record.transfer for record in records]
    taken = (taken_micro_usd(r, fees.get(r.transfer.owner, 0)) for r in records)
    return DayOfCosts(
        day,
        len(transfers),
        sum(t.micro_usd for t in transfers),
        sum(t.fee_micro_usd for t in transfers),
        sum(taken),
    )


def _with_carried(
    unit: UnitOfWork, transfers: Collection[RebalancingTransfer]
) -> list[TransferRecord]:
    owners = {transfer.owner for transfer in transfers}
    carried = {t.intent_id: t for t in unit.inventory_transfers.list_by_intents(owners)}
    return [TransferRecord(t, carried.get(t.owner)) for t in transfers]
