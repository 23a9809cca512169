"""Authentication of requests under `/v1`, and the FastAPI dependencies of endpoints."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.client_ip import UNKNOWN_ADDRESS, client_address, rate_limit_address
from crossway.api.errors import STARTING, error_response
from crossway.api.rate_limits import (
    PROVIDER_WEBHOOKS_PER_MINUTE,
    UNAUTHENTICATED_PER_MINUTE,
    RateLimiter,
    RateLimitResult,
)
from crossway.api.raw_headers import header_value
from crossway.api.request_fields import list_nul_parameters
from crossway.api.request_weights import request_weight
from crossway.domain.clients import Principal
from crossway.domain.clients import Scope as KeyScope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Unauthorized
from crossway.ports.services import Services
from crossway.usecases.developers import authentication

PROTECTED_PREFIX = "/v1/"
PROVIDER_WEBHOOK_PREFIX = "/v1/ramp/webhooks/"
EXPORT_FILE_PREFIX = "/v1/export-files/"
# What needs no key, as it is signed otherwise: the name of its limit, and requests a minute.
_KEYLESS = {
    PROVIDER_WEBHOOK_PREFIX: ("report", PROVIDER_WEBHOOKS_PER_MINUTE),
    EXPORT_FILE_PREFIX: ("file", UNAUTHENTICATED_PER_MINUTE),
}
TOO_MANY_REQUESTS = "Too Many Requests"
ADDRESS_NOT_ALLOWED = "This key may not be used from this address"


class AuthMiddleware:
    """Requires a valid API key under `/v1/` and applies rate limits.

    Webhooks of ramp providers and files of exports need no key; their use cases check signatures.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.limits = RateLimiter()
        # Threads of their own, apart from those that answer requests.
        self.lookups = tuple(
            ThreadPoolExecutor(1, thread_name_prefix=f"{name}-keys") for name in ("new", "guessed")
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The path below the mount of the API.
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or not path.startswith(PROTECTED_PREFIX):
            await self.app(scope, receive, send)
            return
        refusal = await self._authorize(scope, path)
        await (self.app if refusal is None else refusal)(scope, receive, send)

    async def _authorize(self, scope: Scope, path: str) -> Response | None:
        """Set the request's caller; return the response of a request that is refused."""
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            return _nul_refused(scope)
        services: Services | None = getattr(scope["app"].state, "services", None)
        if services is None:
            return error_response(503, STARTING, ErrorCode.STARTING)
        caller: Principal | None = None
        keyless = next((one for one in _KEYLESS if path.startswith(one)), None)
        if keyless is not None:
            kind, per_minute = _KEYLESS[keyless]
            name = f"{kind} {_rate_limit_address(services, scope)}"
            limit = self.limits.spend(name, per_minute)
        else:
            caller, limit = await self._check_key(services, scope, path)
        scope["state"]["headers"] += limit.headers()
        if not limit.granted:
            return error_response(429, TOO_MANY_REQUESTS, ErrorCode.RATE_LIMITED)
        scope["state"]["caller"] = caller
        if keyless is not None:
            return None
        if caller is None:
            headers = {"www-authenticate": "Bearer"}
            return error_response(401, "Unauthorized", ErrorCode.UNAUTHORIZED, headers)
        key = caller.key
        if key is not None and key.addresses:
            address = client_address(scope, services.policy.ingress)
            if not key.allows_address(address):
                return error_response(403, ADDRESS_NOT_ALLOWED, ErrorCode.ADDRESS_NOT_ALLOWED)
        return None

    async def _check_key(
        self, services: Services, scope: Scope, path: str
    ) -> tuple[Principal | None, RateLimitResult]:
        """The caller, None without a valid key, and the limit that this request counts against:
        a valid key counts for itself, whatever else comes from its address."""
        scheme, _, secret = (header_value(scope, b"authorization") or "").partition(" ")
        secret = secret.strip() if scheme.lower() == "bearer" else ""
        caller = authentication.get_cached_principal(services, secret) if secret else None
        if caller is None:
            name = f"address {_rate_limit_address(services, scope)}"
            if secret:
                exhausted = self.limits.is_exhausted(name, UNAUTHENTICATED_PER_MINUTE)
                caller = await self._look_up(services, secret, exhausted)
            if caller is None:
                return None, self.limits.spend(name, UNAUTHENTICATED_PER_MINUTE)
        key_rate = caller.key.requests_per_minute if caller.key else None
        per_minute = key_rate or caller.client.requests_per_minute
        weight = request_weight(scope["method"], path)
        return caller, self.limits.spend(f"key {caller.key_id}", per_minute, weight)

    async def _look_up(self, services: Services, secret: str, exhausted: bool) -> Principal | None:
        """The principal of a key that was not looked up lately. Unknown keys are looked up one at
        a time, those of addresses that have `exhausted` their tries apart from the others'."""
        if authentication.was_authenticated(services, secret):
            return await anyio.to_thread.run_sync(_authenticate, services, secret)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.lookups[exhausted], _authenticate, services, secret)


def _authenticate(services: Services, secret: str) -> Principal | None:
    try:
        return authentication.authenticate(services, secret)
    except Unauthorized:
        return None


def _nul_refused(scope: Scope) -> Response:
    """PostgreSQL cannot store NUL in a text."""
    names = list_nul_parameters(scope["query_string"])
    sentences = [f"{name} must not contain NUL" for name in names]
    message = "; ".join(sentences) or "The path must not contain NUL"
    return error_response(400, message, ErrorCode.PARAMETER_INVALID, fields=names)


def _rate_limit_address(services: Services, scope: Scope) -> str:
    """The key of the rate limit for requests without a valid API key."""
    return rate_limit_address(client_address(scope, services.policy.ingress) or UNKNOWN_ADDRESS)


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _require_scope(scope: KeyScope) -> Callable[[Request], Coroutine[Any, Any, Principal]]:
    async def get_principal(request: Request) -> Principal:
        principal: Principal = request.state.caller
        principal.require_scope(scope)
        return principal

    return get_principal


ServicesDep = Annotated[Services, Depends(_services)]
Reader = Annotated[Principal, Depends(_require_scope(KeyScope.READ))]
Writer = Annotated[Principal, Depends(_require_scope(KeyScope.WRITE))]
Refunder = Annotated[Principal, Depends(_require_scope(KeyScope.REFUND))]
