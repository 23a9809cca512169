"""Large bodies are sent in pieces, so that a client that does not read holds one piece here."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PIECE_BYTES: Final = 64 * 1024


class BoundedWrites:
    """Splits each body; the server waits between two pieces until the client has read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= PIECE_BYTES:
                await send(message)
                return
            for start in range(0, len(body), PIECE_BYTES):
                piece = body[start : start + PIECE_BYTES]
                more = start + PIECE_BYTES < len(body) or message.get("more_body", False)
                await send({"type": message["type"], "body": piece, "more_body": more})

        await self._app(scope, receive, send_pieces)
