"""Onramp Money: the page a user buys on, its prices, its history and its webhooks.

Sources, read on 2026-11-21: docs.onramp.money (quotes, merchantHistory, signature of requests,
statuses) and onramp.gitbook.io/onramp/onramp-widget-integration/webhook-updates. Not run against
the real service. Not confirmed: the page's parameters beyond appId, walletAddress, coinCode,
network, fiatAmount, fiatType, paymentMethod and merchantRecognitionId; some names in names.toml;
what is inside a webhook's payload (the body is taken from nowhere else, as only it is signed).

Nothing is opened with Onramp Money itself: the user's first click does that, under our reference,
which is therefore the provider's reference too. Its price at that moment holds, so that what is
delivered may differ a little from what was quoted.
"""

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import httpx

from crossway.adapters.ramps.access import OnrampMoneyAccess
from crossway.adapters.ramps.calling import Caller, parse
from crossway.adapters.ramps.exact import (
    answer_of,
    names_of,
    numeral,
    plain,
    rate_micro,
    told_by,
    up,
)
from crossway.adapters.ramps.instructing import page
from crossway.adapters.ramps.onramp_money.wire import (
    OUTCOMES,
    Attempt,
    History,
    Offer,
    OfferAnswer,
    Said,
    furthest,
    report_of,
)
from crossway.domain.channels import Channel
from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.kyc import Standing
from crossway.domain.money import Token
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Ask,
    Capabilities,
    Document,
    Opened,
    Opening,
    Outcome,
    Priced,
    ProviderRefused,
    Report,
)

TITLE = "Onramp Money"
QUOTES = "/onramp/api/v2/common/transaction/quotes"
HISTORY = "/onramp/api/v1/transaction/merchantHistory"
BUYS = 1
QUOTE_SECONDS = 60
# Fees follow the amount, so that an amount is found by asking again for what the last one lacked.
MOST_ASKED = 4
PAGE_SIZE, MOST_PAGES = 500, 4
# A webhook that was signed longer ago than this may have been kept by somebody.
WINDOW_SECONDS = 600
MILLISECONDS = 1000


