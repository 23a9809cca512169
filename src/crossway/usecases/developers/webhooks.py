"""Webhook endpoints: their subscriptions and their signing secrets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from crossway.domain.clients import OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput, InvalidStatus, MissingInput, NotFound
from crossway.domain.roles import Permission
from crossway.domain.webhooks import ALL_EVENTS, OLD_SECRET_GRACE, Endpoint, EventType, alert_key
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhooks import WebhookServices
from crossway.usecases.developers.clients import diff_fields
from crossway.usecases.staff.step_up import require_step_up
from crossway.usecases.validation_errors import ValidationErrors

MAX_WEBHOOKS = 20
MAX_URL_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 2_048, 500
DISABLED_BY_HAND = "Disabled manually"
_MAX_ALERTS = 1_000
EVENT_NAMES = (*(one.value for one in EventType), ALL_EVENTS)


@dataclass(frozen=True, slots=True)
class WebhookUpdate:
    """The raw fields of a webhook to set; None keeps the current value, or the default for a new
    webhook."""

    url: object = None
    events: object = None
    description: object = None
    enabled: object = None
    field_errors: tuple[FieldError, ...] = ()


@dataclass(frozen=True, slots=True)
class WebhookWithSecret:
    """A webhook with its secret, which is shown only once."""

    endpoint: Endpoint
    secret: str


def _no_hook(unit: UnitOfWork, created: WebhookWithSecret) -> None:
    """Do nothing else in the transaction."""


def create_webhook(
    services: Services,
    caller: Principal,
    update: WebhookUpdate,
    on_save: Callable[[UnitOfWork, WebhookWithSecret], None] = _no_hook,
    client_id: str | None = None,
) -> WebhookWithSecret:
    """Create a webhook for the caller's client, in its mode; staff may name another client."""
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    require_step_up(services, caller.session)
    owner = caller.owner
    if client_id is not None and caller.is_staff:
        owner = replace(owner, client_id=client_id)
    now = services.clock.now()
    secret = get_outgoing(services).signer.new_secret()
    encrypted = services.vault.encrypt(secret.encode())
    defaults = Endpoint(
        0, owner.client_id, "", (ALL_EVENTS,), "", encrypted, None, None, True, "", None,
        created_at=now, updated_at=now, mode=owner.mode,
    )  # fmt: skip
    endpoint = _apply_update(services, defaults, update, new=True)

    def work(unit: UnitOfWork) -> WebhookWithSecret:
        if unit.api_keys.get_client(owner.client_id) is None:
            raise NotFound("Client not found")
        # The lock makes concurrent requests respect the limit.
        unit.leases.lock(f"webhooks:{owner.client_id}")
        existing = unit.webhooks.list_by_owner(OwnerFilter(owner.client_id, owner.mode))
        if len(existing) >= MAX_WEBHOOKS:
            raise InvalidStatus(
                f"A client has at most {MAX_WEBHOOKS} webhooks in each mode",
                ErrorCode.LIMIT_REACHED,
            )
        created = WebhookWithSecret(unit.webhooks.add(endpoint), secret)
        new_values = _audit_fields(created.endpoint)
        _audit(unit, caller, "webhook created", created.endpoint, now, None, new_values)
        on_save(unit, created)
        return created

    return services.store.write(work)


def list_webhooks(services: Services, caller: Principal) -> list[Endpoint]:
    """The caller's webhooks, oldest first; staff see those of every client."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return unit.webhooks.list_by_owner(caller.narrow(OwnerFilter()))


def get_webhook(services: Services, caller: Principal, webhook_id: int) -> Endpoint:
    """One of the caller's webhooks. Raises `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return require_owned(caller, unit.webhooks.get(webhook_id))


def update_webhook(
    services: Services, caller: Principal, webhook_id: int, update: WebhookUpdate
) -> Endpoint:
    """Update a webhook. Disabling it fails its open deliveries, which can be replayed later."""
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    now = services.clock.now()
    current = get_webhook(services, replace(caller, scopes=frozenset(Scope)), webhook_id)
    requested = _apply_update(services, current, update)

    def work(unit: UnitOfWork) -> Endpoint:
        before = require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        after = _merge(before, current, requested, now)
        before_fields, new = diff_fields(_audit_fields(before), _audit_fields(after))
        if new:
            unit.webhooks.update(after)
            _audit(unit, caller, "webhook changed", after, now, before_fields, new)
        if before.enabled and not after.enabled:
            unit.deliveries.fail_all_open(webhook_id, "the webhook was disabled", now)
        _update_alert(unit, before, after, now)
        return after

    return services.store.write(work)


def delete_webhook(services: Services, caller: Principal, webhook_id: int) -> None:
    """Delete a webhook with its deliveries; a request that is being sent may still arrive."""
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        endpoint = require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        unit.webhooks.delete(webhook_id)
        unit.alerts.resolve([alert_key(webhook_id)], now)
        _audit(unit, caller, "webhook removed", endpoint, now, _audit_fields(endpoint), None)

    services.store.write(work)


