"""Whom the payer of a payment trusts from start to payout, and for how long."""

from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services
from crossway.usecases.payments.abandoned_payouts import payout_deadline

_OF_BRIDGE: Final = {
    BridgeName.CCTP: "Circle, to attest to what was sent. Contracts decide everything else.",
    BridgeName.ACROSS: "Across, until it is filled or returned. Contracts decide everything else.",
}
_SWAP: Final = "The operator, with the price of the swap: up to {}% above what was expected."
_CONTRACTS: Final = "Nobody: contracts alone decide where the money goes."


def describe_trust(services: Services, intent: Intent) -> str:
    """Whom the payer trusts, as one short line."""
    if intent.custody is Custody.BRIDGE:
        trusted = _OF_BRIDGE.get(BridgeName(intent.terms.bridge), _CONTRACTS)
        return trusted if intent.swap is None else f"{_SWAP.format(intent.slippage)} {trusted}"
    deadline = payout_deadline(services, intent)
    return (
        "The operator, from the collection of the deposit to the payout: until "
        f"{deadline:%Y-%m-%d %H:%M} UTC at most."
    )
