"""One request of a visitor who signs in: its form, its cookies, and where it goes afterwards."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final
from urllib.parse import urlencode

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from crossway.domain.second_factors import RelyingParty, find_relying_party
from crossway.ports.services import Services
from crossway.sign_in.providers import Providers
from crossway.usecases.staff import sessions
from crossway.usecases.staff.sign_in import MAX_PENDING_AGE, PendingSignIn

ROOT: Final = "/sign-in"
PENDING_COOKIE: Final = "crossway_pending"
HOME: Final = "/"
MAX_PENDING: Final = 10_000
MAX_THREADS: Final = 4
_MAX_NEXT: Final = 2_000
# A page of our own: not another host (`//host`, `/\\host`), and neither a file nor these pages.
_OWN_PAGE: Final = re.compile(r"/(?![/\\])(?!sign-|download/|oauth2callback)[!-\[\]-~]*\Z")
UNKNOWN_ADDRESS: Final = "unknown"


@dataclass
class PendingSignIns:
    """Sign-ins that wait for their second factor, by the token in the browser's cookie, in the
    memory of this process; of too many, the oldest are dropped."""

    _by_token: dict[str, PendingSignIn] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def keep(self, pending: PendingSignIn) -> str:
        """Keep a sign-in; returns its token."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._by_token) >= MAX_PENDING:
                del self._by_token[next(iter(self._by_token))]
            self._by_token[token] = pending
        return token

    def get(self, token: str) -> PendingSignIn | None:
        """The sign-in of a token."""
        return self._by_token.get(token)

    def forget(self, token: str) -> None:
        """The sign-in is over."""
        with self._lock:
            self._by_token.pop(token, None)


@dataclass(frozen=True)
class SignInSite:
    """The installation that the pages belong to, and what they ask about a request.

    `find_address` returns the client's address, empty if it is unknown; `wait_seconds` counts a
    request and returns the seconds to wait, 0 if it is granted; `may_enter_freely` says whether the
    request comes from the machine itself while nobody has to sign in.
    """

    services: Services
    install_password: str
    providers: Providers
    find_address: Callable[[Scope], str]
    wait_seconds: Callable[[Scope, str, int], int]
    is_encrypted: Callable[[Scope], bool]
    may_enter_freely: Callable[[Scope], bool]
    pending: PendingSignIns = field(default_factory=PendingSignIns)
    # Few at a time, and apart from the threads of all other requests: checking a password is made
    # to be slow, and guesses from many addresses would otherwise hold those up.
    threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(MAX_THREADS))


@dataclass(frozen=True)
class Visit:
    """One request, with the fields of its form."""

    site: SignInSite
    request: Request
    form: dict[str, str] = field(default_factory=dict)

    @property
    def services(self) -> Services:
        """The service."""
        return self.site.services

    @property
    def address(self) -> str:
        """The client's address, by which guesses are limited."""
        return self.site.find_address(self.request.scope) or UNKNOWN_ADDRESS

    @property
    def next_path(self) -> str:
        """Where the visitor wanted to go: a path of our own pages, else the first page."""
        return own_path(self.form.get("next") or self.request.query_params.get("next", ""))

    def path_to_sign_in(self, next_path: str) -> str:
        """The sign-in page, which leads to this path."""
        return ROOT if next_path == HOME else f"{ROOT}?{urlencode({'next': next_path})}"

    @property
    def token(self) -> str:
        """The session token in the browser's cookie; empty without one."""
        return self.request.cookies.get(sessions.COOKIE, "")

    @property
    def pending_token(self) -> str:
        """The token of the sign-in that waits in this browser; empty without one."""
        return self.request.cookies.get(PENDING_COOKIE, "")

    @property
    def pending(self) -> PendingSignIn | None:
        """The sign-in of this browser that waits for its second factor."""
        found = self.site.pending.get(self.pending_token)
        if found is None or self.services.clock.machine() - found.started_at > MAX_PENDING_AGE:
            return None
        return found

    @property
    def relying_party(self) -> RelyingParty | None:
        """Where passkeys of this page are valid; None where it can have none."""
        public_url = self.services.policy.ingress.public_url
        scheme = "https" if self.site.is_encrypted(self.request.scope) else "http"
        return find_relying_party(public_url, f"{scheme}://{self.request.url.netloc}/")

    def begin_session(self, token: str, response: Response) -> Response:
        """Hand the token of a new session to the browser; what waited, and the session before it,
        are over."""
        services = self.services
        sessions.record_browser(services, token, self.request.headers.get("user-agent", ""))
        if self.token and self.token != token:
            sessions.sign_out(services, self.token)
        self._set_cookie(response, sessions.COOKIE, token)
        return self.cancel_pending(response)

    def wait_for_second_factor(self, pending: PendingSignIn, response: Response) -> Response:
        """Keep a sign-in until its second factor is given."""
        seconds = int(MAX_PENDING_AGE.total_seconds())
        token = self.site.pending.keep(pending)
        self._set_cookie(response, PENDING_COOKIE, token, seconds)
        return response

    def cancel_pending(self, response: Response) -> Response:
        """Forget the sign-in that waits in this browser."""
        self.site.pending.forget(self.pending_token)
        if self.pending_token:
            self.delete_cookie(response, PENDING_COOKIE)
        return response

    def delete_cookie(self, response: Response, name: str) -> None:
        """Have the browser forget a cookie."""
        secure = self.site.is_encrypted(self.request.scope)
        response.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=secure)

    def _set_cookie(
        self, response: Response, name: str, token: str, max_age: int | None = None
    ) -> None:
        # Lax, so that a link in an e-mail or a chat opens its page for somebody who is signed in.
        # Nothing is changed by a GET, and other sites' requests are refused before they arrive.
        secure = self.site.is_encrypted(self.request.scope)
        response.set_cookie(
            name, token, max_age, path="/", httponly=True, samesite="lax", secure=secure
        )


def own_path(text: str) -> str:
    """A path with its query if it leads to a page of our own, else the first page's."""
    return text if len(text) <= _MAX_NEXT and _OWN_PAGE.match(text) else HOME
