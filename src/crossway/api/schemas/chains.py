"""Response models of `/v1/chains`."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import (
    USDC_BASE,
    WALLET,
    IntegerString,
    Model,
    chain_field,
    field,
    symbol_field,
)
from crossway.domain.money import Token, format_units
from crossway.usecases.chains.supported_chains import AddressBalances, TokenBalance


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


class HoldingOut(Model):
    """The balance of one token."""

    token: str = symbol_field("The token's symbol.")
    tokenAddress: str = field("Its address.", USDC_BASE)
    decimals: int = field("Its decimals.", 6)
    amount: IntegerString = field("Balance in the smallest unit.", "25000000")
    amountFormatted: str = field("The same amount as a decimal number.", "25")

    @classmethod
    def from_balance(cls, balance: TokenBalance) -> Self:
        """The balance of one token."""
        token = balance.token
        return cls(
            token=token.symbol,
            tokenAddress=token.address,
            decimals=token.decimals,
            amount=str(balance.amount),
            amountFormatted=format_units(balance.amount, token.decimals),
        )


class ChainHoldings(Model):
    """The balances on one chain."""

    chain: str = chain_field("The chain.")
    tokens: list[HoldingOut] = Field(description="Every token with a balance.")


class Unanswered(Model):
    """A chain that did not respond."""

    chain: str = chain_field("The chain.")
    reason: str = field("Why it is missing.", "did not respond in time")


class BalancesOut(Model):
    """The balances of an address on every chain whose address format it has."""

    address: str = field("The address.", WALLET)
    balances: list[ChainHoldings] = Field(description="By chain.")
    missing: list[Unanswered] = Field(description="Chains that did not respond.")

    @classmethod
    def from_balances(cls, address: str, result: AddressBalances) -> Self:
        """The balances of an address."""
        return cls(
            address=address,
            balances=[
                ChainHoldings(chain=chain, tokens=[HoldingOut.from_balance(b) for b in balances])
                for chain, balances in result.by_chain.items()
            ],
            missing=[Unanswered(chain=e.subject, reason=e.reason) for e in result.excluded],
        )
