"""Ramp orders: create, get, list, confirm and cancel."""

from collections.abc import Callable
from dataclasses import replace

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, KycRequired, NotFound, Unreachable
from crossway.domain.event_ids import new_event_id
from crossway.domain.intent import Intent
from crossway.domain.kyc import USED_ELSEWHERE, KycAssessment
from crossway.domain.ramps import (
    Direction,
    OrderEvent,
    OrderState,
    ProviderCommand,
    RampOrder,
    next_order_state,
)
from crossway.ports.ramp_repository import KycCustomer, OrderFilter, OrderTransition
from crossway.ports.ramps import ProviderRejected
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.kyc import customers, verification
from crossway.usecases.kyc.checks import save_check
from crossway.usecases.kyc.corridors import parse_provider
from crossway.usecases.kyc.submission_sync import KYC_QUEUE
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payments.intents import canonical_address
from crossway.usecases.pricing.exposure_limit import require_exposure_room
from crossway.usecases.ramp_provider_calls import call_with_timeout, get_provider
from crossway.usecases.ramps.create_order import (
    CreateOrderRequest,
    ParsedOrderRequest,
    build_on_ramp_intent,
    build_order,
    parse,
)
from crossway.usecases.ramps.order_lifecycle import fail_order, refresh
from crossway.usecases.ramps.order_placement import OnSave, no_hook, place_order_in_time
from crossway.usecases.ramps.order_unit_of_work import OrderUnitOfWork, lock_order
from crossway.usecases.ramps.provider_sync import CLOSED_BY_PROVIDER, poll_orders

MAX_PAGE_SIZE = 100


def create_order(
    services: Services, caller: Principal, request: CreateOrderRequest, on_save: OnSave = no_hook
) -> RampOrder:
    """Create an order. It is stored before its provider is called; when the provider gives no
    answer in time, the order stays PENDING and the engine retries.

    `on_save` runs in the transaction that stores the order, and again in the one that stores the
    provider's response. Raises `PaymentsStopped` while all outgoing money is stopped.
    """
    caller.require_scope(Scope.WRITE)
    require_not_stopped(services)
    parsed = parse(services, caller, request)
    assessment = _check_kyc(services, caller, parsed)
    customer = (
        None
        if parsed.email is None
        else customers.get_or_create_customer(services, caller.owner, parsed.email)
    )
    order = build_order(services, caller, parsed, customer.id if customer else None)
    intent = None
    if parsed.direction is Direction.ON:
        refund_address = get_provider(services, order).refund_address(order.ramp_chain)
        intent = build_on_ramp_intent(services, caller, parsed, refund_address)

    def work(unit: UnitOfWork) -> RampOrder:
        if customer is not None:
            _lock_customer(services, unit, assessment, customer)
        stored = _store_order(services, unit, order, intent)
        _audit(services, unit, caller, stored, "ramp order created")
        on_save(unit, stored)
        return stored

    stored = services.store.write(work)
    services.process.failpoint("ramp-created")
    try:
        return place_order_in_time(services, stored, on_save, parsed.quote.intent_quote)
    except Unreachable:
        services.process.wake()
        return get_order(services, caller, stored.id)


def get_order(services: Services, caller: Principal, order_id: int) -> RampOrder:
    """The caller's order with this id. Raises `NotFound`."""
    with services.store.read() as unit:
        return _require_owned(caller, unit.orders.get(order_id))


def get_order_by_intent(services: Services, caller: Principal, address: str) -> RampOrder:
    """The caller's order whose intent has this deposit address, in any spelling."""
    with services.store.read() as unit:
        order = unit.orders.find_by_intent_address(address)
        if order is None and (canonical := canonical_address(services, address)) is not None:
            order = unit.orders.find_by_intent_address(canonical)
    return _require_owned(caller, order)


def list_orders(
    services: Services, caller: Principal, order_filter: OrderFilter, limit: int, offset: int = 0
) -> list[RampOrder]:
    """A page of the caller's orders, in the order of the filter."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    if offset < 0:
        raise InvalidInput("offset must not be negative")
    with services.store.read() as unit:
        return unit.orders.list_page(caller.narrow(order_filter), limit, offset)


def list_order_history(
    services: Services, caller: Principal, order_id: int
) -> list[OrderTransition]:
    """The transitions and notes of the caller's order, oldest first."""
    get_order(services, caller, order_id)
    with services.store.read() as unit:
        return unit.orders.list_transitions(order_id)


def confirm_order(services: Services, caller: Principal, order_id: int) -> RampOrder:
    """Record the user's statement that the order is paid. The provider of an on-ramp is told so;
    the provider of an off-ramp is told once its crypto has arrived."""
    caller.require_scope(Scope.WRITE)
    get_order(services, caller, order_id)

    def change(uow: OrderUnitOfWork) -> None:
        next_order_state(uow.order.state, OrderEvent.CONFIRM)
        is_on_ramp = uow.order.direction is Direction.ON
        command = ProviderCommand.CONFIRM if is_on_ramp else None
        uow.apply_event(OrderEvent.CONFIRM, "The customer reports the payment", command=command)

    return _update_order(services, caller, order_id, "ramp order confirmed", change)


