"""Intents on the wire: the create form, the read form with its further fields, and lists."""

from typing import Annotated, Any

from pydantic import Field

from crossway.api.answers import exact, instant, whole_second
from crossway.api.schemas.fields import (
    INTENT,
    TIME,
    TX,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    Model,
    Text,
    Units,
    chain,
    symbol,
    text,
)
from crossway.domain.intent import CREATE_VOCABULARY, READ_VOCABULARY, Intent

_USD = "micro-USD (6 decimals, the scale of USDC)"


class CreateIntent(Model):
    """What to pay, from where, to whom."""

    sender: Text | None = text("Wallet of the payer on the source chain.", WALLET, default=None)
    amount: Text = text(
        "What the recipient gets, in the smallest unit of `amountSymbol`.", "25000000"
    )
    amountSymbol: Text | None = symbol(
        "The token in which `amount` is counted; USDC, the default, means US dollars.",
        default=None,
    )
    tokenIn: Text = text("Token address on the source chain: what the payer sends.", USDC_BASE)
    tokenOut: Text | None = text(
        "Token address on the destination chain; by default its USDC, else the symbol of "
        "`tokenIn` there.",
        USDC_ARBITRUM,
        default=None,
    )
    source_chain: Text = chain("Where the payer pays.")
    destination_chain: Text = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    recipient: Text = text("Wallet of the recipient on the destination chain.", WALLET)
    refund_address: Text | None = text(
        "Wallet on the source chain for refunds; by default `sender`, one of the two is needed.",
        WALLET,
        default=None,
    )
    metadata: dict[str, Any] | None = text(
        "Your own data, up to 8 KiB of JSON, echoed back.", {"order": "A-1001"}, default=None
    )
    payment_link_id: Text | None = text("Your payment link.", "pl_42", default=None)


