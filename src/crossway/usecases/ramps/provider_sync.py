"""The engine's calls to providers: pending commands (open, confirm, cancel) and polling."""

from collections.abc import Sequence
from datetime import datetime

from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.ramps import Direction, OrderEvent, OrderState, ProviderCommand, RampOrder
from crossway.ports.ramps import ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.deposits import check_deposits
from crossway.usecases.ramp_provider_calls import get_provider
from crossway.usecases.ramps.order_lifecycle import expire_order, fail_order, refresh
from crossway.usecases.ramps.order_placement import build_order_request, place_order
from crossway.usecases.ramps.order_unit_of_work import lock_order
from crossway.usecases.ramps.poll_schedule import retry_at
from crossway.usecases.ramps.provider_updates import apply_updates

CLOSED_BY_PROVIDER = "The provider closed the order before a payment was known"


def refresh_order(services: Services, order_id: int, until: datetime) -> RampOrder:
    """Apply the intent's state and the deadlines to an order without asking its provider. An
    order with a pending provider command is reserved for this engine until `until`."""

    def work(unit: UnitOfWork) -> RampOrder:
        uow = lock_order(services, unit, order_id)
        refresh(uow)
        stored = uow.save()
        if stored.command is not None:
            unit.orders.reschedule(order_id, stored.attempt_count, until)
        return stored

    return services.store.write(work)


def reschedule_unanswered(services: Services, order_id: int) -> RampOrder:
    """Schedule a retry with backoff after the provider gave no answer."""

    def work(unit: UnitOfWork) -> RampOrder:
        uow = lock_order(services, unit, order_id)
        refresh(uow)
        stored = uow.save()
        if not uow.changes and stored.next_at is not None:
            attempts = stored.attempt_count + 1
            at = retry_at(attempts, uow.now)
            if stored.state is OrderState.PENDING:
                at = min(at, stored.expires_at)
            unit.orders.reschedule(order_id, attempts, at)
        return stored

    return services.store.write(work)


def run_command(services: Services, order: RampOrder) -> None:
    """Send the order's pending command to its provider. Raises `Unreachable`."""
    services.process.failpoint(f"before-ramp-{order.command}")
    if order.command is ProviderCommand.OPEN and order.state is OrderState.PENDING:
        place_order(services, order)
    elif order.command is ProviderCommand.CONFIRM and order.state is OrderState.PROCESSING:
        _run_confirm(services, order)
    elif order.command is ProviderCommand.CANCEL:
        _run_cancel(services, order)
    else:
        _finish_command(services, order, f"Nothing is left to {order.command}")
    services.process.failpoint(f"ramp-{order.command}")


def close_expired(services: Services, order: RampOrder) -> None:
    """Cancel an on-ramp at its provider once it is past its deadline, then expire it. When the
    provider refuses (it was paid), its updates are applied instead. Raises `Unreachable`."""
    provider = get_provider(services, order)
    try:
        provider.cancel_order(order.provider_reference)
    except ProviderRejected:
        poll_orders(services, provider, [order])
        return

    def work(unit: UnitOfWork) -> None:
        uow = lock_order(services, unit, order.id)
        refresh(uow)
        if uow.order.state is OrderState.INITIATED:
            expire_order(uow)
        elif uow.order.state is OrderState.PROCESSING and uow.order.paid_at is None:
            fail_order(uow, CLOSED_BY_PROVIDER)
        uow.save()

    services.store.write(work)


def poll_orders(services: Services, provider: RampProvider, orders: Sequence[RampOrder]) -> int:
    """Fetch a provider's updates of orders, apply them, and return how many orders they
    concerned. Raises `Unreachable`."""
    references = [order.provider_reference for order in orders if order.provider_reference]
    if not references:
        return 0
    by_reference = provider.fetch_updates(references)
    return apply_updates(
        services, provider.name, [update for updates in by_reference.values() for update in updates]
    )


def check_testnet_deposit(services: Services, order: RampOrder) -> None:
    """Look up the deposit of an order on a test network, which the engine does not scan."""
    if order.intent_id is None or order.state not in (OrderState.INITIATED, OrderState.PROCESSING):
        return
    with services.store.read() as unit:
        intent = unit.intents.get(order.intent_id)
    if intent is None or intent.state is not State.PENDING:
        return
    if services.catalogue.chains[intent.terms.source_chain].testnet:
        try:
            check_deposits(services, intent)
        except Unreachable:
            return


def _run_confirm(services: Services, order: RampOrder) -> None:
    provider = get_provider(services, order)
    tx_hash = _get_payment_tx(services, order)
    note = f"{order.provider} was told of the payment"
    try:
        provider.confirm_payment(order.provider_reference, tx_hash)
    except ProviderRejected as refusal:
        note = f"{order.provider} rejected the confirmation: {refusal}"
    _finish_command(services, order, note)


def _get_payment_tx(services: Services, order: RampOrder) -> str:
    """The transaction that paid the provider of an off-ramp; empty for an on-ramp."""
    if order.direction is Direction.ON or order.intent_id is None:
        return ""
    with services.store.read() as unit:
        intent = unit.intents.get(order.intent_id)
    return (intent.tx_hash if intent else "") or ""


def _run_cancel(services: Services, order: RampOrder) -> None:
    provider = get_provider(services, order)
    note = f"{order.provider} has closed the order"
    try:
        if order.provider_reference:
            provider.cancel_order(order.provider_reference)
        elif (request := build_order_request(services, order)) is not None:
            provider.cancel_by_reference(request)
    except ProviderRejected as refusal:
        note = f"{order.provider} did not close the order: {refusal}"
    _finish_command(services, order, note)


def _finish_command(services: Services, order: RampOrder, note: str) -> None:
    """Clear the command, unless another one has replaced it meanwhile."""

    def work(unit: UnitOfWork) -> None:
        uow = lock_order(services, unit, order.id)
        if uow.order.command is order.command:
            uow.apply_event(OrderEvent.NOTED, note, command=None)
        refresh(uow)
        uow.save()

    services.store.write(work)
