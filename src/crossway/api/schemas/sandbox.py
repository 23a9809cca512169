"""The simulated network's own switches on the wire."""

from typing import Any

from pydantic import Field

from crossway.api.schemas.fields import (
    INTENT,
    TIME,
    TX,
    USDC_BASE,
    Model,
    Text,
    Units,
    chain,
    symbol,
    text,
)
from crossway.usecases.network.sandbox import Holding


class Deposit(Model):
    """Tokens to send to an address."""

    address: Text = text("Where to send; usually an intent's address.", INTENT)
    amount: Text = text(
        "Smallest unit, or `exact`, `short`, `over` for what the intent still lacks.", "exact"
    )
    token: Text | None = text("Symbol or address; the intent's by default.", "USDC", default=None)
    chain: Text | None = text("The intent's source chain by default.", "BASE_MAINNET", default=None)
    count: int | None = text("How many transfers, all in one block.", 1, default=1)


class Deposited(Model):
    """The transfer that was made."""

    txHash: str = text("Its transaction.", TX)
    chain: str = chain("Its chain.")
    block: int = text("The block that holds it.", 1042)


class Clock(Model):
    """How to move the service's clock, and every simulated chain with it."""

    advanceSeconds: float | None = text("How far forward.", 3600, default=None)
    frozen: bool | None = text("Whether it stands still.", False, default=None)


class ClockNow(Model):
    """The clock after the move."""

    now: str = text("What it shows.", TIME)
    aheadSeconds: float = text("How far it is ahead of the machine's.", 3600.0)
    frozen: bool = text("Whether it stands still.", False)


class Faults(Model):
    """How a chain is to misbehave; what is left out stays as it is."""

    outageSeconds: float | None = text("It gives no answer for so long.", 30, default=None)
    reorgDepth: int | None = text("So many blocks are undone now.", 2, default=None)
    dropNext: int | None = text("So many transactions vanish.", 1, default=None)
    revertNext: int | None = text("So many transactions revert.", 1, default=None)
    slowBlocks: int | None = text("Blocks take so many times as long.", 5, default=None)
    feeFactor: int | None = text("The least fee is multiplied by this.", 3, default=None)
    takeNonce: bool | None = text("Somebody uses the relayer's next nonce.", True, default=None)
    lie: str | None = text(
        "What the node lies about; empty ends it.",
        "forged",
        default=None,
        extra={"enum": ["", "forged", "chain_id", "stale"]},
    )
    refuse: list[str] | None = text("Addresses that refuse transfers.", [INTENT], default=None)
    accept: list[str] | None = text("Addresses that accept again.", [INTENT], default=None)
    balances: dict[str, dict[str, str]] | None = text(
        "Crossway's own balances: account, symbol, units.",
        {"relayer": {"USDC": "1000000"}},
        default=None,
    )


class FaultsNow(Model):
    """What was switched."""

    success: bool = text("Always true.", True)
    chain: str = chain("The chain.")
    faults: dict[str, Any] = text("The faults that are active now.", {"slow_blocks": 5})


class Held(Model):
    """What an address holds of one token."""

    chain: str = chain("The chain.")
    token: str = symbol("The token's symbol.")
    tokenAddress: str = text("Its address.", USDC_BASE)
    amount: Units = text("What is held, smallest unit.", "25000000")
    amountFormatted: str = text("The same for people.", "25")


class Holdings(Model):
    """What an address holds on every simulated chain."""

    address: str = text("The address.", INTENT)
    balances: list[Held] = Field(description="Everything it holds.")


def holdings(address: str, held: list[Holding]) -> dict[str, Any]:
    """What an address holds."""
    return {
        "address": address,
        "balances": [
            {
                "chain": one.chain,
                "token": one.symbol,
                "tokenAddress": one.token,
                "amount": str(one.units),
                "amountFormatted": one.formatted,
            }
            for one in held
        ],
    }
