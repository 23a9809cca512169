"""An attestation service of tests, on this machine: attests to messages as Circle's Iris does, and
fails and lies where a test tells it to."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import ceil
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from crossway.adapters.bridges.cctp.message import (
    FIELDS,
    HOOK_AT,
    BurnMessage,
    parse_message,
    recover_attesters,
)
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import MESSAGE_SENT
from tests.bridges.messages import FAST, FINAL, attest, fill_in, with_field

_LIES = {
    "recipient": "mint_recipient",
    "amount": "amount",
    "chain": "destination_domain",
    "fee": "fee_executed",
    "nonce": "nonce",
}


@dataclass
class Observed:
    """One message that was sent, and what became of it."""

    sent: bytes
    nonce: bytes
    at: float
    message: bytes = b""
    attested: bytes = b""


@dataclass
class AttestationService:
    """What a test sets and reads. `nodes` are the URLs of chains by domain.

    `fast_seconds` and `standard_seconds` are how old a burn must be, by its chain's clock or the
    machine's, whichever is ahead. Fast messages wait for `standard_seconds`, too, where the fee of
    `fast_bps` was not offered, or `fast_maximum` or `allowance` (both in USDC) does not cover the
    amount; they are executed as standard ones then.

    `lie`: what is wrong in each message: recipient, amount, chain, fee or nonce. `order`: both
    signatures are in the wrong order. `expired`: fast messages have expired; asked for another one,
    the service has it after `reattest_seconds`. `silent` drops the connection after
    `silent_seconds`, `delays` are the seconds before each answer, `too_many` refuses every request
    with 429, `status` and `body` are returned to every request. `requests` are all that came.
    """

    nodes: Mapping[int, str] = field(default_factory=dict)
    fast_seconds: float = 0.0
    standard_seconds: float = 0.0
    reattest_seconds: float = 0.0
    fast_bps: str = "1.3"
    standard_bps: str = "0"
    fast_maximum: str = "1000000"
    allowance: str = "5000000.25"
    lie: str = ""
    order: bool = False
    expired: bool = False
    silent: bool = False
    silent_seconds: float = 0.0
    delays: Iterator[float] | None = None
    too_many: bool = False
    status: int = 200
    body: bytes | None = None
    expiry_blocks: int = 10_000
    requests: list[str] = field(default_factory=list)
    url: str = ""
    observed: dict[tuple[int, str], list[Observed]] = field(default_factory=dict)
    reattested: dict[bytes, float] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    client: httpx.Client = field(default_factory=lambda: httpx.Client(trust_env=False, timeout=30))

    def add(self, domain: int, tx_id: str, *sent: bytes) -> None:
        """Observe a transaction that is on no chain."""
        with self.lock:
            self._observe(domain, tx_id, sent, time.time())

    def answer(self, method: str, target: str) -> tuple[int, Any]:
        """Status and body of a request."""
        self.requests.append(f"{method} {target}")
        if self.too_many:
            return 429, {"error": "Too many requests"}
        path, _, query = target.partition("?")
        parts = path.strip("/").split("/")
        match [method, *parts]:
            case ["GET", "v2", "messages", domain]:
                tx_id = parse_qs(query)["transactionHash"][0]
                return self._messages(int(domain), tx_id)
            case ["GET", "v2", "burn", "USDC", "fees", _, _]:
                # Numbers as Circle writes them: perhaps fractional.
                tiers = ((FAST, self.fast_bps), (FINAL, self.standard_bps))
                return 200, [
                    {"finalityThreshold": tier, "minimumFee": float(bps)} for tier, bps in tiers
                ]
            case ["GET", "v2", "fastBurn", "USDC", "allowance"]:
                now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                return 200, {"allowance": float(self.allowance), "lastUpdated": now}
            case ["POST", "v2", "reattest", nonce]:
                return self._reattest(nonce)
        return 404, {"error": "not found"}

    def _messages(self, domain: int, tx_id: str) -> tuple[int, Any]:
        with self.lock:
            chain_time = self._read_chain(domain, tx_id)
            found = self.observed.get((domain, tx_id), [])
            if not found:
                return 404, {"error": "Message not found", "code": 404}
            now = max(time.time(), chain_time)
            return 200, {"messages": [self._entry(one, now) for one in found]}

    def _reattest(self, nonce: str) -> tuple[int, Any]:
        known = {one.nonce for found in self.observed.values() for one in found}
        wanted = bytes.fromhex(nonce.removeprefix("0x"))
        if wanted not in known:
            return 404, {"error": "Message not found"}
        self.reattested.setdefault(wanted, time.time())
        return 200, {"message": "Re-attestation successfully requested", "nonce": nonce}

    def _entry(self, one: Observed, now: float) -> dict[str, Any]:
        """One message as the service tells it."""
        sent = parse_message(one.sent)
        delay_reason = self._delay_reason(sent)
        is_fast = sent.min_finality <= FAST and not delay_reason
        due = one.at + (self.fast_seconds if is_fast else self.standard_seconds)
        again_at = self.reattested.get(one.nonce)
        if not one.attested and now >= due:
            self._attest(one, sent, is_fast)
        elif again_at is not None and now >= again_at + self.reattest_seconds:
            self._store(one, fill_in(one.sent, one.nonce, FINAL, 0, 0))
        is_complete = bool(one.attested)
        attestation = one.attested[65:] + one.attested[:65] if self.order else one.attested
        return {
            "status": "complete" if is_complete else "pending_confirmations",
            "message": "0x" + one.message.hex(),
            "attestation": "0x" + attestation.hex() if is_complete else "PENDING",
            "eventNonce": "0x" + one.nonce.hex(),
            "cctpVersion": 2,
            "delayReason": None if is_complete else delay_reason or None,
            "decodedMessage": {
                "sourceDomain": str(sent.source_domain),
                "decodedMessageBody": {
                    "amount": str(sent.amount),
                    "maxFee": str(sent.max_fee),
                    "hookData": "0x" + one.sent[HOOK_AT:].hex(),
                },
            },
        }

    def _delay_reason(self, sent: BurnMessage) -> str:
        """Why a fast message is not attested to as fast."""
        if sent.min_finality > FAST:
            return ""
        if sent.max_fee < self.fast_fee(sent.amount):
            return "insufficient_fee"
        if sent.amount > Decimal(self.fast_maximum) * 10**6:
            return "amount_above_max"
        if sent.amount > Decimal(self.allowance) * 10**6:
            return "insufficient_allowance_available"
        return ""

    def fast_fee(self, amount: int) -> int:
        """The fee of a fast message, rounded up."""
        return ceil(amount * Decimal(self.fast_bps) / 10_000)

    def _attest(self, one: Observed, sent: BurnMessage, is_fast: bool) -> None:
        if not is_fast:
            return self._store(one, fill_in(one.sent, one.nonce, FINAL, 0, 0))
        height = self._height(sent.destination_domain)
        expiration = max(height, 1) if self.expired else height + self.expiry_blocks
        fee = self.fast_fee(sent.amount)
        return self._store(one, fill_in(one.sent, one.nonce, FAST, fee, expiration))

    def _store(self, one: Observed, message: bytes) -> None:
        if self.lie:
            name = _LIES[self.lie]
            start, length = FIELDS[name]
            value = int.from_bytes(message[start : start + length], "big")
            # A fee that nobody offered; else any other value.
            message = with_field(message, name, value + (10**7 if name == "fee_executed" else 1))
        one.message = message
        one.attested = attest(message)
        if self.lie == "nonce":
            # Whoever alters it on the way has no attester's key, and does not make it easy.
            one.attested = attest(one.sent)
            while not _are_in_order(one.message, one.attested):
                nonce = parse_message(one.message).nonce
                one.message = with_field(one.message, "nonce", int.from_bytes(nonce, "big") + 1)

    def _read_chain(self, domain: int, tx_id: str) -> float:
        """Observe a transaction of a chain; the time of the chain's newest block."""
        if domain not in self.nodes:
            return 0.0
        newest = self._rpc(domain, "eth_getBlockByNumber", "latest", False)
        receipt = self._rpc(domain, "eth_getTransactionReceipt", tx_id)
        found = self.observed.get((domain, tx_id), [])
        if receipt is None:
            # Its block went away: what was attested to stays so.
            if not any(one.attested for one in found):
                self.observed.pop((domain, tx_id), None)
        elif not found:
            block = self._rpc(domain, "eth_getBlockByHash", receipt["blockHash"], False)
            sent = [
                MESSAGE_SENT.decode(bytes.fromhex(log["data"][2:]))[0]
                for log in receipt["logs"]
                if log["topics"][:1] == [MESSAGE_SENT.topic]
            ]
            self._observe(domain, tx_id, sent, int(block["timestamp"], 16))
        return float(int(newest["timestamp"], 16))

    def _observe(self, domain: int, tx_id: str, sent: Sequence[bytes], at: float) -> None:
        self.observed[domain, tx_id] = [
            Observed(one, keccak256(one + tx_id.encode() + bytes([index])), at)
            for index, one in enumerate(sent)
        ]

    def _height(self, domain: int) -> int:
        return int(self._rpc(domain, "eth_blockNumber"), 16) if domain in self.nodes else 0

    def _rpc(self, domain: int, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        answer = self.client.post(self.nodes[domain], json=body).json()
        assert "error" not in answer, answer
        return answer["result"]


def _are_in_order(message: bytes, attestation: bytes) -> bool:
    """Whether the signatures are those of some accounts in ascending order."""
    try:
        return len(recover_attesters(message, attestation)) == 2
    except ValueError:
        return False


class _Handler(BaseHTTPRequestHandler):
    """Serves the service that its server has."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._serve("POST")

    def _serve(self, method: str) -> None:
        service = self.server.service
        if service.silent:
            service.requests.append(f"{method} {self.path}")
            time.sleep(service.silent_seconds)
            self.close_connection = True
            return
        if service.delays is not None:
            with service.lock:
                seconds = next(service.delays)
            time.sleep(seconds)
        status, answer = service.answer(method, urlsplit(self.path)._replace(netloc="").geturl())
        body = json.dumps(answer).encode()
        if service.body is not None or service.status != 200:
            status, body = service.status, service.body or b""
        self.send_response(status)
        if status in (301, 302, 307):
            self.send_header("Location", service.url + "/elsewhere")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


class _Server(ThreadingHTTPServer):
    service: AttestationService
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


@contextmanager
def running_service(nodes: Mapping[int, str] | None = None) -> Iterator[AttestationService]:
    """A service for chains at these URLs by domain, which ends with the block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        service = AttestationService(nodes=dict(nodes or {}))
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        server.service = service
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
            service.client.close()
