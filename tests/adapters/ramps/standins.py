"""Local servers that stand in for the real providers: they check who asks as those would, answer in
their recorded form, and fail in every way that was asked of them."""

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
class Call:
    """One request as it came in."""

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


class Server(ThreadingHTTPServer):
    """A client that stopped waiting for its answer is what some tests are about."""

    def handle_error(self, *_: Any) -> None:
        pass


class StandIn:
    """`answers` by method and path give JSON, a status with JSON, or are asked with the call;
    `first` are raw answers (status, headers, body) that come before them, in turn. While it is
    `silent` it answers that it cannot, and while `open` is not set nothing at all."""

    def __init__(self, allowed: Callable[[Call], bool]) -> None:
        self.allowed = allowed
        self.answers: dict[str, Any] = {}
        self.first: deque[tuple[int, dict[str, str], bytes]] = deque()
        self.calls: list[Call] = []
        self.silent = False
        self.open = threading.Event()
        self.open.set()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                headers = {k.lower(): v for k, v in self.headers.items()}
                call = Call(self.command, self.path, headers, self.rfile.read(length))
                status, more, body = stand_in.answer(call)
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, call: Call) -> tuple[int, dict[str, str], bytes]:
        self.calls.append(call)
        self.open.wait(10)
        if self.silent:
            return 503, {}, b""
        if self.first:
            return self.first.popleft()
        if not self.allowed(call):
            return 401, {}, b'{"message": "Unauthorized"}'
        known = self.answers.get(f"{call.method} {call.path}", (404, {"message": "Not found"}))
        said = known(call) if callable(known) else known
        status, body = said if isinstance(said, tuple) else (200, said)
        return status, {}, json.dumps(body).encode()

    def asked(self, method: str, path: str) -> list[Call]:
        """The calls of a kind, in turn."""
        return [call for call in self.calls if (call.method, call.path) == (method, path)]


@contextmanager
def running(stand_in: StandIn) -> Iterator[StandIn]:
    thread = threading.Thread(target=stand_in.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.open.set()
        stand_in.server.shutdown()
        stand_in.server.server_close()
        thread.join()


def recorded(provider: str) -> dict[str, Any]:
    """The answers of a provider, as its documentation writes them."""
    file = json.loads((RECORDED / f"{provider}.json").read_text(encoding="utf-8"))
    answers: dict[str, Any] = file["answers"]
    return answers


def b64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def fonbnk_allows(call: Call) -> bool:
    stamp = call.headers.get("x-timestamp", "")
    text = f"{stamp}:{call.target}".encode()
    right = b64(hmac.new(base64.b64decode(SECRET), text, hashlib.sha256).digest())
    fresh = stamp.isdigit() and abs(int(stamp) - NOW * 1000) < 60_000
    return fresh and (call.headers.get("x-client-id"), call.headers.get("x-signature")) == (
        KEY,
        right,
    )


def paycrest_allows(call: Call) -> bool:
    return call.path.startswith("/v2/rates/") or call.headers.get("api-key") == KEY


def yellow_card_allows(call: Call) -> bool:
    message = call.headers.get("x-yc-timestamp", "") + call.path + call.method
    if call.body:
        message += b64(hashlib.sha256(call.body).digest())
    right = b64(hmac.new(SECRET.encode(), message.encode(), hashlib.sha256).digest())
    return call.headers.get("authorization") == f"YcHmacV1 {KEY}:{right}"


def onramp_money_allows(call: Call) -> bool:
    payload = call.headers.get("x-onramp-payload", "")
    right = hmac.new(SECRET.encode(), payload.encode(), hashlib.sha512).hexdigest()
    told = json.loads(base64.b64decode(payload))
    return (
        call.headers.get("x-onramp-apikey") == KEY
        and call.headers.get("x-onramp-signature") == right
        and told == {"timestamp": int(NOW * 1000), "body": call.json}
    )


def nothing(_: float) -> None:
    """Waits for nothing; the tests do not sleep."""


def can(name: ProviderName) -> Any:
    return load_capabilities(name, CATALOGUE, FIAT)


def fonbnk_at(url: str, client: httpx.Client, **more: Any) -> Fonbnk:
    given = {
        "client_id": KEY,
        "client_secret": SECRET,
        "webhook_secret": HOOK_SECRET,
        "user_ip": "203.0.113.7",
    }
    access = FonbnkCredentials(base_url=url, refund_addresses=REFUNDS, **(given | more))
    return Fonbnk(access, can(ProviderName.FONBNK), DIGITS, client, lambda: NOW, nothing)


def paycrest_at(url: str, client: httpx.Client, **more: Any) -> Paycrest:
    given = {"api_key": KEY, "api_secret": SECRET}
    access = PaycrestCredentials(base_url=url, refund_addresses=REFUNDS, **(given | more))
    return Paycrest(access, can(ProviderName.PAYCREST), DIGITS, client, lambda: NOW, nothing)


def yellow_card_at(url: str, client: httpx.Client, **more: Any) -> YellowCard:
    given = {"api_key": KEY, "secret_key": SECRET}
    access = YellowCardCredentials(base_url=url, refund_addresses=REFUNDS, **(given | more))
    return YellowCard(access, can(ProviderName.YELLOW_CARD), DIGITS, client, lambda: NOW, nothing)


def onramp_money_at(url: str, client: httpx.Client, **more: Any) -> OnrampMoney:
    given = {"app_id": "4242", "api_key": KEY, "api_secret": SECRET}
    access = OnrampMoneyCredentials(base_url=url, refund_addresses=REFUNDS, **(given | more))
    capabilities = can(ProviderName.ONRAMP_MONEY)
    return OnrampMoney(access, capabilities, DIGITS, client, lambda: NOW, nothing)


def quick_client(seconds: float = 5.0) -> httpx.Client:
    return httpx.Client(timeout=seconds, trust_env=False)
