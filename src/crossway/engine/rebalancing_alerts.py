"""Raises and resolves the alerts of rebalancing: lacks that nothing serves, and what waits for a
person."""

from collections.abc import Sequence
from typing import Final

from crossway.domain.rebalancing import RebalancingState, Unserved, owner_subject
from crossway.engine.alerts import raise_alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.locations import location_name

UNSERVED: Final = "unserved"
PROPOSED: Final = "proposed"
_MAX_ALERTS: Final = 1_000


def update_rebalancing_alerts(services: Services, unserved: Sequence[Unserved]) -> int:
    """Raise the alerts that apply now, and resolve the others; returns how many there are."""
    with services.store.read() as unit:
        wanted = _wanted(services, unit, unserved)
        active = unit.alerts.list_active(limit=_MAX_ALERTS)
    known = {a.key: a.message for a in active if a.kind in (UNSERVED, PROPOSED)}
    ended = [key for key in known if key not in wanted]
    changed = {key: one for key, one in wanted.items() if known.get(key) != one[2]}

    def work(unit: UnitOfWork) -> None:
        unit.alerts.resolve(ended, services.clock.now())
        for key, (kind, subject, message) in changed.items():
            raise_alert(unit, services, key, kind, subject, message)

    if ended or changed:
        services.store.write(work)
    return len(wanted)


def _wanted(
    services: Services, unit: UnitOfWork, unserved: Sequence[Unserved]
) -> dict[str, tuple[str, str, str]]:
    """By key, the kind, the subject and the message of each alert that applies."""
    found = {}
    for lack in unserved:
        chain, token = lack.location
        listed = services.catalogue.by_address.get(lack.location)
        symbol = token if listed is None else listed.symbol
        subject = f"{chain}:{symbol}"
        name = location_name(services, chain)
        message = f"{symbol} on {name} is not refilled. {lack.reason}"
        found[f"{UNSERVED}:{subject}"] = (UNSERVED, subject, message)
    for transfer in unit.rebalancing.list_open():
        if transfer.state is RebalancingState.PROPOSED:
            message = f"Rebalancing transfer {transfer.id} waits for approval. {transfer.reason}"
            key = f"{PROPOSED}:{transfer.id}"
            found[key] = (PROPOSED, owner_subject(transfer.owner), message)
    return found
