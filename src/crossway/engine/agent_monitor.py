"""Asks the chains whether the relayer may act for its coordinator, and raises alerts."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.engine.agency import describe_missing_agent
from crossway.engine.alerts import raise_alert
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import AGENT_ALERT, agent_alert_key

INTERVAL: Final = timedelta(minutes=1)
_MOST_ALERTS, _MOST_WAITING = 1_000, 5_000


class AgentMonitor:
    """Asks each chain at intervals whose coordinator is not the relayer. While the alert that it
    raises is active, nobody creates a payment whose deposit could not be settled."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: dict[str, datetime] = {}

    def check(self, heads: Mapping[str, ChainHead]) -> int:
        """Raise and resolve the alerts of these chains; returns how many were resolved."""
        now, resolved = self._services.clock.now(), 0
        due = [
            name
            for name in heads
            if (last := self._checked_at.get(name)) is None or abs(now - last) >= INTERVAL
        ]
        if not due:
            return 0
        with self._services.store.read() as unit:
            alerts = unit.alerts.list_active(_MOST_ALERTS, AGENT_ALERT)
        for name in due:
            of_chain = [alert for alert in alerts if alert.subject == name]
            try:
                resolved += self._check_chain(self._services.chains[name], of_chain)
            except Unreachable:
                continue
            self._checked_at[name] = now
        return resolved

    def _check_chain(self, chain: Chain, alerts: Sequence[Alert]) -> int:
        configured = chain.accounts.coordinator
        # Payments of an earlier coordinator may still be open.
        asked = {alert.key.rpartition(":")[2] for alert in alerts}
        if not chain.accounts.is_coordinator(configured):
            asked.add(configured)
        if not asked:
            return 0
        missing = asked - chain.authorized(asked)
        return self._services.store.write(
            lambda unit: self._store(unit, chain, missing, configured, alerts)
        )

    def _store(
        self,
        unit: UnitOfWork,
        chain: Chain,
        missing: set[str],
        configured: str,
        alerts: Sequence[Alert],
    ) -> int:
        services, now = self._services, self._services.clock.now()
        waiting = unit.outbound_txs.list_needing_attention(_MOST_WAITING) if alerts else ()
        messages = {tx.reason for tx in waiting}
        lasting = {
            agent_alert_key(chain.id, coordinator)
            for coordinator in missing
            if coordinator == configured
            or describe_missing_agent(services, chain.id, coordinator) in messages
        }
        over = [alert.key for alert in alerts if alert.key not in lasting]
        unit.alerts.resolve(over, now)
        if configured in missing and not chain.accounts.is_coordinator(configured):
            message = describe_missing_agent(services, chain.id, configured)
            key = agent_alert_key(chain.id, configured)
            raise_alert(unit, services, key, AGENT_ALERT, chain.id, message)
        return len(over)
