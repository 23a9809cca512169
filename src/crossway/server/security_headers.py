"""The security headers of every response, and which content the dashboard's pages may load."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.client_ip import peer_address
from crossway.api.raw_headers import header_value
from crossway.domain.clients import is_allowed, networks_of
from crossway.ports.policy import IngressConfig

HSTS: Final = "max-age=31536000"
_NO_STORE: Final = b"no-store"
_INLINE_SCRIPT: Final = re.compile(r"<script(?:\s[^>]*)?>(.+?)</script>", re.DOTALL)
# A header that a route has set itself stays.
_EVERYWHERE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
# What is no page of ours loads and frames nothing.
_NO_CONTENT_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"


class SecurityHeaders:
    """Adds the headers; `page_policy` is the content security policy of pages that set none."""

    def __init__(
        self,
        app: ASGIApp,
        ingress: Callable[[], IngressConfig],
        page_policy: Callable[[], str] = lambda: _NO_CONTENT_POLICY,
    ) -> None:
        self._app, self._ingress, self._page_policy = app, ingress, page_policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                message["headers"] = [*headers, *self._missing(scope, dict(headers))]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _missing(
        self, scope: Scope, present: Mapping[bytes, bytes]
    ) -> Iterator[tuple[bytes, bytes]]:
        """The headers of a response that it does not have yet."""
        wanted = list(_EVERYWHERE)
        is_api, content = scope["path"].startswith("/api/"), present.get(b"content-type", b"")
        is_page = content.startswith(b"text/html") and not is_api
        if is_page or is_api:
            wanted.append((b"cache-control", _NO_STORE))
        # "Not modified" has no content; its headers would replace those of the stored page.
        if content:
            policy = self._page_policy() if is_page else _NO_CONTENT_POLICY
            wanted.append((b"content-security-policy", policy.encode()))
        if is_encrypted(scope, self._ingress()):
            wanted.append((b"strict-transport-security", HSTS.encode()))
        return (one for one in wanted if one[0] not in present)


@cache
def streamlit_policy(index: Path) -> str:
    """The content security policy of Streamlit's pages; `index` is its index.html.

    Exceptions that Streamlit needs: it writes its styles into the page; its components' code and
    its workers are blobs; Vega and the parser of its arrow tables compile WebAssembly or functions.
    """
    scripts = " ".join(
        f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"
        for script in _INLINE_SCRIPT.findall(index.read_text())
    )
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: 'wasm-unsafe-eval' {scripts}".rstrip(),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def is_encrypted(scope: Scope, ingress: IngressConfig) -> bool:
    """Whether a request came over TLS, to us or to a trusted proxy in front of us."""
    if scope["scheme"] == "https" or ingress.public_url.startswith("https:"):
        return True
    if not is_allowed(peer_address(scope), networks_of(ingress.trusted_proxies)):
        return False
    forwarded = header_value(scope, b"x-forwarded-proto") or ""
    return forwarded.partition(",")[0].strip() == "https"
