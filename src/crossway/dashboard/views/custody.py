"""Whom a payer trusts from start to payout, and how a payment gets there, as short texts."""

from crossway.dashboard.views.formatting import format_duration
from crossway.domain.bridge_transfer import Custody
from crossway.domain.quotes import BridgeName, bridge_title

FROM_START_TO_PAYOUT = "From start to payout"
CUSTODY_HINT = "Whom the payer trusts after the deposit was collected and before the payout"
ENFORCED = "Contracts alone decide where the money goes"


def describe_trust(custody: Custody, trusted_seconds: int | None) -> str:
    """A sentence without its full stop, for a quote; the seconds are None where unknown."""
    if custody is Custody.BRIDGE:
        return ENFORCED
    usual = "" if trusted_seconds is None else f", usually {format_duration(trusted_seconds)}"
    return f"The payer trusts the operator from start to payout{usual}"


def label_custody(custody: Custody) -> str:
    """Two words, for a row of a table."""
    return "enforced by contracts" if custody is Custody.BRIDGE else "operator trusted"


def describe_bridge(bridge: str) -> str:
    """`via CCTP`; what is no bridge is named as what it is."""
    is_inventory = bridge == BridgeName.INVENTORY
    return "out of inventory" if is_inventory else f"via {bridge_title(bridge)}"


def transfer_fee_label(bridge: str) -> str:
    """What the part of the fee is that is not the service's: the costs of the networks, and what a
    bridge takes or, out of inventory, the operator. `bridge` is empty within one chain."""
    if not bridge:
        return "network"
    return "spread + network" if bridge == BridgeName.INVENTORY else "bridge + network"
