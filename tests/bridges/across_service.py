"""An API of Across for tests, on this machine: prices deposits as a relayer would, and fails where
a test tells it to."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from crossway.adapters.bridges.across.api_schemas import WHOLE


@dataclass
class AcrossService:
    """What a test sets and reads.

    A relayer asks `capital` and the pool `pool` of a deposit, as fractions of 10**18, and `gas`
    units, at `timestamp`, which a test may let lag behind its chains by `lag_seconds`. Deposits are
    between `least` and `most` units, into `spoke_pool` where that is named. `statuses` are those of
    deposits by transaction. Each request waits for `delay_seconds`. `error` is returned as the API
    writes errors, `status` and `body` to every request; `silent` drops the connection. `requests`
    and `keys` are what came.
    """

    capital: int = 10**14
    pool: int = 5 * 10**13
    gas: int = 2_000
    least: int = 300_000
    most: int = 2_000_000_000_000
    fill_seconds: int = 2
    spoke_pool: str | None = None
    timestamp: int = 1_795_000_000
    lag_seconds: int = 0
    statuses: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    error: dict[str, Any] | None = None
    status: int = 200
    body: bytes | None = None
    silent: bool = False
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Status and body of a request."""
        self.requests.append((path, query))
        if self.error is not None:
            return 400, {"type": "AcrossApiError", "status": 400, **self.error}
        if path == "/suggested-fees":
            return 200, self._suggest(int(query["amount"]))
        if path == "/deposit/status":
            status = self.statuses.get(query["depositTxnRef"])
            if status is None:
                return 404, {"error": "DepositNotFoundException", "message": "Deposit not found"}
            return 200, {"status": status, "depositTxnRef": query["depositTxnRef"]}
        return 404, {"error": "not found"}

    def _suggest(self, amount: int) -> dict[str, Any]:
        def part(pct: int, total: int) -> dict[str, str]:
            return {"pct": str(pct), "total": str(total)}

        capital, pool = (amount * pct // WHOLE for pct in (self.capital, self.pool))
        gas_pct = self.gas * WHOLE // amount
        total_pct, total = self.capital + self.pool + gas_pct, capital + pool + self.gas
        limits = {
            "minDeposit": self.least,
            "maxDeposit": 2 * self.most,
            "maxDepositInstant": self.most // 2,
            "maxDepositShortDelay": self.most,
            "recommendedDepositInstant": self.most // 2,
        }
        return {
            "estimatedFillTimeSec": self.fill_seconds,
            "timestamp": str(self.timestamp),
            "isAmountTooLow": amount < self.least,
            "quoteBlock": "23456789",
            "exclusiveRelayer": "0x" + "0" * 40,
            "exclusivityDeadline": 0,
            "fillDeadline": str(self.timestamp + 7_200),
            "totalRelayFee": part(total_pct, total),
            "relayerCapitalFee": part(self.capital, capital),
            "relayerGasFee": part(gas_pct, self.gas),
            "lpFee": part(self.pool, pool),
            "limits": {name: str(units) for name, units in limits.items()},
            **({"spokePoolAddress": self.spoke_pool} if self.spoke_pool else {}),
        }


class _Handler(BaseHTTPRequestHandler):
    """Serves the service that its server has."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        service = self.server.service
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        service.keys.append(self.headers.get("Authorization") or "")
        status, answer = service.answer(parts.path, query)
        time.sleep(service.delay_seconds)
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
    service: AcrossService
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


@contextmanager
def running_across() -> Iterator[AcrossService]:
    """A service that ends with the block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        service = AcrossService()
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        server.service = service
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
