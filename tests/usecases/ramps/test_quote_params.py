"""Every parameter of ramp quotes: parsed in any form, or rejected by name."""

from typing import Any

import pytest

from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput
from crossway.domain.ramps import Direction, ProviderName
from crossway.usecases.ramps.quote_params import RampQuoteParams, RampQuoteRequest, parse
from tests.ramp_prices import PricingProvider, services_with
from tests.services import KillSwitchStore, caller

SHOP = caller()
SERVICES = services_with(*[PricingProvider(name) for name in ProviderName])


def quote_params(**changes: Any) -> RampQuoteRequest:
    params = {"currency": "NGN", "amount": "25", "destination_chain": "BASE"}
    return RampQuoteRequest(**(params | changes))


def parse_params(**changes: Any) -> RampQuoteParams:
    return parse(SERVICES, SHOP, quote_params(**changes))


def error_message(**changes: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        parse_params(**changes)
    return str(refused.value)


def test_omitted_fields_have_defaults() -> None:
    result = parse_params()
    assert (result.direction, result.country) == (Direction.ON, "NG")
    assert (result.token.symbol, result.chain.id) == ("USDC", "BASE_MAINNET")
    assert (result.direct_only, result.email, result.channel) == (False, None, None)
    assert (result.amount, result.decimals, result.micro_usd) == (25_000_000, 6, 25_000_000)


@pytest.mark.parametrize(
    ("amount", "units"),
    [
        ("25", 25_000_000),
        (25, 25_000_000),
        (25.0, 25_000_000),
        ("25.5", 25_500_000),
        (25.1, 25_100_000),
        (1.1 + 2.2, None),
        ("25.000001", 25_000_001),
        ("0025.10", 25_100_000),
        (1e3, 1_000_000_000),
    ],
)
def test_amounts_are_parsed_exactly(amount: Any, units: int | None) -> None:
    if units is None:
        assert error_message(amount=amount) == "cryptoAmount has more than 6 decimal places"
    else:
        assert parse_params(amount=amount).amount == units


@pytest.mark.parametrize("amount", [1e-05, "0.00001"])
def test_small_amounts_are_parsed_in_any_notation(amount: Any) -> None:
    result = parse_params(amount="0.001", symbol="cbBTC")
    assert (result.amount, result.decimals) == (100_000, 8)
    assert error_message(amount=amount, symbol="cbBTC").startswith(
        "cryptoAmount is below the minimum"
    )


@pytest.mark.parametrize(
    "amount",
    ["", "-5", -5, "+5", "1e3", "5,0", " 5", "0x5", "٥", True, float("nan"), float("inf"),
     [5], {"value": 5}, "5" * 70],
)  # fmt: skip
def test_a_malformed_amount_is_rejected(amount: Any) -> None:
    assert (
        error_message(amount=amount) == "cryptoAmount must be a plain decimal number such as 25.50"
    )


def test_a_missing_amount_is_called_missing() -> None:
    assert error_message(amount=None) == "cryptoAmount is required"


@pytest.mark.parametrize("amount", ["0", 0, 0.0, "0.000000"])
def test_zero_is_not_a_valid_amount(amount: Any) -> None:
    assert error_message(amount=amount) == "cryptoAmount must be greater than zero"


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("type", {"direction": "buy"}),
        ("type", {"direction": ["on-ramp"]}),
        ("fiatCurrency", {"currency": "XYZ"}),
        ("fiatCurrency", {"currency": None}),
        ("cryptoAmount", {"amount": "five"}),
        ("destinationChain", {"destination_chain": None}),
        ("destinationChain", {"destination_chain": "MARS"}),
        ("destinationChain", {"destination_chain": 8453}),
        ("sourceChain", {"direction": "off-ramp"}),
        ("sourceChain", {"direction": "off-ramp", "source_chain": "MARS"}),
        ("sourceChain", {"source_chain": "MARS"}),
        ("amountSymbol", {"symbol": "GOLD"}),
        ("amountSymbol", {"symbol": "TRON"}),
        ("amountSymbol", {"destination_chain": "TRON"}),
        ("countryCode", {"country": "KE"}),
        ("countryCode", {"country": "ng"}),
        ("directOnly", {"direct_only": "yes"}),
        ("directOnly", {"direct_only": 1}),
        ("userEmail", {"email": "ada"}),
        ("userEmail", {"email": 5}),
        ("channel", {"channel": 5}),
    ],
)
def test_an_invalid_field_is_rejected_by_name(field: str, change: dict[str, Any]) -> None:
    message = error_message(**change)
    assert message.split()[0].rstrip(":") == field
    assert "; " not in message


def test_all_errors_are_reported_together() -> None:
    message = error_message(
        direction="off-ramp",
        currency="X",
        amount="x",
        source_chain="X",
        symbol="X",
        direct_only="x",
        email="x",
    )
    fields = [complaint.split()[0] for complaint in message.split("; ")]
    assert fields == [
        "fiatCurrency", "sourceChain", "amountSymbol", "cryptoAmount", "directOnly", "userEmail",
    ]  # fmt: skip


def test_an_error_does_not_repeat_the_email_address() -> None:
    assert "secret" not in error_message(email="secret person@example")


@pytest.mark.parametrize("value", [True, "true"])
def test_direct_only_accepts_text_and_booleans(value: Any) -> None:
    assert parse_params(direct_only=value).direct_only
    assert not parse_params(direct_only="false").direct_only


def test_the_minimum_of_a_corridor_is_stated_in_dollars() -> None:
    assert error_message(amount="0.999999") == (
        "cryptoAmount is below the minimum of 1 USD for NGN on-ramps"
    )
    assert parse_params(amount="1").micro_usd == 10**6
    off = {"direction": "off-ramp", "source_chain": "BASE"}
    assert "minimum of 5 USD for NGN off-ramps" in error_message(**off, amount="4.99")
    assert "minimum of 24 USD for ARS on-ramps" in error_message(currency="ARS", amount="23.99")
    assert "minimum of 1 USD" in error_message(symbol="ETH", amount="0.0005")


def test_an_amount_beyond_every_channel_exceeds_the_maximum() -> None:
    assert error_message(amount="5000") == (
        "cryptoAmount is above the maximum of 7000000.00 NGN for NGN on-ramps"
    )


def test_a_live_key_gets_no_quote_for_a_test_network() -> None:
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        parse(SERVICES, caller(Mode.LIVE), quote_params(destination_chain="BASE_TESTNET"))
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        parse(SERVICES, caller(Mode.LIVE), quote_params(source_chain="BASE_TESTNET"))
    assert parse_params(destination_chain="BASE_TESTNET").chain.testnet


def test_a_disabled_chain_is_rejected() -> None:
    configured_services = services_with(
        *SERVICES.ramps, store=KillSwitchStore({"chain:BASE_MAINNET": "maintenance"})
    )
    with pytest.raises(InvalidInput, match="destinationChain: BASE_MAINNET is disabled"):
        parse(configured_services, SHOP, quote_params())
