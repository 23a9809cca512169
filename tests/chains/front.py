"""A node's front that misbehaves: it goes away, hurries nobody, lags, lies or talks nonsense."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx

from crossway.adapters.chains.evm.rpc_schemas import TRANSFER
from tests.chains.anvil import Anvil

HONEST = "honest"
_JSON = {"Content-Type": "application/json"}
GONE, BUSY, BROKEN, NONSENSE = "gone", "busy", "broken", "nonsense"
LAGGING, FORGING, WRONG_CHAIN, NARROW = "lagging", "forging", "wrong chain", "narrow"
GREEDY = "greedy"


class Front:
    """Stands before a chain; `mood` is how it behaves now."""

    def __init__(self, anvil: Anvil) -> None:
        self.anvil, self.mood = anvil, HONEST
        self.frozen_at = 0
        self.forged: list[dict[str, Any]] = []
        self.requests = 0
        self.methods: Counter[str] = Counter()
        self._client = httpx.Client(timeout=30, trust_env=False)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/a-secret-key"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._client.close()

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        several = asked if isinstance(asked, list) else [asked]
        self.requests += 1
        self.methods.update(one["method"] for one in several)
        if self.mood == BUSY:
            return 429, {"Retry-After": "0"}, b"slow down"
        if self.mood == BROKEN:
            return 502, {}, b"<html>bad gateway</html>"
        if self.mood == NONSENSE:
            return 200, {}, b"<html>Welcome!</html>"
        if self.mood == HONEST:
            return 200, {}, self._client.post(self.anvil.url, content=body, headers=_JSON).content
        answers = [self._one(one) for one in several]
        told = answers if isinstance(asked, list) else answers[0]
        return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method, params = asked["method"], asked["params"]
        if self.mood == WRONG_CHAIN and method == "eth_chainId":
            return asked_for(asked, "0x1")
        if self.mood == LAGGING and method == "eth_getBlockByNumber" and params[0] == "latest":
            asked = {**asked, "params": [hex(self.frozen_at), *params[1:]]}
        if self.mood == GREEDY and method == "eth_maxPriorityFeePerGas":
            return asked_for(asked, hex(10**16))
        if self.mood == NARROW and method == "eth_getLogs" and self._too_much(params[0]):
            error = {"code": -32005, "message": "query returned more than 10000 results"}
            return {"jsonrpc": "2.0", "id": asked["id"], "error": error}
        answer = self._client.post(self.anvil.url, json=asked).json()
        if self.mood == FORGING and method == "eth_getLogs" and params[0]["topics"][0] == TRANSFER:
            span = params[0]
            low, high = int(span["fromBlock"], 16), int(span["toBlock"], 16)
            answer["result"] += [
                one for one in self.forged if low <= int(one["blockNumber"], 16) <= high
            ]
        return dict(answer)

    def _too_much(self, span: dict[str, Any]) -> bool:
        width = int(span["toBlock"], 16) - int(span["fromBlock"], 16) + 1
        named = span["topics"][2] if len(span["topics"]) > 2 else []
        return width > 3 or len(named) > 2

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if front.mood == GONE:
                    self.close_connection = True
                    return
                try:
                    status, headers, content = front.answer(body)
                except ConnectionAbortedError:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        return Handler


def asked_for(asked: dict[str, Any], result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


@contextmanager
def front_of(anvil: Anvil) -> Iterator[Front]:
    made = Front(anvil)
    try:
        yield made
    finally:
        made.close()