class OnrampMoney:
    """Onramp Money, by its page and its API; it sells only."""

    name: ProviderName = ProviderName.ONRAMP_MONEY
    at_once: bool = False

    def __init__(
        self,
        access: OnrampMoneyAccess,
        capabilities: Capabilities,
        client: httpx.Client,
        now: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`now` counts epoch seconds."""
        self.capabilities = capabilities
        self._access = access
        self._now = now
        self._names = names_of("onramp_money")
        keys = (access.api_key, access.api_secret)
        self._call = Caller(TITLE, str(access.base_url), client, self._sign, pause, keys)

    def refund_address(self, chain: str) -> str:
        """As the operator set it; Onramp Money names none."""
        return self._access.refund_address(chain)

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        """The least amount that buys the units, fees included."""
        if ask.direction is not Direction.ON:
            raise ProviderRefused(f"{TITLE} only sells crypto")
        offer, fiat = self._offer(ask, channels[0].min_minor), 0
        for _ in range(MOST_ASKED - 1):
            needed = _cost(offer, ask)
            if needed == fiat:
                break
            fiat = needed
            offer = self._offer(ask, fiat)
        return Priced(
            fiat_minor=_cost(offer, ask),
            fee_minor=up(_fees(offer), ask.currency.digits),
            rate_micro=rate_micro(offer.rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=QUOTE_SECONDS),
        )

    def open(self, order: Opening) -> Opened:
        """The page's address, the same each time; nothing is asked of anybody."""
        if order.direction is not Direction.ON:
            raise ProviderRefused(f"{TITLE} only sells crypto")
        network, currency = self._codes(order.token, order.currency.code)
        parameters = {
            "appId": self._access.app_id,
            "walletAddress": order.to_address,
            "coinCode": order.token.symbol.lower(),
            "network": network,
            "fiatType": str(currency),
            "fiatAmount": plain(order.fiat_minor, order.currency.digits),
            "merchantRecognitionId": order.reference,
        }
        method = self._names["methods"].get(order.channel.name)
        if method is not None:
            parameters["paymentMethod"] = str(method)
        return Opened(
            reference=order.reference,
            fiat_minor=order.fiat_minor,
            instructions={},
            widget_url=page(TITLE, f"{self._access.widget_url}?{httpx.QueryParams(parameters)}"),
        )

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        """Nothing: the page knows what was paid on it."""

    def cancel(self, reference: str) -> None:
        """The page cannot be closed; an order that was paid on it is refused."""
        found = self._attempts([reference]).get(reference)
        if found is not None and OUTCOMES[found.status] in (Outcome.PAID, Outcome.DELIVERED):
            raise ProviderRefused(f"{TITLE} has the payment already")

    def cancel_unknown(self, order: Opening) -> None:
        """Nothing: nobody was given the page's address."""

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        """Of each reference the attempt that got furthest, from the latest of the history."""
        found = self._attempts(references)
        told = {key: self._report(attempt) for key, attempt in found.items()}
        return {key: (report,) for key, report in told.items() if report is not None}

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        """What the signed header holds; the body repeats it and is signed by nothing."""
        payload = headers.get("x-onramp-payload", "").strip()
        secret = self._access.api_secret.get_secret_value().encode()
        right = hmac.new(secret, payload.encode(), hashlib.sha512).hexdigest().encode()
        given = headers.get("x-onramp-signature", "").strip().lower().encode()
        if not payload or not hmac.compare_digest(right, given):
            raise Unauthorized("The signature of the report is wrong")
        try:
            said = parse(base64.b64decode(payload, validate=True))
        except (ValueError, binascii.Error):
            raise InvalidInput("The payload is not JSON in base64") from None
        report = self._report(told_by(TITLE, Attempt, self._in_time(said)))
        return (report,) if report and report.reference else ()

    def standing(self, email: str, country: str) -> Standing:
        """Nothing is known: identities are checked on the page and told to nobody."""
        return Standing()

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        """Refused: identities are checked on the page."""
        raise ProviderRefused(f"{TITLE} checks identities on its own page, when an order is paid")

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        stamp = int(self._now() * MILLISECONDS)
        payload = base64.b64encode(b'{"timestamp":%d,"body":%s}' % (stamp, body or b"{}"))
        secret = self._access.api_secret.get_secret_value().encode()
        return {
            "X-ONRAMP-APIKEY": self._access.api_key.get_secret_value(),
            "X-ONRAMP-PAYLOAD": payload.decode(),
            "X-ONRAMP-SIGNATURE": hmac.new(secret, payload, hashlib.sha512).hexdigest(),
        }

    def _ask(self, path: str, body: Mapping[str, Any]) -> Any:
        """A look-up; a refusal comes with status 200 and says so inside."""
        said = self._call.post(path, body, safe=True)
        shell = answer_of(TITLE, Said, said)
        if shell.status != 1:
            reason = self._call.tidy(shell.error or shell.message or "no reason given")
            raise ProviderRefused(f"{TITLE} refused: {reason}")
        return said

    def _offer(self, ask: Ask, fiat_minor: int) -> Offer:
        network, currency = self._codes(ask.token, ask.currency.code)
        body = {
            "coinCode": ask.token.symbol.lower(),
            "network": network,
            "fiatAmount": numeral(fiat_minor, ask.currency.digits),
            "fiatType": currency,
            "type": BUYS,
        }
        offer = answer_of(TITLE, OfferAnswer, self._ask(QUOTES, body)).data
        if Fraction(offer.rate) == 0:
            raise ProviderRefused(f"{TITLE} has no price for this amount")
        return offer

    def _codes(self, token: Token, currency: str) -> tuple[str, int]:
        network = self._names["networks"].get(token.chain)
        code = self._names["currencies"].get(currency)
        if network is None or code is None:
            what = token.chain if network is None else currency
            raise ProviderRefused(f"{TITLE} does not serve {what}")
        return network, code

    def _attempts(self, references: Sequence[str]) -> Mapping[str, Attempt]:
        """The attempt that counts of each reference that has one, in the latest of the history."""
        wanted, found = set(references), dict[str, list[Attempt]]()
        for number in range(1, MOST_PAGES + 1):
            body = {"page": number, "pageSize": PAGE_SIZE, "order": "DESC", "type": BUYS}
            latest = answer_of(TITLE, History, self._ask(HISTORY, body)).data
            for attempt in latest:
                if attempt.reference in wanted:
                    found.setdefault(attempt.reference, []).append(attempt)
            if len(latest) < PAGE_SIZE or wanted <= found.keys():
                break
        best = {reference: furthest(attempts) for reference, attempts in found.items()}
        return {reference: attempt for reference, attempt in best.items() if attempt is not None}

    def _in_time(self, said: Any) -> Any:
        """The report inside a payload, with its time of signing if there is one."""
        if not isinstance(said, dict) or "body" not in said:
            return said
        stamp = said.get("timestamp")
        if type(stamp) is int and abs(self._now() - stamp / MILLISECONDS) > WINDOW_SECONDS:
            raise Unauthorized("The report was signed too long ago")
        return said["body"]

    def _report(self, attempt: Attempt) -> Report | None:
        # All chains where it pays have a token of the same decimals, or none is told.
        places = {token.decimals for token in self.capabilities.tokens}
        return report_of(attempt, places.pop() if len(places) == 1 else None)


def _cost(offer: Offer, ask: Ask) -> int:
    """What the units cost at an offer's rate and fees, in minor units."""
    worth = Fraction(offer.rate) * Fraction(ask.units, 10**ask.token.decimals)
    return up(worth + _fees(offer), ask.currency.digits)


def _fees(offer: Offer) -> Fraction:
    """All fees of an offer, in the fiat currency."""
    fees = (offer.onramp_fee, offer.client_fee, offer.gateway_fee, offer.gas_fee)
    return sum((Fraction(fee) for fee in fees), Fraction(0))
