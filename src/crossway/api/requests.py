"""Around every request: its id, its line in the log, its body limit, its last resort."""

import re
import secrets
from types import MappingProxyType
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.answering import MAX_KEPT_BYTES, Answer, tell
from crossway.api.errors import plain, unhandled
from crossway.api.headers import header
from crossway.ports import tracing

MAX_BODY_BYTES = 64 * 1024
# Where a longer body is expected: a document is a file as it is.
LONG_BODIES: Final = MappingProxyType({"/v1/ramp/kyc/documents": 5 * 1024 * 1024})
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")


class Requests:
    """Gives each request its id, answers what nobody else could, and tells what became of it: in
    the log, in the metrics and in the request log.

    Inner parts add header fields to the answer through `scope["state"]["headers"]`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = header(scope, b"x-request-id")
        request_id = given if given and _ID.match(given) else secrets.token_hex(12).encode()
        extra = [(b"x-request-id", request_id)]
        scope.pop("route", None)  # that of the mount
        state = scope["state"] = {"request_id": request_id.decode(), "headers": extra}
        tracing.begin(request_id=state["request_id"])
        answer = Answer()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                message["headers"] = [*message.get("headers", ()), *extra]
            elif answer.is_kept(scope) and len(answer.body) < MAX_KEPT_BYTES:
                answer.body += message.get("body", b"")
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            last_resort = unhandled(scope, error)
            if not answer.status:
                await last_resort(scope, receive, send_with_headers)
        finally:
            tell(scope, answer)


class Bodies:
    """Reads a whole body before the work begins and refuses one that is too long."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most = LONG_BODIES.get(path, MAX_BODY_BYTES)
        body = await _read(receive, most)
        if body is None:
            text = f"The request body is longer than {_size(most)}"
            refusal = plain(413, text, {"connection": "close"})
            await refusal(scope, receive, send)
            return
        scope["state"]["body"] = body
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)


def _size(length: int) -> str:
    """A limit for people."""
    mebibytes, rest = divmod(length, 1024 * 1024)
    return f"{length // 1024} KiB" if rest else f"{mebibytes} MiB"


async def _read(receive: Receive, most: int) -> bytes | None:
    """The whole body, or None as soon as it is too long."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(chunks)
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)
