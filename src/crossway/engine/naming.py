"""How alarms and reasons call things, so that a person who reads them knows what is meant."""

from collections.abc import Iterable
from typing import Final

from crossway.domain.transfers import Duty
from crossway.ports.services import Services

_CALLED: Final = {
    Duty.START: "The collection of payment {}",
    Duty.FILL: "The payout of payment {}",
    Duty.RETURN_EXCESS: "The return of money of payment {}",
    Duty.REIMBURSE: "The repayment by the bridge for payment {}",
    Duty.REFUND: "The refund of payment {}",
}


def called(duty: Duty, intent_id: int) -> str:
    """What is done for a payment, as the beginning of a sentence."""
    return _CALLED[duty].format(intent_id)


def chain_name(services: Services, chain: str) -> str:
    """A chain's name for people."""
    return services.catalogue.chains[chain].name


def chain_names(services: Services, chains: Iterable[str]) -> str:
    """The names of several chains, in a row."""
    return ", ".join(sorted(chain_name(services, chain) for chain in chains))
