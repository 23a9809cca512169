"""Ramp orders: create, read, list, confirm and cancel."""

from collections.abc import Callable
from dataclasses import replace

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, KycRequired, NotFound, Unreachable, WrongState
from crossway.domain.intent import Intent
from crossway.domain.kyc import KycState
from crossway.domain.ramps import (
    Direction,
    Errand,
    OrderEvent,
    OrderState,
    RampOrder,
    asked_of,
)
from crossway.ports.ramp_records import OrderFilter, OrderMove, Person
from crossway.ports.ramps import ProviderRefused
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.identity import kyc
from crossway.usecases.identity.corridors import provider_named
from crossway.usecases.payments.intents import new_event_id, respelled
from crossway.usecases.ramps.capabilities import in_time, provider_of
from crossway.usecases.ramps.errands import CLOSED_THERE, ask_about
from crossway.usecases.ramps.following import fail, look
from crossway.usecases.ramps.opening import Along, alone, open_order
from crossway.usecases.ramps.steps import OrderStep, held
from crossway.usecases.ramps.terms import NewOrder, Wanted, drawn_delivery, drawn_order, read

MOST_PAGE = 100


def create(services: Services, caller: Caller, asked: NewOrder, along: Along = alone) -> RampOrder:
    """A new order, stored before its provider is asked. When the provider gives no answer in time
    the order stays PENDING and the engine asks again.

    `along` is done in the transaction that stores the order, and again in the one that stores the
    provider's answer to it.
    """
    caller.needs(Scope.WRITE)
    wanted = read(services, caller, asked)
    state = _gate(services, wanted)
    person = None if wanted.email is None else kyc.person_of(services, wanted.email)
    order = drawn_order(services, caller, wanted, person.id if person else None)
    intent = None
    if wanted.direction is Direction.ON:
        refund_to = provider_of(services, order).refund_address(order.ramp_chain)
        intent = drawn_delivery(services, caller, wanted, refund_to)

    def work(unit: Unit) -> RampOrder:
        if person is not None:
            _hold(services, unit, state, person)
        stored = _add(services, unit, order, intent)
        _audit(services, unit, caller, stored, "ramp order created")
        along(unit, stored)
        return stored

    stored = services.store.write(work)
    services.reached("ramp-created")
    try:
        provider = provider_of(services, stored)
        return in_time(services, provider, lambda: open_order(services, stored, along))
    except Unreachable:
        services.wake()
        return by_id(services, caller, stored.id)


def by_id(services: Services, caller: Caller, order_id: int) -> RampOrder:
    """The caller's order with this record number."""
    with services.store.read() as unit:
        return _own(caller, unit.orders.get(order_id))


def by_intent(services: Services, caller: Caller, address: str) -> RampOrder:
    """The caller's order whose intent has this deposit address, in any spelling of it."""
    with services.store.read() as unit:
        order = unit.orders.by_intent(address)
        if order is None and (spelled := respelled(services, address)) is not None:
            order = unit.orders.by_intent(spelled)
    return _own(caller, order)


def page(
    services: Services, caller: Caller, wanted: OrderFilter, limit: int, offset: int = 0
) -> tuple[list[RampOrder], int]:
    """The caller's orders, newest first, and how many match in all."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    if offset < 0:
        raise InvalidInput("offset must not be negative")
    if not caller.operator:
        wanted = replace(wanted, client_id=caller.client.id)
    with services.store.read() as unit:
        found = unit.orders.page(wanted, limit, offset)
        return found, unit.orders.count(replace(wanted, before_id=None))


def history(services: Services, caller: Caller, order_id: int) -> list[OrderMove]:
    """What happened to the caller's order, oldest first."""
    by_id(services, caller, order_id)
    with services.store.read() as unit:
        return unit.orders.moves(order_id)


def confirm(services: Services, caller: Caller, order_id: int) -> RampOrder:
    """The user says that it is paid; the provider of an on-ramp is told so. The one of an off-ramp
    is told once its crypto has arrived."""
    caller.needs(Scope.WRITE)
    by_id(services, caller, order_id)

    def act(step: OrderStep) -> None:
        asked_of(step.order.state, OrderEvent.CONFIRM)
        on = step.order.direction is Direction.ON
        errand = Errand.CONFIRM if on else None
        step.move(OrderEvent.CONFIRM, "The user says that it is paid", errand=errand)

    return _act(services, caller, order_id, "ramp order confirmed", act)


