"""Runs sweeps so that none that fails stops the others, and raises alerts about those that do."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.engine.alerts import raise_alert
from crossway.engine.chain_leases import ChainLeases
from crossway.engine.fenced_store import LeaseLost
from crossway.ports.services import Services

log = logging.getLogger("crossway.engine")

# Another engine may have resolved an alert that still applies here.
REALERT_AFTER = timedelta(seconds=60)


class SweepGuard:
    """The guard of one worker's sweeps."""

    def __init__(self, services: Services, leases: ChainLeases) -> None:
        self._services, self._leases = services, leases
        # The last reported error by failing sweep.
        self._failing: dict[str, str] = {}
        self._alerted_at: dict[str, datetime] = {}

    def load_failures(self) -> None:
        """Load active engine alerts of previous owners, so that a success resolves them."""
        with self._services.store.read() as unit:
            alerts = [alert for alert in unit.alerts.list_active() if alert.kind == "engine"]
        for alert in alerts:
            self._failing.setdefault(alert.subject, alert.message)

    def run(self, name: str, sweep: Callable[[], int]) -> int:
        """Run a sweep; an unexpected error is logged and alerted and does not stop the others."""
        try:
            done = sweep()
        except Unreachable:
            return 0
        except LeaseLost:
            # Nothing was written. The next pass begins with the leases.
            self._leases.lost()
            return 0
        except Exception as error:
            self._record_failure(name, error)
            return 0
        if name in self._failing:
            now = self._services.clock.now()
            self._services.store.write(lambda unit: unit.alerts.resolve([f"sweep:{name}"], now))
            del self._failing[name]
        return done

    def _record_failure(self, name: str, error: Exception) -> None:
        now, changed = self._services.clock.machine(), self._failing.get(name) != repr(error)
        if not changed and now - self._alerted_at.get(name, now) < REALERT_AFTER:
            return
        self._failing[name], self._alerted_at[name] = repr(error), now
        if changed:
            log.error("sweep failed: %s", name, exc_info=error)
        message = f"The {name} sweep failed: {type(error).__name__}. The log has the details."
        alert = (f"sweep:{name}", "engine", name, message)
        try:
            self._services.store.write(lambda unit: raise_alert(unit, self._services, *alert))
        except Exception:
            log.exception("the alert could not be stored either")
