"""Raising and clearing what a person should know."""

import logging

from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit

log = logging.getLogger("crossway.engine")


def alarm(unit: Unit, services: Services, key: str, kind: str, subject: str, message: str) -> None:
    """Raise an alarm, or keep it raised; one for each key."""
    now = services.clock.now()
    unit.network.raise_alarm(Alarm(key, kind, subject, message, now, now, None))


class Working:
    """Whether work of one name goes well: an alarm when it breaks, ended when it goes again."""

    def __init__(self, services: Services, name: str) -> None:
        self._services, self._name = services, name
        # What was last told; None at first, when an alarm of an earlier process may stand.
        self._told: str | None = None

    def well(self) -> None:
        """It went well."""
        if self._told == "":
            return
        services, key = self._services, f"sweep:{self._name}"
        with services.store.read() as unit:
            stands = any(one.key == key for one in unit.network.alarms(limit=1_000))
        if stands:
            now = services.clock.now()
            services.store.write(lambda unit: unit.network.clear_alarms([key], now))
        self._told = ""

    def broken(self, error: Exception) -> None:
        """It failed; logged and told once for each way to fail. Never raises."""
        if self._told == repr(error):
            return
        self._told = repr(error)
        log.error("%s failed", self._name, exc_info=error)
        name, key = self._name, f"sweep:{self._name}"
        message = f"Work on {name} failed: {type(error).__name__}. The log has the details."
        try:
            self._services.store.write(
                lambda unit: alarm(unit, self._services, key, "engine", name, message)
            )
        except Exception:
            log.exception("the alarm could not be stored either")
            self._told = None
