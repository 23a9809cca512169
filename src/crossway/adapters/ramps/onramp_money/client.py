"""Onramp Money: its payment page, quotes, order history and webhooks.

Sources, read on 2026-11-21: docs.onramp.money (quotes, merchantHistory, request signatures,
statuses) and onramp.gitbook.io/onramp/onramp-widget-integration/webhook-updates. Not tested
against the real service. Unconfirmed: the page's parameters beyond appId, walletAddress, coinCode,
network, fiatAmount, fiatType, paymentMethod and merchantRecognitionId; some names in names.toml;
the contents of a webhook's payload (its body is ignored, as only the payload is signed).

No order is created through the API: the user's first click on the page creates it under our
reference, which is therefore also the provider's reference. The price at that moment applies, so
that the delivered amount may differ slightly from the quote.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import httpx

from crossway.adapters.ramps.credentials import OnrampMoneyCredentials
from crossway.adapters.ramps.http_client import parse_json
from crossway.adapters.ramps.onramp_money.wire import (
    STATUS_MAP,
    HistoryResponse,
    OrderAttempt,
    Quote,
    QuoteResponse,
    ResponseEnvelope,
    pick_furthest,
    to_update,
)
from crossway.adapters.ramps.provider_client import (
    ProviderClient,
    W,
    require_https_url,
    require_signature,
)
from crossway.adapters.ramps.wire_models import (
    json_number,
    parse_response,
    parse_webhook_body,
    round_up,
    to_micro_rate,
)
from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.kyc import VerificationStatus
from crossway.domain.money import Token, format_units
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

TITLE = "Onramp Money"
QUOTES = "/onramp/api/v2/common/transaction/quotes"
HISTORY = "/onramp/api/v1/transaction/merchantHistory"
BUYS = 1
QUOTE_SECONDS = 60
# Fees depend on the amount, so the fiat amount is approached with repeated quotes.
MAX_QUOTES = 4
PAGE_SIZE, MAX_PAGES = 500, 4
# Webhooks signed longer ago than this may be replays.
MAX_WEBHOOK_AGE_SECONDS = 600
MILLISECONDS = 1000


class OnrampMoney(ProviderClient[OnrampMoneyCredentials]):
    """The Onramp Money client: quotes and history by API, payments on its page; on-ramps only."""

    name = ProviderName.ONRAMP_MONEY
    title = TITLE

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        """The lowest fiat amount that buys the crypto amount, fees included."""
        if request.direction is not Direction.ON:
            raise ProviderRejected(f"{TITLE} only sells crypto")
        quote, fiat_minor = self._fetch_quote(request, channels[0].min_minor), 0
        for _ in range(MAX_QUOTES - 1):
            cost = _cost_minor(quote, request)
            if cost == fiat_minor:
                break
            fiat_minor = cost
            quote = self._fetch_quote(request, fiat_minor)
        return ProviderQuote(
            fiat_minor=_cost_minor(quote, request),
            fee_minor=round_up(_total_fees(quote), request.currency.digits),
            rate_micro=to_micro_rate(quote.rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=QUOTE_SECONDS),
        )

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        """The URL of the payment page, always the same; the provider is not called."""
        if request.direction is not Direction.ON:
            raise ProviderRejected(f"{TITLE} only sells crypto")
        network, currency = self._get_codes(request.token, request.currency.code)
        parameters = {
            "appId": self._credentials.app_id,
            "walletAddress": request.to_address,
            "coinCode": request.token.symbol.lower(),
            "network": network,
            "fiatType": str(currency),
            "fiatAmount": format_units(request.fiat_minor, request.currency.digits),
            "merchantRecognitionId": request.reference,
        }
        method = self._names["methods"].get(request.channel.name)
        if method is not None:
            parameters["paymentMethod"] = str(method)
        url = f"{self._credentials.widget_url}?{httpx.QueryParams(parameters)}"
        return ProviderOrder(
            reference=request.reference,
            fiat_minor=request.fiat_minor,
            instructions={},
            widget_url=require_https_url(TITLE, url),
        )

    def cancel_order(self, reference: str) -> None:
        """Do nothing for an unpaid order, whose page cannot be closed; refuse a paid one."""
        attempt = self._find_attempts([reference]).get(reference)
        paid = (ProviderOrderStatus.PAID, ProviderOrderStatus.DELIVERED)
        if attempt is not None and STATUS_MAP[attempt.status] in paid:
            raise ProviderRejected(f"{TITLE} has the payment already")

    def cancel_by_reference(self, request: OrderRequest) -> None:
        """Do nothing: the user never received the page's URL."""

    def fetch_updates(self, references: Sequence[str]) -> Mapping[str, Sequence[ProviderUpdate]]:
        """By reference, the furthest attempt in the recent history."""
        attempts = self._find_attempts(references)
        updates = {ref: self._to_update(attempt) for ref, attempt in attempts.items()}
        return {ref: (update,) for ref, update in updates.items() if update is not None}

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[ProviderUpdate]:
        """The update in the signed payload header; the body is not signed and is ignored."""
        payload = headers.get("x-onramp-payload", "").strip()
        signature = headers.get("x-onramp-signature", "").lower()
        require_signature(self._hmac_sha512(payload.encode()), signature if payload else "")
        try:
            content = parse_json(base64.b64decode(payload, validate=True))
        except (ValueError, binascii.Error):
            raise InvalidInput("The payload is not JSON in base64") from None
        attempt = parse_webhook_body(TITLE, OrderAttempt, self._check_age(content))
        update = self._to_update(attempt)
        return (update,) if update and update.reference else ()

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        """Not started: the provider verifies users on its page and does not share the result."""
        return VerificationStatus()

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        """Refused: the provider verifies users on its page."""
        raise ProviderRejected(f"{TITLE} checks identities on its own page, when an order is paid")

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        timestamp = int(self._now() * MILLISECONDS)
        payload = base64.b64encode(b'{"timestamp":%d,"body":%s}' % (timestamp, body or b"{}"))
        return {
            "X-ONRAMP-APIKEY": self._credentials.api_key.get_secret_value(),
            "X-ONRAMP-PAYLOAD": payload.decode(),
            "X-ONRAMP-SIGNATURE": self._hmac_sha512(payload),
        }

    def _hmac_sha512(self, payload: bytes) -> str:
        secret = self._credentials.api_secret.get_secret_value().encode()
        return hmac.new(secret, payload, hashlib.sha512).hexdigest()

    def _query(self, model: type[W], path: str, body: Mapping[str, Any]) -> W:
        """Run a query. Refusals come with HTTP status 200 and a status inside the body."""
        response = self._http.post(path, body, idempotent=True)
        envelope = parse_response(TITLE, ResponseEnvelope, response)
        if envelope.status != 1:
            reason = envelope.error or envelope.message or "no reason given"
            raise ProviderRejected(f"{TITLE} refused: {self._http.sanitize(reason)}")
        return parse_response(TITLE, model, response)

    def _fetch_quote(self, request: ProviderQuoteRequest, fiat_minor: int) -> Quote:
        network, currency = self._get_codes(request.token, request.currency.code)
        body = {
            "coinCode": request.token.symbol.lower(),
            "network": network,
            "fiatAmount": json_number(fiat_minor, request.currency.digits),
            "fiatType": currency,
            "type": BUYS,
        }
        quote = self._query(QuoteResponse, QUOTES, body).data
        if Fraction(quote.rate) == 0:
            raise ProviderRejected(f"{TITLE} has no price for this amount")
        return quote

    def _get_codes(self, token: Token, currency: str) -> tuple[str, int]:
        """The provider's codes of a token's network and of a currency."""
        network = self._names["networks"].get(token.chain)
        code = self._names["currencies"].get(currency)
        if network is None or code is None:
            unsupported = token.chain if network is None else currency
            raise ProviderRejected(f"{TITLE} does not serve {unsupported}")
        return network, code

    def _find_attempts(self, references: Sequence[str]) -> Mapping[str, OrderAttempt]:
        """By reference, the furthest attempt in the recent history."""
        requested, by_reference = set(references), dict[str, list[OrderAttempt]]()
        for number in range(1, MAX_PAGES + 1):
            body = {"page": number, "pageSize": PAGE_SIZE, "order": "DESC", "type": BUYS}
            page = self._query(HistoryResponse, HISTORY, body).data
            for attempt in page:
                if attempt.reference in requested:
                    by_reference.setdefault(attempt.reference, []).append(attempt)
            if len(page) < PAGE_SIZE or requested <= by_reference.keys():
                break
        furthest = {
            reference: pick_furthest(attempts) for reference, attempts in by_reference.items()
        }
        return {ref: attempt for ref, attempt in furthest.items() if attempt is not None}

    def _check_age(self, content: Any) -> Any:
        """The body inside a payload; refuses one whose timestamp is too old."""
        if not isinstance(content, dict) or "body" not in content:
            return content
        timestamp = content.get("timestamp")
        age = abs(self._now() - timestamp / MILLISECONDS) if type(timestamp) is int else 0
        if age > MAX_WEBHOOK_AGE_SECONDS:
            raise Unauthorized("The report was signed too long ago")
        return content["body"]

    def _to_update(self, attempt: OrderAttempt) -> ProviderUpdate | None:
        # The attempt does not name the token: its decimals are known only if all tokens agree.
        decimals = {token.decimals for token in self.capabilities.tokens}
        return to_update(attempt, decimals.pop() if len(decimals) == 1 else None)


def _cost_minor(quote: Quote, request: ProviderQuoteRequest) -> int:
    """The cost of the requested crypto at a quote's rate with its fees, in minor units."""
    value = Fraction(quote.rate) * Fraction(request.amount, 10**request.token.decimals)
    return round_up(value + _total_fees(quote), request.currency.digits)


def _total_fees(quote: Quote) -> Fraction:
    """All fees of a quote, in the fiat currency."""
    fees = (quote.onramp_fee, quote.client_fee, quote.gateway_fee, quote.gas_fee)
    return sum((Fraction(fee) for fee in fees), Fraction(0))
