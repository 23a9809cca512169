"""Ramp quotes, currencies and countries over HTTP (service.md §10, §11; wire.md §2, §4)."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.ramps import CORRIDORS, DIRECT, NAMES, OFF, ON, known, person

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
def test_every_corridor_is_quoted_both_ways_by_whom_the_table_names(
    api: Api, currency: str, country: str
) -> None:
    _, providers = CORRIDORS[currency]
    corridor = {"fiatCurrency": currency, "countryCode": country, "cryptoAmount": 60}
    bought = quotes(api, **{**ON, **corridor})
    assert {quote["provider"] for quote in bought["quotes"]} == set(providers)
    sold = quotes(api, **{**OFF, **corridor})
    assert {quote["provider"] for quote in sold["quotes"]} == set(providers) & set(DIRECT)
    for quote in bought["quotes"] + sold["quotes"]:
        assert quote["fiatCurrency"] == currency
        assert quote["fiatAmount"] > 0
        assert quote["cryptoAmount"] == 60
        assert quote["paymentChannels"]
        assert {channel["currency"] for channel in quote["paymentChannels"]} == {currency}
    if not sold["quotes"]:
        assert sold["recommended"] is None


@pytest.mark.parametrize("asked", [ON, OFF])
def test_a_quote_has_exactly_its_fields(api: Api, asked: dict[str, Any]) -> None:
    body = quotes(api, **asked)
    assert set(body) == {"recommended", "quotes", "providersQueried", "providersLeftOut"}
    for quote in body["quotes"]:
        assert set(quote) == (QUOTE if asked is ON else QUOTE | DEPOSIT)
        assert quote["requiresBridge"] == (quote["bridgeDetails"] is not None)
        if quote["bridgeDetails"]:
            bridged = quote["bridgeDetails"]
            assert set(bridged) == {
                "bridgeProvider", "bridgeFeeUsd", "sourceChain", "destinationChain",
            }  # fmt: skip
        for channel in quote["paymentChannels"]:
            assert set(channel) == CHANNEL
            assert set(channel["fees"]) == {"fixed", "percentage"}
            for field in channel["fieldsRequired"]:
                assert {"key", "label", "type", "required", "options"} <= set(field)
    if asked is OFF:
        first = body["quotes"][0]
        assert first["depositChain"] == "BASE_MAINNET"
        assert int(first["grossDepositAmount"]) >= 25_000_000
        shown = Decimal(first["grossDepositAmountFormatted"])
        assert shown.scaleb(6) == int(first["grossDepositAmount"])


def test_quotes_are_cheapest_first_and_the_cheapest_is_recommended(api: Api) -> None:
    body = quotes(api, **ON)
    costs = [quote["totalFeesFiat"] for quote in body["quotes"]]
    assert len(costs) == 3
    assert costs == sorted(costs)
    assert body["recommended"] == body["quotes"][0]
    assert sorted(body["providersQueried"]) == DIRECT
    assert body["providersLeftOut"] == []


def test_whoever_passed_the_check_is_recommended_within_one_percent(api: Api) -> None:
    body = quotes(api, **ON)
    for quote in body["quotes"]:
        email = known(api, quote["provider"])
        near = quote["fiatAmount"] <= body["quotes"][0]["fiatAmount"] * 1.01
        best = quotes(api, **ON, userEmail=email)["recommended"]["provider"]
        assert best == (quote["provider"] if near else body["quotes"][0]["provider"])
    best = quotes(api, **ON, userEmail=person())["recommended"]["provider"]
    assert best == body["recommended"]["provider"]


def test_type_is_on_ramp_and_the_token_is_usdc_by_default(api: Api) -> None:
    plain = {key: value for key, value in ON.items() if key != "type"}
    assert {quote["type"] for quote in quotes(api, **plain)["quotes"]} == {"on-ramp"}
    assert {quote["cryptoCurrency"] for quote in quotes(api, **plain)["quotes"]} == {"USDC"}
    ether = quotes(api, **{**ON, "cryptoAmount": "0.0123", "amountSymbol": "ETH"})
    assert {quote["cryptoCurrency"] for quote in ether["quotes"]} == {"ETH"}


def test_direct_only_leaves_the_widget_out(api: Api) -> None:
    asked = {**ON, "fiatCurrency": "INR"}
    assert quotes(api, **asked)["quotes"]
    alone = quotes(api, **asked, directOnly="true")
    assert (alone["quotes"], alone["recommended"]) == ([], None)
    assert quotes(api, **asked, directOnly="false")["quotes"]


def test_amounts_are_exact_numbers(api: Api) -> None:
    answer = api.get("/ramp/quotes", **{**ON, "cryptoAmount": "25.000001"})
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
def test_what_is_wrong_in_a_question_is_named(
    api: Api, changes: dict[str, Any], field: str
) -> None:
    asked = {key: value for key, value in {**ON, **changes}.items() if value is not None}
    answer = api.get("/ramp/quotes", **asked)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert field in answer.json()["message"]


def test_an_amount_below_the_least_names_the_limit(api: Api) -> None:
    for asked, least in ((ON, "1 USD"), (OFF, "5 USD"), ({**ON, "fiatCurrency": "USD"}, "25 USD")):
        answer = api.get("/ramp/quotes", **{**asked, "cryptoAmount": "0.5"})
        assert answer.status_code == 400
        assert "cryptoAmount" in answer.json()["message"]
        assert least in answer.json()["message"]


def test_currencies_are_those_of_the_table(api: Api) -> None:
    listed = {currency["code"]: currency for currency in api.get("/ramp/currencies").json()}
    assert set(listed) == set(CORRIDORS)
    for code, (countries, providers) in CORRIDORS.items():
        found = listed[code]
        assert set(found) == {
            "code", "name", "symbol", "minAmount", "maxAmount", "countries", "providers",
        }  # fmt: skip
        assert found["countries"] == countries
        assert sorted(found["providers"]) == providers
        assert 0 < found["minAmount"] < found["maxAmount"]
    assert (listed["NGN"]["name"], listed["NGN"]["symbol"]) == ("Nigerian Naira", "₦")


def test_currencies_can_be_asked_for_by_provider_and_direction(api: Api) -> None:
    for provider in NAMES:
        codes = {c["code"] for c in api.get("/ramp/currencies", provider=provider).json()}
        assert codes == {c for c, (_, who) in CORRIDORS.items() if provider in who}
    sold = {c["code"] for c in api.get("/ramp/currencies", type="off-ramp").json()}
    assert sold == {c for c, (_, who) in CORRIDORS.items() if set(who) & set(DIRECT)}
    widget = api.get("/ramp/currencies", provider="ONRAMP_MONEY", type="off-ramp")
    assert widget.json() == []
    for asked in ({"provider": "NOBODY"}, {"type": "sideways"}):
        answer = api.get("/ramp/currencies", **asked)
        assert answer.status_code == 400
        assert next(iter(asked)) in answer.json()["message"]
    refused = api.get("/ramp/currencies", provider="NOBODY").json()["message"]
    assert all(name in refused for name in NAMES)


def test_countries_have_their_currencies(api: Api) -> None:
    listed = {country["code"]: country for country in api.get("/ramp/countries").json()}
    assert set(listed) == {k for countries, _ in CORRIDORS.values() for k in countries}
    assert listed["CI"]["currencies"] == ["XOF"]
    assert listed["DE"]["name"] == "Germany"
