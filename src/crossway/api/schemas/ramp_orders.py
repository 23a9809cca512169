"""Request and response models of `/v1/ramp/orders`."""

from typing import Any, Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    DECIMAL,
    EMAIL_TEXT,
    INTENT,
    RECORD,
    TIME,
    TX,
    WALLET,
    ExactNumber,
    IntegerString,
    JsonObject,
    Model,
    RequestModel,
    chain_field,
    country_field,
    currency_field,
    field,
    symbol_field,
)
from crossway.api.schemas.ramp_bridges import ORDER_TRANSFER_EXAMPLE, OrderBridgeTransfer
from crossway.api.schemas.ramps import PROVIDERS, TYPES, RampBridge
from crossway.api.schemas.responses import json_decimal, raw_json
from crossway.domain.money import format_units
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.domain.ramps import Direction, OrderState, RampOrder
from crossway.usecases.instants import timestamp, timestamp_seconds
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.ramps.order_bridges import OrderBridge

EMAIL = "ada@example.com"


class CreateOrder(RequestModel):
    """The body of POST /ramp/orders."""

    type: SkipValidation[str | None] = field(
        "The direction; `on-ramp` by default.", "on-ramp", extra={"enum": TYPES}, default=None
    )
    provider: SkipValidation[str] = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    fiatCurrency: SkipValidation[str] = currency_field()
    cryptoAmount: SkipValidation[str | float] = field(
        "Amount that the user receives (on-ramp) or sells (off-ramp): a number, or a decimal "
        "text if a JSON number would lose digits.",
        25,
        extra={**DECIMAL, "exclusiveMinimum": 0},
    )
    destinationChain: SkipValidation[str | None] = chain_field(
        "On-ramp, required: the chain on which the recipient receives the crypto.", default=None
    )
    sourceChain: SkipValidation[str | None] = chain_field(
        "Off-ramp, required: the chain of the user's crypto.", default=None
    )
    amountSymbol: SkipValidation[str | None] = symbol_field(
        "The token of `cryptoAmount`.", default=None
    )
    recipientAddress: SkipValidation[str | None] = field(
        "On-ramp, required: wallet of the recipient on `destinationChain`.", WALLET, default=None
    )
    senderAddress: SkipValidation[str | None] = field(
        "Off-ramp, required: the user's wallet on `sourceChain`; what cannot be sold is returned "
        "there.",
        WALLET,
        default=None,
    )
    countryCode: SkipValidation[str | None] = country_field(
        "By default the first country of the currency.", default=None
    )
    userEmail: SkipValidation[str | None] = field(
        "The end user's e-mail address; required for direct orders.",
        EMAIL,
        default=None,
        extra=EMAIL_TEXT,
    )
    fields: SkipValidation[dict[str, Any] | None] = field(
        "Values of the payment channel's `fieldsRequired` (see its quote). `channel` selects one "
        "by its id; by default the first that these fields match.",
        {"phone": "+2348012345678"},
        default=None,
    )

    def to_request(self) -> CreateOrderRequest:
        """The request as the use case takes it."""
        return CreateOrderRequest(
            direction=self.type,
            provider=self.provider,
            currency=self.fiatCurrency,
            amount=self.cryptoAmount,
            destination_chain=self.destinationChain,
            source_chain=self.sourceChain,
            symbol=self.amountSymbol,
            recipient=self.recipientAddress,
            sender=self.senderAddress,
            country=self.countryCode,
            email=self.userEmail,
            fields=self.fields,
            field_errors=self.field_errors,
        )


