"""List the deposits at standing addresses, and send those back that wait."""

from dataclasses import replace
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.roles import Permission
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.ports.services import Services
from crossway.ports.standing_repository import StandingDepositFilter
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.manual_refunds import is_unsigned, make_due
from crossway.usecases.payments.standing_crediting import recovery
from crossway.usecases.staff.step_up import require_step_up
from crossway.usecases.standing.addresses import MAX_PAGE_SIZE, require_owned

RETURNABLE: Final = (
    StandingState.WAITING,
    StandingState.KEPT,
    StandingState.FAILED,
    # Its return may wait for a limit, which staff need not.
    StandingState.RETURNING,
)
"""The states in which a deposit can be sent to its recovery address by hand."""
_BY_HAND: Final = "Sent back on request."


def list_deposits(
    services: Services,
    caller: Principal,
    limit: int,
    before: int | None = None,
    address_id: str | None = None,
    status: str | None = None,
) -> list[StandingDeposit]:
    """One page of the deposits at all standing addresses of the caller, or at one, newest first,
    before a record number; `status` narrows them. Raises `InvalidInput` and `NotFound`."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    states = None if status is None else (_parse_status(status),)
    with services.store.read() as unit:
        number = None
        if address_id is not None:
            number = require_owned(caller, unit.standing.find(address_id)).number
        filter = caller.narrow(StandingDepositFilter(number=number, states=states))
        return unit.standing.list_deposits(filter, limit, before)


def get_deposit(services: Services, caller: Principal, deposit_id: int) -> StandingDeposit:
    """One of the caller's deposits; operators read every one."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return _require_owned(caller, unit.standing.get_deposit(deposit_id))


def return_deposit(services: Services, caller: Principal, deposit_id: int) -> StandingDeposit:
    """Send a deposit to its recovery address now: one that waits for a payment to be possible, was
    kept as dust, or could not be sent before; audited. Raises `InvalidStatus` for any other."""
    caller.require_scope(Scope.REFUND, Permission.REFUND)
    if caller.is_staff:
        require_step_up(services, caller.session)

    def work(unit: UnitOfWork) -> StandingDeposit:
        now = services.clock.now()
        found = unit.standing.lock_deposits([deposit_id]).get(deposit_id)
        deposit = _require_owned(caller, found)
        if deposit.state not in RETURNABLE:
            raise InvalidStatus(f"Deposit has invalid status: {deposit.state}")
        address = unit.standing.get_many([deposit.number])[deposit.number]
        after = replace(deposit, state=StandingState.RETURNING, reason=_BY_HAND, updated_at=now)
        unit.standing.update_deposits([(deposit, after)])
        unit.outbound_txs.enqueue([recovery(deposit, address, now)], now)
        _make_due(unit, services, caller, deposit)
        subject, detail = f"standing_address:{address.id}", {"deposit": deposit.incoming.tx_ref}
        unit.audit_log.record(caller.actor_name, "standing deposit returned", detail, now, subject)
        return after

    returned = services.store.write(work)
    services.process.wake()
    return returned


def _make_due(
    unit: UnitOfWork, services: Services, caller: Principal, deposit: StandingDeposit
) -> None:
    """Let a return be made, also again where it failed; for staff it waits for no limit."""
    txs = unit.outbound_txs.list_by_intents([deposit.owner], OutboundTxKind.RECOVER)
    due = [make_due(tx, services, caller) for tx in txs if is_unsigned(tx)]
    unit.outbound_txs.update(due, services.clock.now())


def _parse_status(text: str) -> StandingState:
    try:
        return StandingState(text)
    except ValueError:
        names = ", ".join(StandingState)
        raise InvalidInput(f"status must be one of {names}") from None


def _require_owned(caller: Principal, deposit: StandingDeposit | None) -> StandingDeposit:
    if deposit is None or not caller.can_access(deposit):
        raise NotFound("Standing deposit not found", ErrorCode.STANDING_DEPOSIT_NOT_FOUND)
    return deposit
