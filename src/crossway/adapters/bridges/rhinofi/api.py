"""The client of rhino.fi's API: what it asks for a transfer, and what became of one.

Sources: docs.rhino.fi/api-integration (authentication, swap, status-history), its page of
deprecated endpoints (one quote for what is exchanged and what is not), and the types in the npm
package @rhino.fi/sdk 1.14.0 (paths, fields, codes of refusals).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, TypeVar

import httpx

from crossway.adapters.bridges.request_budget import RequestBudget
from crossway.adapters.bridges.rhinofi.api_schemas import (
    ChainConfig,
    ServiceQuote,
    TransferReport,
    parse_configs,
    parse_json,
    parse_quote,
    parse_quote_id,
    parse_refusal,
    parse_report,
    parse_token,
)
from crossway.adapters.bridges.service_limits import ServiceLimits, new_http_client
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.errors import Unreachable

T = TypeVar("T")
TITLE: Final = "rhino.fi"
MAX_RESPONSE_BYTES: Final = 2**20
"""The list of chains with their tokens is the longest."""
MAX_WAIT_SECONDS: Final = 0.3
"""For its turn within the limits."""
FAILURES: Final = 3
"""After so many in a row, the API is left alone for `PAUSE_SECONDS`: nobody waits for it."""
PAUSE_SECONDS: Final = 5.0
TOKEN_SECONDS: Final = 3_000.0
"""A JSON web token is valid for an hour, and asked for anew before."""
_BAD_REQUEST, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _TOO_MANY = 400, 401, 403, 404, 429
_INVALID_TOKEN: Final = "InvalidJwt"
"""The code of a bad request by which it refuses a token."""
_REFUSALS: Final = (_BAD_REQUEST, _NOT_FOUND, 409, 410, 422)
# Which parameter of a payment the refusals of a quote are about, as in `QuoteRejected`.
_FAULTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("DepositLimitReached", "WithdrawLimitReached"), "amount"),
    **dict.fromkeys(("SwapLimitReached", "NegativeReceiveAmount"), "amount"),
    **dict.fromkeys(("NoRouteFoundError", "NoBridgeTokenFoundError"), "tokenIn"),
    "NoCommonBridgeTokensError": "tokenIn",
}


@dataclass(frozen=True, slots=True)
class QuoteQuestion:
    """A transfer that is to be priced: `amount`, a decimal number of whole tokens of `token_out`,
    is what `recipient` gets. Chains by their names at rhino.fi."""

    chain_in: str
    chain_out: str
    token_in: str
    token_out: str
    amount: str
    depositor: str
    recipient: str


class Refused(Exception):
    """rhino.fi does not do what was asked now, for the reason in the message. `param` is the
    parameter of a payment that another value would help, empty where none would; None where the
    refusal does not say."""

    def __init__(self, reason: str, param: str | None = None) -> None:
        super().__init__(reason)
        self.param = param


class RhinofiApi:
    """Methods raise `Unreachable` with a sentence, whatever the service returns, within its
    `limits`. Repeats nothing but what an expired token stopped. Neither the key nor a token is in
    any message. `timer` returns monotonic seconds, and `pause` waits."""

    def __init__(
        self,
        base_url: str,
        limits: ServiceLimits,
        key: str,
        timer: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.limits = limits
        self._base, self._key = base_url.rstrip("/"), key
        self._client = new_http_client(limits)
        self._budget = RequestBudget(TITLE, limits, timer, pause)
        self._timer = timer
        self._lock, self._token_lock = Lock(), Lock()
        self._failures, self._failure = 0, ""
        self._paused_until = float("-inf")
        self._token, self._token_until = "", float("-inf")

    def check_key(self) -> None:
        """Sign in, where that was not done lately."""
        self._sign_in()

    def get_configs(self) -> Sequence[ChainConfig]:
        """The EVM chains with their contracts and tokens."""
        return self._parsed(parse_configs, self._read(*self._send("GET", "/bridge/configs")))

    def request_quote(self, question: QuoteQuestion) -> ServiceQuote:
        """What the service asks for a transfer now. Raises `Refused`, too."""
        body = {
            "chainIn": question.chain_in,
            "chainOut": question.chain_out,
            "tokenIn": question.token_in,
            "tokenOut": question.token_out,
            "amount": question.amount,
            "mode": "receive",
            "depositor": question.depositor,
            "recipient": question.recipient,
            "refundAddress": question.depositor,
            "amountNative": "0",
        }
        return self._parsed(parse_quote, self._call("POST", "/bridge/quote/bridge-swap/user", body))

    def commit_quote(self, quote_id: str) -> None:
        """Have the service watch for the deposit of a quote. Raises `Refused`, too."""
        committed = self._parsed(
            parse_quote_id, self._call("POST", f"/bridge/quote/commit/{quote_id}")
        )
        if committed.lower() != quote_id.lower():
            raise Unreachable(f"{TITLE} committed another quote than it was asked to")

    def find_report(self, quote_id: str) -> TransferReport | None:
        """What became of a committed quote; None where the service knows none of this number."""
        try:
            body = self._call("GET", f"/bridge/history/bridge/{quote_id}")
        except Refused:
            return None
        report = self._parsed(parse_report, body)
        if report.quote_id.lower() != quote_id.lower():
            raise Unreachable(f"{TITLE} told of another transfer than it was asked about")
        return report

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        """The body of a response to a signed-in request. Raises `Unreachable` and `Refused`."""
        token = self._sign_in()
        status, content = self._send(method, path, body, token)
        if status == _UNAUTHORIZED or _is_about_token(status, content):
            token = self._sign_in(refused=token)
            status, content = self._send(method, path, body, token)
        return self._read(status, content, token)

    def _sign_in(self, refused: str = "") -> str:
        """A token that is valid for a while; another than the `refused` one."""
        with self._token_lock:
            if self._timer() < self._token_until and self._token != refused:
                return self._token
            self._token_until = float("-inf")
            path, body = "/authentication/auth/apiKey", {"apiKey": self._key}
            status, content = self._send("POST", path, body)
            try:
                self._token = self._parsed(parse_token, self._read(status, content))
            except Refused:
                raise Unreachable(f"{TITLE} does not accept the API key") from None
            self._token_until = self._timer() + TOKEN_SECONDS
            return self._token

    def _send(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, bytes]:
        """Status and content of a response. Raises `Unreachable`."""
        with self._lock:
            if self._timer() < self._paused_until:
                raise Unreachable(self._failure)
        self._budget.spend(MAX_WAIT_SECONDS)
        try:
            status, content = request_deadlines.fetch(
                self._client,
                method,
                self._base + path,
                self.limits.timeout_seconds,
                MAX_RESPONSE_BYTES,
                headers={"Authorization": token} if token else None,
                json=body,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._fail(f"{TITLE} did not respond: {type(error).__name__}") from None
        if status == _TOO_MANY:
            self._budget.refuse()
            raise Unreachable(f"{TITLE} refused requests as too many")
        if content is None:
            raise self._fail(f"{TITLE}'s response is too long")
        return status, content

    def _read(self, status: int, content: bytes, token: str = "") -> Any:
        """The body of a response. Raises `Unreachable` and `Refused`."""
        if status in (_UNAUTHORIZED, _FORBIDDEN) or _is_about_token(status, content):
            raise self._fail(f"{TITLE} does not accept the API key")
        if status in _REFUSALS:
            self._succeed()
            raise Refused(self._refusal(content, token), _FAULTS.get(parse_refusal(content)[0]))
        if status not in (httpx.codes.OK, httpx.codes.CREATED):
            raise self._fail(f"{TITLE} responded with status {status}")
        self._succeed()
        return self._parsed(parse_json, content)

    def _refusal(self, content: bytes, token: str) -> str:
        """The service's own words, unless a secret of ours is among them."""
        words = ": ".join(part for part in parse_refusal(content) if part)
        if not words or any(secret and secret in words for secret in (self._key, token)):
            return f"{TITLE} refused without a reason"
        return f"{TITLE} refused: {words}"

    def _fail(self, sentence: str) -> Unreachable:
        with self._lock:
            self._failures, self._failure = self._failures + 1, sentence
            if self._failures >= FAILURES:
                self._paused_until = self._timer() + PAUSE_SECONDS
        return Unreachable(sentence)

    def _succeed(self) -> None:
        with self._lock:
            self._failures = 0

    @staticmethod
    def _parsed(parse: Callable[[Any], T], body: Any) -> T:
        try:
            return parse(body)
        except ValueError as error:
            raise Unreachable(f"{TITLE}'s response cannot be used: {error}") from None


def _is_about_token(status: int, content: bytes) -> bool:
    return status == _BAD_REQUEST and parse_refusal(content)[0] == _INVALID_TOKEN
