"""What the relayer approves for a bridge's contract before an inventory transfer leaves it."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from crossway.domain.inventory_transfer import InventoryTransfer


def allowances_of(transfer: InventoryTransfer) -> Sequence[int]:
    """The allowances to set one after the other, the last of exactly what leaves. Zero comes before
    it where another may be left that the token refuses to change: by an earlier attempt, or, where
    tokens are known to do so, by another transfer that ended before it was sent."""
    units = transfer.source_amount
    is_strict = transfer.source_token in _strict_tokens().get(transfer.source_chain, ())
    return (0, units) if transfer.attempt > 1 or is_strict else (units,)


@cache
def _strict_tokens() -> Mapping[str, Sequence[str]]:
    data = tomllib.loads((Path(__file__).parent / "allowances.toml").read_text(encoding="utf-8"))
    return {chain: tuple(tokens) for chain, tokens in data.items()}
