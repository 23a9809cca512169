"""Fonbnk's merchant API V2: quotes, orders, KYC and webhooks.

Sources, read on 2026-11-21: github.com/fonbnk/docs api-v2.md (endpoints, fields, statuses,
request signatures) and docs.fonbnk.com/server-to-server/webhooks (webhooks). Not tested against
the real service. Unconfirmed: whether `x-signature` of a webhook hashes the body before or after
the secret's hash (published examples differ, so both are accepted); whether a webhook names the
order by `_id` (else it is looked up by our reference); under which name a depositing wallet is
passed; how currencies of several countries (XAF, XOF) select the country.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from crossway.adapters.ramps.credentials import FonbnkCredentials
from crossway.adapters.ramps.fonbnk import kyc
from crossway.adapters.ramps.fonbnk.wire import (
    STATUS_MAP,
    CreateOrderResponse,
    KycResponse,
    Order,
    Quote,
    Webhook,
    to_kyc_status,
    to_updates,
)
from crossway.adapters.ramps.provider_client import (
    CLOSED_STATUSES,
    ProviderClient,
    check_crypto_amount,
    clean_instructions,
    require_https_url,
)
from crossway.adapters.ramps.wire_models import (
    json_number,
    malformed_response,
    parse_instant,
    round_down,
    round_up,
    to_micro_rate,
)
from crossway.domain.errors import Unauthorized, Unreachable
from crossway.domain.kyc import VerificationStatus
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Document,
    KycUser,
    OrderRequest,
    ProviderOrder,
    ProviderOrderStatus,
    ProviderQuote,
    ProviderQuoteRequest,
    ProviderRejected,
    ProviderUpdate,
)

TITLE = "Fonbnk"
ORDER, QUOTE, KYC = "/api/v2/order", "/api/v2/quote", "/api/v2/user/kyc"
# Lifetime of a quote that names no expiry.
QUOTE_SECONDS = 60
ON_CHAIN = {"paymentChannel": "crypto", "currencyType": "crypto"}


class Fonbnk(ProviderClient[FonbnkCredentials]):
    """The Fonbnk client. Orders are looked up by our reference, which they carry as
    `orderParams`."""

    name = ProviderName.FONBNK
    title = TITLE
    verifies_by_email_alone = True

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        """A quote through the first channel with the crypto amount fixed."""
        body = self._build_sides(request, channels[0], {})
        quote = self._post(Quote, QUOTE, body, idempotent=True)
        is_on_ramp, digits = request.direction is Direction.ON, request.currency.digits
        fiat, crypto = quote.deposit.cashout, quote.payout.cashout
        if is_on_ramp:
            check_crypto_amount(TITLE, request, crypto.amount_after_fees)
            fiat_minor = round_up(fiat.amount_before_fees, digits)
        else:
            fiat, crypto = crypto, fiat
            check_crypto_amount(TITLE, request, crypto.amount_before_fees)
            fiat_minor = round_down(fiat.amount_after_fees, digits)
        rate = to_micro_rate(fiat.exchange_rate)
        # The fees of the crypto side are in USD: micro-USD times the micro rate.
        crypto_fee = round_up(crypto.total_charged_fees_usd, 6) * rate * 10**digits
        fallback = now + timedelta(seconds=QUOTE_SECONDS)
        return ProviderQuote(
            fiat_minor=fiat_minor,
            fee_minor=round_up(fiat.total_charged_fees, digits) + -(-crypto_fee // 10**12),
            rate_micro=rate,
            channels=tuple(channels),
            quote_id=quote.quote_id,
            expires_at=parse_instant(quote.quote_expires_at, fallback),
        )

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        """Create an order, or return the existing one with our reference."""
        order = self._find_by_reference(request.reference) or self._create(request)
        if STATUS_MAP.get(order.status) in CLOSED_STATUSES:
            raise ProviderRejected(f"{TITLE} has closed the order already")
        try:
            return _to_provider_order(order, request)
        except ProviderRejected:
            # An order that does not match the request is cancelled; nobody pays it.
            with suppress(ProviderRejected):
                self.cancel_order(order.id)
            raise

    def confirm_payment(self, reference: str, tx_hash: str = "") -> None:
        """Confirm a payment; for an off-ramp with its transaction in the field Fonbnk names."""
        body: dict[str, Any] = {"orderId": reference}
        order = self._find(Order, ORDER, {"orderId": reference}) if tx_hash else None
        instructions = order.deposit.transfer_instructions if order else None
        if instructions and instructions.fields_to_confirm_order:
            body["fieldsToConfirmOrder"] = {instructions.fields_to_confirm_order[0].key: tx_hash}
        self._http.post(f"{ORDER}/confirm", body)

    def cancel_order(self, reference: str) -> None:
        """Cancel an order; does nothing when it is closed unpaid already."""
        try:
            self._http.post(f"{ORDER}/cancel", {"orderId": reference})
        except ProviderRejected:
            order = self._find(Order, ORDER, {"orderId": reference})
            closed = (ProviderOrderStatus.CANCELLED, ProviderOrderStatus.EXPIRED)
            if order is None or STATUS_MAP.get(order.status) not in closed:
                raise

    def cancel_by_reference(self, request: OrderRequest) -> None:
        """Cancel the order with our reference, if there is one."""
        order = self._find_by_reference(request.reference)
        if order is not None:
            self.cancel_order(order.id)

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        """The status histories of orders, each fetched by itself."""
        orders = {ref: self._find(Order, ORDER, {"orderId": ref}) for ref in references}
        return {ref: self._to_updates(order) for ref, order in orders.items() if order is not None}

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        """The order's current status in a signed webhook."""
        if not is_webhook_signed(self._credentials, headers.get("x-signature", ""), body):
            raise Unauthorized("The webhook's signature is wrong")
        order = self._parse_webhook(Webhook, body).data.order
        if order.id:
            return self._to_updates(order)[-1:]
        complete_order = self._find_by_reference(order.merchant_order_params or "")
        return self._to_updates(complete_order)[-1:] if complete_order else ()

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        """A customer's KYC status; the call registers them with Fonbnk."""
        query = {"userEmail": user.email, "countryIsoCode": country}
        return to_kyc_status(self._get(KycResponse, KYC, query))

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        """Submit the country's identity document that the fields complete."""
        query = {"userEmail": user.email, "countryIsoCode": country}
        status = self._get(KycResponse, KYC, query)
        body = kyc.build_submission(self._names, status, fields, documents)
        personal = [user.email, *fields.values()]
        return to_kyc_status(self._post(KycResponse, KYC, query | body, redact=personal))

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        return sign_request(self._credentials, int(self._now() * 1000), target)

    def _build_sides(
        self,
        request: ProviderQuoteRequest | OrderRequest,
        channel: Channel,
        fields: Mapping[str, str],
    ) -> dict[str, Any]:
        """The `deposit` and `payout` of a quote or an order, with the crypto amount fixed."""
        token, currency = request.token, request.currency.code
        network = self._names["networks"].get(token.chain)
        payment_channel = self._names["channels"].get(channel.type.value)
        if network is None or payment_channel is None or channel.currency != currency:
            unsupported = token.chain if network is None else f"{channel.name} in {currency}"
            raise ProviderRejected(f"{TITLE} does not serve {unsupported}")
        crypto = ON_CHAIN | {
            "currencyCode": self._crypto_code(token),
            "amount": json_number(request.amount, token.decimals),
        }
        fiat = {"paymentChannel": payment_channel, "currencyType": "fiat", "currencyCode": currency}
        carrier = fields.get("carrierCode")
        if carrier:
            fiat["carrierCode"] = carrier
        is_on_ramp = request.direction is Direction.ON
        return {"deposit": fiat if is_on_ramp else crypto, "payout": crypto if is_on_ramp else fiat}

    def _create(self, request: OrderRequest) -> Order:
        fields = {self._names["fields"].get(k, k): v for k, v in request.fields.items()}
        # Fonbnk writes phone numbers without the plus.
        fields = {key: value.removeprefix("+") for key, value in fields.items()}
        is_on_ramp = request.direction is Direction.ON
        wallet = request.to_address if is_on_ramp else request.refund_address
        body = self._build_sides(request, request.channel, fields) | {
            "userEmail": request.email,
            "userIp": str(self._credentials.user_ip),
            "orderParams": request.reference,
            "fieldsToCreateOrder": fields | {"blockchainWalletAddress": wallet},
        }
        personal = [request.email, *request.fields.values(), *fields.values()]
        return self._post(CreateOrderResponse, ORDER, body, redact=personal).order

    def _find_by_reference(self, reference: str) -> Order | None:
        order = self._find(Order, ORDER, {"orderParams": reference}) if reference else None
        # An order with another reference is no match.
        return order if order and order.merchant_order_params == reference else None

    def _to_updates(self, order: Order) -> list[ProviderUpdate]:
        is_on_ramp = order.deposit.currency_type == "fiat"
        fiat, crypto = order.deposit, order.payout
        if not is_on_ramp:
            fiat, crypto = crypto, fiat
        digits = self._digits.get(fiat.currency_code)
        decimals = {self._crypto_code(t): t.decimals for t in self.capabilities.tokens}
        return to_updates(order, digits, decimals.get(crypto.currency_code))

    def _crypto_code(self, token: Token) -> str:
        return f"{self._names['networks'].get(token.chain)}_{token.symbol}"


