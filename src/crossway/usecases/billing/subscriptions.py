"""Create, list, pause, resume and cancel subscriptions."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from crossway.domain.calendar_periods import (
    Interval,
    Schedule,
    local_date,
    parse_date,
    parse_time_zone,
)
from crossway.domain.clients import Owner, OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.billing_events import add_subscription_event
from crossway.usecases.billing.invoice_fields import ContentRequest, parse_count
from crossway.usecases.billing.invoices import draft_invoice
from crossway.usecases.validation_errors import ValidationErrors

MAX_EVERY: Final = 52
MAX_PERIODS: Final = 1_000
MAX_LEAD_DAYS: Final = 60
MAX_UNPAID: Final = 12
MAX_PAGE_SIZE: Final = 100
_FURTHEST: Final = timedelta(days=3_650)
_STATES: Final = (
    SubscriptionState.ACTIVE,
    SubscriptionState.PAUSED,
    SubscriptionState.CANCELLED,
)


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """How a subscription repeats, as received; None is the default."""

    interval: object = None
    every: object = None
    first_due_date: object = None
    time_zone: object = None
    lead_days: object = None
    periods: object = None
    max_unpaid: object = None


def _do_nothing(unit: UnitOfWork, subscription: Subscription) -> None:
    """The default of `in_transaction`."""


def create(
    services: Services,
    caller: Principal,
    content: ContentRequest,
    request: SubscriptionRequest,
    in_transaction: Callable[[UnitOfWork, Subscription], None] = _do_nothing,
    client_id: str | None = None,
) -> Subscription:
    """Create a subscription of the caller's client; operators may name another client. Its first
    invoice is issued by the engine. Raises `InvalidInput`."""
    caller.require_scope(Scope.WRITE)
    owner = caller.owner
    if client_id is not None and caller.is_staff:
        owner = replace(owner, client_id=client_id)
    now = services.clock.now()
    subscription = _new_subscription(services, caller, content, request, owner)

    def work(unit: UnitOfWork) -> Subscription:
        if unit.api_keys.get_client(owner.client_id) is None:
            raise NotFound("Client not found")
        added = unit.subscriptions.add(subscription)
        _audit(unit, caller, "subscription created", added, now)
        in_transaction(unit, added)
        return added

    added = services.store.write(work)
    services.process.wake()
    return added


def _new_subscription(
    services: Services,
    caller: Principal,
    content: ContentRequest,
    request: SubscriptionRequest,
    owner: Owner,
) -> Subscription:
    """A subscription of an owner, not stored so far. Raises `InvalidInput`."""
    errors, now = ValidationErrors(content.field_errors), services.clock.now()
    zone = errors.collect(parse_time_zone, request.time_zone or "UTC") or "UTC"
    schedule = _parse_schedule(request, zone, local_date(now, zone), errors)
    counts = _parse_counts(request, errors)
    # Its invoices are checked now, and made of the same fields later.
    draft = draft_invoice(services, caller, content, owner, errors, (schedule.first, zone))
    subscription = Subscription(
        id=0,
        name=f"sub_{secrets.token_hex(10)}",
        client_id=owner.client_id,
        mode=owner.mode.value,
        state=SubscriptionState.ACTIVE,
        reason="",
        content=draft.invoice.content,
        link=content.link_fields() | {"token_out": draft.link.token_out},
        interval=schedule.interval,
        every=schedule.every,
        first_date=schedule.first.isoformat(),
        time_zone=zone,
        **counts,
        next_period=0,
        next_at=None,
        skipped=0,
        created_at=now,
        updated_at=now,
    )
    return replace(subscription, next_at=max(subscription.issue_at(0), now))


def _parse_counts(request: SubscriptionRequest, errors: ValidationErrors) -> dict[str, Any]:
    periods = None
    if request.periods is not None:
        periods = _count(errors, "periods", request.periods, 1, MAX_PERIODS, 1)
    return {
        "lead_days": _count(errors, "lead_days", request.lead_days, 0, MAX_LEAD_DAYS, 0),
        "max_unpaid": _count(errors, "max_unpaid", request.max_unpaid, 1, MAX_UNPAID, 2),
        "periods": periods,
    }


def _parse_schedule(
    request: SubscriptionRequest, zone: str, today: date, errors: ValidationErrors
) -> Schedule:
    interval = errors.collect(_parse_interval, request.interval) or Interval.MONTH
    every = _count(errors, "every", request.every, 1, MAX_EVERY, 1)
    first = errors.collect(_parse_first, request.first_due_date, today) or today
    return Schedule(interval, every, first, zone)


def _parse_interval(value: object) -> Interval:
    if not isinstance(value, str) or value not in {one.value for one in Interval}:
        raise InvalidInput("interval must be week or month")
    return Interval(value)


def _parse_first(value: object, today: date) -> date:
    first = today if value is None else parse_date(value, "first_due_date")
    if not today <= first <= today + _FURTHEST:
        raise InvalidInput("first_due_date must be today or later, within ten years")
    return first


def _count(
    errors: ValidationErrors, name: str, value: object, least: int, most: int, default: int
) -> int:
    if value is None:
        return default
    found = errors.collect(parse_count, name, value, least, most)
    return default if found is None else found


def get(services: Services, caller: Principal, name: str) -> Subscription:
    """One of the caller's subscriptions; operators read every one."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return require_owned(caller, unit.subscriptions.get(name))


