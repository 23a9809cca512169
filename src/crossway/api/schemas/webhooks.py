"""Request and response models of `/v1/webhooks`."""

import json
from typing import Any, Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    RECORD,
    TIME,
    Model,
    OptionalFlag,
    RequestModel,
    field,
)
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.domain.webhooks import (
    TEST_EVENT,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    Endpoint,
    EventType,
    OutboxEvent,
)
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.delivery_list import STATES
from crossway.usecases.developers.webhooks import (
    EVENT_NAMES,
    MAX_DESCRIPTION_CHARACTERS,
    MAX_URL_CHARACTERS,
    WebhookUpdate,
)
from crossway.usecases.instants import timestamp

_URL = "https://shop.example/hooks/crossway"
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwJlLqkq0fTXY="
_EVENT = "evt_6f1c4a5d8f0b4b7ea2e31f0b8a1f3c11"
_URL_TEXT = {"pattern": "^https?://[!-~]+$", "maxLength": MAX_URL_CHARACTERS}
_LIST = {"items": {"type": "string", "enum": list(EVENT_NAMES)}}


class _WebhookFields(RequestModel):
    url: SkipValidation[str | None]
    events: SkipValidation[list[str] | None] = field(
        "Event types to receive; all, including future ones, by default or with `*`.",
        ["intent_funded", "intent_completed"],
        default=None,
        extra={**_LIST, "minItems": 1},
    )
    description: SkipValidation[str | None] = field(
        "A note for yourself; up to 500 characters.",
        "Orders",
        default=None,
        extra={"maxLength": MAX_DESCRIPTION_CHARACTERS},
    )
    enabled: OptionalFlag = field(
        "Whether events are delivered; true by default.", True, default=None
    )

    def to_update(self) -> WebhookUpdate:
        """The request as the use case takes it."""
        return WebhookUpdate(
            url=self.url,
            events=self.events,
            description=self.description,
            enabled=self.enabled,
            field_errors=self.field_errors,
        )


class CreateWebhook(_WebhookFields):
    """The body of POST /webhooks."""

    url: SkipValidation[str] = field(
        "URL that receives events: https at a public address, port 443 or one from 1024 on; in "
        "the simulated environment, where the operator allows it, also http at a loopback address.",
        _URL,
        extra=_URL_TEXT,
    )


class ChangeWebhook(_WebhookFields):
    """The body of PATCH /webhooks/{id}; fields that are left out stay as they are."""

    url: SkipValidation[str | None] = field("A new URL.", _URL, default=None, extra=_URL_TEXT)


