"""Ten webhook receivers in a process of their own, cheap enough not to distort the measurement.

python -m benchmarks.receivers writes its ports, and to each line it reads a report: when each
request came (time.time()), by port. A port that is written to it hangs from then on; `again`
forgets what came and lets all answer.
"""

import asyncio
import json
import subprocess
import sys
import time
from types import TracebackType
from typing import Any

PORTS = 10
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Receivers:
    """A handle on the receivers' process."""

    def __enter__(self) -> "Receivers":
        command = [sys.executable, "-m", "benchmarks.receivers"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ports: list[int] = self._read()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def came(self, said: str = "") -> dict[int, list[float]]:
        """When requests came, by port; `said` is done before."""
        assert self._process.stdin is not None
        self._process.stdin.write(said + "\n")
        self._process.stdin.flush()
        return {int(port): times for port, times in self._read().items()}

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


async def _serve() -> None:
    came: dict[int, list[float]] = {}
    hanging: set[int] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = writer.get_extra_info("sockname")[1]
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
                await reader.readexactly(int(length))
                came[port].append(time.time())
                if port in hanging:
                    await asyncio.sleep(3600)
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    for _ in range(PORTS):
        server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=256)
        came[server.sockets[0].getsockname()[1]] = []
    print(json.dumps(list(came)), flush=True)
    loop = asyncio.get_running_loop()
    while said := await loop.run_in_executor(None, sys.stdin.readline):
        if said.strip() == "again":
            hanging.clear()
            for times in came.values():
                times.clear()
        elif said.strip():
            hanging.add(int(said))
        print(json.dumps(came), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve())
