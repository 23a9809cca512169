"""Ramp quotes, currencies and countries over HTTP."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.ramp_requests import (
    CORRIDORS,
    DIRECT_PROVIDERS,
    OFF_RAMP,
    ON_RAMP,
    PROVIDERS,
    new_email,
    verified_customer,
)

QUOTE = {
    "provider", "type", "fiatCurrency", "fiatAmount", "cryptoCurrency", "cryptoAmount",
    "exchangeRate", "totalFeesFiat", "totalFeesUsd", "rampChain", "requiresBridge",
    "bridgeDetails", "paymentChannels", "quoteId", "expiresAt",
}  # fmt: skip
DEPOSIT = {"grossDepositAmount", "grossDepositAmountFormatted", "depositChain"}
CHANNEL = {
    "id", "name", "type", "transferType", "currency", "minAmount", "maxAmount", "fees",
    "fieldsRequired",
}  # fmt: skip


def quotes(api: Api, **asked: Any) -> Any:
    answer = api.get("/ramp/quotes", **asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("currency", "country"), [(c, k) for c, (countries, _) in CORRIDORS.items() for k in countries]
)
def test_every_corridor_is_quoted_both_ways_by_the_specified_providers(
    api: Api, currency: str, country: str
) -> None:
    _, providers = CORRIDORS[currency]
    corridor = {"fiatCurrency": currency, "countryCode": country, "cryptoAmount": 60}
    bought = quotes(api, **{**ON_RAMP, **corridor})
    assert {quote["provider"] for quote in bought["quotes"]} == set(providers)
    sold = quotes(api, **{**OFF_RAMP, **corridor})
    assert {quote["provider"] for quote in sold["quotes"]} == set(providers) & set(DIRECT_PROVIDERS)
    for quote in bought["quotes"] + sold["quotes"]:
        assert quote["fiatCurrency"] == currency
        assert quote["fiatAmount"] > 0
        assert quote["cryptoAmount"] == 60
        assert quote["paymentChannels"]
        assert {channel["currency"] for channel in quote["paymentChannels"]} == {currency}
    if not sold["quotes"]:
        assert sold["recommended"] is None


@pytest.mark.parametrize("asked", [ON_RAMP, OFF_RAMP])
def test_a_quote_has_exactly_its_fields(api: Api, asked: dict[str, Any]) -> None:
    body = quotes(api, **asked)
    assert set(body) == {"recommended", "quotes", "providersQueried", "providersLeftOut"}
    for quote in body["quotes"]:
        assert set(quote) == (QUOTE if asked is ON_RAMP else QUOTE | DEPOSIT)
        assert quote["requiresBridge"] == (quote["bridgeDetails"] is not None)
        if quote["bridgeDetails"]:
            bridged = quote["bridgeDetails"]
            assert set(bridged) == {
                "bridgeProvider",
                "bridgeFeeUsd",
                "sourceChain",
                "destinationChain",
            }
        for channel in quote["paymentChannels"]:
            assert set(channel) == CHANNEL
            assert set(channel["fees"]) == {"fixed", "percentage"}
            for field in channel["fieldsRequired"]:
                assert {"key", "label", "type", "required", "options"} <= set(field)
    if asked is OFF_RAMP:
        first = body["quotes"][0]
        assert first["depositChain"] == "BASE_MAINNET"
        assert int(first["grossDepositAmount"]) >= 25_000_000
        formatted = Decimal(first["grossDepositAmountFormatted"])
        assert formatted.scaleb(6) == int(first["grossDepositAmount"])


def test_quotes_are_cheapest_first_and_the_cheapest_is_recommended(api: Api) -> None:
    body = quotes(api, **ON_RAMP)
    costs = [quote["totalFeesFiat"] for quote in body["quotes"]]
    assert len(costs) == 3
    assert costs == sorted(costs)
    assert body["recommended"] == body["quotes"][0]
    assert sorted(body["providersQueried"]) == DIRECT_PROVIDERS
    assert body["providersLeftOut"] == []


def test_a_provider_with_passed_kyc_is_recommended_within_one_percent(api: Api) -> None:
    body = quotes(api, **ON_RAMP)
    for quote in body["quotes"]:
        email = verified_customer(api, quote["provider"])
        near = quote["fiatAmount"] <= body["quotes"][0]["fiatAmount"] * 1.01
        best = quotes(api, **ON_RAMP, userEmail=email)["recommended"]["provider"]
        assert best == (quote["provider"] if near else body["quotes"][0]["provider"])
    best = quotes(api, **ON_RAMP, userEmail=new_email())["recommended"]["provider"]
    assert best == body["recommended"]["provider"]


def test_type_is_on_ramp_and_the_token_is_usdc_by_default(api: Api) -> None:
    plain = {key: value for key, value in ON_RAMP.items() if key != "type"}
    assert {quote["type"] for quote in quotes(api, **plain)["quotes"]} == {"on-ramp"}
    assert {quote["cryptoCurrency"] for quote in quotes(api, **plain)["quotes"]} == {"USDC"}
    ether = quotes(api, **{**ON_RAMP, "cryptoAmount": "0.0123", "amountSymbol": "ETH"})
    assert {quote["cryptoCurrency"] for quote in ether["quotes"]} == {"ETH"}


def test_direct_only_excludes_hosted_widgets(api: Api) -> None:
    params = {**ON_RAMP, "fiatCurrency": "INR"}
    assert quotes(api, **params)["quotes"]
    alone = quotes(api, **params, directOnly="true")
    assert (alone["quotes"], alone["recommended"]) == ([], None)
    assert quotes(api, **params, directOnly="false")["quotes"]


def test_amounts_are_exact_numbers(api: Api) -> None:
    answer = api.get("/ramp/quotes", **{**ON_RAMP, "cryptoAmount": "25.000001"})
    text = json.loads(answer.text, parse_float=str)
    assert {quote["cryptoAmount"] for quote in text["quotes"]} == {"25.000001"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"type": "sideways"}, "type"),
        ({"fiatCurrency": None}, "fiatCurrency"),
        ({"fiatCurrency": "XXX"}, "fiatCurrency"),
        ({"cryptoAmount": None}, "cryptoAmount"),
        ({"cryptoAmount": "0"}, "cryptoAmount"),
        ({"cryptoAmount": "-1"}, "cryptoAmount"),
        ({"cryptoAmount": "abc"}, "cryptoAmount"),
        ({"cryptoAmount": "1.0000001"}, "cryptoAmount"),
        ({"cryptoAmount": "NaN"}, "cryptoAmount"),
        ({"cryptoAmount": "9" * 70}, "cryptoAmount"),
        ({"destinationChain": None}, "destinationChain"),
        ({"destinationChain": "MARS"}, "destinationChain"),
        ({"type": "off-ramp"}, "sourceChain"),
        ({"type": "off-ramp", "sourceChain": "MARS"}, "sourceChain"),
        ({"amountSymbol": "DOGE"}, "amountSymbol"),
        ({"amountSymbol": "STRK"}, "amountSymbol"),
        ({"countryCode": "KE"}, "countryCode"),
        ({"directOnly": "maybe"}, "directOnly"),
        ({"userEmail": "nobody"}, "userEmail"),
    ],
)
def test_each_invalid_parameter_is_named(api: Api, changes: dict[str, Any], field: str) -> None:
    params = {key: value for key, value in {**ON_RAMP, **changes}.items() if value is not None}
    answer = api.get("/ramp/quotes", **params)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert field in answer.json()["message"]


def test_an_amount_below_the_minimum_names_the_limit(api: Api) -> None:
    for params, least in (
        (ON_RAMP, "1 USD"),
        (OFF_RAMP, "5 USD"),
        ({**ON_RAMP, "fiatCurrency": "USD"}, "25 USD"),
    ):
        answer = api.get("/ramp/quotes", **{**params, "cryptoAmount": "0.5"})
        assert answer.status_code == 400
        assert "cryptoAmount" in answer.json()["message"]
        assert least in answer.json()["message"]


def test_currencies_match_the_specification(api: Api) -> None:
    listed = {currency["code"]: currency for currency in api.get("/ramp/currencies").json()}
    assert set(listed) == set(CORRIDORS)
    for code, (countries, providers) in CORRIDORS.items():
        result = listed[code]
        assert set(result) == {
            "code", "name", "symbol", "minAmount", "maxAmount", "countries", "providers",
        }  # fmt: skip
        assert result["countries"] == countries
        assert sorted(result["providers"]) == providers
        assert 0 < result["minAmount"] < result["maxAmount"]
    assert (listed["NGN"]["name"], listed["NGN"]["symbol"]) == ("Nigerian Naira", "₦")


def test_currencies_can_be_filtered_by_provider_and_direction(api: Api) -> None:
    for provider in PROVIDERS:
        codes = {c["code"] for c in api.get("/ramp/currencies", provider=provider).json()}
        assert codes == {c for c, (_, providers) in CORRIDORS.items() if provider in providers}
    sold = {c["code"] for c in api.get("/ramp/currencies", type="off-ramp").json()}
    assert sold == {
        c for c, (_, providers) in CORRIDORS.items() if set(providers) & set(DIRECT_PROVIDERS)
    }
    widget = api.get("/ramp/currencies", provider="ONRAMP_MONEY", type="off-ramp")
    assert widget.json() == []
    for params in ({"provider": "NOBODY"}, {"type": "sideways"}):
        answer = api.get("/ramp/currencies", **params)
        assert answer.status_code == 400
        assert next(iter(params)) in answer.json()["message"]
    refused = api.get("/ramp/currencies", provider="NOBODY").json()["message"]
    assert all(name in refused for name in PROVIDERS)


def test_countries_have_their_currencies(api: Api) -> None:
    listed = {country["countryCode"]: country for country in api.get("/ramp/countries").json()}
    assert set(listed) == {k for countries, _ in CORRIDORS.values() for k in countries}
    assert listed["CI"]["currency"]["code"] == "XOF"
    assert listed["DE"]["name"] == "Germany"
