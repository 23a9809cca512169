"""The two clients: `Crossway` waits for each answer, `AsyncCrossway` awaits it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self

import httpx

from crossway_client.records.chains import ClientInfo
from crossway_client.resources.billing import Invoices, Subscriptions
from crossway_client.resources.chains import Chains
from crossway_client.resources.events import Events
from crossway_client.resources.exports import Exports
from crossway_client.resources.intents import Intents
from crossway_client.resources.kyc import Kyc
from crossway_client.resources.payment_links import PaymentLinks
from crossway_client.resources.quotes import Quotes, Router
from crossway_client.resources.ramps import RampOrders, Ramps
from crossway_client.resources.sandbox import Sandbox
from crossway_client.resources.search import Search
from crossway_client.resources.standing import StandingAddresses, StandingDeposits
from crossway_client.resources.webhooks import Webhooks
from crossway_client.resources.x402 import X402
from crossway_client.transport.carriers import AsyncCarrier, SyncCarrier
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.log_privacy import hide_queries
from crossway_client.transport.requests import Answer, Request, get, record
from crossway_client.transport.retries import RetryPolicy
from crossway_client.transport.steps import Exchange

LOCAL = "http://127.0.0.1:8600"
TIMEOUT_SECONDS = 30.0


class _Api(Resource[CarrierT]):
    """The resources of the API on one transport."""

    def __init__(self, carrier: CarrierT) -> None:
        super().__init__(carrier)
        self.intents = Intents(carrier)
        self.quotes = Quotes(carrier)
        self.router = Router(carrier)
        self.chains = Chains(carrier)
        self.ramps = Ramps(carrier)
        self.ramp_orders = RampOrders(carrier)
        self.kyc = Kyc(carrier)
        self.payment_links = PaymentLinks(carrier)
        self.standing_addresses = StandingAddresses(carrier)
        self.standing_deposits = StandingDeposits(carrier)
        self.invoices = Invoices(carrier)
        self.subscriptions = Subscriptions(carrier)
        self.webhooks = Webhooks(carrier)
        self.events = Events(carrier)
        self.search = Search(carrier)
        self.exports = Exports(carrier)
        self.sandbox = Sandbox(carrier)
        self.x402 = X402(carrier)

    @endpoint
    def client_info(self) -> Request[ClientInfo]:
        """The client of the key, and the key's permissions."""
        return get("/client/auth/client-info", record(ClientInfo))

    @endpoint
    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Request[Any]:
        """The JSON of any request, for what this version has no method for; `path` is below
        `/api/v1`, and retries are those of every call."""
        literal = path.replace("{", "{{").replace("}", "}}")
        return Request(method.upper(), literal, _json, {}, query or {}, body, idempotency_key)


class Crossway(_Api[SyncCarrier]):
    """A client with one API key; use it as a context manager, or `close` it. It is safe to share
    between threads, and keeps its connections open.

    `url` is the base URL of the service, without `/api/v1`. A request times out after `timeout`
    seconds, or as an `httpx.Timeout` says; it is sent at most `retries.attempts` times. `transport`
    is for proxies and tests, as is `sleep`, which waits between attempts. Raises the exceptions of
    this package, and `ValueError` for a key or a URL that is none.
    """

    def __init__(
        self,
        api_key: str,
        url: str = LOCAL,
        *,
        timeout: float | httpx.Timeout = TIMEOUT_SECONDS,
        retries: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        settings = _settings(api_key, url, timeout)
        self._http = httpx.Client(transport=transport, **settings)
        hide_queries(self._http.base_url)
        exchange = Exchange(self._http.build_request, retries or RetryPolicy())
        super().__init__(SyncCarrier(self._http, exchange, sleep))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCrossway(_Api[AsyncCarrier]):
    """As `Crossway`, for asyncio: every call is awaited, and lists are read with `async for`."""

    def __init__(
        self,
        api_key: str,
        url: str = LOCAL,
        *,
        timeout: float | httpx.Timeout = TIMEOUT_SECONDS,
        retries: RetryPolicy | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        settings = _settings(api_key, url, timeout)
        self._http = httpx.AsyncClient(transport=transport, **settings)
        hide_queries(self._http.base_url)
        exchange = Exchange(self._http.build_request, retries or RetryPolicy())
        super().__init__(AsyncCarrier(self._http, exchange, sleep))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _settings(api_key: str, url: str, timeout: float | httpx.Timeout) -> dict[str, Any]:
    """The settings that both clients of httpx have."""
    if not api_key or not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ValueError("the API key must be a text such as cr_test_…")
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"the URL of the service must be one such as {LOCAL}")
    return {
        "base_url": f"{url.rstrip('/')}/api/v1",
        "headers": {"authorization": f"Bearer {api_key}", "user-agent": "crossway-python"},
        "timeout": timeout,
    }


def _json(answer: Answer) -> Any:
    return answer.json
