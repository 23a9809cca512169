"""Local money through the API: quotes, orders and identity checks."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from crossway.client.calls import Calls
from crossway.client.records import KycState, RampOrder, RampQuotes

PAGE = 100


class Ramps:
    """`/ramp`; `type` is `on-ramp` or `off-ramp`, amounts are exact decimals."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def quotes(
        self,
        *,
        type: str,
        fiat_currency: str,
        crypto_amount: Decimal | str,
        destination_chain: str | None = None,
        source_chain: str | None = None,
        amount_symbol: str | None = None,
        country_code: str | None = None,
        direct_only: bool | None = None,
        user_email: str | None = None,
    ) -> RampQuotes:
        """What every eligible provider asks or pays."""
        found = self._calls.get(
            "/ramp/quotes", type=type, fiatCurrency=fiat_currency, cryptoAmount=crypto_amount,
            destinationChain=destination_chain, sourceChain=source_chain,
            amountSymbol=amount_symbol, countryCode=country_code, directOnly=direct_only,
            userEmail=user_email,
        )  # fmt: skip
        return RampQuotes.model_validate(found)

    def currencies(self, provider: str | None = None, type: str | None = None) -> list[Any]:
        """The local currencies that can be used."""
        found: list[Any] = self._calls.get("/ramp/currencies", provider=provider, type=type)
        return found

    def create_order(self, *, idempotency_key: str | None = None, **body: Any) -> RampOrder:
        """Open an order; the fields are those of `POST /ramp/orders`, spelled as there."""
        sent = {k: str(v) if isinstance(v, Decimal) else v for k, v in body.items()}
        return RampOrder.model_validate(self._calls.post("/ramp/orders", sent, idempotency_key))

    def order(self, order_id: int) -> RampOrder:
        """One order."""
        return RampOrder.model_validate(self._calls.get(f"/ramp/orders/{order_id}"))

    def orders(self, **filters: str | None) -> Iterator[RampOrder]:
        """Every order, newest first, page after page as they are asked for."""
        skipped = 0
        while True:
            page = self._calls.get("/ramp/orders", limit=PAGE, offset=skipped, **filters)
            yield from map(RampOrder.model_validate, page["orders"])
            skipped += len(page["orders"])
            if not page["orders"] or skipped >= page["total"]:
                return

    def confirm(self, order_id: int) -> RampOrder:
        """Say that the user has paid."""
        answer = self._calls.post(f"/ramp/orders/{order_id}/confirm")
        return RampOrder.model_validate(answer["order"])

    def cancel(self, order_id: int) -> RampOrder:
        """Cancel an order that nobody paid yet."""
        answer = self._calls.post(f"/ramp/orders/{order_id}/cancel")
        return RampOrder.model_validate(answer["order"])

    def kyc(
        self,
        *,
        provider: str,
        user_email: str,
        country_code: str | None = None,
        fiat_currency: str | None = None,
        crypto_amount: Decimal | str | None = None,
    ) -> KycState:
        """Where somebody stands with a provider; with an amount also whether it can proceed."""
        found = self._calls.get(
            "/ramp/kyc", provider=provider, userEmail=user_email, countryCode=country_code,
            fiatCurrency=fiat_currency, cryptoAmount=crypto_amount,
        )  # fmt: skip
        return KycState.model_validate(found)

    def submit_kyc(
        self, *, provider: str, user_email: str, country_code: str, fields: Mapping[str, str]
    ) -> KycState:
        """Hand in what a provider's check requires."""
        body = {
            "provider": provider,
            "userEmail": user_email,
            "countryCode": country_code,
            "fields": dict(fields),
        }
        return KycState.model_validate(self._calls.post("/ramp/kyc", body))
