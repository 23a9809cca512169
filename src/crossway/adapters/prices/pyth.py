"""Prices from Pyth through Hermes: GET {base}/v2/updates/price/latest.

Sources: docs.pyth.network/price-feeds/core/fetch-price-updates (path, ids[], parsed) and
docs.pyth.network/pro/pyth-core-upgrade (Hermes requires a bearer token since August 2026).
"""

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import httpx

from crossway.domain.errors import Unreachable
from crossway.domain.money import PICO_USD_DECIMALS, Price

PATH = "/v2/updates/price/latest"
IDS_IN_A_REQUEST = 40
# Real exponents lie between -12 and 0; values beyond these bounds are invalid.
LOWEST_EXPONENT, HIGHEST_EXPONENT = -30, 12
_INTEGER = re.compile(r"-?[0-9]{1,20}\Z", re.ASCII)


class PythPrices:
    """Fetches all feeds together and caches them for `keep_seconds`; `feeds` is feed id by symbol.

    `client` must have a timeout. Prices older than `max_age_seconds` are returned as they are; the
    use case rejects them. `timer` returns monotonic seconds.
    """

    def __init__(
        self,
        client: httpx.Client,
        base_url: str,
        feeds: Mapping[str, str],
        api_key: str = "",
        max_age_seconds: float = 60.0,
        keep_seconds: float = 2.0,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._url = base_url.rstrip("/") + PATH
        self._feeds = {symbol: _normalise_id(id_) for symbol, id_ in feeds.items() if id_}
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._max_age = max_age_seconds
        self._keep_seconds = keep_seconds
        self._timer = timer
        self._lock = Lock()
        self._cached: Mapping[str, Price] = {}
        self._cached_at: float | None = None
        self._failure, self._failed_at = "", float("-inf")

    def close(self) -> None:
        """Close the connections to the service."""
        self._client.close()

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """Known prices; a symbol without a feed or a price is absent. Raises `Unreachable`."""
        prices = self._latest()
        return {symbol: prices[symbol] for symbol in symbols if symbol in prices}

    def max_age_seconds(self) -> float | None:
        """The age above which a price must not be used for quotes."""
        return self._max_age

    def _latest(self) -> Mapping[str, Price]:
        with self._lock:  # One thread fetches, the others wait for its result.
            now = self._timer()
            if self._cached_at is not None and now - self._cached_at < self._keep_seconds:
                return self._cached
            if now - self._failed_at < self._keep_seconds:
                # Others need not wait for the same failure.
                raise Unreachable(self._failure)
            try:
                self._cached = self._fetch_all()
            except Unreachable as error:
                self._failure, self._failed_at = str(error), self._timer()
                raise
            self._cached_at = self._timer()
            return self._cached

    def _fetch_all(self) -> Mapping[str, Price]:
        ids = sorted(set(self._feeds.values()))
        price_by_id: dict[str, tuple[int, datetime, int]] = {}
        for start in range(0, len(ids), IDS_IN_A_REQUEST):
            batch = ids[start : start + IDS_IN_A_REQUEST]
            price_by_id.update(_parse_prices(self._fetch(batch)))
        return {
            symbol: Price(symbol, *price_by_id[id_])
            for symbol, id_ in self._feeds.items()
            if id_ in price_by_id and price_by_id[id_][0] > 0
        }

    def _fetch(self, ids: Sequence[str]) -> Any:
        params: list[tuple[str, str | int | float | bool | None]] = [("ids[]", id_) for id_ in ids]
        # Without the last parameter, one withdrawn feed would fail the whole request.
        params += [("parsed", "true"), ("encoding", "hex"), ("ignore_invalid_price_ids", "true")]
        try:
            response = self._client.get(
                self._url, params=httpx.QueryParams(params), headers=self._headers
            )
            if response.status_code != httpx.codes.OK:
                raise Unreachable(f"Pyth responded with status {response.status_code}")
            return response.json()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"Pyth did not respond: {type(error).__name__}") from error
        except ValueError as error:
            raise Unreachable("Pyth's response is not JSON") from error


def _normalise_id(feed_id: str) -> str:
    """A feed id as Hermes returns it: lower case, without 0x."""
    return feed_id.lower().removeprefix("0x")


def _parse_prices(body: Any) -> dict[str, tuple[int, datetime, int]]:
    """Price in pico-USD, publish time and confidence by feed id; raises `Unreachable`."""
    try:
        return {
            _normalise_id(entry["id"]): _parse_price(entry["price"]) for entry in body["parsed"]
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
        raise Unreachable("Pyth's response does not have the documented format") from error


def _parse_price(price: Mapping[str, Any]) -> tuple[int, datetime, int]:
    """price and conf * 10**expo in pico-USD; digits below 10**-12 USD are truncated."""
    exponent, published_at = price["expo"], price["publish_time"]
    for name in ("price", "conf"):
        if not isinstance(price[name], str) or not _INTEGER.match(price[name]):
            raise ValueError(f"{name} is not an integer string")
    if type(exponent) is not int or not LOWEST_EXPONENT <= exponent <= HIGHEST_EXPONENT:
        raise ValueError("expo is not a plausible integer")
    if type(published_at) is not int:
        raise ValueError("publish_time is not an integer")
    shift = PICO_USD_DECIMALS + exponent
    pico, confidence = (
        int(price[name]) * 10**shift if shift >= 0 else int(price[name]) // 10**-shift
        for name in ("price", "conf")
    )
    return pico, datetime.fromtimestamp(published_at, UTC), abs(confidence)
