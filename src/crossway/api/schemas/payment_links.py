"""Request and response models of `/v1/payment-links`."""

from typing import Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    CHAINS,
    RECORD,
    SYMBOLS,
    TIME,
    UNITS,
    USDC_ARBITRUM,
    WALLET,
    IntegerString,
    JsonObject,
    Model,
    OptionalFlag,
    OptionalObject,
    RequestModel,
    chain_field,
    field,
    symbol_field,
    within,
)
from crossway.api.schemas.responses import raw_json
from crossway.domain.intent import READ_VOCABULARY, Intent
from crossway.domain.payment_links import LinkUse, PaymentLink
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.usecases.instants import timestamp
from crossway.usecases.payers.link_fields import MAX_USES, LinkRequest
from crossway.usecases.payers.links import (
    MAX_DESCRIPTION_LENGTH,
    MAX_REFERENCE_LENGTH,
    MAX_TITLE_LENGTH,
)

_ID = "pl_5f8942ea98e7c86e3595"
_URL = f"https://pay.shop.example/pay/l/{_ID}"
_AMOUNT = "In the smallest unit of `token_out`, with at most 6 decimal places."


def _optional_amount(amount: int | None) -> str | None:
    return None if amount is None else str(amount)


class _LinkFields(RequestModel):
    description: SkipValidation[str | None] = field(
        "Text below the title on the payment page.",
        "Two bags",
        default=None,
        extra={"maxLength": MAX_DESCRIPTION_LENGTH},
    )
    amount: SkipValidation[str | None] = field(
        f"Fixed amount; without it each payer chooses. {_AMOUNT}",
        "25000000",
        default=None,
        extra=UNITS,
    )
    min_amount: SkipValidation[str | None] = field(
        f"Minimum amount a payer may choose. {_AMOUNT}", None, default=None, extra=UNITS
    )
    max_amount: SkipValidation[str | None] = field(
        f"Maximum amount a payer may choose. {_AMOUNT}", None, default=None, extra=UNITS
    )
    source_chains: SkipValidation[list[str] | None] = field(
        "Chains on which payers may pay; all by default.",
        ["BASE_MAINNET"],
        default=None,
        extra={"items": {"type": "string", CHAINS: True}},
    )
    source_tokens: SkipValidation[list[str] | None] = field(
        "Symbols of tokens with which payers may pay; all by default.",
        ["USDC", "USDT"],
        default=None,
        extra={"items": {"type": "string", SYMBOLS: True}},
    )
    reference: SkipValidation[str | None] = field(
        "Your own reference: `reference` in the metadata of every intent.",
        "A-1001",
        default=None,
        extra={"maxLength": MAX_REFERENCE_LENGTH},
    )
    metadata: OptionalObject = field(
        "Your own data, up to 7 KiB of JSON: in the metadata of every intent.",
        {"product": "coffee"},
        default=None,
    )
    max_uses: SkipValidation[int | None] = field(
        "Maximum number of paid payments; unlimited by default.",
        100,
        default=None,
        extra=within(1, MAX_USES),
    )
    expires_at: SkipValidation[str | None] = field(
        "When the link expires.",
        "2027-01-31T12:00:00Z",
        default=None,
        extra={"format": "date-time"},
    )
    active: OptionalFlag = field(
        "Whether the link accepts payments; true by default.", True, default=None
    )

    def to_request(self) -> LinkRequest:
        """The request as the use case takes it; fields that are null are cleared."""
        values = self.given_fields()
        cleared = frozenset(name for name, value in values.items() if value is None)
        return LinkRequest(**values, cleared=cleared, field_errors=self.field_errors)


class CreatePaymentLink(_LinkFields):
    """The body of POST /payment-links."""

    title: SkipValidation[str] = field(
        "Title on the payment page; up to 100 characters.",
        "Coffee",
        extra={"minLength": 1, "maxLength": MAX_TITLE_LENGTH},
    )
    destination_chain: SkipValidation[str] = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    token_out: SkipValidation[str | None] = field(
        "Token address on the destination chain; its USDC by default.", USDC_ARBITRUM, default=None
    )
    recipient: SkipValidation[str] = field(
        "Wallet of the recipient on the destination chain.", WALLET
    )


