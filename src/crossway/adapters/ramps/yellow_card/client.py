"""Yellow Card's Payments API: rates, receives and sends with direct settlement, and webhooks.

Sources, read on 2026-11-21: docs.yellowcard.engineering, pages authentication-api,
direct-settlement, submit-collection-request, submit-payment, lookup-collection-by-sequenceid,
lookup-payment-by-sequenceid, cancel-collection, get-rates, get-networks, get-fee-config,
events-api, error-codes, kyc-metadata, webhooks-api. Not tested against the real service.
Unconfirmed: whether an on-ramp uses the `buy` or the `sell` rate (the less favourable one is
assumed), how a duplicate sequenceId is rejected, whether the crypto of a send may come from any
address, and that a send stays `created` until the crypto arrives.

An unpaid send cannot be cancelled and expires; receives can be cancelled where it is offered.
Yellow Card verifies no users: every order carries the KYC data that the operator collected.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from crossway.adapters.ramps.credentials import YellowCardCredentials
from crossway.adapters.ramps.provider_client import (
    UNPAID_STATUSES,
    OperatorAttestedClient,
    require_signature,
)
from crossway.adapters.ramps.wire_models import (
    decimals_by_coin,
    parse_response,
    round_down,
    round_up,
    to_micro_rate,
)
from crossway.adapters.ramps.yellow_card.provider_order import to_provider_order
from crossway.adapters.ramps.yellow_card.requests import (
    TITLE,
    build_order_body,
    requested_network_code,
)
from crossway.adapters.ramps.yellow_card.wire import (
    ORDER_KINDS,
    WEBHOOK_PREFIXES,
    FeeConfig,
    Networks,
    Order,
    Rates,
    ServiceFee,
    Webhook,
    map_status,
    to_update,
)
from crossway.domain.errors import Unauthorized
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    OrderRequest,
    ProviderOrder,
    ProviderQuote,
    ProviderQuoteRequest,
    ProviderRejected,
    ProviderUpdate,
)

# Rates are public and name no expiry.
RATE_SECONDS = 60
HUNDRED_PERCENT = 100


class YellowCard(OperatorAttestedClient[YellowCardCredentials]):
    """The Yellow Card client. The provider reference of an order is `receive:` or `send:` and our
    own reference, by which it is looked up, as Yellow Card's id does not tell the direction."""

    name = ProviderName.YELLOW_CARD
    title = TITLE

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        """A quote at the current rate with all fees, in whole units of the currency."""
        rate = self._get_rate(request)
        service_fee = self._get_service_fee(request, channels[0])
        fiat_units, fee_minor = calculate_cost(request, rate, service_fee, self._names)
        if fiat_units <= 0:
            raise ProviderRejected(f"{TITLE} does not serve so small an amount")
        return ProviderQuote(
            fiat_minor=fiat_units * 10**request.currency.digits,
            fee_minor=fee_minor,
            rate_micro=to_micro_rate(rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=RATE_SECONDS),
        )

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        """Submit an order, or return the existing one with our reference."""
        kind = ORDER_KINDS[request.direction]
        order = self._find_order(kind, request.reference)
        if order is None:
            try:
                order = self._submit(kind, request)
            except ProviderRejected:
                # A duplicate was rejected: look it up again.
                order = self._find_order(kind, request.reference)
                if order is None:
                    raise
        try:
            return to_provider_order(order, request)
        except ProviderRejected:
            # An order that does not match the request is cancelled; nobody pays it.
            if request.direction is Direction.ON:
                self._try_cancel(order)
            raise

    def cancel_order(self, reference: str) -> None:
        """Cancel an unpaid receive, or let it expire where that is not offered; refuse a paid
        order."""
        kind, _, our_reference = reference.partition(":")
        order = self._find_order(kind, our_reference)
        if order is None:
            return
        if not _is_unpaid(kind, order):
            raise ProviderRejected(f"{TITLE} has the payment already")
        if kind == ORDER_KINDS[Direction.ON]:
            self._try_cancel(order)

    def cancel_by_reference(self, request: OrderRequest) -> None:
        """The same for an order with our reference."""
        self.cancel_order(f"{ORDER_KINDS[request.direction]}:{request.reference}")

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        """The current status of orders, each fetched by itself."""
        updates: dict[str, Sequence[ProviderUpdate]] = {}
        for reference in references:
            kind, _, our_reference = reference.partition(":")
            order = self._find_order(kind, our_reference)
            update = self._to_update(kind, order, order.currency) if order else None
            if update is not None:
                updates[reference] = (update,)
        return updates

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        """The order's current status in a webhook with our signature and key."""
        require_signature(self._hmac_sha256(body), headers.get("x-yc-signature", ""))
        webhook = self._parse_webhook(Webhook, body)
        if webhook.api_key not in (None, self._credentials.api_key.get_secret_value()):
            raise Unauthorized("The report is meant for another key")
        kind = WEBHOOK_PREFIXES.get(webhook.event.upper().partition(".")[0])
        update = self._to_update(kind, webhook, None) if kind else None
        return (update,) if update else ()

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        at = datetime.fromtimestamp(self._now(), UTC)
        timestamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        message = f"{timestamp}{target.partition('?')[0]}{method}"
        if body:
            message += base64.b64encode(hashlib.sha256(body).digest()).decode()
        key = self._credentials.api_key.get_secret_value()
        return {
            "X-YC-Timestamp": timestamp,
            "Authorization": f"YcHmacV1 {key}:{self._hmac_sha256(message.encode())}",
        }

    def _secret_key(self) -> bytes:
        return self._credentials.secret_key.get_secret_value().encode()

    def _hmac_sha256(self, message: bytes) -> str:
        digest = hmac.new(self._secret_key(), message, hashlib.sha256).digest()
        return base64.b64encode(digest).decode()

    def _get_rate(self, request: ProviderQuoteRequest) -> Fraction:
        """The rate per US dollar; the less favourable one of `buy` and `sell`."""
        code = request.currency.code
        response = self._get(Rates, "/business/rates", {"currency": code})
        rates = [rate for rate in response.rates if rate.code == code]
        rates = [rate for rate in rates if rate.locale == request.country] or rates
        if not rates or rates[0].buy is None or rates[0].sell is None:
            raise ProviderRejected(f"{TITLE} has no rate for {code}")
        buy_and_sell = Fraction(rates[0].buy), Fraction(rates[0].sell)
        if min(buy_and_sell) <= 0:
            raise ProviderRejected(f"{TITLE} has no rate for {code}")
        return max(buy_and_sell) if request.direction is Direction.ON else min(buy_and_sell)

    def _get_service_fee(self, request: ProviderQuoteRequest, channel: Channel) -> ServiceFee:
        channel_type, code = self._names["channels"].get(channel.type.value), request.currency.code
        if channel_type is None or channel.currency != code:
            raise ProviderRejected(f"{TITLE} does not serve {channel.name} in {code}")
        body = {
            "txType": ORDER_KINDS[request.direction],
            "country": request.country,
            "currency": code,
            "channelType": channel_type,
            "directSettlement": True,
        }
        path = "/business/fees/get-config"
        return self._post(FeeConfig, path, body, idempotent=True).service_fee

    def _submit(self, kind: str, request: OrderRequest) -> Order:
        email = request.email.encode()
        customer = hmac.new(self._secret_key(), email, hashlib.sha256).hexdigest()[:32]
        body = build_order_body(self._names, request, self._get_network_id(request), customer)
        personal = [request.email, *request.fields.values(), *request.kyc_fields.values()]
        return self._post(Order, f"/business/{kind}", body, redact=personal)

    def _get_network_id(self, request: OrderRequest) -> str:
        """Yellow Card's id of the user's bank or mobile operator; empty when none is required."""
        code = requested_network_code(self._names, request)
        if not code:
            return ""
        response = self._http.get("/business/networks", {"country": request.country})
        content = {"networks": response} if isinstance(response, list) else response
        networks = parse_response(TITLE, Networks, content).networks
        labels = {
            option.value: option.label
            for field in request.channel.fields
            for option in field.options
        }
        label = labels.get(code, "").lower()
        for network in networks:
            if network.status != "active":
                continue
            if network.code == code or (network.name or "").lower() == label:
                return network.id
        raise ProviderRejected(f"{TITLE} does not serve {labels.get(code, 'this bank')} now")

    def _find_order(self, kind: str, our_reference: str) -> Order | None:
        # The lookup of a send uses the older folder name.
        folder = "payments" if kind == ORDER_KINDS[Direction.OFF] else kind
        path = f"/business/{folder}/sequence-id/{quote(our_reference, safe='')}"
        order = self._find(Order, path)
        return order if order and order.sequence_id == our_reference else None

    def _try_cancel(self, order: Order) -> None:
        """Cancel a receive; a refusal is accepted while it is unpaid."""
        kind = ORDER_KINDS[Direction.ON]
        try:
            self._http.post(f"/business/receive/{quote(order.id, safe='')}/cancel", {})
        except ProviderRejected:
            current = self._find_order(kind, order.sequence_id)
            if current is not None and not _is_unpaid(kind, current):
                raise

    def _to_update(
        self, kind: str, content: Order | Webhook, currency: str | None
    ) -> ProviderUpdate | None:
        decimals = decimals_by_coin(self.capabilities.tokens, self._names["networks"])
        coin = content.settlement_info.coin if content.settlement_info else ("", "")
        return to_update(kind, content, self._digits.get(currency or ""), decimals.get(coin))


