"""Chains, their tokens and what an address holds, on the wire; and the caller's own client."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from crossway.api.answers import instant
from crossway.api.schemas.fields import TIME, USDC_BASE, WALLET, Model, Units, chain, symbol, text
from crossway.domain.clients import Caller
from crossway.domain.money import Token, format_units
from crossway.usecases.chains import Holdings


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


class ClientInfo(Model):
    """The client and the key that asks."""

    clientId: str = text("The client (UUID).", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    name: str = text("Its name.", "Default")
    mode: str = text("Mode of this key.", "test", extra={"enum": ["test", "live"]})
    scopes: list[str] = text("What this key may do.", ["read", "refund", "write"])
    requestsPerMinute: int = text("Rate limit of each of its keys.", 250)
    appFeeBps: int = text("Its own fee in basis points.", 0)
    appFeeCapUsd: str | None = text("Cap of that fee in micro-USD; null without one.", "5000000")
    createdAt: str = text("Since when it exists.", TIME)


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


def client_info(caller: Caller) -> dict[str, Any]:
    """The client and the key that asks."""
    client = caller.client
    cap = client.app_fee_cap_micro_usd
    return {
        "clientId": client.id,
        "name": client.name,
        "mode": caller.mode,
        "scopes": sorted(caller.scopes),
        "requestsPerMinute": client.requests_per_minute,
        "appFeeBps": client.app_fee_bps,
        "appFeeCapUsd": None if cap is None else str(cap),
        "createdAt": instant(client.created_at),
    }
