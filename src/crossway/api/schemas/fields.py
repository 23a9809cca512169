"""Kinds of fields that several resources share, each with its meaning and an example."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

# Filled in from the catalogue when the documentation is made, so that the lists exist once.
CHAINS, SYMBOLS, BRIDGES = "x-chains", "x-symbols", "x-bridges"


class Model(BaseModel):
    """A JSON object with exactly its fields."""

    model_config = ConfigDict(extra="forbid")


def text(description: str, *examples: Any, **more: Any) -> Any:
    """A described field with examples."""
    extra = more.pop("extra", None)
    return Field(description=description, examples=list(examples), json_schema_extra=extra, **more)


def chain(description: str, example: str = "BASE_MAINNET", **more: Any) -> Any:
    """A chain identifier."""
    return text(description, example, extra={CHAINS: True}, **more)


def symbol(description: str, example: str = "USDC", **more: Any) -> Any:
    """A token symbol."""
    return text(description, example, extra={SYMBOLS: True}, **more)


def bridge(description: str, example: str | None = "ACROSS") -> Any:
    """A bridge."""
    return text(description, example, extra={BRIDGES: True})


# Left unread here: the use case reads them, so that all complaints come in one message.
Text = SkipValidation[str]
Units = Annotated[str, Field(pattern=r"^\d+$")]

USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_ARBITRUM = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
INTENT = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
TX = "0x8f1c6cf34b1c7a5cbb24f6b8a4f0a7de86e8f3c8c1f0d3a0a3e6a2a9d5f7b1c2"
TIME = "2026-11-21T10:53:00.000Z"