def cancel_order(services: Services, caller: Principal, order_id: int) -> RampOrder:
    """Cancel an unpaid order. Raises `InvalidStatus` when it is paid, and `Unreachable` when the
    provider of an on-ramp, which alone knows whether it is paid, does not answer."""
    caller.require_scope(Scope.WRITE)
    order = get_order(services, caller, order_id)
    next_order_state(order.state, OrderEvent.CANCEL)
    # An on-ramp is cancelled at its provider first, as it may have been paid there. The intent of
    # an off-ramp is cancelled first: a deposit would otherwise still go to the provider.
    closed_at_provider = order.state is OrderState.INITIATED and order.direction is Direction.ON
    if closed_at_provider:
        _cancel_at_provider(services, order)

    def change(uow: OrderUnitOfWork) -> None:
        if (
            closed_at_provider
            and uow.order.state is OrderState.PROCESSING
            and uow.order.paid_at is None
        ):
            fail_order(uow, CLOSED_BY_PROVIDER)
            return
        if closed_at_provider and uow.order.state is OrderState.CANCELLED:
            return  # The provider's update was applied first.
        next_order_state(uow.order.state, OrderEvent.CANCEL)
        if not uow.cancel_intent(f"Order {order_id} was cancelled."):
            raise InvalidStatus(f"Order has invalid status: {OrderState.PROCESSING}")
        command = None if closed_at_provider else ProviderCommand.CANCEL
        uow.apply_event(OrderEvent.CANCEL, "Cancelled", command=command)

    updated = _update_order(services, caller, order_id, "ramp order cancelled", change)
    if updated.state is not OrderState.CANCELLED:
        raise InvalidStatus(f"Order has invalid status: {updated.state}")
    return updated


def _cancel_at_provider(services: Services, order: RampOrder) -> None:
    """Cancel an order at its provider. When the provider refuses, its updates are applied and
    `InvalidStatus` is raised."""
    provider = get_provider(services, order)
    try:
        call_with_timeout(
            services, provider, lambda: provider.cancel_order(order.provider_reference)
        )
    except ProviderRejected as error:
        call_with_timeout(services, provider, lambda: poll_orders(services, provider, [order]))
        with services.store.read() as unit:
            current = unit.orders.get(order.id)
        state = order.state if current is None else current.state
        raise InvalidStatus(f"Order has invalid status: {state}") from error
    services.process.failpoint("ramp-cancelled-there")


def _update_order(
    services: Services,
    caller: Principal,
    order_id: int,
    action: str,
    change: Callable[[OrderUnitOfWork], None],
) -> RampOrder:
    """Refresh an order and apply a requested change to it. What the refresh changed is stored
    even when the change is refused with `InvalidStatus`."""

    def work(unit: UnitOfWork) -> RampOrder | InvalidStatus:
        uow = lock_order(services, unit, order_id)
        refresh(uow)
        try:
            change(uow)
        except InvalidStatus as error:
            uow.save()
            return error
        _audit(services, unit, caller, uow.order, action)
        return uow.save()

    updated = services.store.write(work)
    if isinstance(updated, InvalidStatus):
        raise updated
    services.process.wake()
    return updated


def _check_kyc(services: Services, caller: Principal, parsed: ParsedOrderRequest) -> KycAssessment:
    """Check KYC before anything is stored. Raises `KycRequired` or `Unreachable`."""
    quote = parsed.quote

    def assess() -> KycAssessment:
        return verification.assess_order(
            services,
            caller,
            quote.provider,
            parsed.email,
            quote.country,
            quote.currency.code,
            quote.value_micro_usd,
        )

    assessment = call_with_timeout(
        services, parse_provider(services, quote.provider), assess, KYC_QUEUE
    )
    if not assessment.can_proceed:
        raise KycRequired(_describe_missing_kyc(assessment), assessment)
    return assessment


def _describe_missing_kyc(assessment: KycAssessment) -> str:
    if assessment.reason == USED_ELSEWHERE:
        return assessment.reason
    if assessment.required is None:
        return f"{assessment.subject.provider} accepts no order of this amount from this user"
    missing = ", ".join(requirement.label for requirement in assessment.missing)
    check = f"{assessment.required} identity check"
    message = f"{assessment.subject.provider} needs a {check} for this amount"
    return f"{message}; missing: {missing}" if missing else message


def _lock_customer(
    services: Services, unit: UnitOfWork, assessment: KycAssessment, customer: KycCustomer
) -> None:
    """Lock the customer of a new order and check again that they exist and are within limits."""
    current = unit.kyc_customers.lock(customer.id)
    if current is None or current.erased_at is not None:
        raise InvalidStatus("The user's data was just erased; try again")
    verification.recheck_limit(services, unit, assessment, customer.id)
    save_check(services, unit, customer, assessment)


def _store_order(
    services: Services, unit: UnitOfWork, order: RampOrder, intent: Intent | None
) -> RampOrder:
    if intent is None:
        return unit.orders.add(order)
    stored = unit.orders.add(replace(order, intent_address=intent.address))
    stored_intent = unit.intents.add(replace(intent, order_id=stored.id), new_event_id())
    require_exposure_room(services, unit, stored_intent)
    uow = lock_order(services, unit, stored.id)
    uow.add_note(
        f"Payment {stored_intent.id} was created for the delivery", intent_id=stored_intent.id
    )
    uow.save()
    unit.orders.reschedule(stored.id, 0, order.next_at)
    return replace(uow.order, next_at=order.next_at)


def _audit(
    services: Services, unit: UnitOfWork, caller: Principal, order: RampOrder, action: str
) -> None:
    """Record an operator's action in the audit log; a client's is in the order's history."""
    if caller.is_staff:
        detail, subject = {"order": order.id}, f"order:{order.id}"
        unit.audit_log.record(caller.actor_name, action, detail, services.clock.now(), subject)


def _require_owned(caller: Principal, order: RampOrder | None) -> RampOrder:
    caller.require_scope(Scope.READ)
    if order is None or not caller.can_access(order):
        raise NotFound("Order not found", ErrorCode.ORDER_NOT_FOUND)
    return order
