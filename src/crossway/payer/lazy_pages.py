"""The payer's pages, imported with their templates and languages at the first request."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.ports.services import Services

if TYPE_CHECKING:
    from crossway.payer.app import IpRateLimiter


class LazyPages:
    """An ASGI application in the place of `create_pages`."""

    def __init__(
        self, rate_limiter: "IpRateLimiter", find_services: Callable[[], Services]
    ) -> None:
        """`find_services` is called at the first request."""
        self._rate_limiter, self._find_services = rate_limiter, find_services
        self._pages: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._pages is None:
            # Imported here: a start is faster without it.
            from crossway.payer.app import create_pages

            self._pages = create_pages(self._rate_limiter, self._find_services())
        await self._pages(scope, receive, send)
