"""Response models of `/v1/chains`."""

from typing import Self

from crossway.api.schemas.fields import (
    USDC_BASE,
    IntegerString,
    Model,
    field,
    symbol_field,
)
from crossway.domain.money import Token, format_units
from crossway.usecases.chains.supported_chains import TokenBalance


class TokenOut(Model):
    """A token on one chain."""

    symbol: str = symbol_field("The token's symbol.")
    address: str = field("Its address.", USDC_BASE)
    decimals: int = field("Its decimals: the smallest unit is 10^-decimals.", 6)
    name: str = field("Its name.", "USD Coin")
    native: bool = field("Whether it is the chain's native coin.", False)

    @classmethod
    def from_token(cls, token: Token) -> Self:
        """One token."""
        return cls(
            symbol=token.symbol,
            address=token.address,
            decimals=token.decimals,
            name=token.name,
            native=token.native,
        )


class BalanceOut(Model):
    """The balance of one token."""

    symbol: str = symbol_field("The token's symbol.")
    balance: IntegerString = field("Balance in the smallest unit.", "25000000")
    decimals: int = field("The token's decimals.", 6)
    formatted: str = field("The balance as a decimal number.", "25")
    address: str = field("The token's address.", USDC_BASE)

    @classmethod
    def from_balance(cls, balance: TokenBalance) -> Self:
        """The balance of one token."""
        token = balance.token
        return cls(
            symbol=token.symbol,
            balance=str(balance.amount),
            decimals=token.decimals,
            formatted=format_units(balance.amount, token.decimals),
            address=token.address,
        )
