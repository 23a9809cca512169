"""How every provider client handles failures: no response means unknown, a rejection has a
reason."""

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
from tests.adapters.ramps.provider_servers import (
    HOOK_SECRET,
    KEY,
    SECRET,
    ProviderServer,
    has_paycrest_key,
    is_signed_for_fonbnk,
    is_signed_for_onramp_money,
    is_signed_for_yellow_card,
    new_fonbnk,
    new_http_client,
    new_onramp_money,
    new_paycrest,
    new_yellow_card,
    no_wait,
    recorded_responses,
    running_server,
)
from tests.adapters.ramps.requests import AT, USER, channel_for, order_request, quote_request

ProviderSetup = tuple[ProviderName, Callable[..., Any], Callable[..., Any], str, str, str]
PROVIDERS: dict[str, ProviderSetup] = {
    "fonbnk": (
        ProviderName.FONBNK,
        new_fonbnk,
        is_signed_for_fonbnk,
        "NGN",
        "POST /api/v2/quote",
        "quote_on",
    ),
    "onramp_money": (
        ProviderName.ONRAMP_MONEY,
        new_onramp_money,
        is_signed_for_onramp_money,
        "INR",
        "POST /onramp/api/v2/common/transaction/quotes",
        "quote",
    ),
    "paycrest": (
        ProviderName.PAYCREST,
        new_paycrest,
        has_paycrest_key,
        "NGN",
        "GET /v2/rates/base/USDC/100/NGN",
        "rates",
    ),
    "yellow_card": (
        ProviderName.YELLOW_CARD,
        new_yellow_card,
        is_signed_for_yellow_card,
        "NGN",
        "GET /business/rates",
        "rates",
    ),
}
HUNDRED = 100_000_000


class ClientUnderTest:
    """A provider's client together with its local server."""

    def __init__(
        self, name: str, server: ProviderServer, client: httpx.Client, **more: Any
    ) -> None:
        self.name, make, _, self.currency, self.asks, answer = PROVIDERS[name]
        self.server = server
        self.provider: RampProvider = make(server.url, client, **more)
        server.responses[self.asks] = recorded_responses(name)[answer]
        if name == "yellow_card":
            server.responses["POST /business/fees/get-config"] = recorded_responses(name)["fees"]

    def price(self) -> int:
        channel = channel_for(self.name, Direction.ON, self.currency)
        ask = quote_request(Direction.ON, HUNDRED, self.currency)
        return self.provider.get_quote(ask, [channel], AT).fiat_minor


@pytest.fixture(params=list(PROVIDERS))
def client_under_test(request: pytest.FixtureRequest) -> Iterator[ClientUnderTest]:
    with (
        running_server(ProviderServer(PROVIDERS[request.param][2])) as server,
        new_http_client() as client,
    ):
        yield ClientUnderTest(request.param, server, client)


def test_a_correctly_signed_request_gets_a_price(client_under_test: ClientUnderTest) -> None:
    assert client_under_test.price() > 0


@pytest.mark.parametrize("status", [401, 403])
def test_an_invalid_provider_key_is_not_a_rejection_of_the_user(
    client_under_test: ClientUnderTest, status: int
) -> None:
    client_under_test.server.raw_responses.append((status, {}, b'{"message": "bad key"}'))
    with pytest.raises(Unreachable, match=f"does not accept Crossway's key .status {status}"):
        client_under_test.price()
    assert len(client_under_test.server.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_a_transient_failure_is_retried(client_under_test: ClientUnderTest, status: int) -> None:
    client_under_test.server.raw_responses.extend([(status, {}, b"oops")] * (MAX_ATTEMPTS - 1))
    assert client_under_test.price() > 0


def test_a_permanent_failure_is_unreachable_instead_of_rejected(
    client_under_test: ClientUnderTest,
) -> None:
    client_under_test.server.raw_responses.extend([(500, {}, b"oops")] * MAX_ATTEMPTS)
    with pytest.raises(Unreachable, match="answered with status 500"):
        client_under_test.price()
    assert len(client_under_test.server.requests) == MAX_ATTEMPTS


def test_a_long_retry_after_is_not_retried(client_under_test: ClientUnderTest) -> None:
    client_under_test.server.raw_responses.append((429, {"Retry-After": "30"}, b"{}"))
    with pytest.raises(Unreachable, match="status 429"):
        client_under_test.price()
    assert len(client_under_test.server.requests) == 1


def test_a_short_retry_after_is_retried(client_under_test: ClientUnderTest) -> None:
    client_under_test.server.raw_responses.append((429, {"Retry-After": "1"}, b"{}"))
    assert client_under_test.price() > 0


@pytest.mark.parametrize("name", list(PROVIDERS))
def test_a_slow_provider_is_unreachable(name: str) -> None:
    with (
        running_server(ProviderServer(PROVIDERS[name][2])) as server,
        new_http_client(0.1) as client,
    ):
        server.may_respond.clear()
        with pytest.raises(Unreachable, match="gave no answer: ReadTimeout"):
            ClientUnderTest(name, server, client).price()


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b'{"data": ', b"[" * 100_000, b'{"rate": NaN}', b"null", b"{}", b"[1]"]
)
def test_a_malformed_response_is_unreachable(
    client_under_test: ClientUnderTest, body: bytes
) -> None:
    client_under_test.server.raw_responses.append((200, {}, body))
    with pytest.raises(Unreachable, match=r"not JSON|does not have the documented form"):
        client_under_test.price()


