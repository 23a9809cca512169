"""Query parameters that several endpoints share; read as text, judged by the use cases."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query

from crossway.api.schemas import ramps
from crossway.api.schemas.fields import (
    BRIDGES,
    CHAINS,
    SYMBOLS,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
)
from crossway.usecases.pricing.cases import Asked


def query(description: str, example: str, kind: str | None = None, **more: Any) -> Any:
    """A described parameter with an example; `kind` is what it lists, if that is known later."""
    extra = {**more, **({kind: True} if kind else {})}
    return Query(description=description, examples=[example], json_schema_extra=extra or None)


_Text = str | None
Source = Annotated[_Text, query("Where the payer pays.", "BASE_MAINNET", CHAINS)]
Destination = Annotated[_Text, query("Where the recipient is paid.", "ARBITRUM_MAINNET", CHAINS)]
Named = Annotated[_Text, query("The bridge.", "ACROSS", BRIDGES)]
BridgesOut = Annotated[_Text, query("Bridges to leave out, comma-separated.", "RHINOFI")]
RampType = Annotated[
    _Text, query("The direction; `on-ramp` by default.", "on-ramp", enum=ramps.TYPES)
]
Provider = Annotated[_Text, query("The provider.", "YELLOW_CARD", enum=ramps.PROVIDERS)]
FiatCurrency = Annotated[_Text, query("The currency (ISO 4217).", "NGN")]
CountryCode = Annotated[
    _Text, query("ISO 3166-1 alpha-2; by default the first country of the currency.", "NG")
]
UserEmail = Annotated[_Text, query("The end user's e-mail address.", "ada@example.com")]


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a quote is asked for."""

    tokenIn: Annotated[_Text, query("Token address on the source chain.", USDC_BASE)] = None
    tokenOut: Annotated[_Text, query("Token address on the destination chain.", USDC_ARBITRUM)] = (
        None
    )
    sourceChain: Source = None
    destinationChain: Destination = None
    amount: Annotated[_Text, query("Smallest unit of `amountSymbol`.", "25000000")] = None
    recipient: Annotated[_Text, query("Wallet of the recipient.", WALLET)] = None
    amountSymbol: Annotated[
        _Text, query("The token of `amount`; USDC by default.", "USDC", SYMBOLS)
    ] = None

    def asked(self) -> Asked:
        """As the use cases ask it."""
        return Asked(
            self.tokenIn,
            self.tokenOut,
            self.sourceChain,
            self.destinationChain,
            self.amount,
            self.recipient,
            self.amountSymbol,
        )


@dataclass(frozen=True, slots=True)
class ChainsOut:
    """What a comparison of all source chains is asked for."""

    destinationChain: Destination = None
    amount: Annotated[_Text, query("A decimal number of `tokenOut`.", "25.5")] = None
    tokenOut: Annotated[_Text, query("Token address on the destination chain.", USDC_ARBITRUM)] = (
        None
    )
    recipient: Annotated[_Text, query("Wallet of the recipient.", WALLET)] = None
    excludeChains: Annotated[
        _Text, query("Chains to leave out, comma-separated.", "ETHEREUM_MAINNET")
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


@dataclass(frozen=True, slots=True)
class RampAsked:
    """What quotes of ramps are asked for."""

    type: RampType = None
    fiatCurrency: FiatCurrency = None
    cryptoAmount: Annotated[
        _Text, query("What the user gets (on-ramp) or sells (off-ramp), a decimal number.", "25")
    ] = None
    destinationChain: Annotated[
        _Text, query("On-ramp, required: where it is delivered.", "BASE_MAINNET", CHAINS)
    ] = None
    sourceChain: Annotated[
        _Text, query("Off-ramp, required: where it is sold.", "BASE_MAINNET", CHAINS)
    ] = None
    amountSymbol: Annotated[
        _Text, query("The token of `cryptoAmount`; USDC by default.", "USDC", SYMBOLS)
    ] = None
    countryCode: CountryCode = None
    directOnly: Annotated[
        _Text,
        query(
            "`true` leaves out whoever sends the user to a page of its own.",
            "false",
            enum=["true", "false"],
        ),
    ] = None
    userEmail: Annotated[
        _Text,
        query("When given, who knows this user already may be recommended.", "ada@example.com"),
    ] = None
