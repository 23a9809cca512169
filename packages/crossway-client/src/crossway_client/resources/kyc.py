"""KYC checks: state, requirements, submission and erasure."""

from collections.abc import Mapping
from decimal import Decimal

from crossway_client.records.kyc import Erasure, KycRequirements, KycState
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import File, Request, given, record


class Kyc(Resource[CarrierT]):
    """`/ramp/kyc` and `/kyc`."""

    @endpoint
    def state(
        self,
        *,
        provider: str,
        user_email: str,
        fiat_currency: str,
        country_code: str | None = None,
        crypto_amount: Decimal | str | None = None,
    ) -> Request[KycState]:
        """A customer's KYC state with a provider; with an amount in USDC also whether an order can
        proceed."""
        query = {
            "provider": provider,
            "userEmail": user_email,
            "countryCode": country_code,
            "fiatCurrency": fiat_currency,
            "cryptoAmount": crypto_amount,
        }
        return Request("GET", "/ramp/kyc", record(KycState), query=query)

    @endpoint
    def transaction_state(
        self,
        *,
        provider: str,
        user_email: str,
        fiat_currency: str,
        country_code: str | None = None,
        amount: Decimal | str | None = None,
    ) -> Request[KycState]:
        """A customer's KYC state for one transaction of an amount in USDC."""
        query = {
            "provider": provider,
            "userEmail": user_email,
            "countryCode": country_code,
            "fiatCurrency": fiat_currency,
            "amount": amount,
        }
        return Request("GET", "/kyc/state", record(KycState), query=query)

    @endpoint
    def requirements(
        self, *, provider: str, fiat_currency: str, country_code: str | None = None
    ) -> Request[KycRequirements]:
        """What a provider requires in a country, tier by tier."""
        query = {
            "provider": provider,
            "countryCode": country_code,
            "fiatCurrency": fiat_currency,
        }
        return Request("GET", "/ramp/kyc/requirements", record(KycRequirements), query=query)

    @endpoint
    def submit(
        self,
        *,
        provider: str,
        user_email: str,
        fields: Mapping[str, str],
        country_code: str | None = None,
        fiat_currency: str | None = None,
        idempotency_key: str | None = None,
    ) -> Request[KycState]:
        """Submit fields for a provider's check."""
        body = given(
            provider=provider,
            userEmail=user_email,
            countryCode=country_code,
            fiatCurrency=fiat_currency,
            fields=dict(fields),
        )
        return Request(
            "POST", "/ramp/kyc", record(KycState), body=body, idempotency_key=idempotency_key
        )

    @endpoint
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
        idempotency_key: str | None = None,
    ) -> Request[KycState]:
        """Submit a PNG, JPEG or PDF of up to 5 MiB; `key` is that of its requirement."""
        query = {
            "provider": provider,
            "userEmail": user_email,
            "countryCode": country_code,
            "fiatCurrency": fiat_currency,
            "key": key,
        }
        return Request(
            "POST",
            "/ramp/kyc/documents",
            record(KycState),
            query=query,
            body=File(content, media_type),
            idempotency_key=idempotency_key,
        )

    @endpoint
    def erase(self, user_email: str) -> Request[Erasure]:
        """Erase a customer's data; the answer counts the orders whose customer data was removed."""
        query = {"userEmail": user_email}
        return Request("DELETE", "/ramp/kyc", record(Erasure), query=query)
