"""A stand-in for a node of a busy EVM chain, whose transfers are made up. As a program it runs one
with so many transfers a block until it is killed, and prints its URL."""

import json
import random
import sys
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Final

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER
from crossway.adapters.chains.words import WORD
from crossway.catalogue import load_catalogue

CHAIN: Final = "BASE_MAINNET"
_HEIGHT, _HASH = b"<height>", b"<hash>"
_LENS: Final = load_artifact("BalanceLens").bytecode


TOKEN: Final = next(
    token.address for token in load_catalogue().by_chain[CHAIN] if token.symbol == "USDC"
)


def watched_address(number: int) -> str:
    """The address of this number among those that are paid, in lower case."""
    return f"0x{10**15 + number:040x}"


class BusyNode:
    """So many transfers of a token in each block; of each `every` blocks the first has one to a
    watched address. Refuses ranges of more blocks than `most_blocks`, and answers only while
    `answers` is set; `ranges` are the numbers of blocks that it was asked for transfers of, which
    repeat after so many `patterns` of recipients."""

    def __init__(
        self, per_block: int, every: int = 50, watched: int = 1_000_000, patterns: int = 1_000
    ) -> None:
        self.height, self.most_blocks = 1_000_000, 10**9
        self.requests, self.ranges = 0, list[int]()
        self.answers = Event()
        self.answers.set()
        self.methods: Counter[str] = Counter()
        self._every, self._per_block = every, per_block
        self._made_up = random.Random(7)
        self._watched = watched
        self._blocks = [self._pattern(per_block) for _ in range(patterns)]
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: bytes) -> bytes:
        asked = json.loads(body)
        self.requests += 1
        several = asked if isinstance(asked, list) else [asked]
        self.methods.update(one["method"] for one in several)
        answers = [self._one(one) for one in several]
        return b"[" + b",".join(answers) + b"]" if isinstance(asked, list) else answers[0]

    def _one(self, asked: dict[str, Any]) -> bytes:
        method, params = asked["method"], asked["params"]
        if method == "eth_getLogs" and params[0]["topics"][0] == TRANSFER:
            first, last = (int(params[0][end], 16) for end in ("fromBlock", "toBlock"))
            self.answers.wait()
            self.ranges.append(last - first + 1)
            if self.ranges[-1] > self.most_blocks:
                error = {"code": -32005, "message": "query returned more than 10000 results"}
                return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}).encode()
            logs = b",".join(self._logs(height) for height in range(first, last + 1))
            return b'{"jsonrpc":"2.0","id":%d,"result":[%s]}' % (asked["id"], logs)
        result = self._result(method, params)
        return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()

    def _result(self, method: str, params: list[Any]) -> Any:
        match method:
            case "eth_chainId":
                return hex(int(load_catalogue().chains[CHAIN].chain_id))
            case "eth_getBlockByNumber":
                return self._block(params[0])
            case "eth_call":
                # Nobody has a balance of those that the lens was asked for.
                words = (len(params[0]["data"]) // 2 - 1 - len(_LENS)) // WORD
                return "0x" + (words - 2) * WORD * "00"
            case "served":
                return hex(sum(self.ranges) * self._per_block)
            case _:
                return []

    def _block(self, at: str) -> dict[str, Any]:
        named = {"latest": self.height, "finalized": self.height - 64}
        height = named[at] if at in named else int(at, 16)
        return {
            "number": hex(height),
            "hash": block_hash(height),
            "parentHash": block_hash(height - 1),
            "timestamp": hex(1_700_000_000 + 2 * height),
            "transactions": [],
        }

    def _logs(self, height: int) -> bytes:
        pattern = self._blocks[height % len(self._blocks)]
        if height % self._every == 0:
            ours = watched_address(height // self._every % self._watched)[2:].encode()
            start = pattern.rindex(b'"],"data"') - len(ours)
            pattern = pattern[:start] + ours + pattern[start + len(ours) :]
        pattern = pattern.replace(_HEIGHT, hex(height).encode())
        return pattern.replace(_HASH, block_hash(height).encode())

    def _pattern(self, count: int) -> bytes:
        def digits(size: int) -> str:
            return f"{self._made_up.getrandbits(4 * size):0{size}x}"

        logs = [
            {
                "address": TOKEN.lower(),
                "topics": [TRANSFER, f"0x{24 * '0'}{digits(40)}", f"0x{24 * '0'}{digits(40)}"],
                "data": f"0x{digits(8):0>64}",
                "blockNumber": _HEIGHT.decode(),
                "transactionHash": f"0x{digits(64)}",
                "transactionIndex": hex(number),
                "blockHash": _HASH.decode(),
                "logIndex": hex(number),
                "removed": False,
            }
            for number in range(count)
        ]
        return json.dumps(logs, separators=(",", ":")).encode()[1:-1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        node = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self) -> None:
                content = node.answer(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                # Whoever waited too long is gone.
                with suppress(ConnectionError):
                    self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        return Handler


def block_hash(height: int) -> str:
    return "0x" + keccak256(str(height).encode()).hex()


if __name__ == "__main__":
    made = BusyNode(int(sys.argv[1]))
    print(made.url, flush=True)
    made._thread.join()
