"""How what a payment received compares with what it asks for."""

from enum import StrEnum


class FundingLevel(StrEnum):
    """How the received amount compares with the deposit amount."""

    SHORT = "SHORT"
    EXACT = "EXACT"
    OVER = "OVER"


def compare_funding(deposit_amount: int, received_amount: int) -> FundingLevel:
    """Compare the received amount with the deposit amount, exactly."""
    if received_amount < deposit_amount:
        return FundingLevel.SHORT
    return FundingLevel.EXACT if received_amount == deposit_amount else FundingLevel.OVER