def rotate_secret(
    services: Services,
    caller: Principal,
    webhook_id: int,
    on_save: Callable[[UnitOfWork, WebhookWithSecret], None] = _no_hook,
) -> WebhookWithSecret:
    """Create a new signing secret. The old one also signs for 24 hours, so that receivers can
    switch without interruption."""
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    require_step_up(services, caller.session)
    now = services.clock.now()
    secret = get_outgoing(services).signer.new_secret()
    encrypted = services.vault.encrypt(secret.encode())

    def work(unit: UnitOfWork) -> WebhookWithSecret:
        before = require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        after = replace(
            before,
            secret=encrypted,
            old_secret=before.secret,
            old_secret_until=now + OLD_SECRET_GRACE,
            updated_at=now,
        )
        unit.webhooks.update(after)
        _audit(unit, caller, "webhook secret rotated", after, now, None, None)
        created = WebhookWithSecret(after, secret)
        on_save(unit, created)
        return created

    return services.store.write(work)


def require_owned(caller: Principal, endpoint: Endpoint | None) -> Endpoint:
    """The endpoint if it belongs to the caller. Raises `NotFound`."""
    if endpoint is None or not caller.can_access(endpoint):
        raise NotFound("Webhook not found", ErrorCode.WEBHOOK_NOT_FOUND)
    return endpoint


def get_outgoing(services: Services) -> WebhookServices:
    """The ports through which events leave."""
    assert services.webhooks is not None, "this service was built without webhooks"
    return services.webhooks


def _apply_update(
    services: Services, endpoint: Endpoint, update: WebhookUpdate, new: bool = False
) -> Endpoint:
    errors = ValidationErrors(update.field_errors)
    if update.url is not None or new:
        url = errors.collect(_parse_url, services, update.url)
        endpoint = replace(endpoint, url=url or "")
    if update.events is not None:
        events = errors.collect(_parse_events, update.events)
        endpoint = replace(endpoint, events=events or ())
    if update.description is not None:
        description = errors.collect(_parse_description, update.description)
        endpoint = replace(endpoint, description=description or "")
    if update.enabled is not None:
        if not isinstance(update.enabled, bool):
            errors.add("enabled must be true or false")
        endpoint = replace(endpoint, enabled=update.enabled is True)
    errors.raise_if_any()
    return endpoint


def _update_alert(unit: UnitOfWork, before: Endpoint, after: Endpoint, now: datetime) -> None:
    """The endpoint's alert after a change. It ends when an event is delivered, not when somebody
    only enables the endpoint, or when somebody disables it: then nothing is expected of it."""
    key = alert_key(after.id)
    if before.enabled and not after.enabled:
        unit.alerts.resolve([key], now)
    elif after.enabled and after.failing_since == now:
        host = urlsplit(after.url).hostname
        message = f"Webhook {after.id} to {host} is enabled; nothing has been delivered to it yet."
        for alert in unit.alerts.list_active(limit=_MAX_ALERTS, kind="webhook"):
            if alert.key == key:
                unit.alerts.raise_alert(replace(alert, message=message, last_seen_at=now))


def _merge(before: Endpoint, current: Endpoint, requested: Endpoint, now: datetime) -> Endpoint:
    """The locked endpoint with the requested changes, which were validated before locking."""
    after = before
    for name in ("url", "description", "enabled"):
        if getattr(requested, name) != getattr(current, name):
            after = replace(after, **{name: getattr(requested, name)})
    if requested.events != current.events:
        after = after.with_events(requested.events, now)
    if after.enabled != before.enabled:
        after = replace(after, disabled_reason="" if after.enabled else DISABLED_BY_HAND)
    is_new_start = after.enabled and (after.url != before.url or not before.enabled)
    if is_new_start and before.failing_since is not None:
        # The seven days begin again, but only a delivery shows that the failures have ended.
        after = replace(after, failing_since=now)
    return after if after == before else replace(after, updated_at=now)


def _parse_url(services: Services, value: object) -> str:
    if not value:
        raise MissingInput("url is required")
    if not isinstance(value, str):
        raise InvalidInput("url must be a text")
    if len(value) > MAX_URL_CHARACTERS:
        raise InvalidInput(f"url must have at most {MAX_URL_CHARACTERS} characters")
    reason = get_outgoing(services).sender.url_problem(value)
    if reason is not None:
        raise InvalidInput(f"url {reason}")
    return value


def _parse_events(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InvalidInput(f"events must be a list of at least one of {', '.join(EVENT_NAMES)}")
    unknown = [str(name)[:60] for name in value if name not in EVENT_NAMES]
    if unknown:
        raise InvalidInput(f"events: {unknown[0]} is none of {', '.join(EVENT_NAMES)}")
    return (ALL_EVENTS,) if ALL_EVENTS in value else tuple(n for n in EVENT_NAMES if n in value)


def _parse_description(value: object) -> str:
    text = value.strip() if isinstance(value, str) else "\0"
    if len(text) > MAX_DESCRIPTION_CHARACTERS or not text.isprintable():
        raise InvalidInput(
            f"description must be a text of at most {MAX_DESCRIPTION_CHARACTERS} printable "
            "characters"
        )
    return text


def _audit_fields(endpoint: Endpoint) -> dict[str, Any]:
    """The fields of a webhook that the audit log records. The query of the URL is left out, as it
    may hold secrets."""
    return {
        "url": endpoint.url.partition("?")[0],
        "events": list(endpoint.events),
        "description": endpoint.description,
        "enabled": endpoint.enabled,
    }


def _audit(
    unit: UnitOfWork,
    caller: Principal,
    action: str,
    endpoint: Endpoint,
    now: datetime,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    detail = {"webhook": endpoint.id, "client": endpoint.client_id}
    unit.audit_log.record(
        caller.client.name, action, detail, now, f"webhook:{endpoint.id}", before, after
    )
