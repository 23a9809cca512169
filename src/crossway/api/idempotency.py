"""The header `Idempotency-Key`: a repeated POST gets the stored response of the first one."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Final, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.errors import error_response, unhandled_error
from crossway.api.raw_headers import header_value
from crossway.domain.clients import Scope as KeyScope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Conflict, IdempotencyConflict, StorageUnavailable
from crossway.ports.records import IdempotencySlot, KeyedRequest
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import idempotency
from crossway.usecases.developers.idempotency import OpenSlot

LOG = logging.getLogger("crossway.api")
MAX_KEY_LENGTH = 255
# Endpoints that store the key in the transaction of their work, instead of one before and after
# it. They know no query parameters: a request with some is refused as anywhere else.
KEPT_BY_ENDPOINT: Final = frozenset({"/v1/intents"})
RENEWAL_SECONDS = idempotency.LEASE_SECONDS / 4
T = TypeVar("T")


class SlotRenewer:
    """Renews the slots of this process's requests that take long, in a thread of its own: neither
    a busy event loop nor busy worker threads delay it. The thread runs while there are requests."""

    def __init__(self, seconds: float = RENEWAL_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._started: dict[OpenSlot, float] = {}
        self._is_running = False

    @contextmanager
    def holding(self, services: Services, slot: OpenSlot) -> Iterator[None]:
        """Hold a slot for the length of a `with` block. Raises `RuntimeError` where the process may
        have no more threads; the next request tries it again."""
        with self._lock:
            if not self._is_running:
                threading.Thread(target=self._run, args=(services,), daemon=True).start()
                self._is_running = True
            self._started[slot] = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                del self._started[slot]

    def _run(self, services: Services) -> None:
        while True:
            time.sleep(self._seconds)
            # Most requests are done before their slot needs renewing.
            before = time.monotonic() - self._seconds / 2
            with self._lock:
                if not self._started:
                    self._is_running = False
                    return
                held = [slot for slot, started in self._started.items() if started < before]
            try:
                if held:
                    idempotency.renew_slots(services, held)
            except Exception:
                # The next renewal comes long before the leases end.
                LOG.exception("idempotency keys were not renewed")


class IdempotencyMiddleware:
    """Responds to a repeated POST with the response stored for its idempotency key.

    It runs inside `AuthMiddleware` and `BodyLimitMiddleware`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._renewer = SlotRenewer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_post = scope.get("method") == "POST"
        key = header_value(scope, b"idempotency-key") if is_post else None
        caller = scope.get("state", {}).get("caller")
        needed = KeyScope.REFUND if scope.get("path", "").endswith("/refund") else KeyScope.WRITE
        # Without the scope the endpoint refuses the request; no stored response may be read.
        if key is None or caller is None or needed not in caller.scopes:
            await self.app(scope, receive, send)
            return
        services: Services = scope["app"].state.services
        if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isprintable():
            text = f"Idempotency-Key must be 1 to {MAX_KEY_LENGTH} printable characters"
            code, name = ErrorCode.PARAMETER_INVALID, ["Idempotency-Key"]
            await error_response(400, text, code, fields=name)(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if path in KEPT_BY_ENDPOINT and not scope["query_string"]:
            scope["state"]["keyed"] = KeyedRequest(caller.owner, key, _fingerprint(scope))
            await self.app(scope, receive, send)
            return
        try:
            slot = await anyio.to_thread.run_sync(
                idempotency.open_slot, services, caller.owner, key, _fingerprint(scope)
            )
        except IdempotencyConflict as error:
            await error_response(422, str(error), error.code)(scope, receive, send)
        except StorageUnavailable as error:
            await unhandled_error(scope, error)(scope, receive, send)
        except Conflict as error:
            await conflict_response(error)(scope, receive, send)
        else:
            if isinstance(slot, IdempotencySlot):
                await replay(slot)(scope, receive, send)
            else:
                with self._renewer.holding(services, slot):
                    await self._execute(services, slot, scope, receive, send)

    async def _execute(
        self, services: Services, slot: OpenSlot, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Run the endpoint, store its response, and only then send it."""
        scope["state"]["idempotency_slot"] = slot
        messages: list[Message] = []

        async def buffer(message: Message) -> None:
            messages.append(message)

        try:
            await self.app(scope, receive, buffer)
        except Exception as error:
            messages.clear()
            await unhandled_error(scope, error)(scope, receive, buffer)
        scope["state"]["responded"] = True
        status = messages[0]["status"]
        body = b"".join(message.get("body", b"") for message in messages[1:])
        if scope["state"].get("stored_response") != (status, body):
            try:
                await anyio.to_thread.run_sync(
                    idempotency.save_final_response, services, slot, status, body
                )
            except StorageUnavailable:
                pass  # What was done is done: its response is sent, stored or not.
            except Conflict as error:
                await conflict_response(error)(scope, receive, send)
                return
        for message in messages:
            await send(message)


def store_response(
    request: Request, render: Callable[[T], Response]
) -> Callable[[UnitOfWork, T], None]:
    """A hook that stores the response in the transaction that creates the resource.

    When the process dies before it responds, a repeated request finds the resource's response.
    The hook may run again in a later transaction: the newer response replaces the older one,
    until a response was sent.
    """
    state, services = request.scope["state"], request.app.state.services
    slot: OpenSlot | None = state.get("idempotency_slot")

    def store(unit: UnitOfWork, created: T) -> None:
        if slot is None or "responded" in state:
            return
        response = render(created)
        stored = response.status_code, bytes(response.body)
        idempotency.save_response(services, unit, slot, *stored)
        state["stored_response"] = stored

    return store


def get_reference(request: Request) -> str:
    """What is equal for all requests started under one idempotency key; empty without a key."""
    slot: OpenSlot | None = request.scope["state"].get("idempotency_slot")
    return "" if slot is None else slot.reference


def is_repeat(request: Request) -> bool:
    """Whether an earlier request under the same idempotency key has left no response."""
    slot: OpenSlot | None = request.scope["state"].get("idempotency_slot")
    return slot is not None and slot.is_repeat


def keyed_request(request: Request) -> KeyedRequest | None:
    """The request as one with an idempotency key, for endpoints that keep keys themselves."""
    keyed: KeyedRequest | None = request.scope["state"].get("keyed")
    return keyed


def replay(slot: IdempotencySlot) -> Response:
    """The response to a repeat."""
    replayed = {"idempotent-replayed": "true"}
    return Response(slot.body, slot.status or 200, replayed, "application/json")


def conflict_response(error: Conflict) -> Response:
    """The response to a request whose key another one holds, or has taken over: a repeat gets the
    response of that one."""
    retry = {"retry-after": str(idempotency.RETRY_SECONDS)}
    return error_response(409, str(error), error.code, retry)


def _fingerprint(scope: Scope) -> str:
    """The hash of path, query and body; equal for equal requests."""
    digest = sha256(scope["path"].encode() + b"?" + scope["query_string"] + b"\n")
    digest.update(scope["state"].get("body", b""))
    return digest.hexdigest()
