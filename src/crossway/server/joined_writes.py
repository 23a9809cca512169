"""The head of a response is sent together with its body: one system call and packet, not two."""

import asyncio
from typing import Any, Final

_HEAD: Final = b"HTTP/1.1 "


class JoinedWrites:
    """A transport that holds the head of a response until what follows it is written, or until the
    event loop has nothing else to do at once."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """As a transport's."""
        if self._head:
            data, self._head = self._head + data, b""
        elif data.startswith(_HEAD):
            self._head = data
            self._loop.call_soon(self._send_head)
            return
        self._transport.write(data)

    def close(self) -> None:
        """As a transport's."""
        self._send_head()
        self._transport.close()

    def _send_head(self) -> None:
        head, self._head = self._head, b""
        if head:
            self._transport.write(head)