class ChangePaymentLink(_LinkFields):
    """The body of PATCH /payment-links/{id}; fields that are left out stay, null clears one."""

    title: SkipValidation[str | None] = field(
        "Title on the payment page.",
        "Coffee",
        default=None,
        extra={"minLength": 1, "maxLength": MAX_TITLE_LENGTH},
    )


class PaymentLinkOut(Model):
    """One payment link."""

    id: str = field("Its identifier; `payment_link_id` of its intents.", _ID)
    url: str = field("URL of the payment page.", _URL)
    client_id: str = field("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    mode: str = field("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})
    title: str = field("Title on the payment page.", "Coffee")
    description: str = field("Text below the title.", "Two bags")
    amount: IntegerString | None = field("Fixed amount; null if payers choose.", "25000000")
    min_amount: IntegerString | None = field("Minimum amount a payer may choose.", None)
    max_amount: IntegerString | None = field("Maximum amount a payer may choose.", None)
    destination_chain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    token_out: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    recipient: str = field("Wallet of the recipient.", WALLET)
    source_chains: list[str] = field("Chains on which payers may pay; empty for all.", [])
    source_tokens: list[str] = field(
        "Symbols of tokens with which payers may pay; empty for all.", []
    )
    reference: str = field("Your own reference.", "A-1001")
    metadata: JsonObject = field("Your own data.", {"product": "coffee"})
    max_uses: int | None = field("Maximum number of paid payments; null for unlimited.", 100)
    uses: int = field("Number of payments that were paid.", 3)
    reserved: int = field(
        "Number of open payments that are not paid so far. Each counts towards `max_uses` until it "
        "expires.",
        1,
    )
    expires_at: str | None = field("When the link expires; null if it does not.", TIME)
    active: bool = field("Whether the link is enabled.", True)
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_link(cls, link: PaymentLink, url: str) -> Self:
        """One payment link with the URL of its page."""
        ends = link.expires_at
        return cls(
            id=link.id,
            url=url,
            client_id=link.client_id,
            mode=link.mode,
            title=link.title,
            description=link.description,
            amount=_optional_amount(link.amount),
            min_amount=_optional_amount(link.min_amount),
            max_amount=_optional_amount(link.max_amount),
            destination_chain=link.destination_chain,
            token_out=link.token_out,
            recipient=link.recipient,
            source_chains=list(link.source_chains),
            source_tokens=list(link.source_tokens),
            reference=link.reference,
            metadata=raw_json(dict(link.metadata)),
            max_uses=link.max_uses,
            uses=link.uses,
            reserved=link.reserved,
            expires_at=timestamp(ends) if ends else None,
            active=link.active,
            created_at=timestamp(link.created_at),
            updated_at=timestamp(link.updated_at),
        )


class PaymentLinkPage(Model):
    """A page of payment links, newest first."""

    payment_links: list[PaymentLinkOut] = Field(description="The payment links of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", _ID)


class UseOut(Model):
    """One payment made with a payment link."""

    id: int = field("Record number of the use.", RECORD)
    intent_id: int = field("Record number of the intent.", RECORD)
    intent_address: str = field("Its deposit address.", WALLET)
    intent_status: str = field(
        "Its status.", "FUNDED", extra={"enum": sorted(set(READ_VOCABULARY.values()))}
    )
    source_chain: str = chain_field("The chain on which the payer pays.")
    asset_token_symbol: str = symbol_field("The token that the payer sends.")
    total_amount_in_asset_token: IntegerString = field("What the payer must deposit.", "25034567")
    payment_url: str = field("The payer's checkout page.", "https://pay.shop.example/pay/…")
    created_at: str = field("When the payer created it.", TIME)

    @classmethod
    def from_use(cls, ids: PublicIds, use: LinkUse, intent: Intent, url: str) -> Self:
        """One use with the URL of the intent's checkout page."""
        return cls(
            id=ids.encode(RecordKind.LINK_USE, use.id),
            intent_id=ids.encode(RecordKind.INTENT, intent.id),
            intent_address=intent.address,
            intent_status=READ_VOCABULARY[intent.state],
            source_chain=intent.terms.source_chain,
            asset_token_symbol=intent.asset_symbol,
            total_amount_in_asset_token=str(intent.terms.deposit_amount),
            payment_url=url,
            created_at=timestamp(use.at),
        )
