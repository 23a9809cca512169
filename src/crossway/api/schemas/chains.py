"""Chains, their tokens and what an address holds, on the wire."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from crossway.api.schemas.fields import USDC_BASE, WALLET, Model, Units, chain, symbol, text
from crossway.domain.money import Token, format_units
from crossway.usecases.network.chains import Holdings


class TokenOut(Model):
    """A token on one chain."""

    symbol: str = symbol("The token's symbol.")
    address: str = text("Its address.", USDC_BASE)
    decimals: int = text("Its decimals: the smallest unit is 10^-decimals.", 6)
    name: str = text("Its name.", "USD Coin")
    native: bool = text("Whether it is the chain's own coin.", False)


class HoldingOut(Model):
    """What is held of one token."""

    token: str = symbol("The token's symbol.")
    tokenAddress: str = text("Its address.", USDC_BASE)
    decimals: int = text("Its decimals.", 6)
    amount: Units = text("What is held, smallest unit.", "25000000")
    amountFormatted: str = text("The same for people.", "25")


class ChainHoldings(Model):
    """What is held on one chain."""

    chain: str = chain("The chain.")
    tokens: list[HoldingOut] = Field(description="Every token above zero.")


class Unanswered(Model):
    """A chain that could not be asked."""

    chain: str = chain("The chain.")
    reason: str = text("Why it is missing.", "gave no answer in time")


class BalancesOut(Model):
    """What an address holds on every chain whose form it has."""

    address: str = text("The address.", WALLET)
    balances: list[ChainHoldings] = Field(description="By chain.")
    missing: list[Unanswered] = Field(description="Chains that gave no answer.")


def token(found: Token) -> dict[str, Any]:
    """A token."""
    return {
        "symbol": found.symbol,
        "address": found.address,
        "decimals": found.decimals,
        "name": found.name,
        "native": found.native,
    }


def tokens(found: Iterable[Token]) -> list[dict[str, Any]]:
    """Tokens of one chain."""
    return [token(one) for one in found]


def balances(address: str, found: Holdings) -> dict[str, Any]:
    """What an address holds."""
    return {
        "address": address,
        "balances": [
            {
                "chain": chain_id,
                "tokens": [
                    {
                        "token": held.token.symbol,
                        "tokenAddress": held.token.address,
                        "decimals": held.token.decimals,
                        "amount": str(held.units),
                        "amountFormatted": format_units(held.units, held.token.decimals),
                    }
                    for held in holdings
                ],
            }
            for chain_id, holdings in found.by_chain.items()
        ],
        "missing": [{"chain": left.subject, "reason": left.reason} for left in found.missing],
    }
