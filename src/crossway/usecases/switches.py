"""What is switched off: chains and routes that are neither quoted nor used for new intents."""

from collections.abc import Collection

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services
from crossway.ports.store import Unit


def switched_off(services: Services) -> dict[str, str]:
    """Subjects that are off with the reason: `chain:X`, `bridge:B` or `route:BRIDGE:A:B`."""
    with services.store.read() as unit:
        return unit.network.switches()


def switch(services: Services, caller: Caller, subject: str, off: bool, reason: str) -> None:
    """Switch a chain, bridge or route off or on, with a reason; audited. Operators only."""
    caller.needs(Scope.WRITE)
    if not caller.operator:
        raise Forbidden("Only an operator can switch routes")
    kind, _, rest = subject.partition(":")
    if kind not in ("chain", "bridge", "route") or not rest:
        raise InvalidInput("subject must be chain:X, bridge:B or route:BRIDGE:A:B")
    if off and not reason.strip():
        raise InvalidInput("reason must say why this is switched off")
    now = services.clock.now()
    what = "switched off" if off else "switched on"

    def work(unit: Unit) -> None:
        unit.network.switch(subject, off, reason.strip(), caller.client.name, now)
        unit.network.audit(caller.client.name, what, {"subject": subject, "reason": reason}, now)

    services.store.write(work)


def chain_is_off(off: Collection[str], chain: str) -> bool:
    """Whether nothing may start on or go to this chain."""
    return f"chain:{chain}" in off


def route_is_off(off: Collection[str], bridge: BridgeName, source: str, destination: str) -> bool:
    """Whether this bridge may not be used in this direction."""
    return f"bridge:{bridge}" in off or f"route:{bridge}:{source}:{destination}" in off
