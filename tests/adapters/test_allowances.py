"""What is approved for a bridge before inventory leaves."""

from dataclasses import replace
from datetime import UTC, datetime

from crossway.adapters.bridges.allowances import allowances_of
from crossway.catalogue import load_catalogue
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)

NOW = datetime(2026, 11, 27, tzinfo=UTC)
TOKENS = load_catalogue().tokens


def transfer(chain: str, symbol: str, attempt: int = 1) -> InventoryTransfer:
    token = TOKENS[chain, symbol].address
    return InventoryTransfer(
        1, -1, "RHINOFI", InventoryTransferKind.TRANSFER, chain, "BASE_MAINNET", token, "0xb",
        990, 1_000, InventoryTransferState.AGREED, attempt, b"", b"", "", "", "", "", None, None,
        NOW, NOW, NOW,
    )  # fmt: skip


def test_exactly_what_leaves_is_approved() -> None:
    assert allowances_of(transfer("ARBITRUM_MAINNET", "USDT")) == (1_000,)
    assert allowances_of(transfer("ETHEREUM_MAINNET", "USDC")) == (1_000,)


def test_zero_comes_first_where_an_allowance_may_be_left_that_cannot_be_changed() -> None:
    assert allowances_of(transfer("ETHEREUM_MAINNET", "USDT")) == (0, 1_000)
    later = replace(transfer("ARBITRUM_MAINNET", "USDC"), attempt=2)
    assert allowances_of(later) == (0, 1_000)
