"""Price sources: fixed prices, and Pyth against a local server that responds like Hermes."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.prices.pyth import IDS_IN_A_REQUEST, PythPrices
from crossway.domain.errors import Unreachable
from crossway.domain.money import Price

AT = 1_714_746_101
WHEN = datetime.fromtimestamp(AT, UTC)
ETH = "0xff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace"
STRK = "0x6a182399ff70ccf3e06024898942028204125a819e519a335ffa4579e66cd870"


def entry(feed: str, price: Any, expo: Any = -8, at: Any = AT) -> dict[str, Any]:
    """One parsed update as Hermes writes it."""
    now = {"price": price, "conf": "177166324", "expo": expo, "publish_time": at}
    slot = {"slot": 140_000_000, "proof_available_time": AT + 1, "prev_publish_time": AT - 1}
    return {"id": feed.removeprefix("0x"), "price": now, "ema_price": now, "metadata": slot}


class Hermes:
    """A local server that answers every request with `status` and `body`, and remembers it."""

    def __init__(self) -> None:
        self.status, self.entries, self.body = 200, list[dict[str, Any]](), b""
        self.asked: list[tuple[str, dict[str, list[str]], str | None]] = []
        self.open = threading.Event()
        self.open.set()
        hermes = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = parse_qs(parts.query)
                hermes.asked.append((parts.path, query, self.headers["Authorization"]))
                hermes.open.wait(10)
                known = [e for e in hermes.entries if e["id"] in query["ids[]"]]
                update = {"binary": {"encoding": "hex", "data": ["504e4155"]}, "parsed": known}
                body = hermes.body or json.dumps(update).encode()
                self.send_response(hermes.status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def hermes() -> Iterator[Hermes]:
    created = Hermes()
    thread = threading.Thread(target=created.server.serve_forever, args=(0.01,))
    thread.start()
    yield created
    created.open.set()
    created.server.shutdown()
    created.server.server_close()
    thread.join()


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=0.3, trust_env=False) as created:
        yield created


def test_fixed_prices_never_become_stale_and_zero_means_absent() -> None:
    prices = FixedPrices({"ETH": 1987 * 10**12, "anyBTC": 0}, WHEN)
    assert prices.get_usd_prices(["ETH", "anyBTC", "DOGE"]) == {
        "ETH": Price("ETH", 1987 * 10**12, WHEN)
    }
    assert prices.max_age_seconds() is None


def test_pyth_prices_are_read_exactly(hermes: Hermes, client: httpx.Client) -> None:
    hermes.entries = [entry(ETH, "184136023127"), entry(STRK, "36012345", -9)]
    prices = PythPrices(client, hermes.url + "/", {"ETH": ETH, "STRK": STRK}, api_key="key")
    assert prices.get_usd_prices(["ETH", "STRK", "LORDS"]) == {
        "ETH": Price("ETH", 1_841_360_231_270_000, WHEN, 1_771_663_240_000),
        "STRK": Price("STRK", 36_012_345_000, WHEN, 177_166_324_000),
    }
    (path, query, key) = hermes.asked[0]
    assert path == "/v2/updates/price/latest"
    assert sorted(query["ids[]"]) == sorted([ETH[2:], STRK[2:]])
    assert query["parsed"] == ["true"]
    assert key == "Bearer key"


@pytest.mark.parametrize(
    ("price", "expo", "pico"),
    [("5", 0, 5 * 10**12), ("123456789", -12, 123_456_789), ("129", -13, 12), ("7", 2, 7 * 10**14)],
)
def test_every_exponent_becomes_whole_pico_dollars(
    hermes: Hermes, client: httpx.Client, price: str, expo: int, pico: int
) -> None:
    hermes.entries = [entry(ETH, price, expo)]
    assert (
        PythPrices(client, hermes.url, {"ETH": ETH}).get_usd_prices(["ETH"])["ETH"].pico_usd == pico
    )


@pytest.mark.parametrize("price", ["0", "-184136023127"])
def test_a_price_that_is_not_positive_is_absent(
    hermes: Hermes, client: httpx.Client, price: str
) -> None:
    hermes.entries = [entry(ETH, price)]
    assert PythPrices(client, hermes.url, {"ETH": ETH}).get_usd_prices(["ETH"]) == {}


def test_symbols_without_a_feed_are_absent_and_two_may_share_one(
    hermes: Hermes, client: httpx.Client
) -> None:
    hermes.entries = [entry(ETH, "184136023127")]
    prices = PythPrices(client, hermes.url, {"ETH": ETH, "WETH": ETH.upper(), "anyBTC": ""})
    assert set(prices.get_usd_prices(["ETH", "WETH", "anyBTC"])) == {"ETH", "WETH"}
    assert hermes.asked[0][1]["ids[]"] == [ETH[2:]]


def test_many_feeds_are_requested_in_batches(hermes: Hermes, client: httpx.Client) -> None:
    feeds = {f"T{n}": f"{n:064x}" for n in range(1, IDS_IN_A_REQUEST + 2)}
    hermes.entries = [entry(feed, "100000000") for feed in feeds.values()]
    assert set(PythPrices(client, hermes.url, feeds).get_usd_prices(list(feeds))) == set(feeds)
    assert [len(query["ids[]"]) for _, query, _ in hermes.asked] == [IDS_IN_A_REQUEST, 1]


def test_prices_are_cached_for_a_short_time(hermes: Hermes, client: httpx.Client) -> None:
    hermes.entries = [entry(ETH, "1")]
    seconds = [100.0]
    prices = PythPrices(
        client, hermes.url, {"ETH": ETH}, keep_seconds=2.0, timer=lambda: seconds[0]
    )
    for moment, requests in [(100.0, 1), (101.9, 1), (102.0, 2), (103.0, 2)]:
        seconds[0] = moment
        prices.get_usd_prices(["ETH"])
        assert len(hermes.asked) == requests


def test_concurrent_callers_share_one_request(hermes: Hermes, client: httpx.Client) -> None:
    hermes.entries = [entry(ETH, "1")]
    prices = PythPrices(client, hermes.url, {"ETH": ETH})
    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(lambda _: prices.get_usd_prices(["ETH"]), range(8)))
    assert all(item == result[0] for item in result)
    assert len(hermes.asked) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_an_error_status_is_unreachable(hermes: Hermes, client: httpx.Client, status: int) -> None:
    hermes.status, hermes.body = status, b"Price ids not found"
    with pytest.raises(Unreachable, match=str(status)):
        PythPrices(client, hermes.url, {"ETH": ETH}).get_usd_prices(["ETH"])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"parsed": null}',
        b'{"parsed": [1]}',
        json.dumps({"parsed": [entry(ETH, 184136023127)]}).encode(),
        json.dumps({"parsed": [entry(ETH, "1e5")]}).encode(),
        json.dumps({"parsed": [entry(ETH, "1", expo="-8")]}).encode(),
        json.dumps({"parsed": [entry(ETH, "1", expo=10**9)]}).encode(),
        json.dumps({"parsed": [entry(ETH, "1", at="now")]}).encode(),
        json.dumps({"parsed": [entry(ETH, "1", at=10**30)]}).encode(),
    ],
)
def test_a_malformed_response_is_unreachable(
    hermes: Hermes, client: httpx.Client, body: bytes
) -> None:
    hermes.body = body
    with pytest.raises(Unreachable):
        PythPrices(client, hermes.url, {"ETH": ETH}).get_usd_prices(["ETH"])


def test_a_timeout_is_unreachable(hermes: Hermes, client: httpx.Client) -> None:
    hermes.open.clear()
    with pytest.raises(Unreachable, match="ReadTimeout"):
        PythPrices(client, hermes.url, {"ETH": ETH}).get_usd_prices(["ETH"])


def test_a_refused_connection_is_unreachable(client: httpx.Client) -> None:
    with pytest.raises(Unreachable, match="ConnectError"):
        PythPrices(client, "http://127.0.0.1:1", {"ETH": ETH}).get_usd_prices(["ETH"])


def test_the_age_limit_is_passed_on(client: httpx.Client) -> None:
    assert PythPrices(client, "http://x", {}, max_age_seconds=30).max_age_seconds() == 30