def calculate_cost(
    request: ProviderQuoteRequest, rate: Fraction, fee: ServiceFee, names: Mapping[str, Any]
) -> tuple[int, int]:
    """The fiat amount in whole units of the currency, and the fees in it in minor units.

    The network fee is unknown before an order is created, so an on-ramp includes an allowance.
    Raises `ProviderRejected`.
    """
    if Fraction(fee.fee_percentage) >= HUNDRED_PERCENT:
        raise ProviderRejected(f"{TITLE} would keep the whole amount")
    value = rate * Fraction(request.amount, 10**request.token.decimals)
    minimum, share = Fraction(fee.min_fee_local), Fraction(fee.fee_percentage) / HUNDRED_PERCENT
    flat, digits = Fraction(fee.flat_fee_local), request.currency.digits
    if request.direction is Direction.OFF:
        units = round_down(value - max(minimum, share * value) - flat, 0)
        return units, round_up(value - units, digits)
    network_fee = rate * Fraction(names["network_fee_usd"].get(request.token.chain, "0"))
    net = value + network_fee + flat
    # The service fee is a share of the gross amount, with a minimum.
    units = round_up(max(net + minimum, net / (1 - share)), 0)
    return units, round_up(units - value, digits)


def _is_unpaid(kind: str, order: Order) -> bool:
    return map_status(kind, order.status.lower(), "") in UNPAID_STATUSES
