"""The ports through which events leave: drawing them, signing them, sending them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.webhooks import Announcement
from crossway.ports.store import Unit


class Presenter(Protocol):
    """Draws announcements as the wire shows them."""

    def __call__(self, unit: Unit, of: Sequence[Announcement]) -> Mapping[int, bytes]:
        """The JSON body of each announcement by its id, the same bytes every time: `id`, `type`,
        `created_at` and `data`, the resource as it stood then."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answered: a status, and the beginning of the body as text."""

    status: int
    body: str


class WebhookSender(Protocol):
    """Posts to addresses that others chose, and never inside."""

    def objection(self, url: str) -> str | None:
        """What is wrong with a URL, as words that go on after its name; None when nothing is.
        Looks its host up; a host that nobody knows at the moment is no objection."""
        ...

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """One POST, no redirects. Raises `Unreachable` with the reason."""
        ...

    def close(self) -> None:
        """Let connections go."""
        ...


class WebhookSigner(Protocol):
    """Signs as the Standard Webhooks specification says."""

    def new_secret(self) -> str:
        """`whsec_` and 32 random bytes in base64."""
        ...

    def headers(
        self, secrets: Sequence[str], event_id: str, at: datetime, body: bytes
    ) -> Mapping[str, str]:
        """`webhook-id`, `webhook-timestamp` and `webhook-signature`, one signature a secret."""
        ...


@dataclass(frozen=True, slots=True)
class Received:
    """One message as a receiver in this process got it."""

    headers: Mapping[str, str]
    body: bytes


class Inbox(Protocol):
    """What made-up receivers in this process were told."""

    def received(self, url: str) -> Sequence[Received]:
        """The newest messages to a URL, oldest first; nothing is remembered for long."""
        ...


@dataclass(frozen=True, slots=True)
class Outgoing:
    """All that events need to leave; an `inbox` where receivers are made up."""

    present: Presenter
    sender: WebhookSender
    signer: WebhookSigner
    inbox: Inbox | None = None
