"""Counts what comes without a key, for those who serve it beside the API."""

from starlette.types import Scope

from crossway.api.limits import Limits
from crossway.api.origins import UNKNOWN, counted_by, origin_of
from crossway.ports.services import Services


class Turnstile:
    """The windows of what one process serves to anybody, by the address that asks."""

    def __init__(self) -> None:
        self._limits = Limits()

    def wait_seconds(self, services: Services, scope: Scope, what: str, per_minute: int) -> int:
        """Count one more of `what` from where a request comes; how long to wait, zero when it may
        go on."""
        origin = counted_by(origin_of(scope, services.doors) or UNKNOWN)
        return self.wait_for(f"{what} {origin}", per_minute)

    def wait_for(self, name: str, per_minute: int) -> int:
        """The same for something that has a name, from wherever it comes."""
        allowance = self._limits.spend(name, per_minute)
        return 0 if allowance.granted else max(allowance.wait_seconds, 1)
