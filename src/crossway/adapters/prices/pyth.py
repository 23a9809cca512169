"""Prices of Pyth, read from Hermes: GET {base}/v2/updates/price/latest.

Sources: docs.pyth.network/price-feeds/core/fetch-price-updates (path, ids[], parsed) and
docs.pyth.network/pro/pyth-core-upgrade (since August 2026 Hermes wants a key as a bearer token).
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
# Real exponents lie between -12 and 0; beyond these an answer is nonsense, or a flood of digits.
LOWEST_EXPONENT, HIGHEST_EXPONENT = -30, 12
_INTEGER = re.compile(r"-?[0-9]{1,20}\Z", re.ASCII)


class PythPrices:
    """All feeds are read together and kept for `keep_seconds`; `feeds` is feed id by symbol.

    The client arrives built, its timeout set; a price older than `max_age_seconds` is given as it
    is, for the use case to refuse. `timer` counts seconds of the machine.
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
        self._feeds = {symbol: _plain(id_) for symbol, id_ in feeds.items() if id_}
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._max_age = max_age_seconds
        self._keep = keep_seconds
        self._timer = timer
        self._lock = Lock()
        self._kept: Mapping[str, Price] = {}
        self._kept_at: float | None = None

    def usd(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """Known prices; a symbol without a feed or a price is absent. Raises `Unreachable`."""
        prices = self._latest()
        return {symbol: prices[symbol] for symbol in symbols if symbol in prices}

    def max_age_seconds(self) -> float | None:
        """A price older than this refuses to quote."""
        return self._max_age

    def _latest(self) -> Mapping[str, Price]:
        with self._lock:  # One reads, the others wait for what it read.
            now = self._timer()
            if self._kept_at is None or now - self._kept_at >= self._keep:
                self._kept = self._read_all()
                self._kept_at = self._timer()
            return self._kept

    def _read_all(self) -> Mapping[str, Price]:
        ids = sorted(set(self._feeds.values()))
        found: dict[str, tuple[int, datetime]] = {}
        for start in range(0, len(ids), IDS_IN_A_REQUEST):
            batch = ids[start : start + IDS_IN_A_REQUEST]
            found.update(_parsed(self._read(batch)))
        return {
            symbol: Price(symbol, *found[id_])
            for symbol, id_ in self._feeds.items()
            if id_ in found and found[id_][0] > 0
        }

    def _read(self, ids: Sequence[str]) -> Any:
        asked: list[tuple[str, str | int | float | bool | None]] = [("ids[]", id_) for id_ in ids]
        # Without the last, one feed that was withdrawn would fail all the others.
        asked += [("parsed", "true"), ("encoding", "hex"), ("ignore_invalid_price_ids", "true")]
        try:
            answer = self._client.get(
                self._url, params=httpx.QueryParams(asked), headers=self._headers
            )
            if answer.status_code != httpx.codes.OK:
                raise Unreachable(f"Pyth answered with status {answer.status_code}")
            return answer.json()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"Pyth gave no answer: {type(error).__name__}") from error
        except ValueError as error:
            raise Unreachable("Pyth's answer is not JSON") from error


def _plain(feed_id: str) -> str:
    """A feed id as Hermes answers it: lower case, without 0x."""
    return feed_id.lower().removeprefix("0x")


def _parsed(body: Any) -> dict[str, tuple[int, datetime]]:
    """Price in pico-USD and instant by feed id; anything of another form is `Unreachable`."""
    try:
        return {_plain(entry["id"]): _price(entry["price"]) for entry in body["parsed"]}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
        raise Unreachable("Pyth's answer has another form than documented") from error


def _price(price: Mapping[str, Any]) -> tuple[int, datetime]:
    """price * 10**expo in pico-USD, exactly; digits below 10**-12 USD are cut off."""
    text, exponent, at = price["price"], price["expo"], price["publish_time"]
    if not isinstance(text, str) or not _INTEGER.match(text):
        raise ValueError("price is not an integer in text")
    if type(exponent) is not int or not LOWEST_EXPONENT <= exponent <= HIGHEST_EXPONENT:
        raise ValueError("expo is not a likely integer")
    if type(at) is not int:
        raise ValueError("publish_time is not an integer")
    shift = PICO_USD_DECIMALS + exponent
    pico = int(text) * 10**shift if shift >= 0 else int(text) // 10**-shift
    return pico, datetime.fromtimestamp(at, UTC)
