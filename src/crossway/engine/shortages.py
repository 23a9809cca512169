"""Decisions to wait where the relayer lacks inventory or coins for fees, or nodes are silent."""

from collections.abc import Collection

from crossway.domain.intent import Intent
from crossway.engine.outbound_decision import Decision
from crossway.ports.services import Services
from crossway.usecases.chains.supported_chains import chain_name


def wait_for_inventory(services: Services, intent: Intent) -> Decision:
    """The decision to wait until the relayer can pay a recipient."""
    chain_id, symbol = intent.terms.destination_chain, intent.out_symbol
    reason = f"The relayer is short of {symbol} on {chain_name(services, chain_id)}."
    return Decision(wait_reason=reason, alert_key=f"stock:{chain_id}:{symbol}")


def wait_for_gas(services: Services, chain_id: str) -> Decision:
    """The decision to wait until the relayer can pay fees on a chain."""
    chain = services.catalogue.chains[chain_id]
    return Decision(
        wait_reason=f"The relayer is out of {chain.native_symbol} for fees on {chain.name}.",
        alert_key=f"gas:{chain_id}",
    )


def wait_for_answers(services: Services, silent: Collection[str]) -> Decision:
    """The decision to wait until these chains say what has become of a payment."""
    names = ", ".join(sorted(chain_name(services, chain) for chain in silent))
    return Decision(wait_reason=f"No answer from {names}: its state must be known first.")
