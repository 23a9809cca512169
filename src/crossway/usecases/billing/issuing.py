"""Issue the invoices of subscriptions when they are due: one for each period, never a heap."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.clients import Client, Mode, Owner, Principal, Scope
from crossway.domain.errors import InvalidInput
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.billing_events import add_subscription_event
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.invoices import DraftInvoice, draft_invoice, issue
from crossway.usecases.validation_errors import ValidationErrors

UNPAID: Final = "{} of its invoices are unpaid."
NOT_ISSUED: Final = "Its invoice could not be issued: {}"
_BATCH: Final = 50
_RETRY: Final = timedelta(hours=1)


def issue_due(services: Services) -> int:
    """Issue what is due; returns how many subscriptions changed. Each is a unit of work of its own:
    one that cannot be served does not hold up others."""
    with services.store.read() as unit:
        due = unit.subscriptions.list_due(services.clock.now(), _BATCH)
    return sum(_issue_next(services, subscription) for subscription in due)


def _issue_next(services: Services, found: Subscription) -> int:
    now = services.clock.now()
    period = found.current_period(now)
    with services.store.read() as unit:
        client = unit.api_keys.get_client(found.client_id)
    if client is None:
        return 0
    try:
        draft = _draft(services, client, found, period)
    except InvalidInput as error:
        reason = NOT_ISSUED.format(error)
        return services.store.write(lambda unit: _postpone(unit, found, reason, now))
    return services.store.write(lambda unit: _issue(unit, found, period, draft, now))


def _draft(
    services: Services, client: Client, subscription: Subscription, period: int
) -> DraftInvoice:
    """The invoice of a period with its link, checked anew: a chain may be switched off since."""
    scopes, mode = frozenset({Scope.READ, Scope.WRITE}), Mode(subscription.mode)
    principal = Principal(client, mode, scopes)
    content = {
        name: value
        for name, value in subscription.content.items()
        if name not in ("title", "token")
    }
    request = ContentRequest(**content, **subscription.link)
    due = (subscription.schedule.due_date(period), subscription.time_zone)
    owner = Owner(subscription.client_id, mode)
    return draft_invoice(services, principal, request, owner, ValidationErrors(), due)


def _issue(
    unit: UnitOfWork, found: Subscription, period: int, draft: DraftInvoice, now: datetime
) -> int:
    subscription = unit.subscriptions.lock(found.id)
    if (subscription.next_period, subscription.next_at) != (found.next_period, found.next_at):
        return 0  # Another engine was faster, or it was paused meanwhile.
    missed = period - subscription.next_period
    subscription = replace(subscription, skipped=subscription.skipped + missed, updated_at=now)
    unpaid = unit.invoices.count_unpaid(subscription.id)
    if unpaid >= subscription.max_unpaid:
        # Nothing piles up unseen: the merchant decides whether it goes on.
        paused = replace(
            subscription,
            state=SubscriptionState.PAUSED,
            reason=UNPAID.format(unpaid),
            next_period=period,
            next_at=None,
        )
        unit.subscriptions.update(paused)
        add_subscription_event(unit, paused)
        return 1
    invoice = replace(draft.invoice, subscription_id=subscription.id, period=period)
    issue(unit, replace(draft, invoice=invoice))
    subscription = replace(subscription, next_period=period + 1, reason="")
    if subscription.has_period(period + 1):
        subscription = replace(subscription, next_at=subscription.issue_at(period + 1))
    else:
        subscription = replace(subscription, next_at=None, state=SubscriptionState.ENDED)
    unit.subscriptions.update(subscription)
    if missed or subscription.state is SubscriptionState.ENDED:
        add_subscription_event(unit, subscription)
    return 1


def _postpone(unit: UnitOfWork, found: Subscription, reason: str, now: datetime) -> int:
    subscription = unit.subscriptions.lock(found.id)
    if subscription.next_at != found.next_at:
        return 0
    postponed = replace(subscription, reason=reason, next_at=now + _RETRY, updated_at=now)
    unit.subscriptions.update(postponed)
    if subscription.reason != reason:
        add_subscription_event(unit, postponed)
    return 1
