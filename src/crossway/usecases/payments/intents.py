"""Read and list payment intents."""

from dataclasses import replace

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.ports import process
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services

MAX_PAGE_SIZE = 100


def get_by_address(services: Services, caller: Principal, address: str) -> Intent:
    """The caller's intent with this deposit address, in any spelling; raises `NotFound`."""
    return _require_owned(caller, find_by_address(services, address))


def find_by_address(services: Services, address: str) -> Intent | None:
    """Anybody's intent with this deposit address, in any spelling."""
    with services.store.read() as unit:
        intent = unit.intents.find_by_address(address)
        if intent is None and (canonical := canonical_address(services, address)) is not None:
            intent = unit.intents.find_by_address(canonical)
    return intent


def get_by_id(services: Services, caller: Principal, intent_id: int) -> Intent:
    """The caller's intent with this id; raises `NotFound`."""
    with services.store.read() as unit:
        return _require_owned(caller, unit.intents.get(intent_id))


def list_page(
    services: Services, caller: Principal, filters: IntentFilter, limit: int, offset: int = 0
) -> list[Intent]:
    """One page of the caller's intents, newest first. What it costs grows with the offset."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    if offset < 0:
        raise InvalidInput("offset must not be negative")
    with services.store.read() as unit:
        return unit.intents.list_page(caller.narrow(filters), limit, offset)


def has_more(services: Services, caller: Principal, filters: IntentFilter, last_id: int) -> bool:
    """Whether a list goes on behind a payment."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        behind = replace(caller.narrow(filters), before_id=last_id)
        return bool(unit.intents.list_page(behind, 1))


def get_destination_address(services: Services, caller: Principal, address: str) -> str:
    """The address of an intent on its destination chain, derived again from its hash."""
    intent = get_by_address(services, caller, address)
    return services.chains[intent.terms.destination_chain].deposit_address(intent.intent_hash)


def canonical_address(services: Services, address: str) -> str | None:
    """The canonical spelling of an address on the first chain that accepts it, else None."""
    for chain in services.chains.values():
        try:
            return chain.canonical_address(address)
        except ValueError:
            continue
    return None


def _require_owned(caller: Principal, intent: Intent | None) -> Intent:
    caller.require_scope(Scope.READ)
    if intent is None or not caller.can_access(intent):
        raise NotFound("Intent not found", ErrorCode.INTENT_NOT_FOUND)
    process.add_log_ids(intent=intent.id)
    return intent
