"""What a program reads of an error: its code, and the fields that were refused (wire.md §1)."""

import re
from typing import Any

import pytest

from crossway.domain.error_codes import CATALOGUE, ErrorCode
from tests.api.conftest import INTENT, USDC_ARBITRUM, USDC_BASE, WALLET, Api

MULTI_SOURCE = {"destinationChain": "BASE", "amount": "25", "tokenOut": USDC_ARBITRUM}


def error(answer: Any) -> dict[str, Any]:
    """The members of a 400 beside status and message."""
    assert answer.status_code == 400, answer.text
    body = dict(answer.json())
    return {key: body[key] for key in body if key not in ("statusCode", "message")}


def test_every_code_is_explained_and_in_snake_case() -> None:
    assert set(CATALOGUE) == set(ErrorCode)
    spellings = set(ErrorCode) - {ErrorCode.KYC_REQUIRED}
    assert [code for code in spellings if not re.fullmatch("[a-z]+(_[a-z]+)*", code)] == []


def test_one_refused_field_is_param_and_several_are_params_in_the_order_of_the_body(
    api: Api,
) -> None:
    one = api.create(amount="0")
    assert error(one) == {"code": "parameter_invalid", "param": "amount"}
    several = api.post("/intents", {"recipient": "x", **INTENT, "colour": 1, "amount": "-5"})
    assert list(INTENT).index("amount") < list(INTENT).index("recipient")
    assert error(several) == {"code": "parameter_invalid", "params": ["amount", "colour"]}
    swapped = api.post("/intents", {"recipient": "x", "colour": 1, "amount": "-5"})
    assert error(swapped)["params"][:2] == ["colour", "amount"]


def test_a_missing_field_is_called_missing_and_nothing_else(api: Api) -> None:
    answer = api.post("/intents", {})
    required = ["amount", "tokenIn", "source_chain", "destination_chain", "recipient"]
    errors = answer.json()["message"].split("; ")
    assert errors == [f"{name} is required" for name in required]
    assert error(answer) == {"code": "parameter_missing", "params": required}
    partly = api.post("/intents", {**INTENT, "amount": "1.5"} | {"recipient": None})
    assert error(partly) == {"code": "parameter_invalid", "params": ["amount", "recipient"]}


def test_missing_query_parameters_are_called_missing_together(api: Api) -> None:
    answer = api.get("/router/supported-bridges/route")
    assert answer.json()["message"] == "sourceChain is required; destinationChain is required"
    names = ["destinationChain", "sourceChain"]
    assert error(answer) == {"code": "parameter_missing", "params": names}
    multi_source = api.get("/quotes/multi-source", amount="25")
    assert error(multi_source) == {
        "code": "parameter_missing",
        "params": ["destinationChain", "tokenOut"],
    }
    assert error(api.get("/quotes/single")) == {
        "code": "parameter_missing",
        "params": ["tokenIn", "tokenOut"],
    }


@pytest.mark.parametrize(
    "path", ["/chains", "/intents", "/quotes/single", "/ramp/orders", "/webhooks", "/events"]
)
def test_an_unknown_query_parameter_is_refused_by_name(api: Api, path: str) -> None:
    answer = api.get(path, colour="red")
    assert answer.json()["message"] == "colour is not a known parameter"
    assert error(answer) == {"code": "parameter_unknown", "param": "colour"}


def test_a_repeated_query_parameter_is_refused_beside_unknown_ones(api: Api) -> None:
    answer = api.http.get("/api/v1/intents?limit=1&limit=2&a=1", headers=api.headers())
    message = "limit is there more than once; a is not a known parameter"
    assert answer.json()["message"] == message
    assert error(answer) == {"code": "parameter_invalid", "params": ["limit", "a"]}


def test_a_post_refuses_unknown_query_parameters_and_does_nothing(api: Api) -> None:
    answer = api.http.post("/api/v1/intents?dry=1", json=INTENT, headers=api.headers())
    assert error(answer) == {"code": "parameter_unknown", "param": "dry"}
    assert api.get("/intents").json()["total"] == 0


def test_a_code_says_why_a_payment_is_not_taken(api: Api) -> None:
    assert error(api.create(amount="9" * 30))["code"] == "amount_out_of_range"
    unknown = api.get("/quotes/multi-source", **{**MULTI_SOURCE, "destinationChain": "MOON"})
    assert error(unknown) == {"code": "parameter_invalid", "param": "destinationChain"}
    body = api.http.post("/api/v1/intents", content=b"[", headers=api.headers())
    assert error(body) == {"code": "body_invalid"}


