"""Webhooks: where a client wants to be told of what, and the secrets that sign it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.roles import Right
from crossway.domain.webhooks import EVERY_EVENT, OLD_SECRET_SIGNS, Endpoint, EventType
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.webhooks import Outgoing
from crossway.usecases.complaints import Complaints
from crossway.usecases.developers.clients import differences

MOST_WEBHOOKS = 20
LONGEST_URL, LONGEST_DESCRIPTION = 2_048, 500
BY_CLIENT = "Switched off by hand"
_LOOK_UP_SECONDS = 5
NAMES = (*(one.value for one in EventType), EVERY_EVENT)


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """What to set of a webhook; None changes nothing, and for a new one means the default. The
    values are as they were sent; `strange` names fields that nobody knows."""

    url: object = None
    events: object = None
    description: object = None
    enabled: object = None
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A webhook with its secret, which is shown now and never again."""

    endpoint: Endpoint
    secret: str


def _nothing_more(unit: Unit, made: Told) -> None:
    """What else is done in the same transaction: nothing."""


def create(
    services: Services,
    caller: Caller,
    asked: WebhookChange,
    along: Callable[[Unit, Told], None] = _nothing_more,
    client_id: str | None = None,
) -> Told:
    """A new webhook of the caller's client; an operator may name another client."""
    caller.needs(Scope.WRITE, Right.MANAGE)
    client = client_id if client_id is not None and caller.operator else caller.client.id
    now = services.clock.now()
    secret = outgoing_of(services).signer.new_secret()
    sealed = services.vault.seal(secret.encode())
    bare = Endpoint(
        0, client, "", (EVERY_EVENT,), "", sealed, None, None, True, "", None, now, now
    )  # fmt: skip
    endpoint = _changed(services, bare, asked, new=True)

    def work(unit: Unit) -> Told:
        if unit.access.client(client) is None:
            raise NotFound("Client not found")
        # Two that are made at once are counted one after the other.
        unit.network.lock(f"webhooks:{client}")
        if len(unit.webhooks.of_client(client)) >= MOST_WEBHOOKS:
            raise WrongState(f"A client has at most {MOST_WEBHOOKS} webhooks")
        told = Told(unit.webhooks.add(endpoint), secret)
        _note(unit, caller, "webhook created", told.endpoint, now, None, _shown(told.endpoint))
        along(unit, told)
        return told

    return services.store.write(work)


def every(services: Services, caller: Caller) -> list[Endpoint]:
    """The caller's webhooks, oldest first; an operator sees those of every client."""
    caller.needs(Scope.READ)
    with services.store.read() as unit:
        return unit.webhooks.of_client(None if caller.operator else caller.client.id)


def get(services: Services, caller: Caller, webhook_id: int) -> Endpoint:
    """One of the caller's webhooks."""
    caller.needs(Scope.READ)
    with services.store.read() as unit:
        return own(caller, unit.webhooks.get(webhook_id))


