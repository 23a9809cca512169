"""Query parameters that several endpoints share; read as text, judged by the use cases."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query

from crossway.api.schemas.fields import (
    BRIDGES,
    CHAINS,
    SYMBOLS,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
)


def _query(description: str, example: str, kind: str | None = None) -> Any:
    extra = {kind: True} if kind else None
    return Query(description=description, examples=[example], json_schema_extra=extra)


_Text = str | None
Source = Annotated[_Text, _query("Where the payer pays.", "BASE_MAINNET", CHAINS)]
Destination = Annotated[_Text, _query("Where the recipient is paid.", "ARBITRUM_MAINNET", CHAINS)]
Named = Annotated[_Text, _query("The bridge.", "ACROSS", BRIDGES)]
BridgesOut = Annotated[_Text, _query("Bridges to leave out, comma-separated.", "RHINOFI")]


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a quote is asked for."""

    tokenIn: Annotated[_Text, _query("Token address on the source chain.", USDC_BASE)] = None
    tokenOut: Annotated[_Text, _query("Token address on the destination chain.", USDC_ARBITRUM)] = (
        None
    )
    sourceChain: Source = None
    destinationChain: Destination = None
    amount: Annotated[_Text, _query("Smallest unit of `amountSymbol`.", "25000000")] = None
    recipient: Annotated[_Text, _query("Wallet of the recipient.", WALLET)] = None
    amountSymbol: Annotated[
        _Text, _query("The token of `amount`; USDC by default.", "USDC", SYMBOLS)
    ] = None

    def fields(self) -> dict[str, str | None]:
        """As the use cases name them."""
        return {
            "token_in": self.tokenIn,
            "token_out": self.tokenOut,
            "source": self.sourceChain,
            "destination": self.destinationChain,
            "amount": self.amount,
            "recipient": self.recipient,
            "amount_symbol": self.amountSymbol,
        }


@dataclass(frozen=True, slots=True)
class ChainsOut:
    """What a comparison of all source chains is asked for."""

    destinationChain: Destination = None
    amount: Annotated[_Text, _query("A decimal number of `tokenOut`.", "25.5")] = None
    tokenOut: Annotated[_Text, _query("Token address on the destination chain.", USDC_ARBITRUM)] = (
        None
    )
    recipient: Annotated[_Text, _query("Wallet of the recipient.", WALLET)] = None
    excludeChains: Annotated[
        _Text, _query("Chains to leave out, comma-separated.", "ETHEREUM_MAINNET")
    ] = None

    def fields(self) -> dict[str, str | None]:
        """As the use case names them."""
        return {
            "destination": self.destinationChain,
            "amount": self.amount,
            "token_out": self.tokenOut,
            "recipient": self.recipient,
            "exclude_chains": self.excludeChains,
        }
