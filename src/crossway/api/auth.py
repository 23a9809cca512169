"""Who asks: the gate in front of `/v1`, and what a handler is given of its caller."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Depends
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.errors import plain
from crossway.api.headers import header
from crossway.api.limits import Allowance, Limits
from crossway.api.origins import UNKNOWN, counted_by, origin_of
from crossway.domain.clients import Caller
from crossway.domain.clients import Scope as KeyScope
from crossway.domain.errors import Unauthorized
from crossway.ports.services import Services
from crossway.usecases.developers import access

GUARDED = "/v1/"
SIGNED = "/v1/ramp/webhooks/"
TOO_MANY = "Too Many Requests"
WRONG_PLACE = "This key may not be used from this address"
_SCHEME = b"bearer "


def services_of(scope: Scope) -> Services | None:
    """The services behind the application, None until they are started."""
    return getattr(scope["app"].state, "services", None)


class Gate:
    """Lets a request under `/v1/` pass only with a good key and within its rate.

    What ramp providers report has their signature instead, which its use case checks.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.limits = Limits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _path(scope).startswith(GUARDED):
            await self.app(scope, receive, send)
            return
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            # No name, address or amount has it, and PostgreSQL takes it for a defect of ours.
            await plain(400, "The address of this request contains a NUL")(scope, receive, send)
            return
        services = services_of(scope)
        if services is None:
            await plain(503, "Starting. Please try again in a moment.")(scope, receive, send)
            return
        caller, allowance = None, None
        signed = _path(scope).startswith(SIGNED)
        if signed:
            allowance = self.limits.spend_report(_origin(services, scope))
        else:
            caller, allowance = await self._admit(services, scope)
        if allowance is not None:
            scope["state"]["headers"] += allowance.headers()
        if allowance is not None and not allowance.granted:
            await plain(429, TOO_MANY)(scope, receive, send)
        elif caller is None and not signed:
            challenge = {"www-authenticate": "Bearer"}
            await plain(401, "Unauthorized", challenge)(scope, receive, send)
        else:
            scope["state"]["caller"] = caller
            if caller is not None and not _may_come(services, caller, scope):
                await plain(403, WRONG_PLACE)(scope, receive, send)
                return
            await self.app(scope, receive, send)

    async def _admit(
        self, services: Services, scope: Scope
    ) -> tuple[Caller | None, Allowance | None]:
        bearer = _bearer(scope)
        caller = access.recall(services, bearer) if bearer else None
        if caller is None:
            address = _origin(services, scope)
            if not (bearer and access.was_seen(services, bearer)):
                allowance = self.limits.check_address(address)
                if not allowance.granted:
                    return None, allowance
            caller = await _look_up(services, bearer) if bearer else None
            if caller is None:
                return None, self.limits.spend_address(address)
        own = caller.key.requests_per_minute if caller.key else None
        per_minute = own or caller.client.requests_per_minute
        return caller, self.limits.spend_key(str(caller.key_id), per_minute)


async def _look_up(services: Services, bearer: str) -> Caller | None:
    try:
        return await anyio.to_thread.run_sync(access.authenticate, services, bearer)
    except Unauthorized:
        return None


def _may_come(services: Services, caller: Caller, scope: Scope) -> bool:
    """Whether the key may be used from where this request comes."""
    key = caller.key
    if key is None or not key.addresses:
        return True
    return key.may_come_from(origin_of(scope, services.doors))


def _origin(services: Services, scope: Scope) -> str:
    """What requests without a good key are counted by."""
    return counted_by(origin_of(scope, services.doors) or UNKNOWN)


def _path(scope: Scope) -> str:
    """The path below where the API is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _bearer(scope: Scope) -> str | None:
    value = header(scope, b"authorization")
    if value is None or value[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return value[len(_SCHEME) :].strip().decode("latin-1") or None


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _with(scope: KeyScope) -> Callable[[Request], Coroutine[Any, Any, Caller]]:
    async def caller(request: Request) -> Caller:
        found: Caller = request.state.caller
        found.needs(scope)
        return found

    return caller


Parts = Annotated[Services, Depends(_services)]
Reader = Annotated[Caller, Depends(_with(KeyScope.READ))]
Writer = Annotated[Caller, Depends(_with(KeyScope.WRITE))]
Refunder = Annotated[Caller, Depends(_with(KeyScope.REFUND))]