class WebhookOut(Model):
    """One webhook, without its secret."""

    id: int = field("Record number.", RECORD)
    client_id: str = field("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    url: str = field("URL that receives events.", _URL)
    events: list[str] = field("Event types; `*` means all.", ["intent_funded"], extra=_LIST)
    description: str = field("Your own note.", "Orders")
    enabled: bool = field("Whether events are delivered.", True)
    disabled_reason: str | None = field("Why it is disabled; null while it is enabled.", None)
    failing_since: str | None = field(
        "First failure since the last success, or when a failing webhook was enabled again or got "
        "a new URL; seven days later it is disabled.",
        None,
    )
    old_secret_until: str | None = field("Until when the previous secret signs too.", None)
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_endpoint(cls, ids: PublicIds, endpoint: Endpoint, **more: Any) -> Self:
        """One webhook; `more` are the further fields of a subclass."""
        since, until = endpoint.failing_since, endpoint.old_secret_until
        return cls(
            id=ids.encode(RecordKind.WEBHOOK, endpoint.id),
            client_id=endpoint.client_id,
            url=endpoint.url,
            events=list(endpoint.events),
            description=endpoint.description,
            enabled=endpoint.enabled,
            disabled_reason=endpoint.disabled_reason or None,
            failing_since=timestamp(since) if since else None,
            old_secret_until=timestamp(until) if until else None,
            created_at=timestamp(endpoint.created_at),
            updated_at=timestamp(endpoint.updated_at),
            **more,
        )


class WebhookWithSecret(WebhookOut):
    """One webhook with its new secret, which is shown only once."""

    secret: str = field("Secret that verifies deliveries; keep it on your server.", _SECRET)

    @classmethod
    def from_created(cls, ids: PublicIds, created: webhooks.WebhookWithSecret) -> Self:
        """A webhook that was created or whose secret was rotated."""
        return cls.from_endpoint(ids, created.endpoint, secret=created.secret)


class WebhookPage(Model):
    """A page of webhooks, oldest first."""

    webhooks: list[WebhookOut] = Field(description="The webhooks of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", None)


class ResourceOut(Model):
    """The resource of an event."""

    kind: str = field(
        "Resource kind.",
        "intent",
        extra={"enum": ["intent", "ramp_order", "invoice", "subscription", "webhook"]},
    )
    id: int = field("Its record number.", RECORD)


class DeliveryOut(Model):
    """The delivery of one event to one webhook."""

    id: int = field("Record number.", RECORD)
    webhook_id: int = field("The webhook.", RECORD)
    event_id: str = field(
        "The event's id: `id` of the payload and `webhook-id` of the request.", _EVENT
    )
    type: str = field(
        "The event type.",
        "intent_completed",
        extra={"enum": [*(one.value for one in EventType), TEST_EVENT]},
    )
    resource: ResourceOut = Field(description="The event's resource.")
    state: str = field(
        "`waiting` for an earlier event of the same resource, `due` until it is delivered, "
        "then `delivered`, or `failed` permanently.",
        "delivered",
        extra={"enum": list(STATES)},
    )
    tries: int = field("Number of attempts.", 1)
    next_at: str | None = field("Time of the next attempt; null if none is scheduled.", None)
    last_status: int | None = field(
        "HTTP status of the last attempt; null without a response.", 200
    )
    last_error: str | None = field("Error of the last attempt.", None)
    replay_of: int | None = field("The delivery that this one resends.", None)
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_delivery(
        cls, ids: PublicIds, delivery: Delivery, event: OutboxEvent, **more: Any
    ) -> Self:
        """One delivery of an event; `more` are the further fields of a subclass."""
        return cls(
            id=ids.encode(RecordKind.DELIVERY, delivery.id),
            webhook_id=ids.encode(RecordKind.WEBHOOK, delivery.webhook_id),
            event_id=event.event_id,
            type=event.type,
            resource=ResourceOut(
                kind=event.kind, id=ids.encode(RecordKind(event.kind), event.resource_id)
            ),
            state=delivery.state.value.lower(),
            tries=delivery.attempt_count,
            next_at=timestamp(delivery.next_at) if delivery.state is DeliveryState.DUE else None,
            last_status=delivery.status,
            last_error=delivery.error or None,
            replay_of=None
            if delivery.replay_of is None
            else ids.encode(RecordKind.DELIVERY, delivery.replay_of),
            created_at=timestamp(delivery.created_at),
            updated_at=timestamp(delivery.updated_at),
            **more,
        )


class AttemptOut(Model):
    """One attempt of a delivery."""

    at: str = field("When the attempt ended.", TIME)
    status: int | None = field("HTTP status of the response; null without a response.", 200)
    error: str | None = field("Error; null if it was delivered.", None)
    milliseconds: int = field("Duration in milliseconds.", 84)
    request_headers: dict[str, str] = field(
        "Request headers without the signature.",
        {"webhook-id": _EVENT, "webhook-timestamp": "1795258380"},
    )
    response: str = field("Start of the response body, up to 4 KiB.", "ok")

    @classmethod
    def from_attempt(cls, attempt: DeliveryAttempt) -> Self:
        """One attempt."""
        return cls(
            at=timestamp(attempt.at),
            status=attempt.status,
            error=attempt.error or None,
            milliseconds=attempt.milliseconds,
            request_headers=json.loads(attempt.headers),
            response=attempt.response,
        )


class DeliveryDetail(DeliveryOut):
    """A delivery with its payload and every attempt."""

    payload: dict[str, Any] = field(
        "The event's JSON body.",
        {"id": _EVENT, "type": "intent_completed", "created_at": TIME, "data": {"id": RECORD}},
    )
    attempts: list[AttemptOut] = Field(description="Every attempt, oldest first.")

    @classmethod
    def from_snapshot(cls, ids: PublicIds, detail: deliveries.DeliveryDetail) -> Self:
        """One delivery with its payload and every attempt."""
        return cls.from_delivery(
            ids,
            detail.delivery,
            detail.event,
            payload=json.loads(detail.body),
            attempts=[AttemptOut.from_attempt(attempt) for attempt in detail.attempts],
        )


class DeliveryPage(Model):
    """A page of deliveries, newest first."""

    deliveries: list[DeliveryOut] = Field(description="The deliveries of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", str(RECORD))


class SentTest(DeliveryOut):
    """The delivery of a test event."""

    webhook_enabled: bool = field(
        "Whether the webhook is enabled; a disabled one gets tests and no other events.", True
    )
