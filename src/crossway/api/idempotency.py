"""The header `Idempotency-Key`: one POST, sent again, gets its first answer again."""

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.auth import services_of
from crossway.api.errors import plain, unhandled
from crossway.api.headers import header
from crossway.domain.clients import Caller
from crossway.domain.clients import Scope as KeyScope
from crossway.domain.errors import Conflict, KeyReused
from crossway.ports.records import Remembered
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.developers import replays
from crossway.usecases.developers.replays import Opened

LONGEST_KEY = 255
T = TypeVar("T")


class Once:
    """Replays the first answer of a client's idempotency key; stands behind `Gate` and `Bodies`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = header(scope, b"idempotency-key") if scope.get("method") == "POST" else None
        services, caller = services_of(scope), scope.get("state", {}).get("caller")
        if given is None or services is None or caller is None or not _may(caller, scope):
            await self.app(scope, receive, send)
            return
        key = given.decode("latin-1")
        if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
            text = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters"
            await plain(400, text)(scope, receive, send)
            return
        try:
            opened = await anyio.to_thread.run_sync(
                replays.begin, services, caller.client.id, key, _fingerprint(scope)
            )
        except KeyReused as refusal:
            await plain(422, str(refusal))(scope, receive, send)
        except Conflict as refusal:
            await plain(409, str(refusal), {"retry-after": "1"})(scope, receive, send)
        else:
            if isinstance(opened, Remembered):
                await _replayed(opened)(scope, receive, send)
            else:
                await self._first(services, opened, scope, receive, send)

    async def _first(
        self, services: Services, opened: Opened, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Do the work, keep its answer, and only then send it."""
        scope["state"]["opened"] = opened
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        try:
            await self.app(scope, receive, hold)
        except Exception as error:
            held.clear()
            await unhandled(scope, error)(scope, receive, hold)
        scope["state"]["answered"] = True
        status = held[0]["status"]
        body = b"".join(message.get("body", b"") for message in held[1:])
        if scope["state"].get("kept") != (status, body):
            await anyio.to_thread.run_sync(replays.keep_after, services, opened, status, body)
        for message in held:
            await send(message)


def _may(caller: Caller, scope: Scope) -> bool:
    """Whether the key has the scope that this POST needs. One that lacks it is refused by the
    endpoint: it neither reads the answer of another key nor takes a name from it."""
    refunds = scope["path"].endswith("/refund")
    return (KeyScope.REFUND if refunds else KeyScope.WRITE) in caller.scopes


def kept_with(request: Request, answer: Callable[[T], Response]) -> Callable[[Unit, T], None]:
    """A step for the transaction that makes something: its answer is stored with it or not at all.

    A process that dies before the answer is sent has then made it once, and replays say so. Work
    that goes on in a further transaction does the step there again, and keeps its newer answer,
    unless another one was sent by then.
    """
    state, services = request.scope["state"], request.app.state.services
    opened: Opened | None = state.get("opened")

    def keep(unit: Unit, made: T) -> None:
        if opened is None or "answered" in state:
            return
        response = answer(made)
        said = response.status_code, bytes(response.body)
        replays.keep(services, unit, opened, *said)
        state["kept"] = said

    return keep


def _replayed(known: Remembered) -> Response:
    headers = {"idempotent-replayed": "true"}
    return Response(known.body, known.status or 200, headers, "application/json")


def _fingerprint(scope: Scope) -> str:
    """What makes two requests the same: path, query and body, byte for byte."""
    digest = sha256(scope["path"].encode() + b"?" + scope["query_string"] + b"\n")
    digest.update(scope["state"].get("body", b""))
    return digest.hexdigest()
