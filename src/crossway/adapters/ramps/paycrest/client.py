"""Paycrest's Sender API V2: rates, orders and webhooks.

Sources, read on 2026-11-21: docs.paycrest.io/implementation-guides/sender-api-integration,
docs.paycrest.io/api-reference/general/get-token-rate and github.com/paycrest/docs openapi-v2.yaml.
Not run against the real service. Not confirmed: that the list of orders has the newest first, that
a provider keeps the rate an order names, and how long a rate stands.

The API has no cancelling: an order that nobody paid lapses by itself. It has no key for asking
twice: an order is looked for by our reference before it is opened. It checks nobody's identity.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any
from urllib.parse import quote

import httpx

from crossway.adapters.ramps.access import PaycrestAccess
from crossway.adapters.ramps.calling import Caller, NotThere, parse
from crossway.adapters.ramps.exact import (
    answer_of,
    down,
    instant,
    names_of,
    places_of,
    plain,
    rate_micro,
    told_by,
    up,
)
from crossway.adapters.ramps.instructing import ENDED, lines
from crossway.adapters.ramps.paycrest.wire import (
    EPOCH,
    OUTCOMES,
    Account,
    Order,
    OrderAnswer,
    PageAnswer,
    RatesAnswer,
    Webhook,
    report_of,
)
from crossway.adapters.ramps.vouching import no_submission, vouched
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

TITLE = "Paycrest"
ORDERS = "/v2/sender/orders"
# A rate is public and nobody says how long it stands.
RATE_SECONDS = 60
# So fine that a rounded rate moves no amount that is traded by a minor unit.
RATE_PLACES = 10
PAGE_SIZE, MOST_PAGES = 50, 4
LAPSES = (Outcome.WAITING, Outcome.CANCELLED, Outcome.EXPIRED)


class Paycrest:
    """Paycrest, by its API. An order names the quoted rate, so that it costs what was quoted."""

    name: ProviderName = ProviderName.PAYCREST
    at_once: bool = False

    def __init__(
        self,
        access: PaycrestAccess,
        capabilities: Capabilities,
        client: httpx.Client,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.capabilities = capabilities
        self._access = access
        self._names = names_of("paycrest")
        keys = (access.api_key, access.api_secret)
        self._call = Caller(TITLE, str(access.base_url), client, self._sign, pause, keys)

    def refund_address(self, chain: str) -> str:
        """As the operator set it; Paycrest names none."""
        return self._access.refund_address(chain)

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        """Units at the public rate; what Paycrest takes is inside the rate."""
        network, on = self._network(ask.token), ask.direction is Direction.ON
        amount, digits = plain(ask.units, ask.token.decimals), ask.currency.digits
        path = f"/v2/rates/{network}/{ask.token.symbol}/{amount}/{ask.currency.code}"
        try:
            said = self._call.get(path, {"side": "buy" if on else "sell"})
        except NotThere:
            raise ProviderRefused(f"{TITLE} has nobody who trades this amount") from None
        rates = answer_of(TITLE, RatesAnswer, said).data
        side = rates.buy if on else rates.sell
        if side is None or Fraction(side.rate) <= 0:
            raise ProviderRefused(f"{TITLE} has no rate in this direction")
        worth = Fraction(side.rate) * Fraction(amount)
        return Priced(
            fiat_minor=up(worth, digits) if on else down(worth, digits),
            fee_minor=0,
            rate_micro=rate_micro(side.rate),
            channels=tuple(channels),
            quote_id="",
            expires_at=now + timedelta(seconds=RATE_SECONDS),
        )

    def open(self, order: Opening) -> Opened:
        """Open an order, unless one with our reference is there."""
        found = self._by_reference(order.reference) or self._create(order)
        account = found.provider_account
        if OUTCOMES[order.direction].get(found.status) in ENDED:
            raise ProviderRefused(f"{TITLE} has closed the order already")
        if account is None:
            raise Unreachable(f"{TITLE}'s answer has another form than documented")
        if order.direction is Direction.ON:
            return self._to_pay_in(found, account, order)
        return self._to_pay_out(found, account, order)

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        """Nothing: Paycrest sees payments by itself and cannot be told of them."""

    def cancel(self, reference: str) -> None:
        """Let an unpaid order lapse; a paid one is refused."""
        found = self._order(reference)
        outcome = OUTCOMES[found.way].get(found.status) if found else Outcome.EXPIRED
        if outcome not in LAPSES:
            raise ProviderRefused(f"{TITLE} has the payment already")

    def cancel_unknown(self, order: Opening) -> None:
        """Nothing: whatever was opened lapses, as nobody was told where to pay."""

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        """The present state of orders, each asked for by itself."""
        found = {reference: self._order(reference) for reference in references}
        told = {key: self._report(order) for key, order in found.items() if order is not None}
        return {key: (report,) for key, report in told.items() if report is not None}

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        """The state that the body tells, once its signature is right."""
        secret = self._access.api_secret.get_secret_value().strip().encode()
        right = hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
        given = headers.get("x-paycrest-signature", "").strip().lower().encode()
        if not hmac.compare_digest(right, given):
            raise Unauthorized("The signature of the report is wrong")
        try:
            told = told_by(TITLE, Webhook, parse(body))
        except ValueError:
            raise InvalidInput("The body is not JSON") from None
        report = self._report(told.data, told.event)
        return (report,) if report else ()

    def standing(self, email: str, country: str) -> Standing:
        """As the operator vouches for: Paycrest checks senders, not their users."""
        return vouched(self._access)

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        """As the operator vouches for; else refused, as there is nobody to hand it to."""
        return no_submission(TITLE, self._access)

    def _sign(self, method: str, target: str, body: bytes) -> Mapping[str, str]:
        return {"API-Key": self._access.api_key.get_secret_value()}

    def _network(self, token: Token) -> str:
        try:
            return str(self._names["networks"][token.chain])
        except KeyError:
            raise ProviderRefused(f"{TITLE} does not serve {token.chain}") from None

    def _create(self, order: Opening) -> Order:
        said = self._call.post(
            ORDERS, self._body(order), hidden=[order.email, *order.fields.values()]
        )
        return answer_of(TITLE, OrderAnswer, said).data

    def _body(self, order: Opening) -> dict[str, Any]:
        network, on = self._network(order.token), order.direction is Direction.ON
        account = self._account(order)
        coin = {"type": "crypto", "currency": order.token.symbol}
        money = {"type": "fiat", "currency": order.currency.code, "country": order.country}
        source: Mapping[str, Any]
        destination: Mapping[str, Any]
        if on:
            source = money | {"refundAccount": account}
            destination = coin | {"recipient": {"address": order.to_address, "network": network}}
        else:
            source = coin | {"network": network, "refundAddress": order.refund_address}
            destination = money | {"recipient": account | {"memo": order.reference}}
        return {
            "amount": plain(order.units, order.token.decimals),
            "amountIn": "crypto",
            "rate": _quoted_rate(order),
            "reference": order.reference,
            "source": source,
            "destination": destination,
        }

    def _account(self, order: Opening) -> dict[str, str]:
        account = {}
        for theirs, ours in self._names["account"].items():
            given = next((order.fields[key] for key in ours if order.fields.get(key)), None)
            if given is None:
                raise ProviderRefused(f"{TITLE} needs the field {ours[0]}")
            account[theirs] = given
        return account

    def _to_pay_in(self, found: Order, account: Account, order: Opening) -> Opened:
        if account.amount_to_transfer is None or not account.account_identifier:
            raise Unreachable(f"{TITLE} does not say where the user is to pay")
        places, symbol = order.token.decimals, order.token.symbol
        if (units := down(found.amount, places)) < order.units:
            told, asked = plain(units, places), plain(order.units, places)
            raise ProviderRefused(f"{TITLE} would deliver {told} {symbol}, not {asked}")
        told_user = {
            "Bank or operator": account.institution,
            "Account number": account.account_identifier,
            "Account name": account.account_name,
            "Amount": f"{account.amount_to_transfer} {order.currency.code}",
        }
        return Opened(
            reference=found.id,
            fiat_minor=up(account.amount_to_transfer, order.currency.digits),
            instructions=lines(told_user),
            pay_by=_pay_by(account),
        )

    def _to_pay_out(self, found: Order, account: Account, order: Opening) -> Opened:
        if not account.receive_address:
            raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
        if account.memo:
            raise ProviderRefused(f"{TITLE} asks for a memo, which a deposit cannot carry")
        fees = Fraction(found.sender_fee) + Fraction(found.transaction_fee)
        total = account.amount_to_transfer or Fraction(found.amount) + fees
        places = order.token.decimals
        if (units := up(total, places)) != order.units:
            told, asked = plain(units, places), plain(order.units, places)
            raise ProviderRefused(
                f"{TITLE} would take {told} {order.token.symbol} with its fee, not {asked}"
            )
        rate = Fraction(found.rate or _quoted_rate(order))
        return Opened(
            reference=found.id,
            fiat_minor=down(Fraction(found.amount) * rate, order.currency.digits),
            instructions={},
            pay_to=account.receive_address,
            pay_by=_pay_by(account),
        )

    def _by_reference(self, reference: str) -> Order | None:
        for page in range(1, MOST_PAGES + 1):
            query = {"page": str(page), "pageSize": str(PAGE_SIZE)}
            orders = answer_of(TITLE, PageAnswer, self._call.get(ORDERS, query)).data.orders
            mine = [order for order in orders if order.reference == reference]
            if mine:
                return mine[0]
            if len(orders) < PAGE_SIZE:
                return None
        return None

    def _order(self, reference: str) -> Order | None:
        try:
            said = self._call.get(f"{ORDERS}/{quote(reference, safe='')}")
        except NotThere:
            return None
        return answer_of(TITLE, OrderAnswer, said).data

    def _report(self, order: Order, event: str = "") -> Report | None:
        places = places_of(self.capabilities.tokens, self._names["networks"])
        return report_of(order, event, places.get(order.coin))


def _quoted_rate(order: Opening) -> str:
    """The rate at which the order costs what was quoted, rounded in the user's favour."""
    money = Fraction(order.fiat_minor, 10**order.currency.digits)
    rate = money / Fraction(order.units, 10**order.token.decimals)
    rounded = down if order.direction is Direction.ON else up
    return plain(rounded(rate, RATE_PLACES), RATE_PLACES)


def _pay_by(account: Account) -> datetime | None:
    at = instant(account.valid_until, EPOCH)
    return None if at == EPOCH else at
