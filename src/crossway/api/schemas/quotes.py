"""Response models of `/v1/quotes`."""

from functools import lru_cache
from typing import Any, Self

import orjson
from pydantic import Field

from crossway.api.schemas.bridge_transfers import CUSTODY, CUSTODY_TEXT
from crossway.api.schemas.fields import (
    BRIDGES,
    TIME,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    ExactNumber,
    IntegerString,
    Model,
    bridge_field,
    chain_field,
    field,
    symbol_field,
)
from crossway.api.schemas.swaps import SWAP_TEXT, SwapOut
from crossway.domain.bridge_transfer import Custody
from crossway.domain.money import format_units
from crossway.domain.quotes import Comparison, PaymentOption, Quote, SourceOption
from crossway.usecases.instants import timestamp
from crossway.usecases.pricing.router import OptimalRoute

_APP_FEE = field(
    "Your own fee in the same units, on top of `totalFee` and part of `depositAmount`; absent if "
    "there is none.",
    "25000",
    default="0",
)


_TRUSTED_SECONDS = field(
    "How long the payer usually trusts the operator, from start to payout; 0 where contracts alone "
    "decide.",
    0,
)
_ESTIMATED = field(
    "True for figures of a model, shown because the bridge's service gives no quote now: no "
    "payment is created at them. False for a quote.",
    False,
)


# The same amounts are formatted again and again.
_cached_format = lru_cache(16_384)(format_units)


SLIPPAGE_TEXT = (
    "By how many percent more than expected the swap of the deposit may cost before it fails; 0 "
    "where nothing is swapped."
)


def _app_fee(amount: int) -> dict[str, str]:
    return {"appFee": str(amount)} if amount else {}


class QuotedRoute(Model):
    """The quoted route."""

    tokenIn: str = field("Token address on the source chain.", USDC_BASE)
    tokenOut: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    sourceChain: str = chain_field("The chain on which the payer pays.")
    destinationChain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    amount: IntegerString = field(
        "The amount asked for, smallest unit of `amountSymbol`.", "25000000"
    )
    bridge: str | None = bridge_field("The bridge; null within one chain.")
    recipient: str | None = field("The recipient; null if unknown.", WALLET)


class SingleQuote(Model):
    """A quote from one bridge."""

    bridgeFeeDetails: dict[str, Any] = field(
        "Bridge-specific details of the fee. ACROSS: `timestamp`, `fillDeadline`, `pctFee` (10^18 "
        "is 100%), `flatFee`. CCTP: `maxFee`, the most that Circle may take, and "
        "`minFinalityThreshold`. GATEWAY: `pctFee`, `gasFee`. RHINOFI: `pctFee`, `gasFee`, "
        "`vaultId`. INVENTORY: `pctFee`, `flatFee`. Empty within one chain.",
        {"timestamp": 1795258380, "fillDeadline": 1795265580, "pctFee": 983, "flatFee": "24567"},
    )
    totalFee: IntegerString = field(
        "Bridge fee and service fee, in units of `amountSymbol`.", "34567"
    )
    totalFeeFormatted: str = field("The same amount as a decimal number.", "0.034567")
    appFee: IntegerString = _APP_FEE
    route: QuotedRoute = Field(description="The quoted route.")
    assetToken: str = symbol_field("The token that the payer sends.")
    feeInAssetToken: IntegerString = field("`totalFee` in units of that token.", "34567")
    feeInAssetTokenFormatted: str = field("The same amount as a decimal number.", "0.034567")
    depositAmount: IntegerString = field(
        "Deposit including all fees, in units of that token.", "25059567"
    )
    depositAmountFormatted: str = field("The same amount as a decimal number.", "25.059567")
    estimatedFillSeconds: int = field("Typical time from deposit to fill.", 4)
    custody: str = field(CUSTODY_TEXT, Custody.BRIDGE.value, extra=CUSTODY)
    trustedSeconds: int = _TRUSTED_SECONDS
    swap: SwapOut | None = Field(description=SWAP_TEXT)
    slippage: ExactNumber = field(SLIPPAGE_TEXT, 0.39)
    estimated: bool = _ESTIMATED
    expiresAt: str = field("When the quote expires.", TIME)

    @classmethod
    def from_quote(cls, quote: Quote, **more: Any) -> Self:
        """One bridge's quote; `appFee` is left out when there is none. `more`: further fields."""
        return cls(
            bridgeFeeDetails=dict(quote.details),
            totalFee=str(quote.fee_units),
            totalFeeFormatted=format_units(quote.fee_units, quote.amount_decimals),
            **_app_fee(quote.app_fee_units),
            route=QuotedRoute(
                tokenIn=quote.token_in,
                tokenOut=quote.token_out,
                sourceChain=quote.source,
                destinationChain=quote.destination,
                amount=str(quote.amount),
                bridge=quote.bridge,
                recipient=quote.recipient,
            ),
            assetToken=quote.asset_symbol,
            feeInAssetToken=str(quote.costs.fees_units),
            feeInAssetTokenFormatted=format_units(quote.costs.fees_units, quote.asset_decimals),
            depositAmount=str(quote.deposit_amount),
            depositAmountFormatted=format_units(quote.deposit_amount, quote.asset_decimals),
            estimatedFillSeconds=quote.fill_seconds,
            custody=quote.custody.value,
            trustedSeconds=quote.trusted_seconds,
            swap=SwapOut.from_swap(quote.swap),
            slippage=orjson.Fragment(quote.slippage),
            estimated=bool(quote.estimate_reason),
            expiresAt=timestamp(quote.expires_at),
            **more,
        )


