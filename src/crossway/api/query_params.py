"""Query parameters that several endpoints share; the use cases parse their text."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query

from crossway.api.schemas import ramps
from crossway.api.schemas.fields import (
    BRIDGES,
    CHAINS,
    COUNTRIES,
    CURRENCIES,
    DECIMAL,
    EMAIL_TEXT,
    REQUIRED,
    SYMBOLS,
    UNITS,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
)
from crossway.domain import quotes as bridges
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.ramps.quote_params import RampQuoteRequest


def query(
    description: str, example: str, kind: str | None = None, required: bool = False, **more: Any
) -> Any:
    """A query parameter with its description and example for the OpenAPI document.

    `kind` is a marker of `schemas.fields`, replaced by the catalogue's values. A `required` one is
    so in the document; the use case refuses requests without it.
    """
    extra = {**more, **({kind: True} if kind else {}), **({REQUIRED: True} if required else {})}
    return Query(description=description, examples=[example], json_schema_extra=extra or None)


_Text = str | None
_BRIDGES = "^({0})(,({0}))*$".format("|".join(bridges.BridgeName))
TokenOut = Annotated[
    _Text,
    query("Token address on the destination chain.", USDC_ARBITRUM, required=True, minLength=1),
]
SourceChain = Annotated[
    _Text, query("The chain on which the payer pays.", "BASE_MAINNET", CHAINS, required=True)
]
DestinationChain = Annotated[
    _Text,
    query("The chain on which the recipient is paid.", "ARBITRUM_MAINNET", CHAINS, required=True),
]
BridgeName = Annotated[_Text, query("The bridge.", "ACROSS", BRIDGES, required=True)]
ExcludedBridges = Annotated[
    _Text, query("Bridges to exclude, comma-separated.", "RHINOFI", pattern=_BRIDGES)
]
RampType = Annotated[
    _Text, query("The direction; `on-ramp` by default.", "on-ramp", enum=ramps.TYPES)
]
Provider = Annotated[_Text, query("The provider.", "YELLOW_CARD", enum=ramps.PROVIDERS)]
NeededProvider = Annotated[
    _Text, query("The provider.", "YELLOW_CARD", enum=ramps.PROVIDERS, required=True)
]
FiatCurrency = Annotated[_Text, query("The currency.", "NGN", CURRENCIES)]
NeededCurrency = Annotated[_Text, query("The currency.", "NGN", CURRENCIES, required=True)]
CountryCode = Annotated[
    _Text, query("By default the first country of the currency.", "NG", COUNTRIES)
]
UserEmail = Annotated[
    _Text, query("The end user's e-mail address.", "ada@example.com", required=True, **EMAIL_TEXT)
]

_INSTANT = "ISO 8601 with a time zone, or a date, which is its midnight in UTC."
CreatedAfter = Annotated[
    _Text, query(f"Created at this time or later: {_INSTANT}", "2026-11-01T00:00:00.000Z")
]
CreatedBefore = Annotated[
    _Text, query(f"Created before this time: {_INSTANT}", "2026-12-01T00:00:00.000Z")
]


@dataclass(frozen=True, slots=True)
class CursorPage:
    """The query of a list that pages by cursor alone."""

    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 20
    cursor: Annotated[str | None, Query(description="`next_cursor` of the previous page.")] = None


@dataclass(frozen=True, slots=True)
class QuoteParams:
    """The query of a quote."""

    tokenIn: Annotated[
        _Text, query("Token address on the source chain.", USDC_BASE, required=True, minLength=1)
    ] = None
    tokenOut: TokenOut = None
    sourceChain: SourceChain = None
    destinationChain: DestinationChain = None
    amount: Annotated[
        _Text, query("Smallest unit of `amountSymbol`.", "25000000", required=True, **UNITS)
    ] = None
    recipient: Annotated[_Text, query("Wallet of the recipient.", WALLET)] = None
    amountSymbol: Annotated[
        _Text, query("The token of `amount`; USDC by default.", "USDC", SYMBOLS)
    ] = None

    def to_request(self) -> QuoteRequest:
        """The request as the use cases take it."""
        return QuoteRequest(
            self.tokenIn,
            self.tokenOut,
            self.sourceChain,
            self.destinationChain,
            self.amount,
            self.recipient,
            self.amountSymbol,
        )


@dataclass(frozen=True, slots=True)
class MultiSourceParams:
    """The query of a multi-source quote."""

    destinationChain: DestinationChain = None
    amount: Annotated[
        _Text, query("A decimal number of `tokenOut`.", "25.5", required=True, **DECIMAL)
    ] = None
    tokenOut: TokenOut = None
    recipient: Annotated[_Text, query("Wallet of the recipient.", WALLET)] = None
    excludeChains: Annotated[
        _Text, query("Chains to exclude, comma-separated.", "ETHEREUM_MAINNET")
    ] = None

    def to_arguments(self) -> dict[str, str | None]:
        """The arguments of the use case."""
        return {
            "destination": self.destinationChain,
            "amount": self.amount,
            "token_out": self.tokenOut,
            "recipient": self.recipient,
            "exclude_chains": self.excludeChains,
        }


@dataclass(frozen=True, slots=True)
class RampQuoteParams:
    """The query of ramp quotes."""

    type: RampType = None
    fiatCurrency: NeededCurrency = None
    cryptoAmount: Annotated[
        _Text,
        query(
            "Amount that the user receives (on-ramp) or sells (off-ramp), a decimal number.",
            "25",
            required=True,
            **DECIMAL,
        ),
    ] = None
    destinationChain: Annotated[
        _Text, query("On-ramp, required: the chain of delivery.", "BASE_MAINNET", CHAINS)
    ] = None
    sourceChain: Annotated[
        _Text, query("Off-ramp, required: the chain of the user's crypto.", "BASE_MAINNET", CHAINS)
    ] = None
    amountSymbol: Annotated[
        _Text, query("The token of `cryptoAmount`; USDC by default.", "USDC", SYMBOLS)
    ] = None
    countryCode: CountryCode = None
    directOnly: Annotated[
        _Text,
        query(
            "`true` excludes providers that redirect the user to their own page.",
            "false",
            enum=["true", "false"],
        ),
    ] = None
    userEmail: Annotated[
        _Text,
        query(
            "With it, a provider that knows this user may be recommended.",
            "ada@example.com",
            **EMAIL_TEXT,
        ),
    ] = None

    def to_request(self) -> RampQuoteRequest:
        """The request as the use case takes it."""
        return RampQuoteRequest(
            direction=self.type,
            currency=self.fiatCurrency,
            amount=self.cryptoAmount,
            destination_chain=self.destinationChain,
            source_chain=self.sourceChain,
            symbol=self.amountSymbol,
            country=self.countryCode,
            direct_only=self.directOnly,
            email=self.userEmail,
        )
