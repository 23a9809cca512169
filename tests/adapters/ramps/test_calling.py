"""How every provider's client meets failures: silence is unknown, a refusal is a sentence."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from crossway.adapters.ramps.http_client import (
    MAX_ATTEMPTS,
    MAX_RESPONSE_BYTES,
    ProviderHttpClient,
    ResourceNotFound,
    new_client,
)
from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderRejected, RampProvider
from tests.adapters.ramps.asking import AT, EMAIL, ask_of, channel_of, order_of
from tests.adapters.ramps.standins import (
    HOOK_SECRET,
    KEY,
    SECRET,
    StandIn,
    fonbnk_allows,
    fonbnk_at,
    nothing,
    onramp_money_allows,
    onramp_money_at,
    paycrest_allows,
    paycrest_at,
    quick_client,
    recorded,
    running,
    yellow_card_allows,
    yellow_card_at,
)

Making = tuple[ProviderName, Callable[..., Any], Callable[..., Any], str, str, str]
MAKING: dict[str, Making] = {
    "fonbnk": (
        ProviderName.FONBNK,
        fonbnk_at,
        fonbnk_allows,
        "NGN",
        "POST /api/v2/quote",
        "quote_on",
    ),
    "onramp_money": (
        ProviderName.ONRAMP_MONEY,
        onramp_money_at,
        onramp_money_allows,
        "INR",
        "POST /onramp/api/v2/common/transaction/quotes",
        "quote",
    ),
    "paycrest": (
        ProviderName.PAYCREST,
        paycrest_at,
        paycrest_allows,
        "NGN",
        "GET /v2/rates/base/USDC/100/NGN",
        "rates",
    ),
    "yellow_card": (
        ProviderName.YELLOW_CARD,
        yellow_card_at,
        yellow_card_allows,
        "NGN",
        "GET /business/rates",
        "rates",
    ),
}
HUNDRED = 100_000_000


class Met:
    """A provider's client and its stand-in, both at hand."""

    def __init__(self, name: str, server: StandIn, client: httpx.Client, **more: Any) -> None:
        self.name, make, _, self.currency, self.asks, answer = MAKING[name]
        self.server = server
        self.provider: RampProvider = make(server.url, client, **more)
        server.answers[self.asks] = recorded(name)[answer]
        if name == "yellow_card":
            server.answers["POST /business/fees/get-config"] = recorded(name)["fees"]

    def price(self) -> int:
        channel = channel_of(self.name, Direction.ON, self.currency)
        ask = ask_of(Direction.ON, HUNDRED, self.currency)
        return self.provider.get_quote(ask, [channel], AT).fiat_minor


@pytest.fixture(params=list(MAKING))
def met(request: pytest.FixtureRequest) -> Iterator[Met]:
    with running(StandIn(MAKING[request.param][2])) as server, quick_client() as client:
        yield Met(request.param, server, client)


def test_a_price_is_told_to_who_signs_rightly(met: Met) -> None:
    assert met.price() > 0


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted_is_no_refusal_of_the_user(met: Met, status: int) -> None:
    met.server.first.append((status, {}, b'{"message": "bad key"}'))
    with pytest.raises(Unreachable, match=f"does not accept Crossway's key .status {status}"):
        met.price()
    assert len(met.server.calls) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_a_failure_that_passes_is_asked_again(met: Met, status: int) -> None:
    met.server.first.extend([(status, {}, b"oops")] * (MAX_ATTEMPTS - 1))
    assert met.price() > 0


def test_a_failure_that_stays_is_unknown_and_no_refusal(met: Met) -> None:
    met.server.first.extend([(500, {}, b"oops")] * MAX_ATTEMPTS)
    with pytest.raises(Unreachable, match="answered with status 500"):
        met.price()
    assert len(met.server.calls) == MAX_ATTEMPTS


def test_who_asks_to_wait_long_is_not_asked_again(met: Met) -> None:
    met.server.first.append((429, {"Retry-After": "30"}, b"{}"))
    with pytest.raises(Unreachable, match="status 429"):
        met.price()
    assert len(met.server.calls) == 1


def test_who_asks_to_wait_a_moment_is(met: Met) -> None:
    met.server.first.append((429, {"Retry-After": "1"}, b"{}"))
    assert met.price() > 0


