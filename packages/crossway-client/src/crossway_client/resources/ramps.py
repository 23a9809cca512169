"""Fiat ramps: quotes, currencies, countries and orders."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from crossway_client.records.expanded import ExpandedOrder
from crossway_client.records.ramp_orders import RampOrder
from crossway_client.records.ramps import Country, Currency, RampQuotes
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import Request, given, member, page_of, record, records
from crossway_client.transport.steps import Feed, pages


class Ramps(Resource[CarrierT]):
    """`/ramp`; `type` is `on-ramp` or `off-ramp`, amounts are exact decimals."""

    @endpoint
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
    ) -> Request[RampQuotes]:
        """The quotes of every eligible provider."""
        query = {
            "type": type,
            "fiatCurrency": fiat_currency,
            "cryptoAmount": crypto_amount,
            "destinationChain": destination_chain,
            "sourceChain": source_chain,
            "amountSymbol": amount_symbol,
            "countryCode": country_code,
            "directOnly": direct_only,
            "userEmail": user_email,
        }
        return Request("GET", "/ramp/quotes", record(RampQuotes), query=query)

    @endpoint
    def currencies(
        self, *, provider: str | None = None, type: str | None = None
    ) -> Request[list[Currency]]:
        """The supported currencies; for `off-ramp` those with direct payouts."""
        query = {"provider": provider, "type": type}
        return Request("GET", "/ramp/currencies", records(Currency), query=query)

    @endpoint
    def countries(
        self, *, currency: str | None = None, amount: Decimal | str | None = None
    ) -> Request[list[Country]]:
        """The countries where ramps are offered, one entry for each of their currencies."""
        query = {"currency": currency, "amount": amount}
        return Request("GET", "/ramp/countries", records(Country), query=query)


class RampOrders(Resource[CarrierT]):
    """`/ramp/orders`."""

    @endpoint
    def create(
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
    ) -> Request[RampOrder]:
        """Create an order. An on-ramp needs `destination_chain` and `recipient_address`, an
        off-ramp `source_chain` and `sender_address`; `fields` are those that the quote's channel
        requires. Raises `KycRequired` if a KYC check is needed first."""
        body = given(
            type=type,
            provider=provider,
            fiatCurrency=fiat_currency,
            cryptoAmount=crypto_amount,
            destinationChain=destination_chain,
            sourceChain=source_chain,
            amountSymbol=amount_symbol,
            recipientAddress=recipient_address,
            senderAddress=sender_address,
            countryCode=country_code,
            userEmail=user_email,
            fields=fields,
        )
        return Request(
            "POST", "/ramp/orders", record(RampOrder), body=body, idempotency_key=idempotency_key
        )

    @endpoint
    def get(self, order_id: int, *, expand: Sequence[str] | None = None) -> Request[ExpandedOrder]:
        """One order; `expand` as in `list`."""
        result, query = record(ExpandedOrder), {"expand": expand or None}
        return Request("GET", "/ramp/orders/{id}", result, {"id": order_id}, query)

    @endpoint
    def by_intent(
        self, intent_address: str, *, expand: Sequence[str] | None = None
    ) -> Request[ExpandedOrder]:
        """The order of an intent; `expand` as in `list`."""
        path, segments = "/ramp/orders/by-intent/{address}", {"address": intent_address}
        query = {"expand": expand or None}
        return Request("GET", path, record(ExpandedOrder), segments, query)

    @endpoint
    def confirm(self, order_id: int, *, idempotency_key: str | None = None) -> Request[RampOrder]:
        """Confirm that the user has paid."""
        return _act("/ramp/orders/{id}/confirm", order_id, idempotency_key)

    @endpoint
    def cancel(self, order_id: int, *, idempotency_key: str | None = None) -> Request[RampOrder]:
        """Cancel an unpaid order."""
        return _act("/ramp/orders/{id}/cancel", order_id, idempotency_key)

    @iterator
    def list(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        provider: str | None = None,
        fiat_currency: str | None = None,
        created_after: date | None = None,
        created_before: date | None = None,
        expand: Sequence[str] | None = None,
        page_size: int = 100,
    ) -> Feed[ExpandedOrder]:
        """Every order, newest first; pages are requested when they are needed. A `datetime` needs
        a time zone, a date is its midnight in UTC. `expand` may name `intent`."""
        query = {
            "limit": page_size,
            "status": status,
            "type": type,
            "provider": provider,
            "fiatCurrency": fiat_currency,
            "created_after": created_after,
            "created_before": created_before,
            "expand": expand or None,
        }
        return pages(Request("GET", "/ramp/orders", page_of("orders", ExpandedOrder), query=query))


def _act(path: str, order_id: int, idempotency_key: str | None) -> Request[RampOrder]:
    result = member("order", RampOrder)
    return Request("POST", path, result, {"id": order_id}, idempotency_key=idempotency_key)
