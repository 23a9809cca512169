"""Create, read and list payment intents."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.ports import tracing
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.create_intent import CreateIntentRequest, build_intent, parse
from crossway.usecases.pricing.quotes import quote_intent

MAX_PAGE_SIZE = 100


def create(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest,
    along: Callable[[UnitOfWork, Intent], None] = lambda unit, intent: None,
) -> Intent:
    """Create and store an intent with its own deposit address.

    `along` runs in the same database transaction, so that what it writes and the intent are stored
    together or not at all. Raises `InvalidInput` and `QuotesUnavailable`.
    """
    caller.require_scope(Scope.WRITE)
    parsed = parse(services, caller, request)
    assert parsed.source and parsed.destination and parsed.token_in and parsed.token_out  # noqa: PT018
    assert parsed.amount and parsed.amount_symbol and parsed.recipient and parsed.refund_address  # noqa: PT018
    routed_quote = quote_intent(
        services,
        caller,
        parsed.source.id,
        parsed.destination.id,
        parsed.token_in,
        parsed.token_out,
        parsed.amount,
        parsed.amount_symbol,
        parsed.recipient,
    )
    intent = build_intent(
        services, caller, parsed, routed_quote, services.policy.intent_life_seconds
    )
    event_id = new_event_id()

    def work(unit: UnitOfWork) -> Intent:
        stored = unit.intents.add(intent, event_id)
        along(unit, stored)
        return stored

    stored = services.store.write(work)
    tracing.add_context(intent=stored.id)
    services.process.failpoint("created")
    return stored


def new_event_id() -> str:
    """A new id for the outbox event that is stored with a new intent."""
    return f"evt_{secrets.token_hex(16)}"


def get_by_address(services: Services, caller: Principal, address: str) -> Intent:
    """The caller's intent with this deposit address, in any spelling; raises `NotFound`."""
    with services.store.read() as unit:
        intent = unit.intents.find_by_address(address)
        if intent is None and (canonical := canonical_address(services, address)) is not None:
            intent = unit.intents.find_by_address(canonical)
    return _require_owned(caller, intent)


def get_by_id(services: Services, caller: Principal, intent_id: int) -> Intent:
    """The caller's intent with this id; raises `NotFound`."""
    with services.store.read() as unit:
        return _require_owned(caller, unit.intents.get(intent_id))


def list_page(
    services: Services, caller: Principal, filters: IntentFilter, limit: int, offset: int = 0
) -> tuple[list[Intent], int]:
    """One page of the caller's intents, newest first, and the total number that match."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    if offset < 0:
        raise InvalidInput("offset must not be negative")
    if not caller.is_staff:
        filters = replace(filters, client_id=caller.client.id)
    with services.store.read() as unit:
        intents = unit.intents.list_page(filters, limit, offset)
        return intents, unit.intents.count(replace(filters, before_id=None))


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
    if intent is None or not (caller.is_staff or intent.client_id == caller.client.id):
        raise NotFound("Intent not found")
    tracing.add_context(intent=intent.id)
    return intent
