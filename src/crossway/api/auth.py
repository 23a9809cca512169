"""Authentication of requests under `/v1`, and the FastAPI dependencies of endpoints."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.client_ip import UNKNOWN_ADDRESS, client_address, header, rate_limit_address
from crossway.api.errors import error_response
from crossway.api.rate_limits import RateLimiter, RateLimitResult
from crossway.domain.clients import Principal
from crossway.domain.clients import Scope as KeyScope
from crossway.domain.errors import Unauthorized
from crossway.ports.services import Services
from crossway.usecases.developers import authentication

PROTECTED_PREFIX = "/v1/"
PROVIDER_WEBHOOK_PREFIX = "/v1/ramp/webhooks/"
TOO_MANY_REQUESTS = "Too Many Requests"
ADDRESS_NOT_ALLOWED = "This key may not be used from this address"
_SCHEME = b"bearer "


def services_of(scope: Scope) -> Services | None:
    """The services behind the application; None until they are started."""
    return getattr(scope["app"].state, "services", None)


class AuthMiddleware:
    """Requires a valid API key under `/v1/` and applies rate limits.

    Webhooks of ramp providers need no key; their use case checks the provider's signature.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.limits = RateLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _path(scope).startswith(PROTECTED_PREFIX):
            await self.app(scope, receive, send)
            return
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            # PostgreSQL cannot store NUL in a text.
            await error_response(400, "The address of this request contains a NUL")(
                scope, receive, send
            )
            return
        services = services_of(scope)
        if services is None:
            await error_response(503, "Starting. Please try again in a moment.")(
                scope, receive, send
            )
            return
        caller, limit = None, None
        signed = _path(scope).startswith(PROVIDER_WEBHOOK_PREFIX)
        if signed:
            limit = self.limits.spend_provider_webhook(_rate_limit_address(services, scope))
        else:
            caller, limit = await self._check_key(services, scope)
        if limit is not None:
            scope["state"]["headers"] += limit.headers()
        if limit is not None and not limit.granted:
            await error_response(429, TOO_MANY_REQUESTS)(scope, receive, send)
        elif caller is None and not signed:
            challenge = {"www-authenticate": "Bearer"}
            await error_response(401, "Unauthorized", challenge)(scope, receive, send)
        else:
            scope["state"]["caller"] = caller
            if caller is not None and not _is_address_allowed(services, caller, scope):
                await error_response(403, ADDRESS_NOT_ALLOWED)(scope, receive, send)
                return
            await self.app(scope, receive, send)

    async def _check_key(
        self, services: Services, scope: Scope
    ) -> tuple[Principal | None, RateLimitResult | None]:
        bearer = _bearer_token(scope)
        caller = authentication.get_cached_principal(services, bearer) if bearer else None
        if caller is None:
            address = _rate_limit_address(services, scope)
            if not (bearer and authentication.was_authenticated(services, bearer)):
                limit = self.limits.check_address(address)
                if not limit.granted:
                    return None, limit
            caller = await _authenticate(services, bearer) if bearer else None
            if caller is None:
                return None, self.limits.spend_address(address)
        key_rate = caller.key.requests_per_minute if caller.key else None
        per_minute = key_rate or caller.client.requests_per_minute
        return caller, self.limits.spend_key(str(caller.key_id), per_minute)


async def _authenticate(services: Services, bearer: str) -> Principal | None:
    try:
        return await anyio.to_thread.run_sync(authentication.authenticate, services, bearer)
    except Unauthorized:
        return None


def _is_address_allowed(services: Services, caller: Principal, scope: Scope) -> bool:
    """Whether the key may be used from the client's address."""
    key = caller.key
    if key is None or not key.addresses:
        return True
    return key.allows_address(client_address(scope, services.policy.ingress))


def _rate_limit_address(services: Services, scope: Scope) -> str:
    """The key of the rate limit for requests without a valid API key."""
    return rate_limit_address(client_address(scope, services.policy.ingress) or UNKNOWN_ADDRESS)


def _path(scope: Scope) -> str:
    """The path below the mount of the API."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _bearer_token(scope: Scope) -> str | None:
    value = header(scope, b"authorization")
    if value is None or value[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return value[len(_SCHEME) :].strip().decode("latin-1") or None


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
