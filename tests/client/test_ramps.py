"""Ramps through the client: quotes, orders and KYC."""

from decimal import Decimal

import pytest

from crossway_client import BadRequest, Crossway, KycRequired, RampOrder
from crossway_client.records.ramps import RampQuote
from tests.api.conftest import WALLET

PROVIDER, ADA = "YELLOW_CARD", "ada@example.com"


def get_quotes(crossway: Crossway) -> RampQuote:
    quotes = crossway.ramps.quotes(
        type="on-ramp",
        fiat_currency="NGN",
        crypto_amount=Decimal("25.5"),
        destination_chain="ARBITRUM_MAINNET",
        direct_only=True,
    )
    return next(quote for quote in quotes.quotes if quote.provider == PROVIDER)


def create_order(crossway: Crossway, email: str) -> RampOrder:
    fields_required = get_quotes(crossway).payment_channels[0].fields_required
    fields = {
        item.key: item.options[0].value if item.options else item.example
        for item in fields_required
        if item.required
    }
    return crossway.ramp_orders.create(
        provider=PROVIDER,
        fiat_currency="NGN",
        crypto_amount=Decimal("25.5"),
        destination_chain="ARBITRUM_MAINNET",
        recipient_address=WALLET,
        user_email=email,
        fields=fields,
    )


def pass_kyc(crossway: Crossway, email: str) -> None:
    crossway.sandbox.set_kyc_status(
        provider=PROVIDER, user_email=email, kyc_type="basic", status="approved"
    )


def test_quotes_are_exact_and_name_excluded_providers(crossway: Crossway) -> None:
    quotes = crossway.ramps.quotes(
        type="off-ramp", fiat_currency="NGN", crypto_amount="25", source_chain="BASE_MAINNET"
    )
    cheapest = quotes.quotes[0]
    assert isinstance(cheapest.fiat_amount, Decimal)
    assert cheapest.gross_deposit_amount == cheapest.gross_deposit_amount_formatted * 1_000_000
    provider_names = {quote.provider for quote in quotes.quotes} | {
        item.provider for item in quotes.providers_left_out
    }
    assert set(quotes.providers_queried) == provider_names


def test_an_order_is_created_found_confirmed_and_cancelled(crossway: Crossway) -> None:
    pass_kyc(crossway, ADA)
    first, second = create_order(crossway, ADA), create_order(crossway, ADA)
    assert (first.status, first.crypto_amount) == ("INITIATED", Decimal("25.5"))
    assert crossway.ramp_orders.get(first.id).response_json == first.response_json
    assert crossway.ramp_orders.by_intent(first.intent_address or "").id == first.id
    assert [order_item.id for order_item in crossway.ramp_orders.list(status="INITIATED")] == [
        second.id,
        first.id,
    ]
    assert crossway.ramp_orders.confirm(first.id).status == "PROCESSING"
    cancelled = crossway.ramp_orders.cancel(second.id)
    assert (cancelled.status, cancelled.ended) == ("CANCELLED", True)
    with pytest.raises(BadRequest, match="CANCELLED"):
        crossway.ramp_orders.confirm(second.id)


def test_kyc_is_passed_through_the_client(crossway: Crossway) -> None:
    new = "grace@example.com"
    with pytest.raises(KycRequired) as refused:
        create_order(crossway, new)
    assert refused.value.kyc["currentKycStatus"] == "not_started"
    needed = crossway.kyc.requirements(provider=PROVIDER, country_code="NG", fiat_currency="NGN")
    missing = crossway.kyc.state(
        provider=PROVIDER,
        user_email=new,
        country_code="NG",
        fiat_currency="NGN",
        crypto_amount="25.5",
    )
    assert missing.can_proceed is False
    assert set(missing.missing_requirements) <= {
        requirement.key for tier in needed.tiers for requirement in tier.requirements
    }
    with pytest.raises(BadRequest, match="nonsense"):
        crossway.kyc.submit(
            provider=PROVIDER, user_email=new, fields={"nonsense": "1"}, country_code="NG"
        )
    pass_kyc(crossway, new)
    opened = create_order(crossway, new)
    with pytest.raises(BadRequest, match="under way"):
        crossway.kyc.erase(new)
    crossway.ramp_orders.cancel(opened.id)
    assert crossway.kyc.erase(new).orders_cleared == 1


def test_currencies_are_listed(crossway: Crossway) -> None:
    naira = next(
        currency
        for currency in crossway.ramps.currencies(provider=PROVIDER)
        if currency.code == "NGN"
    )
    assert naira.countries == ("NG",)
