"""What Yellow Card answers to an order, checked against what was asked for."""

from datetime import datetime

from crossway.adapters.ramps.exact import down, instant, plain, up
from crossway.adapters.ramps.instructing import ENDED, lines, page
from crossway.adapters.ramps.yellow_card.requests import TITLE
from crossway.adapters.ramps.yellow_card.wire import EPOCH, KINDS, Order, Settlement, outcome_of
from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Opened, Opening, ProviderRefused


def opened_of(found: Order, order: Opening) -> Opened:
    """How the user pays. Raises `ProviderRefused` where it is not what was asked for."""
    settled = found.settlement_info
    if outcome_of(KINDS[order.direction], found.status.lower(), "") in ENDED:
        raise ProviderRefused(f"{TITLE} has closed the order already")
    if settled is None or found.converted_amount is None:
        raise Unreachable(f"{TITLE}'s answer has another form than documented")
    if order.direction is Direction.ON:
        return _pay_in(found, found.converted_amount, settled, order)
    return _pay_out(found, found.converted_amount, settled, order)


def _pay_in(found: Order, amount: str, settled: Settlement, order: Opening) -> Opened:
    bank, places, symbol = found.bank_info, order.token.decimals, order.token.symbol
    if settled.crypto_amount is None:
        raise Unreachable(f"{TITLE} does not say what it delivers")
    if (units := down(settled.crypto_amount, places)) < order.units:
        told, asked = plain(units, places), plain(order.units, places)
        raise ProviderRefused(f"{TITLE} would deliver {told} {symbol} where {asked} were asked for")
    if settled.wallet_address not in (None, order.to_address):
        raise ProviderRefused(f"{TITLE} would deliver to another address than was asked for")
    how = {
        "Bank": bank.name if bank else None,
        "Account number": bank.account_number if bank else None,
        "Account name": bank.account_name if bank else None,
        "Reference": found.reference,
        "Amount": f"{amount} {order.currency.code}",
    }
    return Opened(
        reference=_reference(found, order),
        fiat_minor=up(amount, order.currency.digits),
        instructions=lines(how),
        widget_url=page(TITLE, found.redirect_url),
        pay_by=_pay_by(found.expires_at),
    )


def _pay_out(found: Order, amount: str, settled: Settlement, order: Opening) -> Opened:
    places, symbol = order.token.decimals, order.token.symbol
    if not settled.wallet_address:
        raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
    if settled.wallet_tag:
        raise ProviderRefused(f"{TITLE} asks for a tag, which a deposit cannot carry")
    if settled.crypto_amount and (units := up(settled.crypto_amount, places)) != order.units:
        told, asked = plain(units, places), plain(order.units, places)
        raise ProviderRefused(f"{TITLE} would take {told} {symbol} where {asked} were asked for")
    return Opened(
        reference=_reference(found, order),
        fiat_minor=down(amount, order.currency.digits),
        instructions={},
        pay_to=settled.wallet_address,
        pay_by=_pay_by(settled.expires_at),
    )


def _reference(found: Order, order: Opening) -> str:
    return f"{KINDS[order.direction]}:{found.sequence_id}"


def _pay_by(text: str | None) -> datetime | None:
    at = instant(text, EPOCH)
    return None if at == EPOCH else at
