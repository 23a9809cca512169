"""Display names of transactions and chains for alerts and reasons."""

from collections.abc import Iterable
from typing import Final

from crossway.domain.outbound import OutboundTxKind
from crossway.ports.services import Services

_DESCRIPTIONS: Final = {
    OutboundTxKind.START: "The collection of payment {}",
    OutboundTxKind.FILL: "The payout of payment {}",
    OutboundTxKind.RETURN_EXCESS: "The return of money of payment {}",
    OutboundTxKind.REIMBURSE: "The repayment by the bridge for payment {}",
    OutboundTxKind.REFUND: "The refund of payment {}",
}


def describe_outbound_tx(kind: OutboundTxKind, intent_id: int) -> str:
    """A transaction of a payment as the subject of a sentence."""
    return _DESCRIPTIONS[kind].format(intent_id)


def chain_name(services: Services, chain: str) -> str:
    """A chain's display name."""
    return services.catalogue.chains[chain].name


def chain_names(services: Services, chains: Iterable[str]) -> str:
    """The display names of several chains, sorted and separated by commas."""
    return ", ".join(sorted(chain_name(services, chain) for chain in chains))
