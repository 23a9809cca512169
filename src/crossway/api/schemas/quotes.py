"""Quotes on the wire."""

from functools import lru_cache
from typing import Any

import orjson
from pydantic import Field

from crossway.api.answers import instant
from crossway.api.schemas.fields import (
    TIME,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    Model,
    Units,
    bridge,
    chain,
    symbol,
    text,
)
from crossway.domain.money import format_units
from crossway.domain.quotes import Comparison, PaymentOption, Quote, SourceOption

_APP_FEE = text(
    "Your own fee in the same units, on top of `totalFee` and part of `depositAmount`; absent when "
    "you take none.",
    "25000",
    default="0",
)


class QuotedRoute(Model):
    """What was quoted."""

    tokenIn: str = text("Token address on the source chain.", USDC_BASE)
    tokenOut: str = text("Token address on the destination chain.", USDC_ARBITRUM)
    sourceChain: str = chain("Where the payer pays.")
    destinationChain: str = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    amount: Units = text("The amount asked for, smallest unit of `amountSymbol`.", "25000000")
    bridge: str | None = bridge("The bridge; null within one chain.")
    recipient: str | None = text("The recipient, when it was given.", WALLET)


class SingleQuote(Model):
    """What one bridge asks."""

    bridgeFeeDetails: dict[str, Any] = text(
        "The bridge's own terms; their fields differ from bridge to bridge.",
        {"timestamp": 1795258380, "fillDeadline": 1795265580, "pctFee": 983, "flatFee": "24567"},
    )
    totalFee: Units = text("Bridge fee and service fee, in units of `amountSymbol`.", "34567")
    totalFeeFormatted: str = text("The same for people.", "0.034567")
    appFee: Units = _APP_FEE
    route: QuotedRoute = Field(description="What was quoted.")
    assetToken: str = symbol("The token that the payer sends.")
    feeInAssetToken: Units = text("`totalFee` in units of that token.", "34567")
    feeInAssetTokenFormatted: str = text("The same for people.", "0.034567")
    depositAmount: Units = text(
        "What the payer would deposit, all fees included, in units of that token.", "25059567"
    )
    depositAmountFormatted: str = text("The same for people.", "25.059567")
    estimatedFillSeconds: int = text("Usual time from deposit to fill.", 4)
    expiresAt: str = text("Until when the quote holds.", TIME)


class PaymentOptionOut(Model):
    """One token with which to pay from a chain."""

    token: str = symbol("The token's symbol.")
    tokenAddress: str = text("Its address on the source chain.", USDC_BASE)
    depositAmount: Units = text("What to deposit, all fees included, smallest unit.", "25059567")
    depositAmountFormatted: str = text("The same for people.", "25.059567")
    slippage: float = text("How far the price may move, in percent.", 0.5)
    fee: Units = text("`totalFee` in units of this token.", "34567")
    feeFormatted: str = text("The same for people.", "0.034567")


class SourceOptionOut(Model):
    """The best way to pay from one chain."""

    sourceChain: str = chain("Where the payer pays.")
    destinationChain: str = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    totalFee: Units = text("Bridge fee and service fee, in units of `tokenOut`.", "34567")
    totalFeeFormatted: str = text("The same for people.", "0.034567")
    appFee: Units = _APP_FEE
    serviceFee: Units = text("The service's part.", "10000")
    bridgeFee: Units = text("The bridge's part, the network's costs included.", "24567")
    bridge: str | None = bridge("The bridge; null within one chain.")
    estimatedFillSeconds: int = text("Usual time from deposit to fill.", 4)
    paymentOptions: list[PaymentOptionOut] = Field(description="Tokens to pay with from there.")


class MultiSourceQuote(Model):
    """Every way to pay to one chain."""

    destinationChain: str = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    quotes: list[SourceOptionOut] = Field(description="Same-chain first, then by cost.")
    cheapestOption: SourceOptionOut | None = Field(
        description="The one with the lowest fee; null when there is none."
    )


def single(quote: Quote) -> dict[str, Any]:
    """One bridge's quote."""
    return {
        "bridgeFeeDetails": dict(quote.details),
        "totalFee": str(quote.fee_units),
        "totalFeeFormatted": format_units(quote.fee_units, quote.amount_decimals),
        **_app_fee(quote.app_fee_units),
        "route": {
            "tokenIn": quote.token_in,
            "tokenOut": quote.token_out,
            "sourceChain": quote.source,
            "destinationChain": quote.destination,
            "amount": str(quote.amount_units),
            "bridge": quote.bridge,
            "recipient": quote.recipient,
        },
        "assetToken": quote.asset_symbol,
        "feeInAssetToken": str(quote.fee_asset_units),
        "feeInAssetTokenFormatted": format_units(quote.fee_asset_units, quote.asset_decimals),
        "depositAmount": str(quote.deposit_units),
        "depositAmountFormatted": format_units(quote.deposit_units, quote.asset_decimals),
        "estimatedFillSeconds": quote.fill_seconds,
        "expiresAt": instant(quote.expires_at),
    }


def multi_source(found: Comparison) -> dict[str, Any]:
    """Every way to pay, and the cheapest once more."""
    cheapest = found.cheapest
    options = [(option, _source(option, found.out_decimals)) for option in found.options]
    return {
        "destinationChain": found.destination,
        "quotes": [body for _, body in options],
        "cheapestOption": next((body for option, body in options if option is cheapest), None),
    }


def _source(option: SourceOption, decimals: int) -> dict[str, Any]:
    return {
        "sourceChain": option.source,
        "destinationChain": option.destination,
        "totalFee": str(option.total_fee_units),
        "totalFeeFormatted": format_units(option.total_fee_units, decimals),
        **_app_fee(option.app_fee_units),
        "serviceFee": str(option.service_fee_units),
        "bridgeFee": str(option.bridge_fee_units),
        "bridge": option.bridge,
        "estimatedFillSeconds": option.fill_seconds,
        "paymentOptions": [_payment(payment) for payment in option.options],
    }


def _app_fee(units: int) -> dict[str, str]:
    return {"appFee": str(units)} if units else {}


# Shops ask the same again and again: a figure written once is written.
_shown = lru_cache(16_384)(format_units)


def _payment(option: PaymentOption) -> dict[str, Any]:
    return {
        "token": option.symbol,
        "tokenAddress": option.address,
        "depositAmount": str(option.deposit_units),
        "depositAmountFormatted": _shown(option.deposit_units, option.decimals),
        "slippage": orjson.Fragment(option.slippage),
        "fee": str(option.fee_units),
        "feeFormatted": _shown(option.fee_units, option.decimals),
    }
