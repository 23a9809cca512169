"""Paycrest's Sender API V2: rates, orders and webhooks.

Sources, read on 2026-11-21: docs.paycrest.io/implementation-guides/sender-api-integration,
docs.paycrest.io/api-reference/general/get-token-rate and github.com/paycrest/docs openapi-v2.yaml.
Not tested against the real service. Unconfirmed: that the order list is sorted newest first, that
a provider honours the rate an order names, and how long a rate is valid.

The API cannot cancel orders: an unpaid order expires. It has no idempotency keys: an order is
looked up by our reference before it is created. It verifies no users.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from crossway.adapters.ramps.credentials import PaycrestCredentials
from crossway.adapters.ramps.paycrest.wire import (
    STATUS_MAP,
    Account,
    Order,
    OrderPageResponse,
    OrderResponse,
    RatesResponse,
    Webhook,
    to_update,
)
from crossway.adapters.ramps.provider_client import (
    CLOSED_STATUSES,
    UNPAID_STATUSES,
    OperatorAttestedClient,
    check_crypto_amount,
    clean_instructions,
    require_signature,
)
from crossway.adapters.ramps.wire_models import (
    decimals_by_coin,
    malformed_response,
    parse_deadline,
    round_down,
    round_up,
    to_micro_rate,
)
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
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

TITLE = "Paycrest"
ORDERS = "/v2/sender/orders"
# Rates are public and name no expiry.
RATE_SECONDS = 60
# Decimal places of a rate, so that its rounding changes no realistic amount by a minor unit.
RATE_PLACES = 10
PAGE_SIZE, MAX_PAGES = 50, 4


class Paycrest(OperatorAttestedClient[PaycrestCredentials]):
    """The Paycrest client. Orders name the quoted rate, so that they cost what was quoted."""

    name = ProviderName.PAYCREST
    title = TITLE

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        """A quote at the public rate, which includes Paycrest's fee."""
        is_on_ramp, digits = request.direction is Direction.ON, request.currency.digits
        amount = format_units(request.amount, request.token.decimals)
        coin = f"{self._get_network(request.token)}/{request.token.symbol}"
        path = f"/v2/rates/{coin}/{amount}/{request.currency.code}"
        response = self._find(RatesResponse, path, {"side": "buy" if is_on_ramp else "sell"})
        if response is None:
            raise ProviderRejected(f"{TITLE} has nobody who trades this amount")
        side = response.data.buy if is_on_ramp else response.data.sell
        if side is None or Fraction(side.rate) <= 0:
            raise ProviderRejected(f"{TITLE} has no rate in this direction")
        value = Fraction(side.rate) * Fraction(amount)
        return ProviderQuote(
            fiat_minor=round_up(value, digits) if is_on_ramp else round_down(value, digits),
            fee_minor=0,
            rate_micro=to_micro_rate(side.rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=RATE_SECONDS),
        )

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        """Create an order, or return the existing one with our reference."""
        order = self._find_by_reference(request.reference) or self._create(request)
        account = order.provider_account
        if STATUS_MAP[request.direction].get(order.status) in CLOSED_STATUSES:
            raise ProviderRejected(f"{TITLE} has closed the order already")
        if account is None:
            raise malformed_response(TITLE)
        if request.direction is Direction.ON:
            return _to_on_ramp(order, account, request)
        return _to_off_ramp(order, account, request)

    def cancel_order(self, reference: str) -> None:
        """Let an unpaid order expire; refuse a paid one."""
        order = self._find_order(reference)
        if order is None:
            return
        if STATUS_MAP[order.resolved_direction].get(order.status) not in UNPAID_STATUSES:
            raise ProviderRejected(f"{TITLE} has the payment already")

    def cancel_by_reference(self, request: OrderRequest) -> None:
        """Do nothing: the order expires, as the user never learned where to pay."""

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        """The current status of orders, each fetched by itself."""
        orders = {ref: self._find_order(ref) for ref in references}
        updates = {ref: self._to_update(order) for ref, order in orders.items() if order}
        return {ref: (update,) for ref, update in updates.items() if update is not None}

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        """The order's current status in a signed webhook."""
        secret = self._credentials.api_secret.get_secret_value().strip().encode()
        expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
        require_signature(expected, headers.get("x-paycrest-signature", "").lower())
        webhook = self._parse_webhook(Webhook, body)
        update = self._to_update(webhook.data, webhook.event)
        return (update,) if update else ()

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        return {"API-Key": self._credentials.api_key.get_secret_value()}

    def _get_network(self, token: Token) -> str:
        try:
            return str(self._names["networks"][token.chain])
        except KeyError:
            raise ProviderRejected(f"{TITLE} does not serve {token.chain}") from None

    def _create(self, request: OrderRequest) -> Order:
        personal = [request.email, *request.fields.values()]
        body = self._build_order_body(request)
        return self._post(OrderResponse, ORDERS, body, redact=personal).data

    def _build_order_body(self, request: OrderRequest) -> dict[str, Any]:
        network, account = self._get_network(request.token), self._build_account(request)
        crypto = {"type": "crypto", "currency": request.token.symbol}
        fiat = {"type": "fiat", "currency": request.currency.code, "country": request.country}
        source: Mapping[str, Any]
        destination: Mapping[str, Any]
        if request.direction is Direction.ON:
            source = fiat | {"refundAccount": account}
            destination = crypto | {
                "recipient": {"address": request.to_address, "network": network}
            }
        else:
            source = crypto | {"network": network, "refundAddress": request.refund_address}
            destination = fiat | {"recipient": account | {"memo": request.reference}}
        return {
            "amount": format_units(request.amount, request.token.decimals),
            "amountIn": "crypto",
            "rate": _quoted_rate(request),
            "reference": request.reference,
            "source": source,
            "destination": destination,
        }

    def _build_account(self, request: OrderRequest) -> dict[str, str]:
        account = {}
        for name, keys in self._names["account"].items():
            value = next((request.fields[key] for key in keys if request.fields.get(key)), None)
            if value is None:
                raise ProviderRejected(f"{TITLE} needs the field {keys[0]}")
            account[name] = value
        return account

    def _find_by_reference(self, reference: str) -> Order | None:
        for page in range(1, MAX_PAGES + 1):
            query = {"page": str(page), "pageSize": str(PAGE_SIZE)}
            orders = self._get(OrderPageResponse, ORDERS, query).data.orders
            matches = [order for order in orders if order.reference == reference]
            if matches:
                return matches[0]
            if len(orders) < PAGE_SIZE:
                return None
        return None

    def _find_order(self, reference: str) -> Order | None:
        response = self._find(OrderResponse, f"{ORDERS}/{quote(reference, safe='')}")
        return None if response is None else response.data

    def _to_update(self, order: Order, event: str = "") -> ProviderUpdate | None:
        decimals = decimals_by_coin(self.capabilities.tokens, self._names["networks"])
        return to_update(order, event, decimals.get(order.coin))


