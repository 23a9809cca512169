"""How the user pays a Yellow Card order, checked against the request."""

from crossway.adapters.ramps.provider_client import (
    CLOSED_STATUSES,
    check_crypto_amount,
    clean_instructions,
    require_https_url,
)
from crossway.adapters.ramps.wire_models import (
    malformed_response,
    parse_deadline,
    round_down,
    round_up,
)
from crossway.adapters.ramps.yellow_card.requests import TITLE
from crossway.adapters.ramps.yellow_card.wire import ORDER_KINDS, Order, Settlement, map_status
from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction
from crossway.ports.ramps import OrderRequest, ProviderOrder, ProviderRejected


def to_provider_order(order: Order, request: OrderRequest) -> ProviderOrder:
    """How the user pays. Raises `ProviderRejected` when the order does not match the request."""
    settlement = order.settlement_info
    if map_status(ORDER_KINDS[request.direction], order.status.lower(), "") in CLOSED_STATUSES:
        raise ProviderRejected(f"{TITLE} has closed the order already")
    if settlement is None or order.converted_amount is None:
        raise malformed_response(TITLE)
    if request.direction is Direction.ON:
        return _to_on_ramp(order, order.converted_amount, settlement, request)
    return _to_off_ramp(order, order.converted_amount, settlement, request)


def _to_on_ramp(
    order: Order, amount: str, settlement: Settlement, request: OrderRequest
) -> ProviderOrder:
    if settlement.crypto_amount is None:
        raise Unreachable(f"{TITLE} does not say what it delivers")
    check_crypto_amount(TITLE, request, settlement.crypto_amount)
    if settlement.wallet_address not in (None, request.to_address):
        raise ProviderRejected(f"{TITLE} would deliver to another address than was asked for")
    bank = order.bank_info
    lines = {
        "Bank": bank.name if bank else None,
        "Account number": bank.account_number if bank else None,
        "Account name": bank.account_name if bank else None,
        "Reference": order.reference,
        "Amount": f"{amount} {request.currency.code}",
    }
    return ProviderOrder(
        reference=f"{ORDER_KINDS[request.direction]}:{order.sequence_id}",
        fiat_minor=round_up(amount, request.currency.digits),
        instructions=clean_instructions(lines),
        widget_url=require_https_url(TITLE, order.redirect_url),
        pay_by=parse_deadline(order.expires_at),
    )


def _to_off_ramp(
    order: Order, amount: str, settlement: Settlement, request: OrderRequest
) -> ProviderOrder:
    if not settlement.wallet_address:
        raise Unreachable(f"{TITLE} does not say where the crypto is to be sent")
    if settlement.wallet_tag:
        raise ProviderRejected(f"{TITLE} asks for a tag, which a deposit cannot carry")
    if settlement.crypto_amount:
        check_crypto_amount(TITLE, request, settlement.crypto_amount)
    return ProviderOrder(
        reference=f"{ORDER_KINDS[request.direction]}:{order.sequence_id}",
        fiat_minor=round_down(amount, request.currency.digits),
        instructions={},
        pay_to=settlement.wallet_address,
        pay_by=parse_deadline(settlement.expires_at),
    )
