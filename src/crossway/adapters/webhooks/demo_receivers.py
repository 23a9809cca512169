"""Simulated webhook receivers under `.demo.example`, for demonstrations."""

import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import ReceivedWebhook, WebhookResponse, WebhookSender

# `.example` is reserved (RFC 2606): such names never resolve.
DEMO_DOMAIN = ".demo.example"
FLAKY_EVERY, MAX_RECEIVED = 11, 200


class DemoReceivers:
    """`ports.webhooks.WebhookSender` that simulates receivers in this process and passes other URLs
    on to `others`. Hosts named `down.…` never respond, `flaky.…` fail every eleventh request."""

    def __init__(self, others: WebhookSender | None) -> None:
        """With `others` None, only simulated receivers exist."""
        self._others = others
        self._request_counts: Counter[str] = Counter()
        self._received: deque[tuple[str, ReceivedWebhook]] = deque(maxlen=MAX_RECEIVED)
        self._lock = threading.Lock()

    def url_problem(self, url: str) -> str | None:
        if _demo_host(url):
            return None
        return self._others.url_problem(url) if self._others else "is not a simulated receiver"

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        demo_host = _demo_host(url)
        if not demo_host:
            if self._others is None:
                raise Unreachable("only simulated receivers are reachable")
            return self._others.send(url, headers, body)
        with self._lock:
            self._request_counts[demo_host] += 1
            request_number = self._request_counts[demo_host]
            self._received.append((url, ReceivedWebhook(dict(headers), body)))
        if demo_host.startswith("down."):
            raise Unreachable("the connection failed: connection refused")
        if demo_host.startswith("flaky.") and request_number % FLAKY_EVERY == 0:
            return WebhookResponse(503, "busy, try again")
        return WebhookResponse(200, "thank you")

    def received(self, url: str) -> Sequence[ReceivedWebhook]:
        """The newest webhooks that a simulated receiver got, oldest first."""
        with self._lock:
            return [message for to, message in self._received if to == url]

    def close(self) -> None:
        if self._others is not None:
            self._others.close()


def _demo_host(url: str) -> str:
    """The host if it is a simulated receiver, else an empty string."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
    return host if host.endswith(DEMO_DOMAIN) else ""
