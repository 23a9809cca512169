"""Local servers in place of the real providers: they check credentials, send recorded responses and
fail on request."""

import base64
import hashlib
import hmac
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.credentials import (
    FonbnkCredentials,
    OnrampMoneyCredentials,
    PaycrestCredentials,
    YellowCardCredentials,
)
from crossway.adapters.ramps.fonbnk.client import Fonbnk
from crossway.adapters.ramps.onramp_money.client import OnrampMoney
from crossway.adapters.ramps.paycrest.client import Paycrest
from crossway.adapters.ramps.yellow_card.client import YellowCard
from crossway.catalogue import load_catalogue
from crossway.catalogue.fiat import load_fiat
from crossway.domain.ramps import ProviderName

CATALOGUE, FIAT = load_catalogue(), load_fiat()
DIGITS = {code: corridor.currency.digits for code, corridor in FIAT.corridors.items()}
RECORDED = Path(__file__).parent / "recorded"
NOW = 1_790_000_000.0
KEY, SECRET = "key-of-the-operator", "c2VjcmV0LW9mLXRoZS1vcGVyYXRvcg=="
HOOK_SECRET = "secret-of-the-webhook"
REFUNDS = {"BASE_MAINNET": "0x000000000000000000000000000000000000dEaD"}


@dataclass(frozen=True)
class ReceivedRequest:
    """One received request."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query))

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class QuietHttpServer(ThreadingHTTPServer):
    """An HTTP server that does not print errors of clients that disconnected."""

    def handle_error(self, *_: Any) -> None:
        pass


class ProviderServer:
    """A provider's local server. `responses` by method and path are JSON, a status with JSON, or
    functions of the request; `raw_responses` (status, headers, body) precede them. While it is
    `unavailable` it responds with 503, and while `may_respond` is not set it hangs."""

    def __init__(self, allowed: Callable[[ReceivedRequest], bool]) -> None:
        self.allowed = allowed
        self.responses: dict[str, Any] = {}
        self.raw_responses: deque[tuple[int, dict[str, str], bytes]] = deque()
        self.requests: list[ReceivedRequest] = []
        self.unavailable = False
        self.may_respond = threading.Event()
        self.may_respond.set()
        provider_server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                headers = {k.lower(): v for k, v in self.headers.items()}
                call = ReceivedRequest(self.command, self.path, headers, self.rfile.read(length))
                status, more, body = provider_server.respond(call)
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = QuietHttpServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def respond(self, call: ReceivedRequest) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(call)
        self.may_respond.wait(10)
        if self.unavailable:
            return 503, {}, b""
        if self.raw_responses:
            return self.raw_responses.popleft()
        if not self.allowed(call):
            return 401, {}, b'{"message": "Unauthorized"}'
        response = self.responses.get(f"{call.method} {call.path}", (404, {"message": "Not found"}))
        result = response(call) if callable(response) else response
        status, body = result if isinstance(result, tuple) else (200, result)
        return status, {}, json.dumps(body).encode()

    def requests_to(self, method: str, path: str) -> list[ReceivedRequest]:
        """The received requests with this method and path, in order."""
        return [call for call in self.requests if (call.method, call.path) == (method, path)]


@contextmanager
def running_server(provider_server: ProviderServer) -> Iterator[ProviderServer]:
    thread = threading.Thread(target=provider_server.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield provider_server
    finally:
        provider_server.may_respond.set()
        provider_server.server.shutdown()
        provider_server.server.server_close()
        thread.join()


def recorded_responses(provider: str) -> dict[str, Any]:
    """The responses of a provider, recorded from its documentation."""
    file = json.loads((RECORDED / f"{provider}.json").read_text(encoding="utf-8"))
    answers: dict[str, Any] = file["answers"]
    return answers


def b64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def is_signed_for_fonbnk(call: ReceivedRequest) -> bool:
    stamp = call.headers.get("x-timestamp", "")
    text = f"{stamp}:{call.target}".encode()
    right = b64(hmac.new(base64.b64decode(SECRET), text, hashlib.sha256).digest())
    fresh = stamp.isdigit() and abs(int(stamp) - NOW * 1000) < 60_000
    return fresh and (call.headers.get("x-client-id"), call.headers.get("x-signature")) == (
        KEY,
        right,
    )


def has_paycrest_key(call: ReceivedRequest) -> bool:
    return call.path.startswith("/v2/rates/") or call.headers.get("api-key") == KEY


def is_signed_for_yellow_card(call: ReceivedRequest) -> bool:
    message = call.headers.get("x-yc-timestamp", "") + call.path + call.method
    if call.body:
        message += b64(hashlib.sha256(call.body).digest())
    right = b64(hmac.new(SECRET.encode(), message.encode(), hashlib.sha256).digest())
    return call.headers.get("authorization") == f"YcHmacV1 {KEY}:{right}"


def is_signed_for_onramp_money(call: ReceivedRequest) -> bool:
    payload = call.headers.get("x-onramp-payload", "")
    right = hmac.new(SECRET.encode(), payload.encode(), hashlib.sha512).hexdigest()
    body = json.loads(base64.b64decode(payload))
    return (
        call.headers.get("x-onramp-apikey") == KEY
        and call.headers.get("x-onramp-signature") == right
        and body == {"timestamp": int(NOW * 1000), "body": call.json}
    )


def no_wait(_: float) -> None:
    """Does not wait: tests do not sleep."""


def capabilities_of(name: ProviderName) -> Any:
    return load_capabilities(name, CATALOGUE, FIAT)


def new_fonbnk(url: str, client: httpx.Client, **more: Any) -> Fonbnk:
    params = {
        "client_id": KEY,
        "client_secret": SECRET,
        "webhook_secret": HOOK_SECRET,
        "user_ip": "203.0.113.7",
    }
    credentials = FonbnkCredentials(base_url=url, refund_addresses=REFUNDS, **(params | more))
    return Fonbnk(
        credentials, capabilities_of(ProviderName.FONBNK), DIGITS, client, lambda: NOW, no_wait
    )


def new_paycrest(url: str, client: httpx.Client, **more: Any) -> Paycrest:
    params = {"api_key": KEY, "api_secret": SECRET}
    credentials = PaycrestCredentials(base_url=url, refund_addresses=REFUNDS, **(params | more))
    return Paycrest(
        credentials, capabilities_of(ProviderName.PAYCREST), DIGITS, client, lambda: NOW, no_wait
    )


def new_yellow_card(url: str, client: httpx.Client, **more: Any) -> YellowCard:
    params = {"api_key": KEY, "secret_key": SECRET}
    credentials = YellowCardCredentials(base_url=url, refund_addresses=REFUNDS, **(params | more))
    return YellowCard(
        credentials, capabilities_of(ProviderName.YELLOW_CARD), DIGITS, client, lambda: NOW, no_wait
    )


def new_onramp_money(url: str, client: httpx.Client, **more: Any) -> OnrampMoney:
    params = {"app_id": "4242", "api_key": KEY, "api_secret": SECRET}
    credentials = OnrampMoneyCredentials(base_url=url, refund_addresses=REFUNDS, **(params | more))
    capabilities = capabilities_of(ProviderName.ONRAMP_MONEY)
    return OnrampMoney(credentials, capabilities, DIGITS, client, lambda: NOW, no_wait)


def new_http_client(seconds: float = 5.0) -> httpx.Client:
    return httpx.Client(timeout=seconds, trust_env=False)
