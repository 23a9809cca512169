"""Request and response models of `/v1/x402`."""

from typing import Any

from pydantic import SkipValidation

from crossway.api.schemas.fields import (
    CHAINS,
    UNITS,
    USDC_ARBITRUM,
    WALLET,
    JsonObject,
    Model,
    OptionalObject,
    OptionalText,
    RequestModel,
    Text,
    chain_field,
    field,
)
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.x402.offers import OfferRequest

_URL = "https://api.shop.example/report"


class CreateOffers(RequestModel):
    """The body of POST /x402/offers."""

    amount: Text = field(
        "Micro-USD that the recipient receives.",
        "20000",
        extra=UNITS,
    )
    destination_chain: Text = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    tokenOut: OptionalText = field(
        "Token address on the destination chain; by default its USDC.", USDC_ARBITRUM, default=None
    )
    recipient: Text = field("Wallet of the recipient on the destination chain.", WALLET)
    refund_address: OptionalText = field(
        "Your wallet for what cannot be forwarded; by default your `refundAddresses`.",
        WALLET,
        default=None,
    )
    source_chains: SkipValidation[list[str] | None] = field(
        "By default those of GET /x402/supported.",
        ["BASE_MAINNET"],
        default=None,
        extra={"items": {"type": "string", CHAINS: True}},
    )
    url: OptionalText = field("What is paid for.", _URL, default=None)
    metadata: OptionalObject = field(
        "Your own data, in the intents.", {"order": "A-1001"}, default=None
    )

    def to_request(self) -> OfferRequest:
        """The request as the use case takes it."""
        intent = CreateIntentRequest(
            amount=self.amount,
            token_in="",
            token_out=self.tokenOut,
            source_chain="",
            destination_chain=self.destination_chain,
            recipient=self.recipient,
            refund_address=self.refund_address,
            metadata=self.metadata,
            field_errors=self.field_errors,
        )
        return OfferRequest(intent, self.source_chains or ())


class PaymentRequired(Model):
    """The body of an answer with status 402."""

    x402Version: int = field("The version.", 2)
    error: str = field("Why.", "Payment required")
    resource: JsonObject = field("What is paid for.", None)
    accepts: list[JsonObject] = field("Up to three ways to pay, the cheapest first.", [])


class PaymentIn(RequestModel):
    """The body of POST /x402/verify and /x402/settle."""

    x402Version: SkipValidation[Any] = field("The version.", 2, default=2)
    paymentPayload: JsonObject = field("The content of the header PAYMENT-SIGNATURE.", {})
    paymentRequirements: OptionalObject = field(
        "The accepted offer; our own record counts.", {}, default=None
    )


class VerificationOut(Model):
    """Whether a payment would be settled now."""

    isValid: bool = field("Whether it would.", True)
    payer: str = field("Who signed.", "0x")
    invalidReason: str = field("Why not; absent if valid.", "", default="")


class SettlementOut(Model):
    """What became of a payment."""

    success: bool = field("Whether it is paid.", True)
    transaction: str = field("On the payer's chain; empty if not paid.", "0x")
    network: str = field("The payer's chain.", "eip155:8453")
    payer: str = field("Who signed.", "0x")
    amount: str = field("In the smallest unit; absent if not paid.", "34567", default="")
    errorReason: str = field("Why not; absent if paid.", "", default="")


class SupportedOut(Model):
    """What can be settled."""

    kinds: list[JsonObject] = field("Each with its network.", [])
    extensions: list[str] = field("None.", [])
    signers: JsonObject = field("Who sends transactions.", {})