def _to_provider_order(order: Order, request: OrderRequest) -> ProviderOrder:
    """How the user pays. Raises `ProviderRejected` when the order does not match the request."""
    instructions, digits = order.deposit.transfer_instructions, request.currency.digits
    if not order.id or instructions is None:
        raise malformed_response(TITLE)
    deposited = order.deposit.cashout.amount_before_fees
    paid_out = order.payout.cashout.amount_after_fees
    if request.direction is Direction.OFF:
        check_crypto_amount(TITLE, request, deposited)
        pay_to = instructions.detail("recipientWalletAddress")
        if not pay_to:
            raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
        return ProviderOrder(order.id, round_down(paid_out, digits), {}, pay_to=pay_to)
    check_crypto_amount(TITLE, request, paid_out)
    lines = {detail.label: detail.value for detail in instructions.transfer_details} | {
        "USSD code": instructions.ussd_code,
        "Instructions": instructions.instructions_text,
        "Important": instructions.warning_text,
    }
    return ProviderOrder(
        reference=order.id,
        fiat_minor=round_up(deposited, digits),
        instructions=clean_instructions(lines),
        widget_url=require_https_url(TITLE, instructions.payment_url),
    )


def sign_request(
    credentials: FonbnkCredentials, milliseconds: int, target: str
) -> Mapping[str, str]:
    """The signature headers of a request to `target`, the path with its query."""
    key = base64.b64decode(credentials.client_secret.get_secret_value())
    digest = hmac.new(key, f"{milliseconds}:{target}".encode(), hashlib.sha256).digest()
    return {
        "x-client-id": credentials.client_id,
        "x-timestamp": str(milliseconds),
        "x-signature": base64.b64encode(digest).decode(),
    }


def is_webhook_signed(credentials: FonbnkCredentials, signature: str, body: bytes) -> bool:
    """Whether a webhook carries the hash of its body and the secret's hash, in either order."""
    secret = credentials.webhook_secret.get_secret_value().encode()
    secret_hash = hashlib.sha256(secret).hexdigest().encode()
    valid_digests = [
        hashlib.sha256(text).hexdigest() for text in (body + secret_hash, secret_hash + body)
    ]
    expected = signature.strip().lower().encode()
    return any(hmac.compare_digest(expected, digest.encode()) for digest in valid_digests)
