"""Request and response models of `/v1/intents`."""

from typing import Any, Self

from pydantic import Field

from crossway.api.schemas.bridge_transfers import (
    CUSTODY,
    CUSTODY_TEXT,
    SELF_SERVICE_EXAMPLE,
    TRANSFER_EXAMPLE,
    BridgeTransferOut,
    SelfServiceOut,
    read_fields,
)
from crossway.api.schemas.fields import (
    INTENT,
    RECORD,
    TIME,
    TX,
    UNITS,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    ExactInteger,
    IntegerString,
    JsonObject,
    Model,
    OptionalObject,
    OptionalSymbol,
    OptionalText,
    RequestModel,
    Text,
    chain_field,
    field,
    symbol_field,
)
from crossway.api.schemas.responses import raw_json
from crossway.api.schemas.swaps import SWAP_TEXT, SwapOut
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import CREATE_VOCABULARY, READ_VOCABULARY, Intent
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.usecases.instants import timestamp, timestamp_seconds
from crossway.usecases.payments.bridge_progress import BridgeProgress
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.payments.self_service import SelfService

_USD = "micro-USD (6 decimals, the scale of USDC)"


class CreateIntent(RequestModel):
    """The body of POST /intents."""

    sender: OptionalText = field("Wallet of the payer on the source chain.", WALLET, default=None)
    amount: Text = field(
        "Amount that the recipient receives, in the smallest unit of `amountSymbol`.",
        "25000000",
        extra=UNITS,
    )
    amountSymbol: OptionalSymbol = symbol_field(
        "The token of `amount`; USDC, the default, means US dollars.",
        default=None,
    )
    tokenIn: Text = field(
        "Address of the token that the payer sends, on the source chain.", USDC_BASE
    )
    tokenOut: OptionalText = field(
        "Token address on the destination chain; by default its USDC, else the symbol of "
        "`tokenIn` there.",
        USDC_ARBITRUM,
        default=None,
    )
    source_chain: Text = chain_field("The chain on which the payer pays.")
    destination_chain: Text = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    recipient: Text = field("Wallet of the recipient on the destination chain.", WALLET)
    refund_address: OptionalText = field(
        "Wallet on the source chain for refunds; by default `sender`, else your "
        "`refundAddresses` (GET /client/auth/client-info). One of them is required.",
        WALLET,
        default=None,
    )
    metadata: OptionalObject = field(
        "Your own data, up to 8 KiB of JSON, returned unchanged.", {"order": "A-1001"}, default=None
    )
    payment_link_id: OptionalText = field("Your payment link.", "pl_42", default=None)

    def to_request(self) -> CreateIntentRequest:
        """The request as the use case takes it."""
        return CreateIntentRequest(
            sender=self.sender,
            amount=self.amount,
            amount_symbol=self.amountSymbol,
            token_in=self.tokenIn,
            token_out=self.tokenOut,
            source_chain=self.source_chain,
            destination_chain=self.destination_chain,
            recipient=self.recipient,
            refund_address=self.refund_address,
            metadata=self.metadata,
            payment_link_id=self.payment_link_id,
            field_errors=self.field_errors,
        )


