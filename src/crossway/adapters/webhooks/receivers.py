"""Receivers of webhooks that are only made up: names under `.demo.example`, for demonstrations."""

import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import Answer, Received, WebhookSender

# `.example` is kept free for such use (RFC 2606): no such name ever leads anywhere.
ENDING = ".demo.example"
FLAKY_EVERY, KEPT = 11, 200


class Receivers:
    """`ports.webhooks.WebhookSender` that answers for made-up receivers in this very process; any
    other address is left to `others`. `down.…` never answers, `flaky.…` fails now and then."""

    def __init__(self, others: WebhookSender | None) -> None:
        """`others` None: there is nothing but made-up receivers."""
        self._others = others
        self._asked: Counter[str] = Counter()
        self._kept: deque[tuple[str, Received]] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    def objection(self, url: str) -> str | None:
        if _made_up(url):
            return None
        return self._others.objection(url) if self._others else "leads nowhere"

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        host = _made_up(url)
        if not host:
            if self._others is None:
                raise Unreachable("there is no network")
            return self._others.send(url, headers, body)
        with self._lock:
            self._asked[host] += 1
            turn = self._asked[host]
            self._kept.append((url, Received(dict(headers), body)))
        if host.startswith("down."):
            raise Unreachable("the connection failed: nobody listens there")
        if host.startswith("flaky.") and turn % FLAKY_EVERY == 0:
            return Answer(503, "busy, try again")
        return Answer(200, "thank you")

    def received(self, url: str) -> Sequence[Received]:
        """What a made-up receiver was told last, oldest first."""
        with self._lock:
            return [message for to, message in self._kept if to == url]

    def close(self) -> None:
        if self._others is not None:
            self._others.close()


def _made_up(url: str) -> str:
    """The host, where it is a made-up one."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
    return host if host.endswith(ENDING) else ""
