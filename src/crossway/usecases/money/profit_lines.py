"""The names of the lines of profit and loss, and of what causes them."""

from collections.abc import Mapping
from typing import Final

from crossway.domain.profit_and_loss import COSTS, PASSED_ON, REVENUE, Origin, ProfitLine

TITLES: Final[Mapping[ProfitLine, str]] = {
    ProfitLine.SERVICE_FEES: "Service fees",
    ProfitLine.SPREAD: "Spread of payments out of inventory",
    ProfitLine.BRIDGE_SURPLUS: "Bridge fees not taken",
    ProfitLine.UNCLAIMED: "Unclaimed",
    ProfitLine.KEPT_COSTS: "Network costs kept from refunds",
    ProfitLine.CONVERSION: "Conversion of inventory",
    ProfitLine.NETWORK_FEES: "Network fees",
    ProfitLine.REFUND_FEES: "Network fees of refunds and returns",
    ProfitLine.BRIDGE_FEES: "Bridge fees for moving inventory",
    ProfitLine.SWAPS: "Swaps of inventory",
    ProfitLine.DUE_LOSSES: "Payouts whose deposit went back",
    ProfitLine.APP_FEES: "App fees, for merchants",
    ProfitLine.CHARGED_BRIDGE_FEES: "Bridge fees paid by payers",
    ProfitLine.CHARGED_SWAPS: "Swaps paid by payers",
    ProfitLine.WITHDRAWN: "Taken out by the operator",
}
SECTIONS: Final[Mapping[str, tuple[ProfitLine, ...]]] = {
    "Revenue": REVENUE,
    "Costs": COSTS,
    "Passed on, not in the result": PASSED_ON,
}
ORIGINS: Final[Mapping[Origin, str]] = {
    Origin.PAYMENT: "Payments",
    Origin.REBALANCING: "Rebalancing",
    Origin.STANDING: "Standing addresses",
    Origin.OPERATOR: "Without a payment",
}


def section_of(line: ProfitLine) -> str:
    """The section of a line; empty for what the operator took out."""
    return next((title for title, lines in SECTIONS.items() if line in lines), "")
