"""The gate of the dashboard: without a staff session nothing of it is served, drawn or run."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.client_ip import is_local_request, peer_address, rate_limit_address
from crossway.domain.errors import StorageUnavailable
from crossway.ports.policy import IngressConfig
from crossway.server.allowed_hosts import host_name, is_cross_site, is_loopback_name
from crossway.server.host_check import refuse
from crossway.server.socket_limits import SocketLimits, paced
from crossway.usecases.staff.sessions import COOKIE

# The API and the payers' pages check their callers themselves; probes tell nothing.
_PUBLIC: Final = re.compile(r"/(?:(?:api|pay)(?:/.*)?|healthz|readyz|metrics)\Z", re.DOTALL)
_SIGN_IN: Final = "/sign-in"
_SIGN_IN_PAGES: Final = re.compile(r"/(?:sign-in(?:/.*)?|sign-out|oauth2callback)\Z", re.DOTALL)
# Streamlit's own single sign-on is not used.
_CLOSED: Final = re.compile(r"/auth(?:/.*)?\Z", re.DOTALL)
_CORE: Final = "/_stcore/"
# What Streamlit's pages ask for; its metrics and its interface for agents are closed.
_CORE_OPEN: Final = re.compile(
    r"/_stcore/(?:health|host-config|stream|bidi-components/.+|upload_file/(?P<session>[^/]+)/[^/]+)\Z"
)
_PROTOCOLS: Final = b"sec-websocket-protocol"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
SIGN_IN_FIRST: Final = "Sign in first: open the dashboard"
TOO_MANY_SOCKETS: Final = "Too many pages are open: close some of them"


@dataclass(frozen=True, slots=True)
class SessionChecks:
    """What the gate asks: whether anybody may enter, whether a session token is active, and
    whether a session of Streamlit's was opened with that token. The first two may read the
    database."""

    is_open: Callable[[], bool]
    is_active: Callable[[str], bool]
    owns_session: Callable[[str, str], bool]
    ingress: Callable[[], IngressConfig]

    def may_enter_freely(self, scope: Scope) -> bool:
        """Whether no sign-in is set up, and a request comes from this machine itself."""
        host = HTTPConnection(scope).headers.get("host", "")
        is_local = is_local_request(scope, self.ingress()) and is_loopback_name(host_name(host))
        return is_local and self.is_open()


class DashboardGate:
    """Lets those pass who bring the cookie of an active session, and while no sign-in is set up,
    those who come from this machine itself. Everybody else is sent to the sign-in page."""

    def __init__(self, app: ASGIApp, checks: SessionChecks) -> None:
        self._app, self._checks, self._sockets = app, checks, SocketLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] not in ("http", "websocket") or _PUBLIC.match(path):
            await self._app(scope, receive, send)
            return
        core = _CORE_OPEN.match(path) if path.startswith(_CORE) else None
        if _CLOSED.match(path) or (path.startswith(_CORE) and core is None):
            await refuse(scope, receive, send, 404, "Not Found")
            return
        is_write = scope["type"] == "http" and scope["method"] not in _SAFE_METHODS
        if is_write and is_cross_site(scope):
            await refuse(scope, receive, send, 403, "A page of another site asked for this")
            return
        if _SIGN_IN_PAGES.match(path):
            await self._app(scope, receive, send)
            return
        token = HTTPConnection(scope).cookies.get(COOKIE, "")
        try:
            may_enter = await run_in_threadpool(self._may_enter, scope, token)
        except StorageUnavailable as error:
            await refuse(scope, receive, send, 503, str(error))
            return
        session = core["session"] if core else None
        if not may_enter:
            await _send_to_sign_in(scope, receive, send)
        elif session is not None and not self._checks.owns_session(session, token):
            await refuse(scope, receive, send, 403, "This upload belongs to another session")
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send, token)
        else:
            await self._app(scope, receive, send)

    def _may_enter(self, scope: Scope, token: str) -> bool:
        if token and self._checks.is_active(token):
            return True
        return self._checks.may_enter_freely(scope)

    async def _connect(self, scope: Scope, receive: Receive, send: Send, token: str) -> None:
        with self._sockets.counted(token or rate_limit_address(peer_address(scope))) as admitted:
            if not admitted:
                await refuse(scope, receive, send, 503, TOO_MANY_SOCKETS)
                return
            self._drop_foreign_session(scope, token)
            await self._app(scope, paced(receive), send)

    def _drop_foreign_session(self, scope: Scope, token: str) -> None:
        """Remove the session of Streamlit's that a socket asks to continue, third among its
        protocols, unless the same cookie opened it: its id is no credential."""
        for position, (name, value) in enumerate(scope["headers"]):
            if name != _PROTOCOLS:
                continue
            entries = value.decode("latin-1").split(",")
            if len(entries) > 2 and not self._checks.owns_session(entries[2].strip(), token):
                kept = ",".join(entries[:2]).encode("latin-1")
                scope["headers"][position] = (name, kept)


async def _send_to_sign_in(scope: Scope, receive: Receive, send: Send) -> None:
    """Redirect a browser that opens a page; refuse everything else."""
    accepted = HTTPConnection(scope).headers.get("accept", "")
    is_page = scope["type"] == "http" and scope["method"] == "GET" and "text/html" in accepted
    if not is_page:
        await refuse(scope, receive, send, 401, SIGN_IN_FIRST)
        return
    query = scope["query_string"].decode("latin-1")
    wanted = quote(scope["path"]) + (f"?{query}" if query else "")
    place = _SIGN_IN if wanted == "/" else f"{_SIGN_IN}?{urlencode({'next': wanted})}"
    await RedirectResponse(place, 303)(scope, receive, send)
