"""Rebalancing transfers: proposing and starting them, and what people decide about them."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.owners import owner_subject
from crossway.domain.rebalancing import (
    Location,
    PlannedTransfer,
    RebalancingEvent,
    RebalancingMode,
    RebalancingState,
    RebalancingTransfer,
    advance_rebalancing,
)
from crossway.domain.roles import Permission
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.approvals import APPROVAL_ALERT
from crossway.usecases.money.emergency_stop import describe_hold, find_stop
from crossway.usecases.money.rebalancing_by_hand import require_possible
from crossway.usecases.money.rebalancing_policies import approval_limit
from crossway.usecases.staff.second_person import identity_of, require_second_person
from crossway.usecases.staff.step_up import require_step_up

VALID_FOR: Final = timedelta(hours=24)
"""How long a proposed transfer waits for a person before it lapses."""
MAX_REASON_CHARACTERS: Final = 500
ENGINE: Final = "Crossway"
_LOCK: Final = "rebalancing transfers"
_LAPSED: Final = "Nobody approved it in time."


def lock_transfers(unit: UnitOfWork) -> None:
    """Keep others from placing transfers until the unit of work ends."""
    unit.leases.lock(_LOCK)


def propose(
    unit: UnitOfWork, services: Services, planned: PlannedTransfer, by: Principal | None = None
) -> RebalancingTransfer:
    """Store a transfer as PROPOSED, by a person or, without one, by the engine; audited. Raises
    `InvalidStatus` while another one between the same two locations is open."""
    lock_transfers(unit)
    _require_free(unit, planned.source, planned.destination)
    transfer = unit.rebalancing.add(
        planned,
        RebalancingState.PROPOSED,
        "" if by is None else by.actor_name,
        services.clock.now(),
        "" if by is None else identity_of(by),
    )
    _audit(unit, services, transfer, transfer.proposed_by, "rebalancing transfer proposed")
    return transfer


def start(
    unit: UnitOfWork, services: Services, transfer: RebalancingTransfer, decided_by: str = ""
) -> RebalancingTransfer:
    """Start a proposed transfer, `decided_by` the person who approved it, if one did: the engine
    carries out the inventory transfer that this stores. Audited. Raises `InvalidStatus` while
    rebalancing is paused, or all outgoing money is stopped."""
    _require_not_held(unit)
    now = services.clock.now()
    started = _advanced(transfer, RebalancingEvent.APPROVE, now, decided_by=decided_by)
    unit.rebalancing.update([started])
    unit.inventory_transfers.plan([_inventory_transfer(started, now)], now)
    by = decided_by or transfer.proposed_by
    _audit(unit, services, started, by, "rebalancing transfer started")
    return started


def place(
    unit: UnitOfWork, services: Services, planned: PlannedTransfer, by: Principal | None = None
) -> RebalancingTransfer:
    """Propose a transfer, and start it at once unless it is worth so much that another person has
    to approve it, which an alert tells. Raises `InvalidStatus` as `propose` and `start` do."""
    _require_not_held(unit)
    transfer = propose(unit, services, planned, by)
    if transfer.micro_usd <= approval_limit(services, unit.rebalancing.get_settings()):
        return start(unit, services, transfer)
    now = services.clock.now()
    message = f"Rebalancing transfer {transfer.id} waits for a person. {transfer.reason}"
    subject = owner_subject(transfer.owner)
    alert = Alert(_alert_key(transfer), APPROVAL_ALERT, subject, message, now, now, None)
    unit.alerts.raise_alert(alert)
    return transfer


def carry_out(
    services: Services, caller: Principal, planned: PlannedTransfer
) -> RebalancingTransfer:
    """A person carries out a suggestion, or a transfer that they planned by hand, if it still is
    possible; see `place`."""
    _require_treasurer(services, caller)
    counted = require_possible(services, planned)

    def work(unit: UnitOfWork) -> RebalancingTransfer:
        _require_free(unit, planned.source, planned.destination)
        _require_unchanged(unit, counted)
        return place(unit, services, planned, caller)

    placed = services.store.write(work)
    services.process.wake()
    return placed


def approve(services: Services, caller: Principal, id: int) -> RebalancingTransfer:
    """Agree to a proposed transfer, which starts. Raises `Forbidden` for the person who proposed
    it, `InvalidStatus` where it is decided already, its time is over, or it is not possible any
    more."""
    _require_treasurer(services, caller)
    with services.store.read() as unit:
        proposed = unit.rebalancing.get_many([id]).get(id)
    counted = frozenset[int]()
    if proposed is not None and proposed.state is RebalancingState.PROPOSED:
        counted = require_possible(services, proposed, held=proposed.max_source_amount)

    def work(unit: UnitOfWork) -> RebalancingTransfer:
        transfer = _lock_proposed(unit, services, id)
        identity, asked_at = transfer.proposed_by_identity, transfer.created_at
        require_second_person(unit, caller, identity, asked_at)
        _require_unchanged(unit, counted)
        unit.alerts.resolve([_alert_key(transfer)], services.clock.now())
        return start(unit, services, transfer, caller.actor_name)

    started = services.store.write(work)
    services.process.wake()
    return started


def decline(services: Services, caller: Principal, id: int, reason: str) -> RebalancingTransfer:
    """Decline a proposed transfer with a reason, or take it back as the person who proposed it."""
    _require_treasurer(services, caller)
    if not reason.strip() or len(reason) > MAX_REASON_CHARACTERS:
        raise InvalidInput(f"reason must have 1 to {MAX_REASON_CHARACTERS} characters")

    def work(unit: UnitOfWork) -> RebalancingTransfer:
        transfer = _lock_proposed(unit, services, id)
        changes = {"decided_by": caller.actor_name, "note": reason.strip()}
        now = services.clock.now()
        declined = _advanced(transfer, RebalancingEvent.DECLINE, now, **changes)
        unit.rebalancing.update([declined])
        unit.alerts.resolve([_alert_key(transfer)], now)
        _audit(unit, services, declined, caller.actor_name, "rebalancing transfer declined")
        return declined

    return services.store.write(work)


def lapse_overdue(services: Services) -> int:
    """End the proposed transfers that nobody approved in time; returns how many."""
    now = services.clock.now()
    with services.store.read() as unit:
        ids = {t.id for t in unit.rebalancing.list_open() if has_lapsed(t, now)}

    def work(unit: UnitOfWork) -> int:
        overdue = [t for t in unit.rebalancing.lock(ids).values() if has_lapsed(t, now)]
        lapsed = [_advanced(t, RebalancingEvent.LAPSE, now, note=_LAPSED) for t in overdue]
        unit.rebalancing.update(lapsed)
        unit.alerts.resolve([_alert_key(transfer) for transfer in lapsed], now)
        for transfer in lapsed:
            _audit(unit, services, transfer, "", "rebalancing transfer lapsed")
        return len(lapsed)

    return services.store.write(work) if ids else 0


def has_lapsed(transfer: RebalancingTransfer, now: datetime) -> bool:
    """Whether a transfer waits for a person and has waited for too long."""
    is_proposed = transfer.state is RebalancingState.PROPOSED
    return is_proposed and now >= transfer.created_at + VALID_FOR


def _require_treasurer(services: Services, caller: Principal) -> None:
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)


def _require_not_held(unit: UnitOfWork) -> None:
    if unit.rebalancing.get_settings().mode is RebalancingMode.PAUSED:
        raise InvalidStatus("Rebalancing is paused: nothing begins until a treasurer ends that")
    if (stop := find_stop(unit)) is not None:
        raise InvalidStatus(describe_hold(stop))


def _require_free(unit: UnitOfWork, source: Location, destination: Location) -> None:
    """One transfer between two locations at a time, in either direction: a second click and a
    second person move nothing twice."""
    pair = {source, destination}
    for other in unit.rebalancing.list_open():
        if {other.source, other.destination} == pair:
            raise InvalidStatus(
                f"Rebalancing transfer {other.id} between the same two locations is open: wait "
                "for its end"
            )


def _require_unchanged(unit: UnitOfWork, counted: frozenset[int]) -> None:
    """Nothing was placed that was not counted when it was asked what may leave."""
    lock_transfers(unit)
    if {transfer.id for transfer in unit.rebalancing.list_open()} - counted:
        raise InvalidStatus("Another transfer was placed meanwhile: look again, and try again")


def _lock_proposed(unit: UnitOfWork, services: Services, id: int) -> RebalancingTransfer:
    transfer = unit.rebalancing.lock([id]).get(id)
    if transfer is None:
        raise NotFound(f"There is no rebalancing transfer {id}")
    if transfer.state is not RebalancingState.PROPOSED:
        state = transfer.state.lower()
        raise InvalidStatus(f"Rebalancing transfer {id} waits for nobody any more: it is {state}")
    if has_lapsed(transfer, services.clock.now()):
        raise InvalidStatus(f"Rebalancing transfer {id} was proposed too long ago: plan it anew")
    return transfer


def _alert_key(transfer: RebalancingTransfer) -> str:
    """The key of the alert that a transfer waits for a person."""
    return f"{APPROVAL_ALERT}:{owner_subject(transfer.owner)}"


def _advanced(
    transfer: RebalancingTransfer, event: RebalancingEvent, now: datetime, **changes: str
) -> RebalancingTransfer:
    state = advance_rebalancing(transfer.state, event)
    return replace(transfer, state=state, updated_at=now, **changes)  # type: ignore[arg-type]


def _inventory_transfer(transfer: RebalancingTransfer, now: datetime) -> NewInventoryTransfer:
    """The inventory transfer that carries one out: the unified balance is no chain."""
    nowhere = ("", "")
    mints = transfer.kind is InventoryTransferKind.MINT
    deposits = transfer.kind is InventoryTransferKind.DEPOSIT
    source_chain, source_token = nowhere if mints else transfer.source
    destination_chain, destination_token = nowhere if deposits else transfer.destination
    return NewInventoryTransfer(
        intent_id=transfer.owner,
        bridge=transfer.bridge,
        kind=transfer.kind,
        source_chain=source_chain,
        destination_chain=destination_chain,
        source_token=source_token,
        destination_token=destination_token,
        amount=transfer.amount,
        due_at=now,
    )


def _audit(
    unit: UnitOfWork, services: Services, transfer: RebalancingTransfer, by: str, action: str
) -> None:
    token = services.catalogue.by_address.get(transfer.destination)
    detail: dict[str, Any] = {
        "bridge": transfer.bridge,
        "token": token.symbol if token else transfer.destination_token,
        "from": transfer.source_chain,
        "to": transfer.destination_chain,
        "units": str(transfer.amount),
        "most_units": str(transfer.max_source_amount),
        "micro_usd": transfer.micro_usd,
        "reason": transfer.note or transfer.reason,
    }
    subject = owner_subject(transfer.owner)
    unit.audit_log.record(by or ENGINE, action, detail, services.clock.now(), subject)
