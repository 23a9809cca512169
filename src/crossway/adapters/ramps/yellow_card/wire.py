"""Models of Yellow Card's API, and their mapping to provider updates."""

from typing import Final

from crossway.adapters.ramps.wire_models import (
    EPOCH,
    DecimalText,
    WireModel,
    parse_instant,
    round_down,
)
from crossway.domain.ramps import Direction
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate

# `receive` and `send` are Yellow Card's names of the two directions and the folders of its API;
# webhooks still use older names as well.
ORDER_KINDS: Final = {Direction.ON: "receive", Direction.OFF: "send"}
WEBHOOK_PREFIXES: Final = {
    "RECEIVE": "receive",
    "COLLECTION": "receive",
    "CONVERT": "receive",
    "SETTLEMENT": "receive",
    "SEND": "send",
    "PAYMENT": "send",
}
STATUS_MAP: Final = {
    "created": ProviderOrderStatus.WAITING,
    "pending_approval": ProviderOrderStatus.WAITING,
    "process": ProviderOrderStatus.WAITING,
    "processing": ProviderOrderStatus.WAITING,
    "pending_liquidity": ProviderOrderStatus.WAITING,
    "pending": ProviderOrderStatus.WAITING,
    "failed": ProviderOrderStatus.FAILED,
    "denied": ProviderOrderStatus.CANCELLED,
    "cancelled": ProviderOrderStatus.CANCELLED,
    "expired": ProviderOrderStatus.EXPIRED,
    "pending_refund": ProviderOrderStatus.FAILED,
    "refund_processing": ProviderOrderStatus.FAILED,
    "refund_failed": ProviderOrderStatus.FAILED,
    "refunded": ProviderOrderStatus.REFUNDED,
    "settlement_complete": ProviderOrderStatus.DELIVERED,
}
# In these statuses a send is being paid out.
PAYING_OUT: Final = frozenset({"process", "processing", "pending", "pending_liquidity"})
# Only these statuses prove that the payer's money was taken.
PAYMENT_TAKEN: Final = frozenset(
    {"pending_refund", "refund_processing", "refund_failed", "refunded"}
)
REASONS: Final = {
    "EXPIRED": "Nobody paid in time",
    "INVALID_RECIPIENT": "The recipient's account is not valid",
    "VALIDATION_FAILED": "The order did not pass Yellow Card's checks",
    "INVALID_NETWORK": "The bank or operator is not valid",
    "INVALID_CURRENCY": "The currency is not served in this country",
    "INSUFFICIENT_BALANCE": "Yellow Card lacks the money to pay out",
    "REFUSED": "The payer did not approve the payment",
    "POSSIBLE_DUPLICATE": "The payment looked like a duplicate",
    "NAME_MISMATCH": "The payer's name is not the user's name",
    "FRAUD_CHECK": "Yellow Card's own checks stopped the order",
}


class Bank(WireModel):
    """The bank account that the user pays into."""

    name: str | None = None
    account_number: str | None = None
    account_name: str | None = None
    payment_link: str | None = None


class Settlement(WireModel):
    """The crypto side of an order."""

    wallet_address: str | None = None
    wallet_tag: str | None = None
    crypto_currency: str | None = None
    crypto_network: str | None = None
    crypto_amount: DecimalText | None = None
    tx_hash: str | None = None
    expires_at: str | None = None

    @property
    def coin(self) -> tuple[str, str]:
        """The network and the symbol; empty when missing."""
        return self.crypto_network or "", self.crypto_currency or ""


class Order(WireModel):
    """A receive or a send."""

    id: str
    sequence_id: str
    status: str
    currency: str | None = None
    converted_amount: DecimalText | None = None
    reference: str | None = None
    bank_info: Bank | None = None
    redirect_url: str | None = None
    settlement_info: Settlement | None = None
    error_code: str | None = None
    expires_at: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class Webhook(WireModel):
    """A webhook's body: an order's identifiers, the event, and the settlement if there is one."""

    id: str
    sequence_id: str
    status: str
    event: str
    api_key: str | None = None
    error_code: str | None = None
    executed_at: str | None = None
    settlement_info: Settlement | None = None


class Rate(WireModel):
    """The rates of the US dollar (`buy` and `sell`) in a currency and a country."""

    buy: DecimalText | None = None
    sell: DecimalText | None = None
    code: str
    locale: str | None = None


class Rates(WireModel):
    """The response of GET /business/rates."""

    rates: tuple[Rate, ...]


class ServiceFee(WireModel):
    """A percentage of the amount with a minimum, plus a fixed amount."""

    min_fee_local: DecimalText = "0"
    fee_percentage: DecimalText = "0"
    flat_fee_local: DecimalText = "0"


class FeeConfig(WireModel):
    """The response of POST /business/fees/get-config."""

    service_fee: ServiceFee


class Network(WireModel):
    """A bank or a mobile operator; `code` is its common code, `id` Yellow Card's own."""

    id: str
    code: str | None = None
    name: str | None = None
    status: str = "active"


class Networks(WireModel):
    """The response of GET /business/networks, which is a bare list or an object of this form."""

    networks: tuple[Network, ...]


def to_update(
    kind: str,
    content: Order | Webhook,
    digits: int | None,
    decimals: int | None,
) -> ProviderUpdate | None:
    """The update for an order's status; None for an unknown status. `digits` are the currency's
    decimal places and `decimals` the token's, None when unknown."""
    status, settlement = content.status.lower(), content.settlement_info
    tx_hash = (settlement.tx_hash or "") if settlement else ""
    order_status = map_status(kind, status, tx_hash)
    if order_status is None:
        return None
    amount = (
        settlement.crypto_amount
        if settlement and order_status is ProviderOrderStatus.DELIVERED
        else None
    )
    paid_amount = (
        content.converted_amount
        if isinstance(content, Order) and _is_taken(status, order_status)
        else None
    )
    failed = order_status is ProviderOrderStatus.FAILED
    return ProviderUpdate(
        id=f"{content.sequence_id}:{order_status}:{status}",
        reference=f"{kind}:{content.sequence_id}",
        status=order_status,
        at=parse_instant(_changed_at(content), EPOCH),
        amount=round_down(amount, decimals) if amount and decimals is not None else None,
        fiat_minor=round_down(paid_amount, digits) if paid_amount and digits is not None else None,
        tx_hash=tx_hash
        if order_status is ProviderOrderStatus.DELIVERED and kind == "receive"
        else "",
        reason=REASONS.get(content.error_code or "", "Yellow Card gave no reason")
        if failed
        else "",
    )


def map_status(kind: str, status: str, tx_hash: str) -> ProviderOrderStatus | None:
    """A complete receive has the user's payment; the crypto is delivered only with a transaction.
    A send is processed once its crypto has arrived, and has paid out when complete."""
    if kind == "send" and status in PAYING_OUT:
        return ProviderOrderStatus.PAID
    if status != "complete":
        return STATUS_MAP.get(status)
    return ProviderOrderStatus.DELIVERED if kind == "send" or tx_hash else ProviderOrderStatus.PAID


def _changed_at(content: Order | Webhook) -> str | None:
    """When the order took its status, as a timestamp of Yellow Card."""
    if isinstance(content, Webhook):
        return content.executed_at
    return content.updated_at or content.created_at


def _is_taken(status: str, order_status: ProviderOrderStatus) -> bool:
    return status in PAYMENT_TAKEN or order_status in (
        ProviderOrderStatus.PAID,
        ProviderOrderStatus.DELIVERED,
    )