@pytest.mark.parametrize("name", list(MAKING))
def test_slowness_is_unknown(name: str) -> None:
    with running(StandIn(MAKING[name][2])) as server, quick_client(0.1) as client:
        server.open.clear()
        with pytest.raises(Unreachable, match="gave no answer: ReadTimeout"):
            Met(name, server, client).price()


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b'{"data": ', b"[" * 100_000, b'{"rate": NaN}', b"null", b"{}", b"[1]"]
)
def test_an_answer_of_no_known_form_is_unknown(met: Met, body: bytes) -> None:
    met.server.first.append((200, {}, body))
    with pytest.raises(Unreachable, match=r"not JSON|another form than documented"):
        met.price()


def test_a_redirect_is_not_followed(met: Met) -> None:
    met.server.first.append((302, {"Location": met.server.url}, b""))
    with pytest.raises(Unreachable, match="status 302"):
        met.price()
    assert len(met.server.calls) == 1


def test_a_refusal_is_a_sentence(met: Met) -> None:
    said = b'{"status": "error", "message": "Amount is\\ttoo small", "data": [{"field": "amount",'
    met.server.first.append((400, {}, said + b' "message": "at least 1"}]}'))
    with pytest.raises(ProviderRejected, match="refused: Amount is too small: amount at least 1"):
        met.price()


def test_a_refusal_without_words_says_so(met: Met) -> None:
    met.server.first.append((422, {}, b"<html>"))
    with pytest.raises(ProviderRejected, match=r"no reason given .status 422"):
        met.price()


@pytest.mark.parametrize("name", list(MAKING))
def test_errors_and_what_is_printed_hold_no_secret(name: str) -> None:
    with running(StandIn(lambda _: True)) as server, quick_client() as client:
        met = Met(name, server, client)
        said: list[str] = [repr(met.provider), repr(vars(met.provider))]
        for status in (400, 401, 500, 500, 500):
            server.first.append((status, {}, f'{{"message": "{KEY} {SECRET}"}}'.encode()))
        for _ in range(3):
            try:
                met.price()
            except (Unreachable, ProviderRejected) as error:
                said += [str(error), repr(error)]
        assert len(said) == 8
    # The client id of Fonbnk is a name, not a secret.
    hidden = [SECRET, HOOK_SECRET] + ([KEY] if name != "fonbnk" else [])
    assert not [secret for secret in hidden for text in said if secret in text]


def test_an_order_is_not_sent_twice_when_nobody_answers() -> None:
    with running(StandIn(lambda _: True)) as server, quick_client() as client:
        provider = paycrest_at(server.url, client)
        server.answers["GET /v2/sender/orders"] = recorded("paycrest")["empty"]
        server.answers["POST /v2/sender/orders"] = (500, {"message": "oops"})
        with pytest.raises(Unreachable):
            provider.create_order(
                order_of(ProviderName.PAYCREST, Direction.ON, HUNDRED, 14_982_500)
            )
        assert len(server.asked("POST", "/v2/sender/orders")) == 1


def test_what_is_not_there_is_told_apart() -> None:
    with running(StandIn(lambda _: True)) as server, quick_client() as client:
        caller = ProviderHttpClient("Somebody", server.url + "/", client, lambda *_: {}, nothing)
        with pytest.raises(ResourceNotFound):
            caller.get("/nowhere")


def test_a_flood_is_not_read_to_its_end() -> None:
    with running(StandIn(lambda _: True)) as server, quick_client() as client:
        caller = ProviderHttpClient("Somebody", server.url, client, lambda *_: {}, nothing)
        server.first.append((200, {}, b" " * (MAX_RESPONSE_BYTES + 100_000)))
        with pytest.raises(Unreachable, match="too long"):
            caller.get("/")


def test_logs_do_not_hold_who_was_asked_about(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running(StandIn(lambda _: True)) as server, new_client() as client:
        server.answers["GET /api/v2/user/kyc"] = recorded("fonbnk")["kyc"]
        fonbnk_at(server.url, client).get_kyc_status(EMAIL, "NG")
    assert len(server.calls) == 1
    assert "ada" not in caplog.text


def test_nobody_at_the_address_is_unknown() -> None:
    with quick_client() as client:
        caller = ProviderHttpClient(
            "Somebody", "http://127.0.0.1:9", client, lambda *_: {}, nothing
        )
        with pytest.raises(Unreachable, match="Somebody gave no answer: ConnectError"):
            caller.post("/orders", {}, idempotent=True)


def test_the_client_waits_three_seconds_to_connect_and_eight_to_read() -> None:
    with new_client() as client:
        assert (client.timeout.connect, client.timeout.read) == (3.0, 8.0)
        assert not client.follow_redirects
