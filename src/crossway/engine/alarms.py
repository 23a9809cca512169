"""Raising and clearing what a person should know."""

from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit


def alarm(unit: Unit, services: Services, key: str, kind: str, subject: str, message: str) -> None:
    """Raise an alarm, or keep it raised; one for each key."""
    now = services.clock.now()
    unit.network.raise_alarm(Alarm(key, kind, subject, message, now, now, None))
