"""The relayer as the agent of a coordinator: without it, no deposit on a chain can be settled."""

from typing import Final

from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

AGENT_ALERT: Final = "agent"
"""The kind of alert about a relayer that is no agent; its key has the chain and the coordinator."""

_MOST = 1_000


def agent_alert_key(chain: str, coordinator: str) -> str:
    """The key of the alert that the relayer on a chain is no agent of a coordinator."""
    return f"{AGENT_ALERT}:{chain}:{coordinator}"


def closed_sources(services: Services, unit: UnitOfWork) -> dict[str, str]:
    """The chains on which nothing may be paid in now, as subjects `source:X` with reasons: what the
    engine found last, so that processes without one know it, too."""
    keys = {
        agent_alert_key(name, chain.accounts.coordinator): f"source:{name}"
        for name, chain in services.chains.items()
        if not chain.accounts.is_coordinator(chain.accounts.coordinator)
    }
    # Of this kind alone: many alerts of others would hide it, and open the chain again.
    alerts = unit.alerts.list_active(_MOST, AGENT_ALERT) if keys else ()
    return {keys[alert.key]: alert.message for alert in alerts if alert.key in keys}
