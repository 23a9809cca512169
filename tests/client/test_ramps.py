"""Local money through the client: quotes, orders and identity checks."""

from decimal import Decimal

import pytest

from crossway.client import Crossway
from crossway.client.errors import BadRequest, KycRequired
from crossway.client.ramp_records import RampOrder, RampQuote
from tests.api.conftest import WALLET

PROVIDER, ADA = "YELLOW_CARD", "ada@example.com"


def quoted(crossway: Crossway) -> RampQuote:
    found = crossway.ramps.quotes(
        type="on-ramp", fiat_currency="NGN", crypto_amount=Decimal("25.5"),
        destination_chain="ARBITRUM_MAINNET", direct_only=True,
    )  # fmt: skip
    return next(quote for quote in found.quotes if quote.provider == PROVIDER)


def order(crossway: Crossway, email: str) -> RampOrder:
    asked = quoted(crossway).payment_channels[0].fields_required
    fields = {
        one["key"]: one["options"][0]["value"] if one["options"] else one["example"]
        for one in asked
        if one["required"]
    }
    return crossway.ramps.create_order(
        provider=PROVIDER, fiat_currency="NGN", crypto_amount=Decimal("25.5"),
        destination_chain="ARBITRUM_MAINNET", recipient_address=WALLET, user_email=email,
        fields=fields,
    )  # fmt: skip


def know(crossway: Crossway, email: str) -> None:
    body = {"provider": PROVIDER, "userEmail": email, "kycType": "basic", "status": "approved"}
    crossway.calls.post("/sandbox/kyc", body)


def test_quotes_are_exact_and_say_who_is_missing(crossway: Crossway) -> None:
    found = crossway.ramps.quotes(
        type="off-ramp", fiat_currency="NGN", crypto_amount="25", source_chain="BASE_MAINNET"
    )
    cheapest = found.quotes[0]
    assert isinstance(cheapest.fiat_amount, Decimal)
    assert cheapest.gross_deposit_amount == cheapest.gross_deposit_amount_formatted * 1_000_000
    told = {quote.provider for quote in found.quotes} | {one.provider for one in
                                                         found.providers_left_out}  # fmt: skip
    assert set(found.providers_queried) == told


def test_an_order_is_opened_found_confirmed_and_cancelled(crossway: Crossway) -> None:
    know(crossway, ADA)
    first, second = order(crossway, ADA), order(crossway, ADA)
    assert (first.status, first.crypto_amount) == ("INITIATED", Decimal("25.5"))
    assert crossway.ramps.order(first.id) == first
    assert crossway.ramps.order_by_intent(first.intent_address or "").id == first.id
    assert [one.id for one in crossway.ramps.orders(status="INITIATED")] == [second.id, first.id]
    assert crossway.ramps.confirm(first.id).status == "PROCESSING"
    cancelled = crossway.ramps.cancel(second.id)
    assert (cancelled.status, cancelled.ended) == ("CANCELLED", True)
    with pytest.raises(BadRequest, match="CANCELLED"):
        crossway.ramps.confirm(second.id)


def test_an_identity_check_is_passed(crossway: Crossway) -> None:
    new = "grace@example.com"
    with pytest.raises(KycRequired) as refused:
        order(crossway, new)
    assert refused.value.kyc["currentKycStatus"] == "not_started"
    needed = crossway.kyc.requirements(provider=PROVIDER, country_code="NG", fiat_currency="NGN")
    missing = crossway.kyc.state(
        provider=PROVIDER, user_email=new, country_code="NG", fiat_currency="NGN",
        crypto_amount="25.5",
    )  # fmt: skip
    assert missing.can_proceed is False
    assert set(missing.missing_requirements) <= {
        one["key"] for tier in needed.tiers for one in tier.requirements
    }
    with pytest.raises(BadRequest, match="nonsense"):
        crossway.kyc.submit(
            provider=PROVIDER, user_email=new, fields={"nonsense": "1"}, country_code="NG"
        )
    know(crossway, new)
    opened = order(crossway, new)
    with pytest.raises(BadRequest, match="under way"):
        crossway.kyc.erase(new)
    crossway.ramps.cancel(opened.id)
    assert crossway.kyc.erase(new) == 1


def test_currencies_and_countries_are_listed(crossway: Crossway) -> None:
    naira = next(one for one in crossway.ramps.currencies(PROVIDER) if one.code == "NGN")
    assert naira.countries == ("NG",)
    assert "NG" in {country.code for country in crossway.ramps.countries()}