class OptimalRouteOut(SingleQuote):
    """The best quote of a route, with what its bridge needs."""

    sourceChain: str = chain_field("The chain on which the payer pays.")
    destinationChain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    tokenIn: str = field("Token address on the source chain.", USDC_BASE)
    tokenOut: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    originalAmount: IntegerString = field(
        "The amount asked for, smallest unit of `amountSymbol`.", "25000000"
    )
    totalFees: IntegerString = field("As `totalFee`.", "34567")
    bridgeToUse: str | None = bridge_field("The bridge; null within one chain.")
    bridgeAddress: str | None = field(
        "The contract that collects the deposit, `bridger` of an intent; null within one chain.",
        WALLET,
    )
    bridgeExtraData: str = field("Hex-encoded data for the bridge.", "0x")
    supportedBridges: list[str] = field(
        "The bridges that serve the pair of chains now; empty within one chain.",
        ["ACROSS", "CCTP"],
        extra={"items": {"type": "string", BRIDGES: True}},
    )

    @classmethod
    def from_route(cls, route: OptimalRoute) -> Self:
        """A route with its best quote."""
        quote = route.quote
        return cls.from_quote(
            quote,
            sourceChain=quote.source,
            destinationChain=quote.destination,
            tokenIn=quote.token_in,
            tokenOut=quote.token_out,
            originalAmount=str(quote.amount),
            totalFees=str(quote.fee_units),
            bridgeToUse=quote.bridge,
            bridgeAddress=route.bridge_address,
            bridgeExtraData=quote.extra_data,
            supportedBridges=list(route.bridges),
        )


class PaymentOptionOut(Model):
    """A token that can be paid with on a chain."""

    token: str = symbol_field("The token's symbol.")
    tokenAddress: str = field("Its address on the source chain.", USDC_BASE)
    depositAmount: IntegerString = field("Deposit including all fees, smallest unit.", "25059567")
    depositAmountFormatted: str = field("The same amount as a decimal number.", "25.059567")
    slippage: ExactNumber = field(SLIPPAGE_TEXT, 0.39)
    fee: IntegerString = field("`totalFee` in units of this token.", "34567")
    feeFormatted: str = field("The same amount as a decimal number.", "0.034567")


class SourceOptionOut(Model):
    """The tokens of one chain that one bridge carries best. A chain whose tokens need several
    bridges is listed once for each."""

    sourceChain: str = chain_field("The chain on which the payer pays.")
    destinationChain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    totalFee: IntegerString = field("Bridge fee and service fee, in units of `tokenOut`.", "34567")
    totalFeeFormatted: str = field("The same amount as a decimal number.", "0.034567")
    appFee: IntegerString = _APP_FEE
    serviceFee: IntegerString = field("The service fee.", "10000")
    bridgeFee: IntegerString = field("The bridge fee including network costs.", "24567")
    bridge: str | None = bridge_field("The bridge; null within one chain.")
    estimatedFillSeconds: int = field("Typical time from deposit to fill.", 4)
    custody: str = field(CUSTODY_TEXT, Custody.BRIDGE.value, extra=CUSTODY)
    trustedSeconds: int = _TRUSTED_SECONDS
    estimated: bool = _ESTIMATED
    paymentOptions: list[PaymentOptionOut] = Field(description="Tokens to pay with from there.")


class MultiSourceQuote(Model):
    """Payment options from every chain to one destination."""

    destinationChain: str = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    quotes: list[SourceOptionOut] = Field(
        description="Same-chain first, then by cost, then estimates by cost."
    )
    cheapestOption: SourceOptionOut | None = Field(
        description="The option with the lowest fee, never an estimate; null if there is none."
    )


def render_comparison(comparison: Comparison) -> dict[str, Any]:
    """A `MultiSourceQuote`: every way to pay, and the cheapest once more. It has hundreds of
    amounts, so no model is made of each."""
    decimals = comparison.out_decimals
    quotes = [_render_source(option, decimals) for option in comparison.options]
    cheapest = comparison.cheapest
    pairs = zip(comparison.options, quotes, strict=True)
    return {
        "destinationChain": comparison.destination,
        "quotes": quotes,
        "cheapestOption": next((quote for option, quote in pairs if option is cheapest), None),
    }


def _render_source(option: SourceOption, decimals: int) -> dict[str, Any]:
    """A `SourceOptionOut` with its fees in units of `decimals` places."""
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
        "custody": option.custody.value,
        "trustedSeconds": option.trusted_seconds,
        "estimated": bool(option.estimate_reason),
        "paymentOptions": [_render_payment(payment) for payment in option.options],
    }


def _render_payment(option: PaymentOption) -> dict[str, Any]:
    """A `PaymentOptionOut`."""
    return {
        "token": option.symbol,
        "tokenAddress": option.address,
        "depositAmount": str(option.deposit_amount),
        "depositAmountFormatted": _cached_format(option.deposit_amount, option.decimals),
        "slippage": _exact(option.slippage),
        "fee": str(option.fee_units),
        "feeFormatted": _cached_format(option.fee_units, option.decimals),
    }


@lru_cache(maxsize=256)
def _exact(number: str) -> orjson.Fragment:
    return orjson.Fragment(number)
