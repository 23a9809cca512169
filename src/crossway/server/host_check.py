"""The check of Host and Origin in front of every route but the probes."""

from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.errors import error_response
from crossway.domain.error_codes import ErrorCode
from crossway.ports.policy import IngressConfig
from crossway.server.allowed_hosts import HOST_REFUSED, AllowedHosts

# Monitoring asks for them under any name; they tell nothing.
PROBES = frozenset({"/healthz", "/readyz", "/api/healthz", "/api/readyz"})


class HostCheck:
    """Refuses requests and WebSockets for another host, or of another site's page."""

    def __init__(self, app: ASGIApp, ingress: Callable[[], IngressConfig]) -> None:
        self._app, self._ingress = app, ingress

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        checked = scope["type"] in ("http", "websocket") and scope["path"] not in PROBES
        reason = AllowedHosts.of(self._ingress()).refusal(scope) if checked else ""
        if not reason:
            await self._app(scope, receive, send)
            return
        status = 421 if reason == HOST_REFUSED else 403
        await refuse(scope, receive, send, status, reason)


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, message: str) -> None:
    """Respond to a request or a WebSocket's handshake with an error, in the shape of the API
    below /api."""
    if scope["type"] == "websocket":
        # Answered before the handshake; uvicorn makes 403 of it.
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": message[:100]})
        return
    if scope["path"].startswith("/api/"):
        code = ErrorCode.HOST_NOT_ALLOWED if status == 421 else ErrorCode.FORBIDDEN
        await error_response(status, message, code)(scope, receive, send)
    else:
        await PlainTextResponse(f"{message}.", status)(scope, receive, send)
