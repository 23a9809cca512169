"""An API of rhino.fi for tests, on this machine: quotes, commits and executes as the real one does,
and fails or lies where a test tells it to."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import sleep
from typing import Any

from crossway.adapters.bridges.rhinofi.networks import bridge_contracts
from tests.bridges.payments import CATALOGUE

KEY = "a-key-of-rhinofi-for-tests"


def listed(chain: str) -> dict[str, Any]:
    """The service's entry of a chain with all its tokens, as our data file has its contract."""
    tokens = {
        token.symbol: {"address": token.address, "decimals": token.decimals}
        for token in CATALOGUE.by_chain[chain]
    }
    return {
        "type": "EVM",
        "networkId": CATALOGUE.chains[chain].chain_id,
        "contractAddress": bridge_contracts()[chain],
        "status": "enabled",
        "tokens": tokens,
    }


@dataclass
class Bridged:
    """One quote: what it says, whether it was committed, and what became of it."""

    quote: dict[str, Any]
    committed: bool = False
    state: str = "PENDING"
    payout_tx: str = ""
    refund_tx: str = ""


@dataclass
class RhinofiService:
    """What a test sets and reads.

    `chains` is what /bridge/configs returns. A transfer costs `share` of what arrives, and `gas`
    whole tokens; a quote is good for `lifetime_seconds`. Where tokens are exchanged, each that
    arrives costs `rate` of the other; other pairs than dollars are refused. `lie` replaces fields
    of a quote. `refusal` is returned to every signed-in request, `commit_refusal` to commits, as
    the API writes them: status and body. `silent` drops connections, each answer takes
    `delay_seconds`, `status` and `body` answer everything.
    `tokens` are those that are valid; `rotate` makes each sign-in end the ones before. `requests`
    and `signed_in` are what came.
    """

    chains: dict[str, Any] = field(default_factory=dict)
    share: Decimal = Decimal("0.0008")
    gas: Decimal = Decimal("0.02")
    rate: Decimal = Decimal(1)
    lifetime_seconds: float = 300.0
    duration_ms: int = 15_000
    lie: dict[str, Any] = field(default_factory=dict)
    refusal: tuple[int, Any] | None = None
    commit_refusal: tuple[int, Any] | None = None
    silent: bool = False
    status: int = 200
    body: bytes | None = None
    rotate: bool = False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    delay_seconds: float = 0.0
    tokens: list[str] = field(default_factory=list)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    bridged: dict[str, Bridged] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    url: str = ""

    @property
    def signed_in(self) -> int:
        """How often somebody signed in."""
        return sum(path == "/authentication/auth/apiKey" for _, path, _ in self.requests)

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        """Status and body of a request."""
        with self.lock:
            self.requests.append((method, path, body))
            if path == "/authentication/auth/apiKey":
                return self._sign_in(body)
            if (method, path) == ("GET", "/bridge/configs"):
                return 200, self.chains
            if token not in self.tokens:
                return 401, {"_tag": "Unauthorized", "message": f"token {token} is not valid"}
            if self.refusal is not None:
                return self.refusal
            match [method, *path.strip("/").split("/")]:
                case ["POST", "bridge", "quote", "bridge-swap", "user"]:
                    return self._quote(body)
                case ["POST", "bridge", "quote", "commit", quote_id]:
                    return self._commit(quote_id)
                case ["GET", "bridge", "history", "bridge", quote_id]:
                    return self._report(quote_id)
        return 404, {"_tag": "NotFound"}

    def _sign_in(self, body: Any) -> tuple[int, Any]:
        if body != {"apiKey": KEY}:
            return 401, {"_tag": "Unauthorized", "message": f"no such key: {body['apiKey']}"}
        if self.rotate:
            self.tokens.clear()
        self.tokens.append(f"token.{self.signed_in}.secret")
        return 200, {"jwt": self.tokens[-1]}

    def _quote(self, asked: dict[str, str]) -> tuple[int, Any]:
        assert asked["mode"] == "receive"
        paid, received = asked["tokenIn"], asked["tokenOut"]
        if paid == received:
            tokens: dict[str, str] = {"_tag": "bridge", "token": paid}
        elif {paid, received} == {"USDC", "USDT"}:
            tokens = {"_tag": "bridgeSwap", "tokenIn": paid, "tokenOut": received}
            tokens["minReceiveAmount"] = asked["amount"]
        else:
            return 404, {"_tag": "NoRouteFoundError", "tokenIn": paid, "tokenOut": received}
        amount = Decimal(asked["amount"]) * (1 if paid == received else self.rate)
        share = amount * self.share
        quote_id = f"6ab9b158ad7a6c21{len(self.bridged):08x}"
        quote = {
            "quoteId": quote_id,
            **{name: asked[name] for name in ("chainIn", "chainOut")},
            **tokens,
            "depositor": asked["depositor"].lower(),
            "recipient": asked["recipient"].lower(),
            "payAmount": str(amount + share + self.gas),
            "payAmountUsd": float(amount + share + self.gas),
            "receiveAmount": asked["amount"],
            "receiveAmountUsd": float(amount),
            "fees": {
                "fee": str(share + self.gas),
                "gasFee": str(self.gas),
                "platformFee": str(share),
                "sourceGasFee": "0",
            },
            "expiresAt": (self.now() + timedelta(seconds=self.lifetime_seconds))
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "estimatedDuration": self.duration_ms,
            **self.lie,
        }
        self.bridged[quote_id] = Bridged(quote)
        return 200, quote

    def _commit(self, quote_id: str) -> tuple[int, Any]:
        if self.commit_refusal is not None:
            return self.commit_refusal
        if quote_id not in self.bridged:
            return 404, {"_tag": "QuoteNotFound"}
        self.bridged[quote_id].committed = True
        return 200, {"quoteId": quote_id}

    def _report(self, quote_id: str) -> tuple[int, Any]:
        found = self.bridged.get(quote_id)
        if found is None or not found.committed:
            return 404, {"_tag": "BridgeNotFound"}
        report = {"_id": quote_id, "_tag": "bridge", "state": found.state}
        if found.payout_tx:
            report["withdrawTxHash"] = found.payout_tx
        if found.refund_tx:
            report["refundTxHash"] = found.refund_tx
        return 200, report


class _Handler(BaseHTTPRequestHandler):
    """Serves the service that its server has."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def _serve(self, method: str) -> None:
        service = self.server.service
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        token = self.headers.get("Authorization") or ""
        asked = json.loads(content) if content else None
        status, answer = service.answer(method, self.path, token, asked)
        sleep(service.delay_seconds)
        if service.silent:
            self.close_connection = True
            return
        body = json.dumps(answer).encode()
        if service.body is not None or service.status != 200:
            status, body = service.status, service.body or b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


class _Server(ThreadingHTTPServer):
    service: RhinofiService
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


@contextmanager
def running_rhinofi(**fields: Any) -> Iterator[RhinofiService]:
    """A service that ends with the block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        service = RhinofiService(**fields)
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        server.service = service
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
