"""The gate of the dashboard: without a staff session there is only the sign-in form."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.client_ip import is_local_request, peer_address, rate_limit_address
from crossway.domain.errors import StorageUnavailable
from crossway.ports.policy import IngressConfig
from crossway.server.allowed_hosts import host_name, is_cross_site, is_loopback_name
from crossway.server.host_check import refuse
from crossway.server.socket_limits import STAFF, STRANGERS, Pace, SocketLimits, paced

COOKIE: Final = "crossway_session"
# The API and the payers' pages check their callers themselves; probes tell nothing.
_PUBLIC: Final = re.compile(
    r"/(?:(?:api|pay|auth)(?:/.*)?|oauth2callback|healthz|readyz|metrics)\Z",
    re.DOTALL,
)
# What the sign-in form is: Streamlit's empty page, its files, and the socket that draws it.
_SIGN_IN_FORM: Final = re.compile(
    r"/(?:(?!live\Z)[a-z_]*|favicon\.png|session|(?:app/)?static/.+"
    r"|_stcore/(?:health|host-config|stream|bidi-components/.+))\Z"
)
_CORE: Final = "/_stcore/"
# What Streamlit's pages ask for; its metrics and its interface for agents are closed.
_CORE_OPEN: Final = re.compile(
    r"/_stcore/(?:health|host-config|stream|bidi-components/.+|upload_file/(?P<session>[^/]+)/[^/]+)\Z"
)
_PROTOCOLS: Final = b"sec-websocket-protocol"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_MAX_ADDRESSES: Final = 10_000
SIGN_IN_FIRST: Final = "Sign in first: open the dashboard"
NOT_FROM_HERE: Final = (
    "No staff account exists yet, and so the dashboard opens on the machine that runs it only, as "
    "http://localhost. Create one there (crossway people add), or set CROSSWAY_DASHBOARD_PASSWORD"
)
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


class DashboardGate:
    """Lets those pass who bring the cookie of an active session, and while no sign-in is set up,
    those who come from this machine itself. Everybody else gets the sign-in form, of which few are
    drawn at a time."""

    def __init__(self, app: ASGIApp, checks: SessionChecks) -> None:
        self._app, self._checks = app, checks
        self._staff, self._strangers = SocketLimits(STAFF), SocketLimits(STRANGERS)
        self._signed_in_at: dict[str, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or _PUBLIC.match(scope["path"]):
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        core = _CORE_OPEN.match(path) if path.startswith(_CORE) else None
        if path.startswith(_CORE) and core is None:
            await refuse(scope, receive, send, 404, "Not Found")
            return
        if (
            scope["type"] == "http"
            and scope["method"] not in _SAFE_METHODS
            and is_cross_site(scope)
        ):
            await refuse(scope, receive, send, 403, "A page of another site asked for this")
            return
        token = HTTPConnection(scope).cookies.get(COOKIE, "")
        try:
            refusal = await run_in_threadpool(self._refusal, scope, token)
        except StorageUnavailable as error:
            await refuse(scope, receive, send, 503, str(error))
            return
        is_stranger = refusal == SIGN_IN_FIRST
        if refusal and not (is_stranger and _SIGN_IN_FORM.match(path)):
            status = 401 if is_stranger else 403
            await refuse(scope, receive, send, status, refusal)
            return
        session = core["session"] if core else None
        if session is not None and not self._checks.owns_session(session, token):
            await refuse(scope, receive, send, 403, "This upload belongs to another session")
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send, token, is_stranger)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, token: str) -> str:
        if not self._checks.is_open():
            return "" if token and self._checks.is_active(token) else SIGN_IN_FIRST
        host = HTTPConnection(scope).headers.get("host", "")
        local = is_local_request(scope, self._checks.ingress()) and is_loopback_name(
            host_name(host)
        )
        return "" if local else NOT_FROM_HERE

    async def _connect(
        self, scope: Scope, receive: Receive, send: Send, token: str, is_stranger: bool
    ) -> None:
        """Connect a socket; a stranger's has only the sign-in form to draw, slowly. Once somebody
        has signed in at an address, its sockets are as fast as others."""
        address = rate_limit_address(peer_address(scope))
        if not is_stranger:
            self._remember(address)
        limits = self._strangers if is_stranger else self._staff
        with limits.counted(address if is_stranger else token or address) as admitted:
            if not admitted:
                await refuse(scope, receive, send, 503, TOO_MANY_SOCKETS)
                return
            self._drop_foreign_session(scope, token)
            await self._app(scope, paced(receive, lambda: self._pace_of(address)), send)

    def _remember(self, address: str) -> None:
        self._signed_in_at[address] = None
        if len(self._signed_in_at) > _MAX_ADDRESSES:
            del self._signed_in_at[next(iter(self._signed_in_at))]

    def _pace_of(self, address: str) -> Pace:
        return (STAFF if address in self._signed_in_at else STRANGERS).pace

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
