"""KYC checks: state, requirements, submission and erasure."""

from collections.abc import Mapping
from decimal import Decimal

from crossway.client.ramp_records import KycRequirements, KycState
from crossway.client.transport import Transport


class Kyc:
    """`/ramp/kyc`."""

    def __init__(self, calls: Transport) -> None:
        self._calls = calls

    def state(
        self,
        *,
        provider: str,
        user_email: str,
        fiat_currency: str,
        country_code: str | None = None,
        crypto_amount: Decimal | str | None = None,
    ) -> KycState:
        """A customer's KYC state with a provider; with an amount also whether it can proceed."""
        response = self._calls.get(
            "/ramp/kyc",
            provider=provider,
            userEmail=user_email,
            countryCode=country_code,
            fiatCurrency=fiat_currency,
            cryptoAmount=crypto_amount,
        )
        return KycState.parse(response)

    def requirements(
        self, *, provider: str, fiat_currency: str, country_code: str | None = None
    ) -> KycRequirements:
        """What a provider requires in a country, tier by tier."""
        response = self._calls.get(
            "/ramp/kyc/requirements",
            provider=provider,
            countryCode=country_code,
            fiatCurrency=fiat_currency,
        )
        return KycRequirements.parse(response)

    def submit(
        self,
        *,
        provider: str,
        user_email: str,
        fields: Mapping[str, str],
        country_code: str | None = None,
        fiat_currency: str | None = None,
    ) -> KycState:
        """Submit fields for a provider's check."""
        body = {
            "provider": provider,
            "userEmail": user_email,
            "countryCode": country_code,
            "fiatCurrency": fiat_currency,
            "fields": dict(fields),
        }
        return KycState.parse(self._calls.post("/ramp/kyc", body))

    def add_document(
        self,
        *,
        provider: str,
        user_email: str,
        key: str,
        content: bytes,
        media_type: str,
        country_code: str | None = None,
        fiat_currency: str | None = None,
    ) -> KycState:
        """Submit a PNG, JPEG or PDF of up to 5 MiB; `key` is that of its requirement."""
        response = self._calls.upload(
            "/ramp/kyc/documents",
            content,
            media_type,
            provider=provider,
            userEmail=user_email,
            countryCode=country_code,
            fiatCurrency=fiat_currency,
            key=key,
        )
        return KycState.parse(response)

    def erase(self, user_email: str) -> int:
        """Erase a customer's data; returns the number of orders whose customer data was removed."""
        return int(self._calls.delete("/ramp/kyc", userEmail=user_email)["ordersCleared"])
