"""Webhooks through the API, and the check of one that arrived."""

from collections.abc import Mapping, Sequence
from typing import Any

from standardwebhooks import Webhook as Signed
from standardwebhooks.webhooks import WebhookVerificationError

from crossway.client.calls import Calls
from crossway.client.errors import CrosswayError
from crossway.client.records import Event, Webhook


class Forged(CrosswayError):
    """A delivery whose signature or time is not right: do not act on it."""


def verify(body: bytes, headers: Mapping[str, str], secret: str) -> Event:
    """The event in a delivery, after its signature was checked; `body` exactly as it arrived.

    Raises `Forged`. Events may arrive more than once: `Event.id` tells.
    """
    try:
        Signed(secret).verify(body, {name.lower(): value for name, value in headers.items()})
    except WebhookVerificationError as error:
        raise Forged(str(error)) from error
    return Event.model_validate_json(body)


class Webhooks:
    """`/webhooks`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def create(
        self, url: str, events: Sequence[str] | None = None, description: str | None = None
    ) -> Webhook:
        """A new endpoint for these events, for all without any; keep its `secret`."""
        body = {"url": url, "events": list(events) if events else None, "description": description}
        return Webhook.model_validate(self._calls.post("/webhooks", body))

    def list(self) -> list[Webhook]:
        """Every endpoint."""
        answer: Any = self._calls.get("/webhooks")
        found = answer if isinstance(answer, list) else answer["webhooks"]
        return [Webhook.model_validate(one) for one in found]

    def delete(self, webhook_id: object) -> None:
        """Remove an endpoint."""
        self._calls.delete(f"/webhooks/{webhook_id}")

    def rotate_secret(self, webhook_id: object) -> Webhook:
        """A new secret; the old one signs too for 24 hours."""
        return Webhook.model_validate(self._calls.post(f"/webhooks/{webhook_id}/rotate-secret"))

    def test(self, webhook_id: object) -> Any:
        """Send a test event."""
        return self._calls.post(f"/webhooks/{webhook_id}/test")

    def replay(self, delivery_id: object) -> Any:
        """Send a delivery again."""
        return self._calls.post(f"/webhooks/deliveries/{delivery_id}/replay")