def change(services: Services, caller: Caller, webhook_id: int, asked: WebhookChange) -> Endpoint:
    """Change a webhook. Switched off, what it was still owed fails; it can be replayed later."""
    caller.needs(Scope.WRITE, Right.MANAGE)
    now = services.clock.now()
    known = get(services, replace(caller, scopes=frozenset(Scope)), webhook_id)
    wanted = _changed(services, known, asked)

    def work(unit: Unit) -> Endpoint:
        before = own(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        after = _merged(before, known, wanted, now)
        old, new = differences(_shown(before), _shown(after))
        if new:
            unit.webhooks.change(after)
            _note(unit, caller, "webhook changed", after, now, old, new)
        if before.enabled and not after.enabled:
            unit.deliveries.fail_open(webhook_id, "the webhook was switched off", now)
        if after.enabled:
            unit.network.clear_alarms([f"webhook:{webhook_id}"], now)
        return after

    return services.store.write(work)


def remove(services: Services, caller: Caller, webhook_id: int) -> None:
    """Forget a webhook with its deliveries; what is under way may still arrive."""
    caller.needs(Scope.WRITE, Right.MANAGE)
    now = services.clock.now()

    def work(unit: Unit) -> None:
        endpoint = own(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        unit.webhooks.remove(webhook_id)
        unit.network.clear_alarms([f"webhook:{webhook_id}"], now)
        _note(unit, caller, "webhook removed", endpoint, now, _shown(endpoint), None)

    services.store.write(work)


def rotate_secret(
    services: Services,
    caller: Caller,
    webhook_id: int,
    along: Callable[[Unit, Told], None] = _nothing_more,
) -> Told:
    """A new secret; the old one signs too for a day, so that receivers can change in peace."""
    caller.needs(Scope.WRITE, Right.MANAGE)
    now = services.clock.now()
    secret = outgoing_of(services).signer.new_secret()
    sealed = services.vault.seal(secret.encode())

    def work(unit: Unit) -> Told:
        before = own(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        after = replace(
            before,
            secret=sealed,
            old_secret=before.secret,
            old_secret_until=now + OLD_SECRET_SIGNS,
            updated_at=now,
        )
        unit.webhooks.change(after)
        _note(unit, caller, "webhook secret rotated", after, now, None, None)
        told = Told(after, secret)
        along(unit, told)
        return told

    return services.store.write(work)


def own(caller: Caller, endpoint: Endpoint | None) -> Endpoint:
    """The endpoint, where it is the caller's; else there is none."""
    if endpoint is None or not (caller.operator or endpoint.client_id == caller.client.id):
        raise NotFound("Webhook not found")
    return endpoint


def outgoing_of(services: Services) -> Outgoing:
    """The ports through which events leave."""
    assert services.outgoing is not None, "this service was built without webhooks"
    return services.outgoing


def _changed(
    services: Services, endpoint: Endpoint, asked: WebhookChange, new: bool = False
) -> Endpoint:
    complaints = Complaints()
    for name in asked.strange:
        complaints.add(f"{name} is not a known field")
    if asked.url is not None or new:
        url = complaints.read(lambda: _url(services, asked.url))
        endpoint = replace(endpoint, url=url or "")
    if asked.events is not None:
        events = complaints.read(lambda: _events(asked.events))
        endpoint = replace(endpoint, events=events or ())
    if asked.description is not None:
        text = complaints.read(lambda: _description(asked.description))
        endpoint = replace(endpoint, description=text or "")
    if asked.enabled is not None:
        if not isinstance(asked.enabled, bool):
            complaints.add("enabled must be true or false")
        endpoint = replace(endpoint, enabled=asked.enabled is True)
    complaints.refuse()
    return endpoint


def _merged(before: Endpoint, known: Endpoint, wanted: Endpoint, now: datetime) -> Endpoint:
    """What stands now with what was asked for, which was judged without holding anything."""
    after = before
    for name in ("url", "events", "description", "enabled"):
        if getattr(wanted, name) != getattr(known, name):
            after = replace(after, **{name: getattr(wanted, name)})
    if after.url != before.url or after.enabled != before.enabled:
        # Another place, or another beginning: what failed before counts no more.
        reason = "" if after.enabled else BY_CLIENT
        after = replace(after, failing_since=None, disabled_reason=reason)
    return after if after == before else replace(after, updated_at=now)


def _url(services: Services, given: object) -> str:
    if not isinstance(given, str) or not given:
        raise InvalidInput("url is required" if given is None else "url must be a text")
    if len(given) > LONGEST_URL:
        raise InvalidInput(f"url must have at most {LONGEST_URL} characters")
    objection = outgoing_of(services).sender.objection(given)
    if objection is not None:
        raise InvalidInput(f"url {objection}")
    return given


def _events(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not given:
        raise InvalidInput(f"events must be a list of at least one of {', '.join(NAMES)}")
    strange = [str(one)[:60] for one in given if one not in NAMES]
    if strange:
        raise InvalidInput(f"events: {strange[0]} is none of {', '.join(NAMES)}")
    return (EVERY_EVENT,) if EVERY_EVENT in given else tuple(n for n in NAMES if n in given)


def _description(given: object) -> str:
    if not isinstance(given, str) or len(given) > LONGEST_DESCRIPTION or "\x00" in given:
        raise InvalidInput(
            f"description must be a text of at most {LONGEST_DESCRIPTION} characters"
        )
    return given.strip()


def _shown(endpoint: Endpoint) -> dict[str, Any]:
    """What the audit log tells of a webhook; a query may hold what only its owner knows."""
    return {
        "url": endpoint.url.partition("?")[0],
        "events": list(endpoint.events),
        "description": endpoint.description,
        "enabled": endpoint.enabled,
    }


def _note(
    unit: Unit,
    caller: Caller,
    what: str,
    endpoint: Endpoint,
    now: datetime,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    detail = {"webhook": endpoint.id, "client": endpoint.client_id}
    unit.network.audit(
        caller.client.name, what, detail, now, f"webhook:{endpoint.id}", before, after
    )
