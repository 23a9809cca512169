"""Daily caps of what is sent by hand, by token and chain. Payouts, and refunds to a payment's own
refund address that follow from its terms, never count and are never held by them."""

from crossway.domain.approvals import Approval, ApprovalKind, NewApproval
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.money import Token, format_units
from crossway.domain.outgoing_controls import (
    WINDOW,
    ManualTransfer,
    TransferCap,
    find_room,
)
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money import approvals
from crossway.usecases.staff.step_up import require_step_up


def list_caps(services: Services, caller: Principal) -> list[tuple[TransferCap, int]]:
    """Each cap, and what was sent by hand under it in the last 24 hours."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        caps = unit.outgoing_controls.list_caps()
        recent = unit.outgoing_controls.list_transfers(services.clock.now() - WINDOW)
    return [
        (cap, sum(t.amount for t in recent if (t.chain, t.token) == (cap.chain, cap.token)))
        for cap in caps
    ]


def set_cap(
    services: Services, caller: Principal, chain: str, symbol: str, amount: int | None
) -> Approval | None:
    """Set the most of a token, in smallest units, that is sent by hand on a chain within 24 hours;
    None removes the cap. Audited. Where a second person is asked for transfers, one has to agree
    before a cap is raised or removed: then their approval is returned."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    token = services.catalogue.token(chain, symbol, "token")
    if amount is not None and amount < 0:
        raise InvalidInput("amount must not be negative")

    def work(unit: UnitOfWork) -> Approval | None:
        now, before = services.clock.now(), unit.outgoing_controls.lock_cap(chain, token.address)
        is_looser = before is not None and (amount is None or amount > before.amount)
        if before is None or not is_looser or not approvals.needs_second_person(services, None):
            _store_cap(unit, services, token, before, amount, caller.actor_name)
            return None
        detail = {
            "chain": chain,
            "symbol": symbol,
            "before": str(before.amount),
            "units": "" if amount is None else str(amount),
        }
        actor, until = approvals.actor_of(caller), now + approvals.VALID_FOR
        subject = f"cap:{chain}:{symbol}"
        kind = ApprovalKind.TRANSFER_CAP
        new = NewApproval(kind, subject, None, actor, now, until, detail)
        return approvals.request(unit, services, new)

    return services.store.write(work)


def set_approved(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    """Raise or remove the cap as two people agreed; for `approvals.approve`. Raises `InvalidStatus`
    where it was set again meanwhile."""
    detail = approval.detail
    token = services.catalogue.token(detail["chain"], detail["symbol"], "token")
    before = unit.outgoing_controls.lock_cap(token.chain, token.address)
    if before is None or str(before.amount) != detail["before"]:
        raise InvalidStatus("This cap was set again meanwhile: ask for it again")
    by = f"{approval.requested_by.name} and {approval.decided_by.name}"
    amount = int(detail["units"]) if detail["units"] else None
    _store_cap(unit, services, token, before, amount, by)


def _store_cap(
    unit: UnitOfWork,
    services: Services,
    token: Token,
    before: TransferCap | None,
    amount: int | None,
    by: str,
) -> None:
    now, controls = services.clock.now(), unit.outgoing_controls
    if amount is None:
        controls.delete_cap(token.chain, token.address)
    else:
        controls.set_cap(TransferCap(token.chain, token.address, amount, by, now))
    unit.audit_log.record(
        by,
        "transfer cap set",
        {"chain": token.chain, "token": token.symbol},
        now,
        f"cap:{token.chain}:{token.symbol}",
        {"amount": "" if before is None else format_units(before.amount, token.decimals)},
        {"amount": "" if amount is None else format_units(amount, token.decimals)},
    )


def record_transfer(unit: UnitOfWork, services: Services, transfer: ManualTransfer) -> None:
    """Count a transfer by hand, in the unit of work that causes it. Raises `InvalidStatus`, with a
    sentence that says what is left and when it fits, where it exceeds its cap."""
    require_room(unit, services, transfer)
    unit.outgoing_controls.record_transfer(transfer)


def require_room(unit: UnitOfWork, services: Services, transfer: ManualTransfer) -> None:
    """Raise `InvalidStatus` where a transfer by hand exceeds its cap now."""
    cap = unit.outgoing_controls.lock_cap(transfer.chain, transfer.token)
    if cap is None:
        return
    now = services.clock.now()
    sent = [
        one
        for one in unit.outgoing_controls.list_transfers(now - WINDOW)
        if (one.chain, one.token) == (transfer.chain, transfer.token)
    ]
    room = find_room(cap.amount, sent, transfer.amount, now)
    if room.fits_at == now:
        return
    token = services.catalogue.by_address.get((transfer.chain, transfer.token))
    decimals, symbol = (token.decimals, token.symbol) if token else (0, transfer.token)
    amount, most, left = (
        f"{format_units(units, decimals)} {symbol}"
        for units in (transfer.amount, cap.amount, room.left)
    )
    when = "It is more than the whole cap, which a treasurer can raise."
    if room.fits_at is not None:
        when = f"{amount} fits from {room.fits_at:%Y-%m-%d %H:%M} UTC on."
    raise InvalidStatus(
        f"The cap of what is sent by hand on {chain_name(services, transfer.chain)} is {most} "
        f"within 24 hours, of which {left} is left. {when}"
    )
