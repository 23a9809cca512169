"""Raises and resolves the alerts about lacks of inventory that no transfer serves."""

from collections.abc import Sequence
from typing import Final

from crossway.domain.rebalancing import Unserved
from crossway.engine.alerts import raise_alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.locations import location_name

UNSERVED: Final = "unserved"
_MAX_ALERTS: Final = 1_000


def update_unserved_alerts(services: Services, unserved: Sequence[Unserved]) -> None:
    """Raise an alert for each of these lacks, and resolve those about others."""
    wanted = {_subject(services, lack): _message(services, lack) for lack in unserved}
    with services.store.read() as unit:
        active = unit.alerts.list_active(limit=_MAX_ALERTS)
    known = {alert.subject: alert.message for alert in active if alert.kind == UNSERVED}
    ended = [_key(subject) for subject in known if subject not in wanted]
    changed = {s: message for s, message in wanted.items() if known.get(s) != message}

    def work(unit: UnitOfWork) -> None:
        unit.alerts.resolve(ended, services.clock.now())
        for subject, message in changed.items():
            raise_alert(unit, services, _key(subject), UNSERVED, subject, message)

    if ended or changed:
        services.store.write(work)


def _key(subject: str) -> str:
    return f"{UNSERVED}:{subject}"


def _subject(services: Services, lack: Unserved) -> str:
    chain, token = lack.location
    listed = services.catalogue.by_address.get(lack.location)
    return f"{chain}:{token if listed is None else listed.symbol}"


def _message(services: Services, lack: Unserved) -> str:
    chain, _, symbol = _subject(services, lack).rpartition(":")
    return f"{symbol} on {location_name(services, chain)} is not refilled. {lack.reason}"
