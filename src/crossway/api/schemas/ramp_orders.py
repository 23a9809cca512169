"""Ramp orders on the wire: what is asked for, the order itself, and lists of them."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from crossway.api.answers import decimal, exact, instant, whole_second
from crossway.api.schemas.fields import (
    INTENT,
    TIME,
    TX,
    WALLET,
    Model,
    Text,
    Units,
    chain,
    symbol,
    text,
)
from crossway.api.schemas.ramps import PROVIDERS, TYPES
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, OrderState, RampOrder

EMAIL = "ada@example.com"


class CreateOrder(Model):
    """What to buy or to sell, with whom."""

    type: Text | None = text(
        "The direction; `on-ramp` by default.", "on-ramp", extra={"enum": TYPES}, default=None
    )
    provider: Text = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    fiatCurrency: Text = text("The currency (ISO 4217).", "NGN")
    cryptoAmount: Text | float = text(
        "What the user gets (on-ramp) or sells (off-ramp): a number, or its digits as text where "
        "there are more of them than a number keeps.",
        25,
    )
    destinationChain: Text | None = chain(
        "On-ramp, required: where the recipient gets the crypto.", default=None
    )
    sourceChain: Text | None = chain("Off-ramp, required: where the user sells from.", default=None)
    amountSymbol: Text | None = symbol("The token of `cryptoAmount`.", default=None)
    recipientAddress: Text | None = text(
        "On-ramp, required: wallet of the recipient on `destinationChain`.", WALLET, default=None
    )
    senderAddress: Text | None = text(
        "Off-ramp, required: the user's wallet on `sourceChain`; what cannot be sold goes back "
        "there.",
        WALLET,
        default=None,
    )
    countryCode: Text | None = text(
        "ISO 3166-1 alpha-2; by default the first country of the currency.", "NG", default=None
    )
    userEmail: Text | None = text(
        "The end user's e-mail address; required for direct orders.", EMAIL, default=None
    )
    fields: dict[str, Any] | None = text(
        "What the payment channel asks for: see `fieldsRequired` of its quote. `channel` names one "
        "by its id; left out, it is the first that these fields suit.",
        {"phone": "+2348012345678"},
        default=None,
    )


class OrderOut(Model):
    """An order of an on-ramp or an off-ramp."""

    id: int = text("Record number.", 1)
    type: str = text("The direction.", "on-ramp", extra={"enum": TYPES})
    provider: str = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    status: str = text(
        "Where it stands.", "INITIATED", extra={"enum": [state.value for state in OrderState]}
    )
    fiatCurrency: str = text("The currency (ISO 4217).", "NGN")
    fiatAmount: float = text("What the user pays or gets, every fee included.", 41250.5)
    cryptoCurrency: str = symbol("The token of `cryptoAmount`.")
    cryptoAmount: float = text("What the user gets or sells.", 25)
    sourceChain: str = chain("Where the crypto comes from.", "POLYGON_MAINNET")
    destinationChain: str = chain("Where the crypto goes.")
    senderAddress: str | None = text("The user's wallet of an off-ramp.", WALLET)
    recipientAddress: str | None = text("The recipient's wallet of an on-ramp.", WALLET)
    countryCode: str = text("ISO 3166-1 alpha-2.", "NG")
    widgetUrl: str | None = text(
        "The provider's page where the user goes on; null for a direct order.",
        "https://provider.example/pay/7f3a",
    )
    paymentInstructions: dict[str, Any] = text(
        "How the user pays; empty until the provider has said so.",
        {"Bank": "Access Bank", "Account number": "0123456789"},
    )
    intentAddress: str | None = text(
        "The intent of this order: what the provider pays, or where the user of an off-ramp "
        "deposits.",
        INTENT,
    )
    grossDepositAmount: Units | None = text(
        "Off-ramp: what the user deposits at `intentAddress`, smallest unit.", "25084567"
    )
    grossDepositAmountFormatted: str | None = text("The same for people.", "25.084567")
    depositChain: str | None = text("Off-ramp: where the user deposits.", "BASE_MAINNET")
    providerTxHash: str | None = text("The transaction that the provider names.", TX)
    failureReason: str | None = text("Why it failed or was called off.", None)
    metadata: dict[str, Any] = text("Free-form data.", {})
    createdAt: str = text("When it was created.", TIME)
    updatedAt: str = text("When it last changed.", TIME)
    expiresAt: str = text("Until when the user can pay.", TIME)
    completedAt: str | None = text("When it was completed.", TIME)


class OrderPage(Model):
    """A page of orders, newest first."""

    orders: list[OrderOut] = Field(description="The orders of this page.")
    total: int = text("How many there are in all.", 1)
    limit: int = text("How many a page has at most.", 20)
    offset: int = text("How many were skipped.", 0)
    nextCursor: str | None = text("`cursor` of the next page; null on the last one.", "42")


class OrderDone(Model):
    """An order that was confirmed or cancelled."""

    success: bool = text("Always true.", True)
    order: OrderOut = Field(description="The order after it.")


class Accepted(Model):
    """A provider's report that was taken in."""

    success: bool = text("Always true.", True)


def read(order: RampOrder) -> dict[str, Any]:
    """An order."""
    off = order.direction is Direction.OFF
    gross = order.gross_units if off else 0
    return {
        "id": order.id,
        "type": order.direction.value,
        "provider": order.provider.value,
        "status": order.state.value,
        "fiatCurrency": order.currency,
        "fiatAmount": decimal(order.fiat_minor, order.digits),
        "cryptoCurrency": order.symbol,
        "cryptoAmount": decimal(order.crypto_units, order.decimals),
        "sourceChain": order.source_chain,
        "destinationChain": order.destination_chain,
        "senderAddress": order.sender or None,
        "recipientAddress": order.recipient or None,
        "countryCode": order.country,
        "widgetUrl": order.widget_url or None,
        "paymentInstructions": exact(dict(order.instructions)),
        "intentAddress": order.intent_address or None,
        "grossDepositAmount": str(gross) if gross else None,
        "grossDepositAmountFormatted": format_units(gross, order.decimals) if gross else None,
        "depositChain": order.source_chain if off else None,
        "providerTxHash": order.provider_tx or None,
        "failureReason": order.failure_reason or None,
        "metadata": exact(dict(order.metadata)),
        "createdAt": instant(order.created_at),
        "updatedAt": instant(order.updated_at),
        "expiresAt": whole_second(order.expires_at),
        "completedAt": instant(order.completed_at) if order.completed_at else None,
    }


def page(
    orders: Sequence[RampOrder], total: int, limit: int, offset: int, more: bool
) -> dict[str, Any]:
    """A page of orders."""
    return {
        "orders": [read(order) for order in orders],
        "total": total,
        "limit": limit,
        "offset": offset,
        "nextCursor": str(orders[-1].id) if more else None,
    }
