"""How estimates are told from quotes on screen."""

from typing import Final

from crossway.domain.quotes import bridge_title

NO_PAYMENT: Final = "No payment is created at an estimate."
MATRIX_LEGEND: Final = (
    "≈ marks the figures of a model, not quotes: the bridge's service gives none now."
)


def label_estimate(bridge: str) -> str:
    """What stands beside an estimate for a bridge."""
    return f"Model, not a quote: {bridge_title(bridge)} gives none now"


def explain_estimate(reason: str) -> str:
    """Why there is no quote, and what that means; for the hint beside an estimate."""
    return f"{reason[:1].upper()}{reason[1:]}. {NO_PAYMENT}"
