"""Payment intents: create, read, list, process by hand, refund by hand."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.ports import tracing
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.terms import CreateIntent, drawn_up, read
from crossway.usecases.pricing.quotes import route_for

MOST_PAGE = 100


def create(
    services: Services,
    caller: Caller,
    request: CreateIntent,
    along: Callable[[Unit, Intent], None] = lambda unit, intent: None,
) -> Intent:
    """A new intent with its own deposit address, stored before it is answered.

    `along` is done in the same transaction: what belongs to the intent or is not to be at all.
    """
    caller.needs(Scope.WRITE)
    given = read(services, caller, request)
    assert given.source and given.destination and given.token_in and given.token_out  # noqa: PT018
    assert given.units and given.symbol and given.recipient and given.refund_address  # noqa: PT018
    routed = route_for(
        services, caller, given.source.id, given.destination.id,
        given.token_in, given.token_out, given.units, given.symbol, given.recipient,
    )  # fmt: skip
    intent = drawn_up(services, caller, given, routed, services.policy.intent_life_seconds)
    event_id = new_event_id()

    def work(unit: Unit) -> Intent:
        stored = unit.intents.add(intent, event_id)
        along(unit, stored)
        return stored

    stored = services.store.write(work)
    tracing.note(intent=stored.id)
    services.reached("created")
    return stored


def new_event_id() -> str:
    """The id of an announcement that is made with a new intent."""
    return f"evt_{secrets.token_hex(16)}"


def by_address(services: Services, caller: Caller, address: str) -> Intent:
    """The caller's intent with this deposit address, in any spelling of it."""
    with services.store.read() as unit:
        intent = unit.intents.by_address(address)
        if intent is None and (spelled := respelled(services, address)) is not None:
            intent = unit.intents.by_address(spelled)
    return _own(caller, intent)


def by_id(services: Services, caller: Caller, intent_id: int) -> Intent:
    """The caller's intent with this record number."""
    with services.store.read() as unit:
        return _own(caller, unit.intents.get(intent_id))


def page(
    services: Services, caller: Caller, wanted: IntentFilter, limit: int, offset: int = 0
) -> tuple[list[Intent], int]:
    """The caller's intents, newest first, and how many match in all."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    if offset < 0:
        raise InvalidInput("offset must not be negative")
    if not caller.operator:
        wanted = replace(wanted, client_id=caller.client.id)
    with services.store.read() as unit:
        found = unit.intents.page(wanted, limit, offset)
        return found, unit.intents.count(replace(wanted, before_id=None))


def destination_address(services: Services, caller: Caller, address: str) -> str:
    """The counterpart address of an intent on its destination chain, computed anew."""
    intent = by_address(services, caller, address)
    return services.chains[intent.terms.destination_chain].deposit_address(intent.key)


def respelled(services: Services, address: str) -> str | None:
    """An address in the one spelling of the first chain that knows its form."""
    for chain in services.chains.values():
        try:
            return chain.canonical_address(address)
        except ValueError:
            continue
    return None


def _own(caller: Caller, intent: Intent | None) -> Intent:
    caller.needs(Scope.READ)
    if intent is None or not (caller.operator or intent.client_id == caller.client.id):
        raise NotFound("Intent not found")
    tracing.note(intent=intent.id)
    return intent
