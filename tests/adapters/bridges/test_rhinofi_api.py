"""The client of rhino.fi's API against a service of ours: signing in, and parsing answers."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from crossway.adapters.bridges.rhinofi.api import (
    FAILURES,
    MAX_RESPONSE_BYTES,
    PAUSE_SECONDS,
    TOKEN_SECONDS,
    QuoteQuestion,
    Refused,
    RhinofiApi,
)
from crossway.adapters.bridges.rhinofi.api_schemas import (
    TransferReport,
    parse_configs,
    parse_quote,
    parse_report,
)
from crossway.adapters.bridges.service_limits import ServiceLimits
from crossway.domain.errors import Unreachable
from tests.bridges.rhinofi_service import KEY, RhinofiService, running_rhinofi

ACCOUNT = "0x000000000000000000000000000000000000c0dE"
QUESTION = QuoteQuestion("BASE", "ARBITRUM", "USDC", "USDC", "25", ACCOUNT, ACCOUNT)
LIMITS = ServiceLimits(timeout_seconds=30, requests_per_second=1_000, pause_seconds=30)
QUOTE: dict[str, Any] = {
    "_tag": "bridge",
    "quoteId": "6ab9b158ad7a6c21e63c0c9c",
    "chainIn": "BASE",
    "chainOut": "ARBITRUM",
    "token": "USDC",
    "payAmount": "25.04",
    "receiveAmount": "25",
    "fees": {"fee": "0.04", "gasFee": "0.02"},
    "depositor": ACCOUNT,
    "recipient": ACCOUNT,
    "expiresAt": "2026-11-21T14:00:00.000+02:00",
    "estimatedDuration": 15000,
}


@dataclass
class World:
    """A client whose time passes where a test says so."""

    service: RhinofiService
    api: RhinofiApi
    seconds: list[float]

    def failure(self) -> str:
        with pytest.raises(Unreachable) as raised:
            self.api.request_quote(QUESTION)
        return str(raised.value)


def new_api(
    service: RhinofiService, seconds: list[float], key: str = KEY, limits: ServiceLimits = LIMITS
) -> RhinofiApi:
    return RhinofiApi(service.url, limits, key, lambda: seconds[0])


@pytest.fixture
def world() -> Iterator[World]:
    seconds = [0.0]
    with running_rhinofi() as service:
        api = new_api(service, seconds)
        yield World(service, api, seconds)
        api.close()


def test_one_sign_in_lasts_for_less_than_an_hour(world: World) -> None:
    for _ in range(3):
        world.api.request_quote(QUESTION)
    assert world.service.signed_in == 1
    world.seconds[0] = TOKEN_SECONDS - 1
    world.api.request_quote(QUESTION)
    assert world.service.signed_in == 1
    world.seconds[0] = TOKEN_SECONDS
    world.api.request_quote(QUESTION)
    assert world.service.signed_in == 2
    assert TOKEN_SECONDS < 3_600


def test_a_token_that_ended_early_is_asked_for_anew_once(world: World) -> None:
    world.api.request_quote(QUESTION)
    world.service.tokens.clear()
    world.api.request_quote(QUESTION)
    assert world.service.signed_in == 2
    # The other way in which it says so.
    world.service.refusal = 400, {"_tag": "InvalidJwt", "message": "expired"}
    assert world.failure() == "rhino.fi does not accept the API key"
    assert world.service.signed_in == 3
    # Tokens that are never valid are not asked for without end.
    world.service.refusal = 401, {"_tag": "Unauthorized"}
    assert world.failure() == "rhino.fi does not accept the API key"
    assert world.service.signed_in == 4


def test_a_wrong_key_is_said_without_it() -> None:
    with running_rhinofi() as service:
        api = new_api(service, [0.0], "another-key")
        with pytest.raises(Unreachable) as raised:
            api.request_quote(QUESTION)
        api.close()
    assert str(raised.value) == "rhino.fi does not accept the API key"


def test_neither_key_nor_token_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    world.api.request_quote(QUESTION)
    world.service.refusal = 400, {"message": KEY}
    with pytest.raises(Refused):
        world.api.request_quote(QUESTION)
    assert caplog.text
    assert KEY not in caplog.text
    assert world.service.tokens[0] not in caplog.text


def test_what_is_public_is_asked_without_signing_in(world: World) -> None:
    assert world.api.get_configs() == []
    assert world.service.signed_in == 0


def test_amounts_are_exact_whatever_their_form() -> None:
    for text, amount in (("25.04", "25.04"), ("2.504e+1", "25.04"), ("1e-18", "1e-18")):
        assert parse_quote(QUOTE | {"payAmount": text}).pay == Decimal(amount)
    quote = parse_quote(QUOTE)
    assert (quote.token_in, quote.token_out, quote.least) == ("USDC", "USDC", Decimal(25))
    swap = {"_tag": "bridgeSwap", "tokenIn": "USDT", "tokenOut": "USDC", "minReceiveAmount": "24"}
    exchanged = parse_quote(QUOTE | swap)
    assert (exchanged.token_in, exchanged.token_out) == ("USDT", "USDC")
    assert (exchanged.receive, exchanged.least) == (Decimal(25), Decimal(24))
    assert quote.expires_at == datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert (quote.gas, quote.usual_seconds) == (Decimal("0.02"), 15)
    for duration in (None, 0, -1, True, "15000", 10**9):
        assert parse_quote(QUOTE | {"estimatedDuration": duration}).usual_seconds is None


@pytest.mark.parametrize(
    "change",
    [
        {"payAmount": 25.04},
        {"payAmount": "-1"},
        {"payAmount": "NaN"},
        {"payAmount": "Infinity"},
        {"payAmount": "1e400"},
        {"payAmount": "1" * 101},
        {"receiveAmount": ""},
        {"_tag": None},
        {"token": None},
        {"_tag": "bridgeSwap", "tokenIn": "USDC", "tokenOut": "USDT"},
        {"fees": None},
        {"fees": {"fee": "1"}},
        {"quoteId": "0x6ab9"},
        {"quoteId": "6" * 65},
        {"depositor": 1},
        {"recipient": "x" * 201},
        {"expiresAt": "soon"},
        {"expiresAt": "2026-11-21T14:00:00"},
    ],
)
def test_a_malformed_quote_counts_as_none(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is no|has no"):
        parse_quote(QUOTE | change)


def test_a_malformed_chain_does_not_hide_the_others() -> None:
    good = {
        "type": "EVM",
        "networkId": "8453",
        "contractAddress": ACCOUNT,
        "status": "enabled",
        "tokens": {"USDC": {"address": ACCOUNT, "decimals": 6}, "BAD": {"address": ACCOUNT}},
    }
    bad = [{**good, name: None} for name in ("type", "networkId", "contractAddress", "tokens")]
    listed = {"BASE": good} | {str(number): entry for number, entry in enumerate([*bad, 7])}
    (config,) = parse_configs(listed)
    assert (config.name, config.is_enabled, set(config.tokens)) == ("BASE", True, {"USDC"})


def test_only_transactions_of_evm_chains_are_taken_from_a_report() -> None:
    tx_id = "0x" + "AB" * 32
    report = {"_id": "6a", "state": "EXECUTED", "withdrawTxHash": tx_id, "refundTxHash": "0xab"}
    assert parse_report(report) == TransferReport("6a", "EXECUTED", tx_id.lower(), "")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, b"", "rhino.fi responded with status 500"),
        (302, b"", "rhino.fi responded with status 302"),
        (200, b"<html>", "rhino.fi's response cannot be used: it is not JSON"),
        (200, b"[" * 100_000, "rhino.fi's response cannot be used: it is not JSON"),
        (200, b"[]", "rhino.fi's response cannot be used: the response is no object"),
        (200, b'{"jwt": "a b"}', "rhino.fi's response cannot be used: jwt is no token"),
        (200, b" " * (MAX_RESPONSE_BYTES + 1), "rhino.fi's response is too long"),
        (403, b"", "rhino.fi does not accept the API key"),
    ],
)
def test_an_answer_that_cannot_be_used_counts_as_none(
    status: int, body: bytes, words: str, world: World
) -> None:
    world.service.status, world.service.body = status, body
    assert world.failure() == words


def test_a_service_that_fails_again_and_again_is_left_alone_for_a_while(world: World) -> None:
    world.api.request_quote(QUESTION)
    world.service.silent = True
    for _ in range(FAILURES):
        assert world.failure().startswith("rhino.fi did not respond: ")
    asked = len(world.service.requests)
    assert world.failure().startswith("rhino.fi did not respond: ")
    assert len(world.service.requests) == asked
    world.service.silent = False
    world.seconds[0] += PAUSE_SECONDS
    world.api.request_quote(QUESTION)


def test_too_many_requests_are_followed_by_a_pause(world: World) -> None:
    world.api.request_quote(QUESTION)
    world.service.refusal = 429, {}
    assert world.failure() == "rhino.fi refused requests as too many"
    world.service.refusal = None
    asked = len(world.service.requests)
    world.seconds[0] += LIMITS.pause_seconds - 1
    again = "rhino.fi refused requests as too many; it is asked again in 2 s"
    assert world.failure() == again
    assert len(world.service.requests) == asked
    world.seconds[0] += 1
    world.api.request_quote(QUESTION)


def test_no_more_requests_are_sent_than_its_limits_allow() -> None:
    limits = replace(LIMITS, requests_per_minute=3)
    with running_rhinofi() as service:
        api, seconds = new_api(service, clock := [0.0], limits=limits), clock
        for _ in range(2):
            api.request_quote(QUESTION)
        with pytest.raises(Unreachable, match="is asked too often; ask again soon"):
            api.request_quote(QUESTION)
        assert len(service.requests) == 3
        seconds[0] += 60
        api.request_quote(QUESTION)
        api.close()


def test_a_refusal_is_no_failure_of_the_service(world: World) -> None:
    world.service.refusal = 400, {"_tag": "TooMuch", "message": "more than you may"}
    for _ in range(FAILURES + 1):
        with pytest.raises(Refused, match=r"^rhino\.fi refused: TooMuch: more than you may$"):
            world.api.request_quote(QUESTION)


@pytest.mark.parametrize(
    ("code", "param"),
    [
        ("WithdrawLimitReached", "amount"),
        ("SwapLimitReached", "amount"),
        ("NoRouteFoundError", "tokenIn"),
        ("InvalidRequest", None),
    ],
)
def test_a_refusal_says_which_parameter_it_is_about(
    code: str, param: str | None, world: World
) -> None:
    world.service.refusal = 422, {"_tag": code}
    with pytest.raises(Refused) as raised:
        world.api.request_quote(QUESTION)
    assert raised.value.param == param


def test_another_quote_than_the_one_to_commit_to_is_not_committed(world: World) -> None:
    quote = world.api.request_quote(QUESTION)
    world.service.body = json.dumps({"quoteId": "6a"}).encode()
    with pytest.raises(Unreachable, match="committed another quote"):
        world.api.commit_quote(quote.quote_id)
