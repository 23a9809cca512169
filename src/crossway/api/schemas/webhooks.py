"""Webhooks and their deliveries on the wire."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from crossway.api.answers import instant
from crossway.api.schemas.fields import TIME, Model, Text, text
from crossway.domain.webhooks import (
    TEST_EVENT,
    Announcement,
    Delivery,
    DeliveryState,
    Endpoint,
    EventType,
    Try,
)
from crossway.usecases.developers.deliveries import Seen
from crossway.usecases.developers.webhooks import NAMES, Told

STATES = [state.value.lower() for state in DeliveryState]
_URL = "https://shop.example/hooks/crossway"
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwJlLqkq0fTXY="
_EVENT = "evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11"
_LIST = {"items": {"type": "string", "enum": list(NAMES)}}


class _Wanted(Model):
    events: list[str] | None = text(
        "Which events; all of them, also those to come, by default or with `*`.",
        ["intent_funded", "intent_completed"],
        default=None,
    )
    description: Text | None = text("For you; up to 500 characters.", "Orders", default=None)
    enabled: bool | None = text("Whether events are sent; true by default.", True, default=None)


class CreateWebhook(_Wanted):
    """Where to be told of what."""

    url: Text = text(
        "Where events are posted: https, at a public address; on the simulated network also http "
        "at a loopback address.",
        _URL,
    )


class ChangeWebhook(_Wanted):
    """What to change; what is left out stays as it is."""

    url: Text | None = text("Another address.", _URL, default=None)


class WebhookOut(Model):
    """One webhook, without its secret."""

    id: int = text("Record number.", 1)
    clientId: str = text("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    url: str = text("Where events are posted.", _URL)
    events: list[str] = text("Which events; `*` is all.", ["intent_funded"], extra=_LIST)
    description: str = text("Your own words.", "Orders")
    enabled: bool = text("Whether events are sent.", True)
    disabledReason: str | None = text("Why not; null while it is on.", None)
    failingSince: str | None = text(
        "The first failure since the last success; seven days later it is switched off.", None
    )
    oldSecretUntil: str | None = text("How long the secret before this one signs too.", None)
    createdAt: str = text("When it was created.", TIME)
    updatedAt: str = text("When it last changed.", TIME)


class WebhookWithSecret(WebhookOut):
    """One webhook with its new secret, which is shown this once."""

    secret: str = text("Verifies what arrives; keep it where only your server reads it.", _SECRET)


class WebhookList(Model):
    """The client's webhooks."""

    webhooks: list[WebhookOut] = Field(description="Oldest first.")


class ResourceOut(Model):
    """What an event is about."""

    kind: str = text("Which kind.", "intent", extra={"enum": ["intent", "ramp_order", "webhook"]})
    id: int = text("Its record number.", 1)


class DeliveryOut(Model):
    """One event on its way to one webhook."""

    id: int = text("Record number.", 1)
    webhookId: int = text("The webhook.", 1)
    eventId: str = text("The event: `id` of the payload and `webhook-id` of the request.", _EVENT)
    type: str = text(
        "What happened.",
        "intent_completed",
        extra={"enum": [*(one.value for one in EventType), TEST_EVENT]},
    )
    resource: ResourceOut = Field(description="What it happened to.")
    state: str = text(
        "`waiting` for an earlier event of the same resource, `due` until the webhook takes it, "
        "then `delivered`, or `failed` for good.",
        "delivered",
        extra={"enum": STATES},
    )
    tries: int = text("How often it was tried.", 1)
    nextAt: str | None = text("When it is tried next; null when it is not.", None)
    lastStatus: int | None = text("What was answered last; null for no answer.", 200)
    lastError: str | None = text("What kept it from arriving, the last time.", None)
    replayOf: int | None = text("The delivery that this one repeats.", None)
    createdAt: str = text("When it came to be.", TIME)
    updatedAt: str = text("When it last changed.", TIME)


class TryOut(Model):
    """One request and its answer."""

    at: str = text("When it ended.", TIME)
    status: int | None = text("What was answered; null for no answer.", 200)
    error: str | None = text("What was wrong; null when it arrived.", None)
    milliseconds: int = text("How long it took.", 84)
    requestHeaders: dict[str, str] = text(
        "The header fields that were sent, without the signature.",
        {"webhook-id": _EVENT, "webhook-timestamp": "1795258380"},
    )
    response: str = text("The beginning of what was answered, up to 4 KiB.", "ok")


class DeliveryDetail(DeliveryOut):
    """A delivery with everything about it."""

    payload: dict[str, Any] = text(
        "What is sent.",
        {"id": _EVENT, "type": "intent_completed", "created_at": TIME, "data": {"id": 1}},
    )
    attempts: list[TryOut] = Field(description="Every try, oldest first.")


class DeliveryPage(Model):
    """A page of deliveries, newest first."""

    deliveries: list[DeliveryOut] = Field(description="The deliveries of this page.")
    limit: int = text("How many a page has at most.", 20)
    nextCursor: str | None = text("`cursor` of the next page; null on the last one.", "42")


class ReplayRange(Model):
    """Which events to send again."""

    since: Text = text("The first instant.", TIME, alias="from")
    to: Text | None = text("The instant before which it ends; now by default.", TIME, default=None)


class Replayed(Model):
    """Events that are sent again."""

    replayed: int = text("How many.", 12)


def webhook(endpoint: Endpoint) -> dict[str, Any]:
    """One webhook."""
    since, until = endpoint.failing_since, endpoint.old_secret_until
    return {
        "id": endpoint.id,
        "clientId": endpoint.client_id,
        "url": endpoint.url,
        "events": list(endpoint.events),
        "description": endpoint.description,
        "enabled": endpoint.enabled,
        "disabledReason": endpoint.disabled_reason or None,
        "failingSince": instant(since) if since else None,
        "oldSecretUntil": instant(until) if until else None,
        "createdAt": instant(endpoint.created_at),
        "updatedAt": instant(endpoint.updated_at),
    }


def with_secret(told: Told) -> dict[str, Any]:
    """One webhook with the secret that is shown once."""
    return {**webhook(told.endpoint), "secret": told.secret}


def delivery(one: Delivery, told: Announcement) -> dict[str, Any]:
    """One delivery."""
    return {
        "id": one.id,
        "webhookId": one.webhook_id,
        "eventId": told.event_id,
        "type": told.type,
        "resource": {"kind": told.kind, "id": told.resource_id},
        "state": one.state.value.lower(),
        "tries": one.tries,
        "nextAt": instant(one.next_at) if one.state is DeliveryState.DUE else None,
        "lastStatus": one.status,
        "lastError": one.error or None,
        "replayOf": one.replay_of,
        "createdAt": instant(one.created_at),
        "updatedAt": instant(one.updated_at),
    }


def detail(seen: Seen) -> dict[str, Any]:
    """A delivery with everything about it."""
    return {
        **delivery(seen.delivery, seen.announcement),
        "payload": json.loads(seen.body),
        "attempts": [_try(one) for one in seen.tries],
    }


def page(found: Sequence[tuple[Delivery, Announcement]], limit: int, more: bool) -> dict[str, Any]:
    """A page of deliveries."""
    return {
        "deliveries": [delivery(one, told) for one, told in found],
        "limit": limit,
        "nextCursor": str(found[-1][0].id) if more else None,
    }


def _try(one: Try) -> dict[str, Any]:
    return {
        "at": instant(one.at),
        "status": one.status,
        "error": one.error or None,
        "milliseconds": one.milliseconds,
        "requestHeaders": json.loads(one.headers),
        "response": one.answer,
    }
