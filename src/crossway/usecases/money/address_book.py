"""The address book: where money may be sent by hand, each entry usable only after a delay."""

from datetime import timedelta
from typing import Final

from crossway.domain.approvals import Approval, ApprovalKind, NewApproval
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.outgoing_controls import BookedAddress, NewAddress
from crossway.domain.roles import Permission
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money import approvals
from crossway.usecases.staff.step_up import require_step_up

ADDRESS_ALERT: Final = "address"
MAX_NAME_CHARACTERS: Final = 60
_MAX_ALERTS: Final = 1_000


def list_addresses(services: Services, caller: Principal) -> list[BookedAddress]:
    """The entries of the address book, by chain and name, also those not usable yet."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.outgoing_controls.list_addresses()


def add_address(
    services: Services, caller: Principal, chain_id: str, address: str, name: str
) -> Approval | None:
    """Add an address that money may be sent to by hand after the installation's delay; audited,
    with an alert meanwhile. Where a second person is asked for transfers, one has to agree to a new
    address too: then their approval is returned, and the delay begins with it. Raises
    `InvalidInput` where the address cannot be paid."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    chain = services.catalogue.chain(chain_id, "chain")
    if chain.id not in services.chains:
        raise InvalidInput(f"chain: {chain.id} is not configured here")
    parsed, named = parse_payable_address(services, chain, address, "address"), name.strip()
    if not named or len(named) > MAX_NAME_CHARACTERS or not named.isprintable():
        raise InvalidInput(f"name must be 1 to {MAX_NAME_CHARACTERS} printable characters")
    # What is sent there later has no bound of its own.
    needs_approval = approvals.needs_second_person(services, None)

    def work(unit: UnitOfWork) -> Approval | None:
        if unit.outgoing_controls.find_address(chain.id, parsed) is not None:
            raise InvalidStatus(f"{parsed} is in the address book of {chain.name}")
        if not needs_approval:
            _add(unit, services, (chain.id, parsed, named), caller.actor_name)
            return None
        now = services.clock.now()
        new = NewApproval(
            ApprovalKind.TREASURY_ADDRESS,
            f"address:{chain.id}:{parsed}",
            None,
            approvals.actor_of(caller),
            now,
            now + approvals.VALID_FOR,
            {"chain": chain.id, "address": parsed, "name": named},
        )
        return approvals.request(unit, services, new)

    return services.store.write(work)


def add_approved(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    """Add the address that two people agreed to; for `approvals.approve`."""
    detail = approval.detail
    by = f"{approval.requested_by.name} and {approval.decided_by.name}"
    _add(unit, services, (detail["chain"], detail["address"], detail["name"]), by)


def remove_address(services: Services, caller: Principal, entry_id: int) -> None:
    """Remove an entry at once; audited. Raises `NotFound` where there is none."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)

    def work(unit: UnitOfWork) -> None:
        now, entry = services.clock.now(), unit.outgoing_controls.get_address(entry_id)
        removed = unit.outgoing_controls.remove_address(entry_id, caller.actor_name, now)
        if entry is None or not removed:
            raise NotFound("There is no such address in the address book")
        unit.alerts.resolve([f"{ADDRESS_ALERT}:{entry_id}"], now)
        _audit(unit, services, caller.actor_name, "address removed", entry)

    services.store.write(work)


def require_usable(unit: UnitOfWork, services: Services, chain: str, address: str) -> None:
    """Raise `InvalidInput`, with a sentence that names the way, unless money may be sent to this
    canonical address by hand now. Nobody removes it until the unit of work ends."""
    entry = unit.outgoing_controls.find_address(chain, address)
    place = chain_name(services, chain)
    if entry is None:
        raise InvalidInput(
            f"address is not in the address book of {place}: add it there first, under Treasury. "
            f"{describe_delay(services)}"
        )
    if not entry.is_usable(services.clock.now()):
        raise InvalidInput(
            f"address was added to the address book lately: money can be sent there from "
            f"{entry.usable_at:%Y-%m-%d %H:%M} UTC on"
        )


def describe_delay(services: Services) -> str:
    """When a new entry can be used, in a sentence."""
    delay = services.policy.controls.address_delay
    if not delay:
        return "A new one can be used at once."
    return f"A new one can be used {delay // timedelta(hours=1)} hours later."


def end_alerts(services: Services) -> int:
    """Resolve the alerts about new entries that can be used now; returns how many."""
    now = services.clock.now()
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(_MAX_ALERTS, ADDRESS_ALERT)
        entries = {a.key: unit.outgoing_controls.get_address(int(a.subject)) for a in alerts}
    over = [key for key, entry in entries.items() if entry is None or entry.is_usable(now)]
    if over:
        services.store.write(lambda unit: unit.alerts.resolve(over, now))
    return len(over)


def _add(unit: UnitOfWork, services: Services, where: tuple[str, str, str], by: str) -> None:
    """Add an address, as its chain, canonical form and name."""
    now = services.clock.now()
    new = NewAddress(*where, by, now, now + services.policy.controls.address_delay)
    entry, place = unit.outgoing_controls.add_address(new), chain_name(services, new.chain)
    if entry is None:
        raise InvalidStatus(f"{new.address} is in the address book of {place}")
    if entry.usable_at > entry.added_at:
        message = (
            f"{entry.added_by} added {entry.name}, {entry.address} on {place}, to the address "
            f"book: money can be sent there by hand from {entry.usable_at:%Y-%m-%d %H:%M} UTC on. "
            "Remove it if you do not know it."
        )
        key = f"{ADDRESS_ALERT}:{entry.id}"
        unit.alerts.raise_alert(Alert(key, ADDRESS_ALERT, str(entry.id), message, now, now, None))
    _audit(unit, services, new.added_by, "address added", entry)


def _audit(
    unit: UnitOfWork, services: Services, by: str, action: str, entry: BookedAddress
) -> None:
    detail = {
        "entry": entry.id,
        "chain": entry.chain,
        "address": entry.address,
        "name": entry.name,
        "usable_at": entry.usable_at.isoformat(),
    }
    subject = f"address:{entry.chain}:{entry.address}"
    unit.audit_log.record(by, action, detail, services.clock.now(), subject)