class OrderOut(Model):
    """An order of an on-ramp or an off-ramp."""

    id: int = field("Record number.", RECORD)
    type: str = field("The direction.", "on-ramp", extra={"enum": TYPES})
    provider: str = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    status: str = field(
        "Its status.", "INITIATED", extra={"enum": [state.value for state in OrderState]}
    )
    fiatCurrency: str = currency_field()
    fiatAmount: ExactNumber = field(
        "Amount that the user pays or receives, all fees included.", 41250.5
    )
    cryptoCurrency: str = symbol_field("The token of `cryptoAmount`.")
    cryptoAmount: ExactNumber = field("Amount that the user receives or sells.", 25)
    sourceChain: str = chain_field("The chain that the crypto comes from.", "POLYGON_MAINNET")
    destinationChain: str = chain_field("The chain that the crypto goes to.")
    senderAddress: str | None = field("Off-ramp: the user's wallet.", WALLET)
    recipientAddress: str | None = field("On-ramp: the recipient's wallet.", WALLET)
    countryCode: str = country_field()
    widgetUrl: str | None = field(
        "The provider's page for the user; null for a direct order. A simulated provider's is a "
        "path of this installation.",
        "https://provider.example/pay/7f3a",
        "/widget?reference=ONR-9545631BF02D5DF0F695",
    )
    paymentInstructions: JsonObject = field(
        "Payment instructions for the user; empty until the provider sent them.",
        {"Bank": "Access Bank", "Account number": "0123456789"},
    )
    intentAddress: str | None = field(
        "Address of the order's intent: the provider pays it (on-ramp), or the user of an off-ramp "
        "deposits.",
        INTENT,
    )
    grossDepositAmount: IntegerString | None = field(
        "Off-ramp: the user's deposit to `intentAddress`, smallest unit.", "25084567"
    )
    grossDepositAmountFormatted: str | None = field(
        "The same amount as a decimal number.", "25.084567"
    )
    depositChain: str | None = field("Off-ramp: the chain of the deposit.", "BASE_MAINNET")
    providerTxHash: str | None = field("The transaction that the provider reported.", TX)
    failureReason: str | None = field("Why it failed or was cancelled.", None)
    delayReason: str | None = field(
        "Why a paid order is late, as a sentence; null where it is not.", None
    )
    requiresBridge: bool = field("Whether its crypto goes from one chain to another.", True)
    bridgeDetails: RampBridge | None = Field(
        description="The bridge at the terms of its intent; null on one chain, and for an off-ramp "
        "before its provider accepted it."
    )
    bridgeTransfer: OrderBridgeTransfer | None = Field(
        description="How far the bridge has carried it; null on one chain, and where the intent's "
        "`custody` is `OPERATOR`.",
        examples=[ORDER_TRANSFER_EXAMPLE],
    )
    metadata: JsonObject = field("Free-form data.", {})
    createdAt: str = field("When it was created.", TIME)
    updatedAt: str = field("When it last changed.", TIME)
    expiresAt: str = field("When the order expires unpaid.", TIME)
    completedAt: str | None = field("When it was completed.", TIME)

    @classmethod
    def from_order(
        cls, ids: PublicIds, order: RampOrder, bridge: OrderBridge | None = None
    ) -> Self:
        """One order; `bridge` is the one that carries its crypto, if one does."""
        progress = None if bridge is None else bridge.progress
        off = order.direction is Direction.OFF
        gross = order.gross_units if off else 0
        return cls(
            id=ids.encode(RecordKind.ORDER, order.id),
            type=order.direction.value,
            provider=order.provider.value,
            status=order.state.value,
            fiatCurrency=order.currency,
            fiatAmount=json_decimal(order.fiat_minor, order.digits),
            cryptoCurrency=order.symbol,
            cryptoAmount=json_decimal(order.crypto_units, order.decimals),
            sourceChain=order.source_chain,
            destinationChain=order.destination_chain,
            senderAddress=order.sender or None,
            recipientAddress=order.recipient or None,
            countryCode=order.country,
            widgetUrl=order.widget_url or None,
            paymentInstructions=raw_json(dict(order.instructions)),
            intentAddress=order.intent_address or None,
            grossDepositAmount=str(gross) if gross else None,
            grossDepositAmountFormatted=format_units(gross, order.decimals) if gross else None,
            depositChain=order.source_chain if off else None,
            providerTxHash=order.provider_tx or None,
            failureReason=order.failure_reason or None,
            delayReason=order.delay_reason or None,
            requiresBridge=order.source_chain != order.destination_chain,
            bridgeDetails=None if bridge is None else RampBridge.from_intent(bridge.intent),
            bridgeTransfer=OrderBridgeTransfer.from_progress(progress) if progress else None,
            metadata=raw_json(dict(order.metadata)),
            createdAt=timestamp(order.created_at),
            updatedAt=timestamp(order.updated_at),
            expiresAt=timestamp_seconds(order.expires_at),
            completedAt=timestamp(order.completed_at) if order.completed_at else None,
        )


class OrderDone(Model):
    """An order that was confirmed or cancelled."""

    success: bool = field("Always true.", True)
    order: OrderOut = Field(description="The updated order.")


class Accepted(Model):
    """The answer to a provider's webhook."""

    success: bool = field("Always true.", True)