def test_a_redirect_is_not_followed(client_under_test: ClientUnderTest) -> None:
    client_under_test.server.raw_responses.append(
        (302, {"Location": client_under_test.server.url}, b"")
    )
    with pytest.raises(Unreachable, match="status 302"):
        client_under_test.price()
    assert len(client_under_test.server.requests) == 1


def test_a_rejection_has_the_providers_reason(client_under_test: ClientUnderTest) -> None:
    said = b'{"status": "error", "message": "Amount is\\ttoo small", "data": [{"field": "amount",'
    client_under_test.server.raw_responses.append((400, {}, said + b' "message": "at least 1"}]}'))
    with pytest.raises(ProviderRejected, match="refused: Amount is too small: amount at least 1"):
        client_under_test.price()


def test_a_rejection_without_a_reason_says_so(client_under_test: ClientUnderTest) -> None:
    client_under_test.server.raw_responses.append((422, {}, b"<html>"))
    with pytest.raises(ProviderRejected, match=r"no reason given .status 422"):
        client_under_test.price()


@pytest.mark.parametrize("name", list(PROVIDERS))
def test_errors_and_representations_contain_no_secret(name: str) -> None:
    with running_server(ProviderServer(lambda _: True)) as server, new_http_client() as client:
        client_under_test = ClientUnderTest(name, server, client)
        said: list[str] = [repr(client_under_test.provider), repr(vars(client_under_test.provider))]
        for status in (400, 401, 500, 500, 500):
            server.raw_responses.append((status, {}, f'{{"message": "{KEY} {SECRET}"}}'.encode()))
        for _ in range(3):
            try:
                client_under_test.price()
            except (Unreachable, ProviderRejected) as error:
                said += [str(error), repr(error)]
        assert len(said) == 8
    # The client id of Fonbnk is a name, not a secret.
    hidden = [SECRET, HOOK_SECRET] + ([KEY] if name != "fonbnk" else [])
    assert not [secret for secret in hidden for text in said if secret in text]


def test_an_order_without_a_response_is_not_sent_twice() -> None:
    with running_server(ProviderServer(lambda _: True)) as server, new_http_client() as client:
        provider = new_paycrest(server.url, client)
        server.responses["GET /v2/sender/orders"] = recorded_responses("paycrest")["empty"]
        server.responses["POST /v2/sender/orders"] = (500, {"message": "oops"})
        with pytest.raises(Unreachable):
            provider.create_order(
                order_request(ProviderName.PAYCREST, Direction.ON, HUNDRED, 14_982_500)
            )
        assert len(server.requests_to("POST", "/v2/sender/orders")) == 1


def test_a_missing_resource_is_distinguished() -> None:
    with running_server(ProviderServer(lambda _: True)) as server, new_http_client() as client:
        caller = ProviderHttpClient("Somebody", server.url + "/", client, lambda *_: {}, no_wait)
        with pytest.raises(ResourceNotFound):
            caller.get("/nowhere")


def test_an_oversized_response_is_not_read_completely() -> None:
    with running_server(ProviderServer(lambda _: True)) as server, new_http_client() as client:
        caller = ProviderHttpClient("Somebody", server.url, client, lambda *_: {}, no_wait)
        server.raw_responses.append((200, {}, b" " * (MAX_RESPONSE_BYTES + 100_000)))
        with pytest.raises(Unreachable, match="too long"):
            caller.get("/")


def test_logs_contain_no_customer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running_server(ProviderServer(lambda _: True)) as server, new_client() as client:
        server.responses["GET /api/v2/user/kyc"] = recorded_responses("fonbnk")["kyc"]
        new_fonbnk(server.url, client).get_kyc_status(USER, "NG")
    assert len(server.requests) == 1
    assert "ada" not in caplog.text


def test_a_refused_connection_is_unreachable() -> None:
    with new_http_client() as client:
        caller = ProviderHttpClient(
            "Somebody", "http://127.0.0.1:9", client, lambda *_: {}, no_wait
        )
        with pytest.raises(Unreachable, match="Somebody gave no answer: ConnectError"):
            caller.post("/orders", {}, idempotent=True)


def test_the_client_waits_three_seconds_to_connect_and_eight_to_read() -> None:
    with new_client() as client:
        assert (client.timeout.connect, client.timeout.read) == (3.0, 8.0)
        assert not client.follow_redirects
