"""The payments that wait for the cause of one alert to go."""

from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.domain.roles import Permission
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.usecases.operating.alerts import MAX_ACTIVE_ALERTS
from crossway.usecases.operating.incidents import MAX_HELD_UP


@dataclass(frozen=True, slots=True)
class WaitingPayments:
    """An active alert and the payments whose transactions wait for its cause, oldest first."""

    alert: Alert
    intents: tuple[Intent, ...]


def find_waiting(services: Services, caller: Principal, alert_key: str) -> WaitingPayments | None:
    """The alert with this key and what waits for it, of both modes; None while it is not active."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        active = unit.alerts.list_active(limit=MAX_ACTIVE_ALERTS)
        alert = next((alert for alert in active if alert.key == alert_key), None)
        if alert is None:
            return None
        txs = unit.outbound_txs.list_needing_attention(MAX_HELD_UP)
        ids = {tx.intent_id for tx in txs if tx.reason == alert.message}
        intents = unit.intents.get_many(ids)
    return WaitingPayments(alert, tuple(intents[number] for number in sorted(intents)))
