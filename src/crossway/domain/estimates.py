"""What is shown in place of the quote of a bridge whose service gives none."""

from dataclasses import dataclass

from crossway.domain.quotes import BridgeQuote


@dataclass(frozen=True, slots=True)
class BridgeEstimate:
    """What the model of a bridge says in place of a quote that its service does not give: for
    display, and never the terms of a payment. `reason` says why there is no quote."""

    figures: BridgeQuote
    reason: str
