"""Every field of a question for ramp quotes: read in any form, or refused by name."""

from typing import Any

import pytest

from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput
from crossway.domain.ramps import Direction, ProviderName
from crossway.usecases.ramps.quote_params import RampQuoteParams, RampQuoteRequest, parse
from tests.ramp_prices import PricingProvider, desk
from tests.services import KillSwitchStore, caller

SHOP = caller()
SERVICES = desk(*[PricingProvider(name) for name in ProviderName])


def question(**changes: Any) -> RampQuoteRequest:
    asked = {"currency": "NGN", "amount": "25", "destination_chain": "BASE"}
    return RampQuoteRequest(**(asked | changes))


def case(**changes: Any) -> RampQuoteParams:
    return parse(SERVICES, SHOP, question(**changes))


def refusal(**changes: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        case(**changes)
    return str(refused.value)


def test_what_is_left_out_has_its_default() -> None:
    found = case()
    assert (found.direction, found.country) == (Direction.ON, "NG")
    assert (found.token.symbol, found.chain.id) == ("USDC", "BASE_MAINNET")
    assert (found.direct_only, found.email, found.channel) == (False, None, None)
    assert (found.amount, found.decimals, found.micro_usd) == (25_000_000, 6, 25_000_000)


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
def test_an_amount_is_read_exactly_as_it_is_written(amount: Any, units: int | None) -> None:
    if units is None:
        assert refusal(amount=amount) == "cryptoAmount has more than 6 decimal places"
    else:
        assert case(amount=amount).amount == units


@pytest.mark.parametrize("amount", [1e-05, "0.00001"])
def test_a_small_number_is_no_trouble_in_any_notation(amount: Any) -> None:
    found = case(amount="0.001", symbol="cbBTC")
    assert (found.amount, found.decimals) == (100_000, 8)
    assert refusal(amount=amount, symbol="cbBTC").startswith("cryptoAmount is below the minimum")


@pytest.mark.parametrize(
    "amount",
    [None, "", "-5", -5, "+5", "1e3", "5,0", " 5", "0x5", "٥", True, float("nan"), float("inf"),
     [5], {"value": 5}, "5" * 70],
)  # fmt: skip
def test_an_amount_that_is_no_plain_number_is_refused(amount: Any) -> None:
    assert refusal(amount=amount) == "cryptoAmount must be a plain decimal number such as 25.50"


@pytest.mark.parametrize("amount", ["0", 0, 0.0, "0.000000"])
def test_nothing_is_no_amount(amount: Any) -> None:
    assert refusal(amount=amount) == "cryptoAmount must be greater than zero"


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
def test_a_bad_field_is_refused_by_its_name(field: str, change: dict[str, Any]) -> None:
    said = refusal(**change)
    assert said.split()[0].rstrip(":") == field
    assert "; " not in said


def test_all_complaints_come_at_once() -> None:
    said = refusal(
        direction="off-ramp", currency="X", amount="x", source_chain="X", symbol="X",
        direct_only="x", email="x",
    )  # fmt: skip
    fields = [complaint.split()[0] for complaint in said.split("; ")]
    assert fields == [
        "fiatCurrency", "sourceChain", "amountSymbol", "cryptoAmount", "directOnly", "userEmail",
    ]  # fmt: skip


def test_an_email_address_is_not_repeated_in_a_refusal() -> None:
    assert "secret" not in refusal(email="secret person@example")


@pytest.mark.parametrize("given", [True, "true"])
def test_direct_only_may_be_a_word_or_a_truth_value(given: Any) -> None:
    assert case(direct_only=given).direct_only
    assert not case(direct_only="false").direct_only


def test_the_least_of_a_corridor_is_named_in_dollars() -> None:
    assert refusal(amount="0.999999") == (
        "cryptoAmount is below the minimum of 1 USD for NGN on-ramps"
    )
    assert case(amount="1").micro_usd == 10**6
    off = {"direction": "off-ramp", "source_chain": "BASE"}
    assert "minimum of 5 USD for NGN off-ramps" in refusal(**off, amount="4.99")
    assert "minimum of 24 USD for ARS on-ramps" in refusal(currency="ARS", amount="23.99")
    assert "minimum of 1 USD" in refusal(symbol="ETH", amount="0.0005")


def test_what_no_channel_takes_is_above_the_maximum() -> None:
    assert refusal(amount="5000") == (
        "cryptoAmount is above the maximum of 7000000.00 NGN for NGN on-ramps"
    )


def test_a_live_key_gets_no_quote_for_a_test_network() -> None:
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        parse(SERVICES, caller(Mode.LIVE), question(destination_chain="BASE_TESTNET"))
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        parse(SERVICES, caller(Mode.LIVE), question(source_chain="BASE_TESTNET"))
    assert case(destination_chain="BASE_TESTNET").chain.testnet


def test_a_switched_off_chain_is_refused() -> None:
    made = desk(*SERVICES.ramps, store=KillSwitchStore({"chain:BASE_MAINNET": "maintenance"}))
    with pytest.raises(InvalidInput, match="destinationChain: BASE_MAINNET is switched off"):
        parse(made, SHOP, question())