def _to_on_ramp(order: Order, account: Account, request: OrderRequest) -> ProviderOrder:
    if account.amount_to_transfer is None or not account.account_identifier:
        raise Unreachable(f"{TITLE} does not say where the user is to pay")
    check_crypto_amount(TITLE, request, order.amount)
    lines = {
        "Bank or operator": account.institution,
        "Account number": account.account_identifier,
        "Account name": account.account_name,
        "Amount": f"{account.amount_to_transfer} {request.currency.code}",
    }
    return ProviderOrder(
        reference=order.id,
        fiat_minor=round_up(account.amount_to_transfer, request.currency.digits),
        instructions=clean_instructions(lines),
        pay_by=parse_deadline(account.valid_until),
    )


def _to_off_ramp(order: Order, account: Account, request: OrderRequest) -> ProviderOrder:
    if not account.receive_address:
        raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
    if account.memo:
        raise ProviderRejected(f"{TITLE} asks for a memo, which a deposit cannot carry")
    fees = Fraction(order.sender_fee) + Fraction(order.transaction_fee)
    check_crypto_amount(TITLE, request, account.amount_to_transfer or Fraction(order.amount) + fees)
    rate = Fraction(order.rate or _quoted_rate(request))
    return ProviderOrder(
        reference=order.id,
        fiat_minor=round_down(Fraction(order.amount) * rate, request.currency.digits),
        instructions={},
        pay_to=account.receive_address,
        pay_by=parse_deadline(account.valid_until),
    )


def _quoted_rate(request: OrderRequest) -> str:
    """The rate at which the order costs what was quoted, rounded in the user's favour."""
    fiat = Fraction(request.fiat_minor, 10**request.currency.digits)
    rate = fiat / Fraction(request.amount, 10**request.token.decimals)
    round_rate = round_down if request.direction is Direction.ON else round_up
    return format_units(round_rate(rate, RATE_PLACES), RATE_PLACES)
