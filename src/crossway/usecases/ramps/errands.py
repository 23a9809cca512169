"""What the engine asks providers about orders: to open, confirm or close them, and what is new."""

from collections.abc import Sequence
from datetime import datetime

from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.ramps import Direction, Errand, OrderEvent, OrderState, RampOrder
from crossway.ports.ramps import ProviderRefused, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments import processing
from crossway.usecases.ramps.capabilities import provider_of
from crossway.usecases.ramps.following import fail, lapse, look
from crossway.usecases.ramps.opening import open_order, opening_of
from crossway.usecases.ramps.reports import take_reports
from crossway.usecases.ramps.steps import held
from crossway.usecases.ramps.timing import again_at

CLOSED_THERE = "It was closed at the provider before a payment was known"


def look_at(services: Services, order_id: int, until: datetime) -> RampOrder:
    """Bring an order in line with its intent and the time, without asking anybody. Where its
    provider is to be told something, nobody else takes it up before `until`."""

    def work(unit: Unit) -> RampOrder:
        step = held(services, unit, order_id)
        look(step)
        stored = step.store()
        if stored.errand is not None:
            unit.orders.put_off(order_id, stored.tries, until)
        return stored

    return services.store.write(work)


def unanswered(services: Services, order_id: int) -> RampOrder:
    """The provider gave no answer: nothing is known, and it is asked again, each time later."""

    def work(unit: Unit) -> RampOrder:
        step = held(services, unit, order_id)
        look(step)
        stored = step.store()
        if not step.changes and stored.next_at is not None:
            tries = stored.tries + 1
            at = again_at(tries, step.now)
            if stored.state is OrderState.PENDING:
                at = min(at, stored.expires_at)
            unit.orders.put_off(order_id, tries, at)
        return stored

    return services.store.write(work)


def run_errand(services: Services, order: RampOrder) -> None:
    """Tell the provider what it is still to be told. Raises `Unreachable`."""
    services.reached(f"before-ramp-{order.errand}")
    if order.errand is Errand.OPEN and order.state is OrderState.PENDING:
        open_order(services, order)
    elif order.errand is Errand.CONFIRM and order.state is OrderState.PROCESSING:
        _confirm(services, order)
    elif order.errand is Errand.CANCEL:
        _close(services, order)
    else:
        _done(services, order, f"Nothing is left to {order.errand}")
    services.reached(f"ramp-{order.errand}")


def close_lapsed(services: Services, order: RampOrder) -> None:
    """Ask the provider of an on-ramp that nobody seems to have paid in time to close it: it alone
    knows. Raises `Unreachable`; when it refuses, what it reports is taken in instead."""
    provider = provider_of(services, order)
    try:
        provider.cancel(order.provider_reference)
    except ProviderRefused:
        ask_about(services, provider, [order])
        return

    def work(unit: Unit) -> None:
        step = held(services, unit, order.id)
        look(step)
        if step.order.state is OrderState.INITIATED:
            lapse(step)
        elif step.order.state is OrderState.PROCESSING and step.order.paid_at is None:
            fail(step, CLOSED_THERE)
        step.store()

    services.store.write(work)


def ask_about(services: Services, provider: RampProvider, orders: Sequence[RampOrder]) -> int:
    """Ask a provider what is new of orders, and take it in. Raises `Unreachable`."""
    references = [order.provider_reference for order in orders if order.provider_reference]
    if not references:
        return 0
    told = provider.reports(references)
    return take_reports(
        services, provider.name, [report for said in told.values() for report in said]
    )


def look_on_test_network(services: Services, order: RampOrder) -> None:
    """Test networks are not scanned: see by hand whether the deposit of an order came in."""
    if order.intent_id is None or order.state not in (OrderState.INITIATED, OrderState.PROCESSING):
        return
    with services.store.read() as unit:
        intent = unit.intents.get(order.intent_id)
    if intent is None or intent.state is not State.PENDING:
        return
    if services.catalogue.chains[intent.terms.source_chain].testnet:
        try:
            processing.look(services, intent)
        except Unreachable:
            return


def _confirm(services: Services, order: RampOrder) -> None:
    provider = provider_of(services, order)
    tx_hash = _payment_of(services, order)
    words = f"{order.provider} was told that it is paid"
    try:
        provider.confirm(order.provider_reference, tx_hash)
    except ProviderRefused as refusal:
        words = f"{order.provider} did not take the confirmation: {refusal}"
    _done(services, order, words)


def _payment_of(services: Services, order: RampOrder) -> str:
    """The transaction that paid the provider of an off-ramp."""
    if order.direction is Direction.ON or order.intent_id is None:
        return ""
    with services.store.read() as unit:
        intent = unit.intents.get(order.intent_id)
    return (intent.tx_hash if intent else "") or ""


def _close(services: Services, order: RampOrder) -> None:
    provider = provider_of(services, order)
    words = f"{order.provider} has closed it"
    try:
        if order.provider_reference:
            provider.cancel(order.provider_reference)
        elif (asked := opening_of(services, order)) is not None:
            provider.cancel_unknown(asked)
    except ProviderRefused as refusal:
        words = f"{order.provider} did not close it: {refusal}"
    _done(services, order, words)


def _done(services: Services, order: RampOrder, words: str) -> None:
    """The errand was run, unless another has taken its place since."""

    def work(unit: Unit) -> None:
        step = held(services, unit, order.id)
        if step.order.errand is order.errand:
            step.move(OrderEvent.NOTED, words, errand=None)
        look(step)
        step.store()

    services.store.write(work)
