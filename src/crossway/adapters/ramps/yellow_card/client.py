"""Yellow Card's Payments API: rates, receives and sends that convert at once, and webhooks.

Sources, read on 2026-11-21: docs.yellowcard.engineering, pages authentication-api,
direct-settlement (orders that convert), submit-collection-request, submit-payment,
lookup-collection-by-sequenceid, lookup-payment-by-sequenceid, cancel-collection, get-rates,
get-networks, get-fee-config, events-api, error-codes, kyc-metadata, webhooks-api. Not run against
the real service. Not confirmed: which of `buy` and `sell` an on-ramp is reckoned at (the dearer one
is taken for it), how a submission with a known sequenceId is refused, whether crypto that a send
awaits may come from any address, and that a send stays `created` until it is there.

An unpaid send cannot be cancelled and lapses by itself; receives can be, where the page says so.
Yellow Card checks nobody's identity: every order carries what the operator found out.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from urllib.parse import quote

import httpx

from crossway.adapters.ramps.access import YellowCardAccess
from crossway.adapters.ramps.calling import Caller, NotThere, parse
from crossway.adapters.ramps.exact import (
    answer_of,
    names_of,
    places_of,
    rate_micro,
    told_by,
)
from crossway.adapters.ramps.vouching import no_submission, vouched
from crossway.adapters.ramps.yellow_card.opened import opened_of
from crossway.adapters.ramps.yellow_card.pricing import cost_of
from crossway.adapters.ramps.yellow_card.requests import TITLE, body_of, network_asked
from crossway.adapters.ramps.yellow_card.wire import (
    KINDS,
    PREFIXES,
    FeeConfig,
    Networks,
    Order,
    Rates,
    ServiceFee,
    Webhook,
    outcome_of,
    report_of,
)
from crossway.domain.channels import Channel
from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.kyc import Standing
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

# A rate is for everybody and nobody says how long it stands.
RATE_SECONDS = 60
LAPSES = (Outcome.WAITING, Outcome.CANCELLED, Outcome.EXPIRED)


class YellowCard:
    """Yellow Card, by its API. Its reference of an order is `receive:` or `send:` and ours, by
    which it is looked up, as their own id does not tell the direction."""

    name: ProviderName = ProviderName.YELLOW_CARD
    at_once: bool = False

    def __init__(
        self,
        access: YellowCardAccess,
        capabilities: Capabilities,
        digits: Mapping[str, int],
        client: httpx.Client,
        now: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`digits` are the decimal places of each currency, `now` counts epoch seconds."""
        self.capabilities = capabilities
        self._access = access
        self._digits = digits
        self._now = now
        self._names = names_of("yellow_card")
        keys = (access.api_key, access.secret_key)
        self._call = Caller(TITLE, str(access.base_url), client, self._sign, pause, keys)

    def refund_address(self, chain: str) -> str:
        """As the operator set it; Yellow Card names none."""
        return self._access.refund_address(chain)

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        """Units at today's rate with all fees, in whole units of the currency."""
        rate = self._rate(ask)
        whole, fee = cost_of(ask, rate, self._fee(ask, channels[0]), self._names)
        if whole <= 0:
            raise ProviderRefused(f"{TITLE} does not serve so small an amount")
        return Priced(
            fiat_minor=whole * 10**ask.currency.digits,
            fee_minor=fee,
            rate_micro=rate_micro(rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=RATE_SECONDS),
        )

    def open(self, order: Opening) -> Opened:
        """Submit an order, unless one with our reference is there."""
        kind = KINDS[order.direction]
        found = self._order(kind, order.reference)
        if found is None:
            try:
                found = self._submit(kind, order)
            except ProviderRefused:
                # What was refused as a duplicate is there now.
                found = self._order(kind, order.reference)
                if found is None:
                    raise
        try:
            return opened_of(found, order)
        except ProviderRefused:
            # Nobody is told where to pay for what is not as it was asked for.
            if order.direction is Direction.ON:
                self._try_to_cancel(found)
            raise

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        """Nothing: Yellow Card sees payments by itself and cannot be told of them."""

    def cancel(self, reference: str) -> None:
        """Cancel an unpaid receive, or let it lapse where that is not offered; a paid order is
        refused."""
        kind, _, ours = reference.partition(":")
        found = self._order(kind, ours)
        if found is None:
            return
        if not _is_unpaid(kind, found):
            raise ProviderRefused(f"{TITLE} has the payment already")
        if kind == KINDS[Direction.ON]:
            self._try_to_cancel(found)

    def cancel_unknown(self, order: Opening) -> None:
        """The same for what our reference submitted."""
        self.cancel(f"{KINDS[order.direction]}:{order.reference}")

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        """The present state of orders, each asked for by itself."""
        told: dict[str, Sequence[Report]] = {}
        for reference in references:
            kind, _, ours = reference.partition(":")
            found = self._order(kind, ours)
            report = self._report(kind, found, found.currency) if found else None
            if report is not None:
                told[reference] = (report,)
        return told

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        """The state that the body tells, once its signature and its key are right."""
        secret = self._access.secret_key.get_secret_value().encode()
        right = base64.b64encode(hmac.new(secret, body, hashlib.sha256).digest())
        if not hmac.compare_digest(right, headers.get("x-yc-signature", "").strip().encode()):
            raise Unauthorized("The signature of the report is wrong")
        try:
            told = told_by(TITLE, Webhook, parse(body))
        except ValueError:
            raise InvalidInput("The body is not JSON") from None
        if told.api_key not in (None, self._access.api_key.get_secret_value()):
            raise Unauthorized("The report is meant for another key")
        kind = PREFIXES.get(told.event.upper().partition(".")[0])
        report = self._report(kind, told, None) if kind else None
        return (report,) if report else ()

    def standing(self, email: str, country: str) -> Standing:
        """As the operator vouches for: Yellow Card obliges its partners to check."""
        return vouched(self._access)

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        """As the operator vouches for; else refused, as there is nobody to hand it to."""
        return no_submission(TITLE, self._access)

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        at = datetime.fromtimestamp(self._now(), UTC)
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        message = f"{stamp}{target.partition('?')[0]}{method}"
        if body:
            message += base64.b64encode(hashlib.sha256(body).digest()).decode()
        secret = self._access.secret_key.get_secret_value().encode()
        signature = base64.b64encode(hmac.new(secret, message.encode(), hashlib.sha256).digest())
        key = self._access.api_key.get_secret_value()
        return {
            "X-YC-Timestamp": stamp,
            "Authorization": f"YcHmacV1 {key}:{signature.decode()}",
        }

    def _rate(self, ask: Ask) -> Fraction:
        said = self._call.get("/business/rates", {"currency": ask.currency.code})
        rates = [r for r in answer_of(TITLE, Rates, said).rates if r.code == ask.currency.code]
        rates = [r for r in rates if r.locale == ask.country] or rates
        if not rates or rates[0].buy is None or rates[0].sell is None:
            raise ProviderRefused(f"{TITLE} has no rate for {ask.currency.code}")
        both = Fraction(rates[0].buy), Fraction(rates[0].sell)
        if min(both) <= 0:
            raise ProviderRefused(f"{TITLE} has no rate for {ask.currency.code}")
        return max(both) if ask.direction is Direction.ON else min(both)

    def _fee(self, ask: Ask, channel: Channel) -> ServiceFee:
        kind = self._names["channels"].get(channel.type.value)
        if kind is None or channel.currency != ask.currency.code:
            raise ProviderRefused(f"{TITLE} does not serve {channel.name} in {ask.currency.code}")
        body = {
            "txType": KINDS[ask.direction],
            "country": ask.country,
            "currency": ask.currency.code,
            "channelType": kind,
            "directSettlement": True,
        }
        said = self._call.post("/business/fees/get-config", body, safe=True)
        return answer_of(TITLE, FeeConfig, said).service_fee

    def _submit(self, kind: str, order: Opening) -> Order:
        secret = self._access.secret_key.get_secret_value().encode()
        customer = hmac.new(secret, order.email.encode(), hashlib.sha256).hexdigest()[:32]
        body = body_of(self._names, order, self._network_id(order), customer)
        hidden = [order.email, *order.fields.values(), *order.identity.values()]
        said = self._call.post(f"/business/{kind}", body, hidden=hidden)
        return answer_of(TITLE, Order, said)

    def _network_id(self, order: Opening) -> str:
        """Yellow Card's id of the bank or operator that the user named, if one is asked for."""
        code = network_asked(self._names, order)
        if not code:
            return ""
        said = self._call.get("/business/networks", {"country": order.country})
        listed = {"networks": said} if isinstance(said, list) else said
        active = [n for n in answer_of(TITLE, Networks, listed).networks if n.status == "active"]
        labels = {o.value: o.label for field in order.channel.fields for o in field.options}
        for network in active:
            if network.code == code or (network.name or "").lower() == labels.get(code, "").lower():
                return network.id
        raise ProviderRefused(f"{TITLE} does not serve {labels.get(code, 'this bank')} now")

    def _order(self, kind: str, ours: str) -> Order | None:
        # The page of a send's look-up names the older folder; a receive's does not.
        folder = "payments" if kind == KINDS[Direction.OFF] else kind
        try:
            said = self._call.get(f"/business/{folder}/sequence-id/{quote(ours, safe='')}")
        except NotThere:
            return None
        found = answer_of(TITLE, Order, said)
        return found if found.sequence_id == ours else None

    def _try_to_cancel(self, found: Order) -> None:
        try:
            self._call.post(f"/business/receive/{quote(found.id, safe='')}/cancel", {})
        except ProviderRefused:
            now = self._order(KINDS[Direction.ON], found.sequence_id)
            if now is not None and not _is_unpaid(KINDS[Direction.ON], now):
                raise

    def _report(self, kind: str, told: Order | Webhook, currency: str | None) -> Report | None:
        places = places_of(self.capabilities.tokens, self._names["networks"])
        coin = told.settlement_info.coin if told.settlement_info else ("", "")
        return report_of(kind, told, self._digits.get(currency or ""), places.get(coin))


def _is_unpaid(kind: str, found: Order) -> bool:
    return outcome_of(kind, found.status.lower(), "") in LAPSES
