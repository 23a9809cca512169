"""Corridors are those specified; names, signs and countries are those of the ISO lists."""

from datetime import date
from typing import Any

import pycountry
import pytest
from babel.core import Locale
from babel.languages import get_official_languages
from babel.numbers import get_currency_name, get_currency_precision, get_currency_symbol

from crossway.catalogue import reference_prices
from crossway.catalogue.fiat import load_fiat
from crossway.domain.errors import InvalidInput
from crossway.domain.fiat import Country, Currency, Fiat, fiat_of_usd, usd_of_fiat

ON, OFF = "on-ramp", "off-ramp"
EURO = "DE FR ES IT NL PT IE AT BE FI GR SK SI LT LV EE CY MT LU HR"
TABLE: dict[str, tuple[str, dict[str, int]]] = {
    **{
        code: (countries, {ON: 1, OFF: 5})
        for code, countries in {
            "NGN": "NG", "KES": "KE", "GHS": "GH", "ZAR": "ZA", "TZS": "TZ", "UGX": "UG",
            "ZMW": "ZM", "XAF": "CM GA CG", "XOF": "SN BJ CI BF",
        }.items()
    },
    "INR": ("IN", {ON: 13}), "PHP": ("PH", {ON: 13}), "GBP": ("GB", {ON: 13}),
    "IDR": ("ID", {ON: 12}), "MXN": ("MX", {ON: 12}),
    "COP": ("CO", {ON: 11}), "CLP": ("CL", {ON: 11}), "EUR": (EURO, {ON: 11}),
    "ARS": ("AR", {ON: 24}), "CAD": ("CA", {ON: 15}), "USD": ("US", {ON: 25}),
}  # fmt: skip


@pytest.fixture(scope="module")
def fiat() -> Fiat:
    return load_fiat()


def test_the_corridors_match_the_specification(fiat: Fiat) -> None:
    found = {
        code: (
            " ".join(corridor.countries),
            {way: micro // 10**6 for way, micro in corridor.min_micro_usd.items()},
        )
        for code, corridor in fiat.corridors.items()
    }
    assert found == TABLE


def test_every_corridor_has_its_currency_its_countries_and_a_dated_rate(fiat: Fiat) -> None:
    for code, corridor in fiat.corridors.items():
        assert corridor.currency.code == code
        assert pycountry.currencies.get(alpha_3=code) is not None
        assert corridor.currency.symbol.isprintable()
        assert corridor.currency.symbol != code
        assert set(corridor.countries) <= set(fiat.countries)
        assert fiat.rates[code].micro_per_usd > 0
        assert fiat.rates[code].as_of == date(2026, 11, 20)
    assert set(fiat.rates) == set(fiat.corridors)


def test_names_symbols_and_decimal_places_are_those_of_unicode(fiat: Fiat) -> None:
    narrow_spaces = str.maketrans("\u202f\u00a0", "  ")
    for code, corridor in fiat.corridors.items():
        country = corridor.countries[0]
        language = get_official_languages(country, de_facto=True)[0]
        symbol = get_currency_symbol(code, locale=f"{language}_{country}").translate(narrow_spaces)
        name, digits = get_currency_name(code, locale="en"), get_currency_precision(code)
        assert corridor.currency == Currency(code, name, symbol, digits)
    for code, listed in fiat.countries.items():
        assert pycountry.countries.get(alpha_2=code) is not None
        assert listed == Country(code, Locale("en").territories[code])


@pytest.mark.parametrize(
    ("code", "name", "symbol", "digits"),
    [
        ("NGN", "Nigerian Naira", "₦", 2),
        ("UGX", "Ugandan Shilling", "USh", 0),
        ("XOF", "West African CFA Franc", "F CFA", 0),
        ("CLP", "Chilean Peso", "$", 0),
        ("EUR", "Euro", "€", 2),
    ],
)
def test_a_currency_has_its_iso_name_and_symbol(
    fiat: Fiat, code: str, name: str, symbol: str, digits: int
) -> None:
    result = fiat.corridors[code].currency
    assert (result.name, result.symbol, result.digits) == (name, symbol, digits)


def test_countries_have_common_names(fiat: Fiat) -> None:
    assert fiat.countries["TZ"].name == "Tanzania"
    assert fiat.countries["CG"].name == "Congo - Brazzaville"
    assert len(fiat.countries) == 44


def test_the_pegs_hold(fiat: Fiat) -> None:
    euro = fiat.rates["EUR"].micro_per_usd
    assert fiat.rates["XAF"].micro_per_usd == fiat.rates["XOF"].micro_per_usd
    assert fiat.rates["XAF"].micro_per_usd == pytest.approx(euro * 655.957, rel=1e-5)
    eurc = reference_prices()["EURC"].pico_usd / 10**12
    assert euro / 10**6 * eurc == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("code", ["", "ngn", "XXX", 5, ["NGN"]])
def test_an_unknown_currency_is_rejected_by_name(fiat: Fiat, code: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^fiatCurrency must be one of"):
        fiat.corridor(code)


def test_a_missing_currency_is_called_missing(fiat: Fiat) -> None:
    with pytest.raises(InvalidInput, match=r"^fiatCurrency is required$"):
        fiat.corridor(None)


def test_the_default_country_is_the_first_and_others_are_rejected(fiat: Fiat) -> None:
    xof = fiat.corridor("XOF")
    assert fiat.country(xof, None) == "SN"
    assert fiat.country(xof, "BF") == "BF"
    for stranger in ("NG", "bf", "", 7):
        with pytest.raises(InvalidInput) as refused:
            fiat.country(xof, stranger)
        assert str(refused.value) == "countryCode must be a country of XOF: SN, BJ, CI, BF"


def test_dollars_are_converted_to_local_money_and_back(fiat: Fiat) -> None:
    naira, shilling = fiat.rates["NGN"], fiat.rates["UGX"]
    assert fiat_of_usd(25_000_000, naira, 2) == 36_212_50
    assert fiat_of_usd(1, naira, 2) == 1
    assert usd_of_fiat(36_212_50, naira, 2) == 25_000_000
    assert fiat_of_usd(10_000_000, shilling, 0) == 35_900
    assert usd_of_fiat(35_900, shilling, 0) == 10_000_000
