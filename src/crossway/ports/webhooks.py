"""The ports that render, sign and send webhook events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.webhooks import OutboxEvent
from crossway.ports.store import UnitOfWork


class EventRenderer(Protocol):
    """Renders outbox events in their wire format."""

    def __call__(self, unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        """The JSON body of each event by its id, the same bytes every time.

        It holds `id`, `type`, `created_at` and `data`, the resource as it was at that time.
        """
        ...


@dataclass(frozen=True, slots=True)
class WebhookResponse:
    """An endpoint's response: its status and the beginning of its body as text."""

    status: int
    body: str


class WebhookSender(Protocol):
    """Sends requests to URLs chosen by clients, never into the internal network."""

    def url_problem(self, url: str) -> str | None:
        """The problem with a URL, as a phrase that follows the field's name, or None.

        Resolves the host: one that cannot be resolved at the moment is a problem too. Raises
        `Unreachable` when too many others are being resolved to tell.
        """
        ...

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        """Send one POST without following redirects. Raises `Unreachable` with the reason."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class WebhookSigner(Protocol):
    """Signs according to the Standard Webhooks specification."""

    def new_secret(self) -> str:
        """A new secret: `whsec_` and 32 random bytes in base64."""
        ...

    def headers(
        self, secrets: Sequence[str], event_id: str, at: datetime, body: bytes
    ) -> Mapping[str, str]:
        """`webhook-id`, `webhook-timestamp` and `webhook-signature` (one signature per secret)."""
        ...


@dataclass(frozen=True, slots=True)
class ReceivedWebhook:
    """One webhook that a simulated receiver in this process got."""

    headers: Mapping[str, str]
    body: bytes


class WebhookInbox(Protocol):
    """The webhooks that simulated receivers in this process got."""

    def received(self, url: str) -> Sequence[ReceivedWebhook]:
        """The newest webhooks to a URL, oldest first; only recent ones are kept."""
        ...


@dataclass(frozen=True, slots=True)
class WebhookServices:
    """Everything needed to deliver webhooks; `inbox` exists for simulated receivers only."""

    render_events: EventRenderer
    sender: WebhookSender
    signer: WebhookSigner
    inbox: WebhookInbox | None = None