def cancel(services: Services, caller: Caller, order_id: int) -> RampOrder:
    """Call an order off while nobody has paid. Raises `WrongState` when somebody has, and
    `Unreachable` when the provider, which alone knows it of an on-ramp, does not answer."""
    caller.needs(Scope.WRITE)
    order = by_id(services, caller, order_id)
    asked_of(order.state, OrderEvent.CANCEL)
    # The provider of an on-ramp is asked first, as it may have been paid. An off-ramp is paid at
    # an address of ours: it is withdrawn first, or a deposit would still go to the provider.
    closed = order.state is OrderState.INITIATED and order.direction is Direction.ON
    if closed:
        _close_first(services, order)

    def act(step: OrderStep) -> None:
        if closed and step.order.state is OrderState.PROCESSING and step.order.paid_at is None:
            fail(step, CLOSED_THERE)
            return
        if closed and step.order.state is OrderState.CANCELLED:
            return  # The provider's own word of it was quicker.
        asked_of(step.order.state, OrderEvent.CANCEL)
        if not step.withdraw(f"Order {order_id} was cancelled."):
            raise WrongState(f"Order has invalid status: {OrderState.PROCESSING}")
        errand = None if closed else Errand.CANCEL
        step.move(OrderEvent.CANCEL, "Cancelled", errand=errand)

    done = _act(services, caller, order_id, "ramp order cancelled", act)
    if done.state is not OrderState.CANCELLED:
        raise WrongState(f"Order has invalid status: {done.state}")
    return done


def _close_first(services: Services, order: RampOrder) -> None:
    """Let the provider close an order; when it is too late for that, take in what it says."""
    provider = provider_of(services, order)
    try:
        in_time(services, provider, lambda: provider.cancel(order.provider_reference))
    except ProviderRefused as refusal:
        in_time(services, provider, lambda: ask_about(services, provider, [order]))
        with services.store.read() as unit:
            now = unit.orders.get(order.id)
        state = order.state if now is None else now.state
        raise WrongState(f"Order has invalid status: {state}") from refusal
    services.reached("ramp-cancelled-there")


def _act(
    services: Services, caller: Caller, order_id: int, what: str, act: Callable[[OrderStep], None]
) -> RampOrder:
    """What a person asks for, done to the order as it stands with its intent and the time. What
    these made of it stays also where the request is refused."""

    def work(unit: Unit) -> RampOrder | WrongState:
        step = held(services, unit, order_id)
        look(step)
        try:
            act(step)
        except WrongState as refusal:
            step.store()
            return refusal
        _audit(services, unit, caller, step.order, what)
        return step.store()

    done = services.store.write(work)
    if isinstance(done, WrongState):
        raise done
    services.wake()
    return done


def _gate(services: Services, wanted: Wanted) -> KycState:
    """The identity check, before anything is stored. Raises `KycRequired`, or `Unreachable`."""
    quote = wanted.quote

    def judged() -> KycState:
        return kyc.gate(
            services,
            quote.provider,
            wanted.email,
            quote.country,
            quote.currency.code,
            quote.worth_micro_usd,
        )

    state = in_time(services, provider_named(services, quote.provider), judged, "identities")
    if not state.can_proceed:
        raise KycRequired(_needed(state), state)
    return state


def _needed(state: KycState) -> str:
    if state.required is None:
        return f"{state.subject.provider} takes no order of this amount for this user"
    missing = ", ".join(one.label for one in state.missing)
    words = f"{state.subject.provider} needs a {state.required} identity check for this amount"
    return f"{words}; missing: {missing}" if missing else words


def _hold(services: Services, unit: Unit, state: KycState, person: Person) -> None:
    """In the transaction that stores the order: the person is still there and within limits."""
    known = unit.people.lock(person.id)
    if known is None or known.erased_at is not None:
        raise WrongState("The user was erased just now; try again")
    kyc.recheck(services, unit, state, person.id)


def _add(services: Services, unit: Unit, order: RampOrder, intent: Intent | None) -> RampOrder:
    if intent is None:
        return unit.orders.add(order)
    stored = unit.orders.add(replace(order, intent_address=intent.address))
    made = unit.intents.add(replace(intent, order_id=stored.id), new_event_id())
    step = held(services, unit, stored.id)
    step.note(f"Intent {made.id} was opened for the delivery", intent_id=made.id)
    step.store()
    unit.orders.put_off(stored.id, 0, order.next_at)
    return replace(step.order, next_at=order.next_at)


def _audit(services: Services, unit: Unit, caller: Caller, order: RampOrder, what: str) -> None:
    """What an operator does is written down; a client's own doing is its order's history."""
    if caller.operator:
        told, subject = {"order": order.id}, f"order:{order.id}"
        unit.network.audit(caller.who, what, told, services.clock.now(), subject)


def _own(caller: Caller, order: RampOrder | None) -> RampOrder:
    caller.needs(Scope.READ)
    if order is None or not (caller.operator or order.client_id == caller.client.id):
        raise NotFound("Order not found")
    return order
