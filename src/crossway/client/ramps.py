"""Fiat ramps: quotes, currencies, countries and orders."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from crossway.client.ramp_records import Country, Currency, RampOrder, RampQuotes
from crossway.client.transport import Transport, path_segment

PAGE = 100


class Ramps:
    """`/ramp`; `type` is `on-ramp` or `off-ramp`, amounts are exact decimals."""

    def __init__(self, calls: Transport) -> None:
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
        """The quotes of every eligible provider."""
        response = self._calls.get(
            "/ramp/quotes",
            type=type,
            fiatCurrency=fiat_currency,
            cryptoAmount=crypto_amount,
            destinationChain=destination_chain,
            sourceChain=source_chain,
            amountSymbol=amount_symbol,
            countryCode=country_code,
            directOnly=direct_only,
            userEmail=user_email,
        )
        return RampQuotes.parse(response)

    def currencies(self, provider: str | None = None, type: str | None = None) -> list[Currency]:
        """The supported currencies."""
        response = self._calls.get("/ramp/currencies", provider=provider, type=type)
        return [Currency.parse(item) for item in response]

    def countries(self) -> list[Country]:
        """The countries where ramps are offered."""
        return [Country.parse(item) for item in self._calls.get("/ramp/countries")]

    def create_order(
        self,
        *,
        provider: str,
        fiat_currency: str,
        crypto_amount: Decimal | str,
        type: str = "on-ramp",
        destination_chain: str | None = None,
        source_chain: str | None = None,
        amount_symbol: str | None = None,
        recipient_address: str | None = None,
        sender_address: str | None = None,
        country_code: str | None = None,
        user_email: str | None = None,
        fields: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> RampOrder:
        """Create an order. An on-ramp needs `destination_chain` and `recipient_address`, off-ramp
        `source_chain` and `sender_address`; `fields` are those that the quote's channel requires.

        Raises `KycRequired` if a KYC check is needed first.
        """
        body = {
            "type": type,
            "provider": provider,
            "fiatCurrency": fiat_currency,
            "cryptoAmount": crypto_amount,
            "destinationChain": destination_chain,
            "sourceChain": source_chain,
            "amountSymbol": amount_symbol,
            "recipientAddress": recipient_address,
            "senderAddress": sender_address,
            "countryCode": country_code,
            "userEmail": user_email,
            "fields": None if fields is None else dict(fields),
        }
        return RampOrder.parse(self._calls.post("/ramp/orders", body, idempotency_key))

    def order(self, order_id: int) -> RampOrder:
        """One order."""
        return RampOrder.parse(self._calls.get(f"/ramp/orders/{order_id}"))

    def order_by_intent(self, intent_address: str) -> RampOrder:
        """The order of an intent."""
        return RampOrder.parse(
            self._calls.get(f"/ramp/orders/by-intent/{path_segment(intent_address)}")
        )

    def orders(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        provider: str | None = None,
        fiat_currency: str | None = None,
    ) -> Iterator[RampOrder]:
        """Every order, newest first; pages are fetched as needed."""
        response = self._calls.pages(
            "/ramp/orders",
            "orders",
            PAGE,
            status=status,
            type=type,
            provider=provider,
            fiatCurrency=fiat_currency,
        )
        return map(RampOrder.parse, response)

    def confirm(self, order_id: int) -> RampOrder:
        """Confirm that the user has paid."""
        return RampOrder.parse(self._calls.post(f"/ramp/orders/{order_id}/confirm")["order"])

    def cancel(self, order_id: int) -> RampOrder:
        """Cancel an unpaid order."""
        return RampOrder.parse(self._calls.post(f"/ramp/orders/{order_id}/cancel")["order"])
