"""A typed client of the Crossway API."""

from types import TracebackType

import httpx

from crossway.client.events import Events
from crossway.client.intents import Intents
from crossway.client.kyc import Kyc
from crossway.client.payment_links import PaymentLinks
from crossway.client.quotes import Quotes
from crossway.client.ramps import Ramps
from crossway.client.records import ClientInfo, Token
from crossway.client.transport import Transport, path_segment
from crossway.client.webhooks import Webhooks

LOCAL = "http://127.0.0.1:8600"


class Crossway:
    """A client with one API key; use it as a context manager, or `close` it.

    `url` is the base URL of the service, without `/api/v1`. Requests time out after
    `timeout_seconds`; GETs and POSTs without a response are retried. Raises the exceptions of
    `crossway.client.errors`.
    """

    def __init__(self, api_key: str, url: str = LOCAL, timeout_seconds: float = 30.0) -> None:
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1",
            headers={"authorization": f"Bearer {api_key}", "user-agent": "crossway-python"},
            timeout=timeout_seconds,
        )
        self.calls = Transport(self._http)
        self.intents = Intents(self.calls)
        self.quotes = Quotes(self.calls)
        self.ramps = Ramps(self.calls)
        self.kyc = Kyc(self.calls)
        self.payment_links = PaymentLinks(self.calls)
        self.webhooks = Webhooks(self.calls)
        self.events = Events(self._http)

    def chains(self, network: str | None = None) -> list[str]:
        """Identifiers of the available chains; `network` is `mainnet` or `testnet`."""
        chains: list[str] = self.calls.get("/chains", network=network)
        return chains

    def tokens(self, chain: str) -> list[Token]:
        """The available tokens of a chain."""
        return [
            Token.parse(item) for item in self.calls.get(f"/chains/{path_segment(chain)}/tokens")
        ]

    def client_info(self) -> ClientInfo:
        """The client of the key, and the key's permissions."""
        return ClientInfo.parse(self.calls.get("/client/auth/client-info"))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> "Crossway":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
