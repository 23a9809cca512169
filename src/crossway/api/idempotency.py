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
from crossway.api.requests import header
from crossway.domain.errors import Conflict, KeyReused
from crossway.ports.services import Services
from crossway.ports.store import Remembered, Unit
from crossway.usecases import replays

LONGEST_KEY = 255
T = TypeVar("T")


class Once:
    """Replays the first answer of a client's idempotency key; stands behind `Gate` and `Bodies`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = header(scope, b"idempotency-key") if scope.get("method") == "POST" else None
        services, caller = services_of(scope), scope.get("state", {}).get("caller")
        if given is None or services is None or caller is None:
            await self.app(scope, receive, send)
            return
        key = given.decode("latin-1")
        if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
            text = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters"
            await plain(400, text)(scope, receive, send)
            return
        opened = await _open(services, caller.client.id, key, _fingerprint(scope))
        if opened is not None:
            await opened(scope, receive, send)
            return
        scope["state"]["idempotency_key"] = key
        await self._first(services, caller.client.id, key, scope, receive, send)

    async def _first(
        self,
        services: Services,
        client_id: str,
        key: str,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Do the work, keep its answer, and only then send it."""
        held: list[Message] = []

        async def hold(message: Message) -> None:
            held.append(message)

        try:
            await self.app(scope, receive, hold)
        except Exception as error:
            held.clear()
            await unhandled(scope, error)(scope, receive, hold)
        status = held[0]["status"]
        body = b"".join(message.get("body", b"") for message in held[1:])
        await anyio.to_thread.run_sync(replays.answered, services, client_id, key, status, body)
        for message in held:
            await send(message)


def kept_with(request: Request, answer: Callable[[T], Response]) -> Callable[[Unit, T], None]:
    """A step for the transaction that makes something: its answer is stored with it or not at all.

    A process that dies before the answer is sent has then made it once, and replays say so.
    """
    key = request.scope["state"].get("idempotency_key")
    client_id = request.scope["state"]["caller"].client.id

    def keep(unit: Unit, made: T) -> None:
        if key is not None:
            response = answer(made)
            unit.access.answer(client_id, key, response.status_code, bytes(response.body))

    return keep


async def _open(services: Services, client_id: str, key: str, body_hash: str) -> Response | None:
    """The answer to give at once, or None when the work is to be done."""
    try:
        known = await anyio.to_thread.run_sync(replays.begin, services, client_id, key, body_hash)
    except KeyReused as refusal:
        return plain(422, str(refusal))
    except Conflict as refusal:
        return plain(409, str(refusal), {"retry-after": "1"})
    return None if known is None else _replayed(known)


def _replayed(known: Remembered) -> Response:
    headers = {"idempotent-replayed": "true"}
    return Response(known.body, known.status or 200, headers, "application/json")


def _fingerprint(scope: Scope) -> str:
    """What makes two requests the same: path, query and body, byte for byte."""
    digest = sha256(scope["path"].encode() + b"?" + scope["query_string"] + b"\n")
    digest.update(scope["state"].get("body", b""))
    return digest.hexdigest()
