"""Webhook endpoints and deliveries, and the verification of a received delivery."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from standardwebhooks import Webhook as Signed
from standardwebhooks.webhooks import WebhookVerificationError

from crossway.client.errors import CrosswayError
from crossway.client.transport import Transport
from crossway.client.webhook_records import Delivery, Event, Webhook, parse_event

PAGE = 100


class SignatureVerificationError(CrosswayError):
    """The signature or timestamp of a delivery is invalid; ignore the delivery."""


def verify(payload: bytes, headers: Mapping[str, str], secret: str) -> Event:
    """Verify a delivery's signature and return its event; `payload` is the unchanged body.

    Raises `SignatureVerificationError`, and `ValueError` for an invalid secret. Events may arrive
    more than once with the same `Event.id`.
    """
    signed = Signed(secret)
    try:
        signed.verify(payload, dict(headers), json_parse=False)
    except (WebhookVerificationError, ValueError) as error:
        raise SignatureVerificationError(str(error)) from error
    return parse_event(payload)


class Webhooks:
    """`/webhooks`."""

    def __init__(self, calls: Transport) -> None:
        self._calls = calls

    def create(
        self,
        url: str,
        events: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Webhook:
        """Create an endpoint for these events, all by default; store its `secret`."""
        body = _webhook_fields(url, events, description, enabled)
        return Webhook.parse(self._calls.post("/webhooks", body, idempotency_key))

    def list(self) -> list[Webhook]:
        """Every endpoint, oldest first."""
        return [Webhook.parse(item) for item in self._calls.pages("/webhooks", "webhooks", PAGE)]

    def get(self, webhook_id: int) -> Webhook:
        """One endpoint, without its secret."""
        return Webhook.parse(self._calls.get(f"/webhooks/{webhook_id}"))

    def change(
        self,
        webhook_id: int,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Change the given fields."""
        body = _webhook_fields(url, events, description, enabled)
        return Webhook.parse(self._calls.patch(f"/webhooks/{webhook_id}", body))

    def delete(self, webhook_id: int) -> None:
        """Delete an endpoint with its deliveries."""
        self._calls.delete(f"/webhooks/{webhook_id}")

    def rotate_secret(self, webhook_id: int) -> Webhook:
        """Create a new secret; the old one signs too for 24 hours."""
        return Webhook.parse(self._calls.post(f"/webhooks/{webhook_id}/rotate-secret"))

    def test(self, webhook_id: int) -> Delivery:
        """Send a test event."""
        return Delivery.parse(self._calls.post(f"/webhooks/{webhook_id}/test"))

    def deliveries(self, webhook_id: int, state: str | None = None) -> Iterator[Delivery]:
        """The deliveries of an endpoint, newest first; pages are fetched as needed.
        `state` is `waiting`, `due`, `delivered` or `failed`."""
        path = f"/webhooks/{webhook_id}/deliveries"
        return map(Delivery.parse, self._calls.pages(path, "deliveries", PAGE, state=state))

    def delivery(self, delivery_id: int) -> Delivery:
        """One delivery with its payload and every attempt."""
        return Delivery.parse(self._calls.get(f"/webhooks/deliveries/{delivery_id}"))

    def replay(self, delivery_id: int) -> Delivery:
        """Resend a delivery."""
        return Delivery.parse(self._calls.post(f"/webhooks/deliveries/{delivery_id}/replay"))

    def replay_range(self, webhook_id: int, since: datetime, to: datetime | None = None) -> int:
        """Resend all events of a period in order; returns their number. Times need a time zone."""
        body = {"from": since.isoformat(), "to": to.isoformat() if to else None}
        return int(self._calls.post(f"/webhooks/{webhook_id}/replay", body)["replayed"])


def _webhook_fields(
    url: str | None, events: Sequence[str] | None, description: str | None, enabled: bool | None
) -> dict[str, Any]:
    listed = None if events is None else list(events)
    values = {"url": url, "events": listed, "description": description, "enabled": enabled}
    return {name: value for name, value in values.items() if value is not None}