class CreatedIntent(Model):
    """An intent in the create form."""

    id: int = field("Record number.", RECORD)
    client_id: str = field("Owning client (UUID).", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    sender: str = field("Wallet of the payer; empty if unknown.", WALLET)
    initialAmount: IntegerString = field("The requested amount, smallest unit.", "25000000")
    fees_in_usd: IntegerString = field(f"Service and bridge fee, {_USD}.", "34567")
    app_fee_in_usd: IntegerString = field(f"Your own fee, {_USD}.", "0")
    total_amount_in_usd: IntegerString = field(f"Amount and fees together, {_USD}.", "25034567")
    total_amount_in_asset_token: IntegerString = field(
        "What the payer must deposit, smallest unit of the asset token.", "25034567"
    )
    fees_in_asset_token: IntegerString = field("The fees in units of the asset token.", "34567")
    app_fee_in_asset_token: IntegerString = field("Your own fee in units of the asset token.", "0")
    network_fee_in_asset_token: IntegerString = field(
        "The network costs in these fees. If the recipient's wallet refuses a payment whose "
        "deposit was collected, they are kept, and the rest goes back.",
        "20000",
    )
    asset_token_symbol: str = symbol_field("The token that the payer sends.")
    asset_token_decimals: int = field("Its decimals.", 6)
    slippage: str = field(
        "By how many percent more than expected the swap of the deposit may cost before it fails, "
        "a decimal number; 0 where nothing is swapped.",
        "0.39",
    )
    swap: SwapOut | None = Field(description=SWAP_TEXT)
    tokenIn: str = field("Token address on the source chain.", USDC_BASE)
    tokenOut: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    intent_address: str = field("The single-use deposit address.", INTENT)
    source_chain: str = chain_field("The chain on which the payer pays.")
    destination_chain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    recipient: str = field("Wallet of the recipient.", WALLET)
    refund_address: str = field("Wallet for refunds on the source chain.", WALLET)
    relayer: str = field(
        "The address that paid the recipient out of its own funds; empty before, and where the "
        "bridge's delivery pays.",
        "",
    )
    coordinator: str = field(
        "The operator's account that decides how the collected deposit is paid out.", WALLET
    )
    bridger: str = field("The contract that collects the deposit for this route.", WALLET)
    bridgeExtraData: str = field("Hex-encoded data for the bridge.", "0x")
    intent_nonce: ExactInteger = field(
        "Random integer that makes the address unique.", 7310294857102
    )
    intent_status: str = field(
        "Its status.",
        "PENDING",
        extra={"enum": sorted(set(CREATE_VOCABULARY.values()))},
    )
    tx_hash: str | None = field("The latest transaction; null until there is one.", TX)
    needs_relay: bool = field(
        "Whether something is still to be done on the destination chain: a payout, or the delivery "
        "of what a bridge carried.",
        False,
    )
    expires_at: str = field("When it expires unless it has started.", TIME)
    metadata: JsonObject = field("Your own data.", {"order": "A-1001"})
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)
    payment_url: str = field(
        "The payer's checkout page, without a login: amount, address, QR code and status. Anyone "
        "with this URL can see the payment.",
        "https://pay.shop.example/pay/…",
        default="",
    )

    @classmethod
    def from_intent(cls, ids: PublicIds, intent: Intent, payment_url: str = "") -> Self:
        """The intent in this form; without a URL, `payment_url` is left out."""
        terms, costs = intent.terms, intent.costs
        return cls(
            id=ids.encode(RecordKind.INTENT, intent.id),
            client_id=intent.client_id,
            sender=intent.sender,
            initialAmount=str(intent.requested_amount),
            fees_in_usd=str(costs.fee_micro_usd),
            app_fee_in_usd=str(costs.app_micro_usd),
            total_amount_in_usd=str(costs.total_micro_usd),
            total_amount_in_asset_token=str(terms.deposit_amount),
            fees_in_asset_token=str(costs.fees_units),
            app_fee_in_asset_token=str(costs.app_fee_units),
            network_fee_in_asset_token=str(costs.network_fee_units),
            asset_token_symbol=intent.asset_symbol,
            asset_token_decimals=intent.asset_decimals,
            slippage=intent.slippage,
            swap=SwapOut.from_swap(intent.swap),
            tokenIn=terms.token_in,
            tokenOut=terms.token_out,
            intent_address=intent.address,
            source_chain=terms.source_chain,
            destination_chain=terms.destination_chain,
            recipient=terms.recipient,
            refund_address=terms.refund_address,
            relayer=intent.relayer,
            coordinator=intent.coordinator,
            bridger=intent.bridger,
            bridgeExtraData=intent.bridge_data,
            intent_nonce=raw_json(terms.nonce),
            tx_hash=intent.tx_hash,
            needs_relay=intent.needs_relay,
            expires_at=timestamp_seconds(terms.expires_at),
            metadata=raw_json(intent.metadata),
            created_at=timestamp(intent.created_at),
            updated_at=timestamp(intent.updated_at),
            **cls._form_fields(intent),
            **({"payment_url": payment_url} if payment_url else {}),
        )

    @classmethod
    def _form_fields(cls, intent: Intent) -> dict[str, Any]:
        """The fields in which the create form and the read form differ."""
        return {"intent_status": CREATE_VOCABULARY[intent.state]}


class ReadIntent(CreatedIntent):
    """An intent in the read form."""

    intent_status: str = field(
        "Its status.",
        "FUNDED",
        extra={"enum": sorted(set(READ_VOCABULARY.values()))},
    )
    deposit_token_account: str = field(
        "Solana only: the token account of the intent address, for indexing.",
        "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
        default="",
    )
    destination_intent_address: str = field(
        "The intent's address on the destination chain.", INTENT
    )
    relayer_claimed: bool = field("Whether `relayer` was repaid.", False)
    paymaster_used: bool = field("Whether a paymaster paid for gas.", False)
    mode: str = field("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})
    custody: str = field(CUSTODY_TEXT, Custody.BRIDGE.value, extra=CUSTODY)
    bridge_transfer: BridgeTransferOut | None = Field(
        default=None,
        description="How far its bridge has carried it; null on one chain and where `custody` is "
        "`OPERATOR`.",
        examples=[TRANSFER_EXAMPLE],
    )
    self_service: SelfServiceOut | None = Field(
        default=None,
        description="What the payer keeps to finish or undo the payment without the operator. Only "
        "where one intent is read; lists and events leave it out.",
        examples=[SELF_SERVICE_EXAMPLE],
    )

    @classmethod
    def from_intent(
        cls,
        ids: PublicIds,
        intent: Intent,
        payment_url: str = "",
        progress: BridgeProgress | None = None,
        details: SelfService | None = None,
    ) -> Self:
        """The intent in this form; `progress` is that of its bridge, `details` what its payer
        keeps, left out where there is none."""
        read = super().from_intent(ids, intent, payment_url)
        for name, value in read_fields(progress, details).items():
            setattr(read, name, value)
        return read

    @classmethod
    def _form_fields(cls, intent: Intent) -> dict[str, Any]:
        account = intent.deposit_token_account
        return {
            "intent_status": READ_VOCABULARY[intent.state],
            **({} if account is None else {"deposit_token_account": account}),
            "destination_intent_address": intent.destination_address,
            "relayer_claimed": intent.relayer_claimed,
            "paymaster_used": False,  # Crossway pays gas itself.
            "mode": intent.mode,
            "custody": intent.custody.value,
        }