class CreatedIntent(Model):
    """An intent as the answer of its creation shows it; events leave `payment_url` out."""

    id: int = text("Record number.", 1)
    client_id: str = text("Owning client (UUID).", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    sender: str = text("Wallet of the payer; empty when it was not given.", WALLET)
    initialAmount: Units = text("The amount asked for, smallest unit.", "25000000")
    fees_in_usd: Units = text(f"Service and bridge fee, {_USD}.", "34567")
    app_fee_in_usd: Units = text(f"Your own fee, {_USD}.", "0")
    total_amount_in_usd: Units = text(f"Amount and fees together, {_USD}.", "25034567")
    total_amount_in_asset_token: Units = text(
        "What the payer must deposit, smallest unit of the asset token.", "25034567"
    )
    fees_in_asset_token: Units = text("The fees in units of the asset token.", "34567")
    app_fee_in_asset_token: Units = text("Your own fee in units of the asset token.", "0")
    asset_token_symbol: str = symbol("The token that the payer sends.")
    asset_token_decimals: int = text("Its decimals.", 6)
    slippage: str = text("Decimal number: how far the price may move, in percent.", "0.5")
    tokenIn: str = text("Token address on the source chain.", USDC_BASE)
    tokenOut: str = text("Token address on the destination chain.", USDC_ARBITRUM)
    intent_address: str = text("The deposit address: pay here, once.", INTENT)
    source_chain: str = chain("Where the payer pays.")
    destination_chain: str = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    recipient: str = text("Wallet of the recipient.", WALLET)
    refund_address: str = text("Wallet for refunds on the source chain.", WALLET)
    relayer: str = text("Who fills the transfer; empty until somebody is assigned.", "")
    coordinator: str = text("Address.", WALLET)
    bridger: str = text("Address.", WALLET)
    bridgeExtraData: str = text("Hex-encoded bytes that the bridge needs.", "0x")
    intent_nonce: int = text("Large integer that makes the address unique.", 7310294857102)
    intent_status: str = text(
        "Where it stands.",
        "PENDING",
        extra={"enum": sorted(set(CREATE_VOCABULARY.values()))},
    )
    tx_hash: str | None = text("The latest transaction; null until there is one.", TX)
    needs_relay: bool = text("Whether a fill is assigned.", False)
    expires_at: str = text("When it expires if it was not started.", TIME)
    metadata: dict[str, Any] = text("Your own data.", {"order": "A-1001"})
    created_at: str = text("When it was created.", TIME)
    updated_at: str = text("When it last changed.", TIME)
    payment_url: str = text(
        "The payer's page: amount, address, QR code and how it goes on, without a login. Whoever "
        "has it can see this payment.",
        "https://pay.shop.example/pay/…",
        default="",
    )


class ReadIntent(CreatedIntent):
    """An intent as it is read later."""

    intent_status: str = text(
        "Where it stands.",
        "FUNDED",
        extra={"enum": sorted(set(READ_VOCABULARY.values()))},
    )
    deposit_token_account: str = text(
        "Solana only: the intent address's token account, for indexing alone.",
        "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
        default="",
    )
    destination_intent_address: str = text("Its counterpart on the destination chain.", INTENT)
    relayer_claimed: bool = text("Whether the relayer was reimbursed.", False)
    paymaster_used: bool = text("Whether a paymaster paid for gas.", False)
    mode: str = text("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})


class IntentPage(Model):
    """A page of intents, newest first."""

    intents: list[ReadIntent] = Field(description="The intents of this page.")
    total: int = text("How many there are in all.", 1)
    limit: int = text("How many a page has at most.", 20)
    offset: int = text("How many were skipped.", 0)
    nextCursor: str | None = text("`cursor` of the next page; null on the last one.", "42")


class Triggered(Model):
    """Processing was started."""

    success: bool = text("Always true.", True)
    message: str = text("What was done.", "Intent started successfully")


class Refunded(Model):
    """A refund was sent."""

    success: bool = text("Always true.", True)
    message: str = text("What was done.", "Refund successful")
    txHash: str = text("The refund's transaction.", TX)


class DestinationAddress(Model):
    """The counterpart of an intent's address."""

    destinationAddress: Annotated[str, text("Its address on the destination chain.", INTENT)]


def created(intent: Intent, payment_url: str = "") -> dict[str, Any]:
    """The create form, in the create vocabulary."""
    terms, costs = intent.terms, intent.costs
    return {
        "id": intent.id,
        "client_id": intent.client_id,
        "sender": intent.sender,
        "initialAmount": str(intent.amount_units),
        "fees_in_usd": str(costs.service_micro_usd + costs.bridge_micro_usd),
        "app_fee_in_usd": str(costs.app_micro_usd),
        "total_amount_in_usd": str(costs.total_micro_usd),
        "total_amount_in_asset_token": str(terms.total_units),
        "fees_in_asset_token": str(costs.fees_units),
        "app_fee_in_asset_token": str(costs.app_fee_units),
        "asset_token_symbol": intent.asset_symbol,
        "asset_token_decimals": intent.asset_decimals,
        "slippage": intent.slippage,
        "tokenIn": terms.token_in,
        "tokenOut": terms.token_out,
        "intent_address": intent.address,
        "source_chain": terms.source_chain,
        "destination_chain": terms.destination_chain,
        "recipient": terms.recipient,
        "refund_address": terms.refund_address,
        "relayer": intent.relayer,
        "coordinator": intent.coordinator,
        "bridger": intent.bridger,
        "bridgeExtraData": intent.bridge_data,
        "intent_nonce": exact(terms.nonce),
        "intent_status": CREATE_VOCABULARY[intent.state],
        "tx_hash": intent.tx_hash,
        "needs_relay": intent.needs_relay,
        "expires_at": whole_second(terms.expires_at),
        "metadata": exact(intent.metadata),
        "created_at": instant(intent.created_at),
        "updated_at": instant(intent.updated_at),
        **({"payment_url": payment_url} if payment_url else {}),
    }


def read(intent: Intent, payment_url: str = "") -> dict[str, Any]:
    """The read form, in the read vocabulary; Crossway pays gas itself, so no paymaster is used."""
    body = created(intent, payment_url)
    body["intent_status"] = READ_VOCABULARY[intent.state]
    if intent.deposit_token_account is not None:
        body["deposit_token_account"] = intent.deposit_token_account
    body["destination_intent_address"] = intent.destination_address
    body["relayer_claimed"] = intent.relayer_claimed
    body["paymaster_used"] = False
    body["mode"] = intent.mode
    return body
