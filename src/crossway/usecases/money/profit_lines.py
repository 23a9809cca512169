"""The names of the lines of profit and loss, and of what causes them."""

from collections.abc import Mapping
from typing import Final

from crossway.domain.profit_and_loss import COSTS, PASSED_ON, REVENUE, Line, Origin

TITLES: Final[Mapping[Line, str]] = {
    Line.SERVICE_FEES: "Service fees",
    Line.SPREAD: "Spread of payments out of inventory",
    Line.BRIDGE_SURPLUS: "Bridge fees not taken",
    Line.UNCLAIMED: "Unclaimed",
    Line.KEPT_COSTS: "Network costs kept from refunds",
    Line.CONVERSION: "Conversion of inventory",
    Line.NETWORK_FEES: "Network fees",
    Line.REFUND_FEES: "Network fees of refunds and returns",
    Line.BRIDGE_FEES: "Bridge fees for moving inventory",
    Line.SWAPS: "Swaps of inventory",
    Line.DUE_LOSSES: "Payouts whose deposit went back",
    Line.APP_FEES: "App fees, for merchants",
    Line.CHARGED_BRIDGE_FEES: "Bridge fees paid by payers",
    Line.CHARGED_SWAPS: "Swaps paid by payers",
    Line.WITHDRAWN: "Taken out by the operator",
}
SECTIONS: Final[Mapping[str, tuple[Line, ...]]] = {
    "Revenue": REVENUE,
    "Costs": COSTS,
    "Passed on, not in the result": PASSED_ON,
}
ORIGINS: Final[Mapping[Origin, str]] = {
    Origin.PAYMENT: "Payments",
    Origin.REBALANCING: "Rebalancing",
    Origin.OPERATOR: "Without a payment",
}


def section_of(line: Line) -> str:
    """The section of a line; empty for what the operator took out."""
    return next((title for title, lines in SECTIONS.items() if line in lines), "")
