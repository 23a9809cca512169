"""Fonbnk's merchant API V2: quotes, orders, identity checks and webhooks.

Sources, read on 2026-11-21: github.com/fonbnk/docs api-v2.md (endpoints, fields, statuses,
signature of requests) and docs.fonbnk.com/server-to-server/webhooks (webhooks). Not run against
the real service. Not confirmed: whether `x-signature` of a webhook hashes the body before the
secret's hash or after it (published examples differ, so either is taken); whether a webhook names
the order by `_id` (else it is looked up by our reference); which name a wallet that deposits goes
by; how fiat codes of several countries (XAF, XOF) tell the country.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import httpx

from crossway.adapters.ramps.access import FonbnkAccess
from crossway.adapters.ramps.calling import Caller, NotThere, parse
from crossway.adapters.ramps.exact import (
    answer_of,
    down,
    instant,
    names_of,
    numeral,
    plain,
    rate_micro,
    told_by,
    up,
)
from crossway.adapters.ramps.fonbnk import kyc
from crossway.adapters.ramps.fonbnk.signing import headers_of, is_signed
from crossway.adapters.ramps.fonbnk.wire import (
    OUTCOMES,
    Created,
    KycAnswer,
    Order,
    Quote,
    Webhook,
    reports_of,
    standing_of,
)
from crossway.adapters.ramps.instructing import ENDED, lines, page
from crossway.domain.channels import Channel
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
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

TITLE = "Fonbnk"
ORDER, QUOTE, KYC = "/api/v2/order", "/api/v2/quote", "/api/v2/user/kyc"
# Where a quote does not say how long it stands.
QUOTE_SECONDS = 60
ON_CHAIN = {"paymentChannel": "crypto", "currencyType": "crypto"}


class Fonbnk:
    """Fonbnk, by its API. Orders are found again by our reference, its `orderParams`."""

    name: ProviderName = ProviderName.FONBNK
    at_once: bool = False

    def __init__(
        self,
        access: FonbnkAccess,
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
        self._names = names_of("fonbnk")
        keys = (access.client_secret, access.webhook_secret)
        self._call = Caller(TITLE, str(access.base_url), client, self._sign, pause, keys)

    def refund_address(self, chain: str) -> str:
        """As the operator set it; Fonbnk names none."""
        return self._access.refund_address(chain)

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        """The price by the first channel, exact in what the user moves."""
        body = self._sides(ask, channels[0], {})
        quote = answer_of(TITLE, Quote, self._call.post(QUOTE, body, safe=True))
        on = ask.direction is Direction.ON
        fiat, crypto = (quote.deposit, quote.payout) if on else (quote.payout, quote.deposit)
        _check_units(on, crypto.cashout.amount_after_fees, crypto.cashout.amount_before_fees, ask)
        digits, rate = ask.currency.digits, rate_micro(fiat.cashout.exchange_rate)
        on_chain = up(crypto.cashout.total_charged_fees_usd, 6) * rate * 10**digits
        return Priced(
            fiat_minor=up(fiat.cashout.amount_before_fees, digits)
            if on
            else down(fiat.cashout.amount_after_fees, digits),
            fee_minor=up(fiat.cashout.total_charged_fees, digits) + -(-on_chain // 10**12),
            rate_micro=rate,
            channels=tuple(channels),
            quote_id=quote.quote_id,
            expires_at=instant(quote.quote_expires_at, now + timedelta(seconds=QUOTE_SECONDS)),
        )

    def open(self, order: Opening) -> Opened:
        """Open an order, unless one with our reference is there."""
        found = self._by_reference(order.reference) or self._create(order)
        if OUTCOMES.get(found.status) in ENDED:
            raise ProviderRefused(f"{TITLE} has closed the order already")
        try:
            return self._opened(found, order)
        except ProviderRefused:
            # Nobody is told where to pay for what is not as it was asked for.
            with suppress(ProviderRefused):
                self.cancel(found.id)
            raise

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        """Tell that it is paid; a sale with the field that Fonbnk names for its transaction."""
        body: dict[str, Any] = {"orderId": reference}
        found = self._order({"orderId": reference}) if tx_hash else None
        how = found.deposit.transfer_instructions if found else None
        if how and how.fields_to_confirm_order:
            body["fieldsToConfirmOrder"] = {how.fields_to_confirm_order[0].key: tx_hash}
        self._call.post(f"{ORDER}/confirm", body)

    def cancel(self, reference: str) -> None:
        """Close an order; one that is closed already stays so."""
        try:
            self._call.post(f"{ORDER}/cancel", {"orderId": reference})
        except ProviderRefused:
            found = self._order({"orderId": reference})
            closed = (Outcome.CANCELLED, Outcome.EXPIRED)
            if found is None or OUTCOMES.get(found.status) not in closed:
                raise

    def cancel_unknown(self, order: Opening) -> None:
        """Close what our reference opened, if it did."""
        found = self._by_reference(order.reference)
        if found is not None:
            self.cancel(found.id)

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        """The histories of orders, each asked for by itself."""
        told: dict[str, Sequence[Report]] = {}
        for reference in references:
            found = self._order({"orderId": reference})
            if found is not None:
                told[reference] = self._reports(found)
        return told

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        """The order's present state, once the hash over body and secret is right."""
        if not is_signed(self._access, headers.get("x-signature", ""), body):
            raise Unauthorized("The signature of the report is wrong")
        try:
            order = told_by(TITLE, Webhook, parse(body)).data.order
        except ValueError:
            raise InvalidInput("The body is not JSON") from None
        if order.id:
            return self._reports(order)[-1:]
        found = self._by_reference(order.merchant_order_params or "")
        return self._reports(found)[-1:] if found else ()

    def standing(self, email: str, country: str) -> Standing:
        """Where a person stands with Fonbnk, which gets to know them by this."""
        query = {"userEmail": email, "countryIsoCode": country}
        return standing_of(answer_of(TITLE, KycAnswer, self._call.get(KYC, query)))

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        """Hand over the document of the country that the fields make up."""
        query = {"userEmail": email, "countryIsoCode": country}
        state = answer_of(TITLE, KycAnswer, self._call.get(KYC, query))
        body = kyc.submission(self._names, state, fields, documents)
        hidden = [email, *fields.values()]
        said = self._call.post(KYC, query | body, hidden=hidden)
        return standing_of(answer_of(TITLE, KycAnswer, said))

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        return headers_of(self._access, int(self._now() * 1000), target)

    def _sides(
        self, asked: Ask | Opening, channel: Channel, more: Mapping[str, str]
    ) -> dict[str, Any]:
        """Deposit and payout as a quote or an order asks for them, the crypto side fixed."""
        token, code = asked.token, asked.currency.code
        network = self._names["networks"].get(token.chain)
        kind = self._names["channels"].get(channel.type.value)
        if network is None or kind is None or channel.currency != code:
            what = token.chain if network is None else f"{channel.name} in {code}"
            raise ProviderRefused(f"{TITLE} does not serve {what}")
        crypto = ON_CHAIN | {
            "currencyCode": self._code(token),
            "amount": numeral(asked.units, token.decimals),
        }
        fiat = {"paymentChannel": kind, "currencyType": "fiat", "currencyCode": code}
        carrier = more.get("carrierCode")
        if carrier:
            fiat["carrierCode"] = carrier
        on = asked.direction is Direction.ON
        return {"deposit": fiat if on else crypto, "payout": crypto if on else fiat}

    def _create(self, order: Opening) -> Order:
        theirs = {self._names["fields"].get(k, k): v for k, v in order.fields.items()}
        # Phone numbers are written without their plus.
        theirs = {key: value.removeprefix("+") for key, value in theirs.items()}
        wallet = order.to_address if order.direction is Direction.ON else order.refund_address
        sides = self._sides(order, order.channel, theirs)
        body = sides | {
            "userEmail": order.email,
            "userIp": str(self._access.user_ip),
            "orderParams": order.reference,
            "fieldsToCreateOrder": theirs | {"blockchainWalletAddress": wallet},
        }
        hidden = [order.email, *order.fields.values(), *theirs.values()]
        return answer_of(TITLE, Created, self._call.post(ORDER, body, hidden=hidden)).order

    def _opened(self, found: Order, order: Opening) -> Opened:
        on, how = order.direction is Direction.ON, found.deposit.transfer_instructions
        if not found.id or how is None:
            raise Unreachable(f"{TITLE}'s answer has another form than documented")
        digits, before = order.currency.digits, found.deposit.cashout.amount_before_fees
        _check_units(on, found.payout.cashout.amount_after_fees, before, order)
        pay_to = "" if on else how.detail("recipientWalletAddress")
        if not on and not pay_to:
            raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
        told = {detail.label: detail.value for detail in how.transfer_details}
        more = {"USSD code": how.ussd_code, "How": how.instructions_text, "Mind": how.warning_text}
        return Opened(
            reference=found.id,
            fiat_minor=up(before, digits)
            if on
            else down(found.payout.cashout.amount_after_fees, digits),
            instructions=lines(told | more) if on else {},
            widget_url=page(TITLE, how.payment_url) if on else "",
            pay_to=pay_to,
        )

    def _by_reference(self, reference: str) -> Order | None:
        found = self._order({"orderParams": reference}) if reference else None
        # A look-up that answers somebody else's order has found nothing.
        return found if found and found.merchant_order_params == reference else None

    def _order(self, query: Mapping[str, str]) -> Order | None:
        try:
            return answer_of(TITLE, Order, self._call.get(ORDER, query))
        except NotThere:
            return None

    def _reports(self, order: Order) -> list[Report]:
        on = order.deposit.currency_type == "fiat"
        fiat, crypto = (order.deposit, order.payout) if on else (order.payout, order.deposit)
        digits = self._digits.get(fiat.currency_code)
        places = {self._code(t): t.decimals for t in self.capabilities.tokens}
        return reports_of(order, digits, places.get(crypto.currency_code))

    def _code(self, token: Token) -> str:
        return f"{self._names['networks'].get(token.chain)}_{token.symbol}"


def _check_units(on: bool, delivered: str, taken: str, order: Ask | Opening) -> None:
    """Refuse a provider that would deliver less, or take another amount, than was asked for."""
    places, symbol = order.token.decimals, order.token.symbol
    said = down(delivered, places) if on else up(taken, places)
    if said < order.units or (not on and said != order.units):
        told, asked = plain(said, places), plain(order.units, places)
        doing = "would deliver" if on else "would take"
        raise ProviderRefused(f"{TITLE} {doing} {told} {symbol} where {asked} were asked for")