def list_page(
    services: Services,
    caller: Principal,
    limit: int,
    after: str | None = None,
    client_id: str | None = None,
) -> list[Subscription]:
    """One page of the caller's subscriptions, newest first, after the one named `after`; for
    operators of one client, if given."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        before = None if after is None else unit.subscriptions.get(after)
        if after is not None and (before is None or not caller.can_access(before)):
            raise InvalidInput("cursor must be the next cursor of another page")
        owners = caller.narrow(OwnerFilter(client_id))
        return unit.subscriptions.list_page(owners, limit, before.id if before else None)


def change_state(services: Services, caller: Principal, name: str, state: object) -> Subscription:
    """Pause, resume (`active`) or cancel a subscription. What fell due while it was paused is not
    issued afterwards: it counts as skipped. Raises `InvalidInput` and `InvalidStatus`."""
    caller.require_scope(Scope.WRITE)
    if not isinstance(state, str) or state not in {one.value for one in _STATES}:
        raise InvalidInput("state must be active, paused or cancelled")
    wanted, now = SubscriptionState(state), services.clock.now()

    def work(unit: UnitOfWork) -> Subscription:
        found = require_owned(caller, unit.subscriptions.get(name))
        subscription = unit.subscriptions.lock(found.id)
        if subscription.state is wanted:
            return subscription
        if subscription.state in (SubscriptionState.CANCELLED, SubscriptionState.ENDED):
            raise InvalidStatus(f"The subscription is {subscription.state.value}")
        subscription = _enter(subscription, wanted, now)
        unit.subscriptions.update(subscription)
        add_subscription_event(unit, subscription)
        _audit(unit, caller, f"subscription {wanted.value}", subscription, now)
        return subscription

    subscription = services.store.write(work)
    services.process.wake()
    return subscription


def _enter(subscription: Subscription, state: SubscriptionState, now: datetime) -> Subscription:
    changed = replace(subscription, state=state, reason="", next_at=None, updated_at=now)
    if state is not SubscriptionState.ACTIVE:
        return changed
    # The periods whose due date has passed meanwhile were not served.
    today = local_date(now, subscription.time_zone)
    period = max(subscription.next_period, subscription.schedule.period_at(today))
    missed = period - subscription.next_period
    changed = replace(changed, next_period=period, skipped=subscription.skipped + missed)
    if not changed.has_period(period):
        return replace(changed, state=SubscriptionState.ENDED)
    return replace(changed, next_at=max(changed.issue_at(period), now))


def require_owned(caller: Principal, subscription: Subscription | None) -> Subscription:
    """The subscription, if the caller may access it; else raises `NotFound`."""
    if subscription is None or not caller.can_access(subscription):
        raise NotFound("Subscription not found", ErrorCode.SUBSCRIPTION_NOT_FOUND)
    return subscription


def _audit(
    unit: UnitOfWork, caller: Principal, action: str, subscription: Subscription, at: datetime
) -> None:
    subject = f"subscription:{subscription.name}"
    detail = {"subscription": subscription.name}
    unit.audit_log.record(caller.actor_name, action, detail, at, subject)