def test_balances_ignore_the_address_that_clients_repeat(api: Api) -> None:
    """wire.md §1, unknown or repeated query parameters: the one exception."""
    path = f"/chains/balances/{WALLET}"
    answers = [api.get(path, **query) for query in ({}, {"address": WALLET})]
    answers.append(api.get(path, address=[WALLET, WALLET]))
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == answers[1].json() == answers[2].json()
    other = api.get(path, address=WALLET, adress=WALLET)
    assert (other.status_code, other.json()["param"]) == (400, "adress")


@pytest.mark.parametrize("seconds", ["", [], {}, False])
def test_a_clock_is_advanced_by_a_number_only(api: Api, seconds: Any) -> None:
    answer = api.post("/sandbox/clock", {"advanceSeconds": seconds})
    assert (answer.status_code, answer.json()["param"]) == (400, "advanceSeconds")


MISSING_TOGETHER: list[tuple[str, Any, dict[str, Any]]] = [
    ("/sandbox/clock", {}, {"params": ["advanceSeconds", "frozen"]}),
    ("/sandbox/deposits", {"address": WALLET, "amount": "5"}, {"param": "chain"}),
    (
        "/sandbox/deposits",
        {"address": WALLET, "amount": "5", "chain": "BASE"},
        {"param": "token"},
    ),
]


@pytest.mark.parametrize(("path", "body", "fields"), MISSING_TOGETHER)
def test_what_must_be_given_is_called_missing(
    api: Api, path: str, body: Any, fields: dict[str, Any]
) -> None:
    """wire.md §7: fields that are required by what the others are."""
    assert error(api.post(path, body)) == {"code": "parameter_missing", **fields}


def test_a_wrong_yes_or_no_in_a_query_is_told_what_is_right(api: Api) -> None:
    answer = api.get(f"/chains/balances/{WALLET}", includeZeroBalances="perhaps")
    assert answer.json()["message"] == "includeZeroBalances must be true or false"
    assert error(answer) == {"code": "parameter_invalid", "param": "includeZeroBalances"}


@pytest.mark.parametrize("factor", [0, "x", 10_001])
def test_a_wrong_factor_is_told_the_range_that_is_taken(api: Api, factor: object) -> None:
    answer = api.post("/sandbox/chains/LISK/faults", {"feeFactor": factor})
    assert answer.json()["message"] == "feeFactor must be a whole number from 1 to 10000"
    assert api.post("/sandbox/chains/LISK/faults", {"feeFactor": 1}).json()["faults"] == {}


def test_a_nul_is_refused_by_the_name_of_its_parameter(api: Api) -> None:
    answer = api.get("/intents", sender="0x\0", limit="5\0", status="pending")
    assert answer.json()["message"] == "sender must not contain NUL; limit must not contain NUL"
    assert error(answer) == {"code": "parameter_invalid", "params": ["sender", "limit"]}
    in_path = api.get("/intents/address/0x%00")
    assert in_path.json()["message"] == "The path must not contain NUL"
    assert error(in_path) == {"code": "parameter_invalid"}


MISSING_IN_QUERIES: list[tuple[str, dict[str, str], str, list[str]]] = [
    ("/search", {}, "q is required", ["q"]),
    ("/quotes/multi-source", {"destinationChain": "BASE", "tokenOut": USDC_BASE},
     "Amount must be a valid positive number", ["amount"]),
    ("/quotes/single", {}, "Token addresses are required", ["tokenIn", "tokenOut"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "query", "message", "fields"), MISSING_IN_QUERIES)
def test_what_a_query_lacks_is_called_missing(
    api: Api, path: str, query: dict[str, str], message: str, fields: list[str]
) -> None:
    answer = api.get(path, **query)
    named = {"param": fields[0]} if len(fields) == 1 else {"params": fields}
    assert error(answer) == {"code": "parameter_missing", **named}
    assert answer.json()["message"] == message


def test_a_submission_needs_a_country_or_a_currency(api: Api) -> None:
    body = {"provider": "FONBNK", "userEmail": "ada@example.com", "fields": {"firstName": "Ada"}}
    answer = api.post("/ramp/kyc", body)
    assert answer.json()["message"] == "countryCode or fiatCurrency is required"
    assert error(answer)["params"] == ["countryCode", "fiatCurrency"]


def test_an_unknown_event_to_resume_after_is_named_by_its_header(api: Api) -> None:
    answer = api.http.get("/api/v1/events", headers=api.headers(**{"Last-Event-ID": "evt_x"}))
    assert error(answer) == {"code": "parameter_invalid", "param": "last-event-id"}
