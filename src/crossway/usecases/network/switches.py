"""What is switched off: chains and routes that are neither quoted nor used for new intents."""

import time
from collections.abc import Collection, Mapping

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.ports.store import Unit

FRESH_SECONDS = 1.0


def switched_off(services: Services) -> Mapping[str, str]:
    """Subjects that are off with the reason: `chain:X`, `bridge:B` or `route:BRIDGE:A:B`.

    What another process switches is seen here within `FRESH_SECONDS`, our own at once.
    """
    memory, asked_at = services.switches, time.monotonic()
    epoch, known = memory.epoch, memory.known
    if known is not None and known[0] is epoch and asked_at - known[1] <= FRESH_SECONDS:
        return known[2]
    with services.store.read() as unit:
        off = unit.network.switches()
    memory.known = epoch, asked_at, off
    return off


def switch(services: Services, caller: Caller, subject: str, off: bool, reason: str) -> None:
    """Switch a chain, bridge or route off or on, with a reason; audited."""
    caller.must(Right.SWITCH)
    kind, _, rest = subject.partition(":")
    if kind not in ("chain", "bridge", "route") or not rest:
        raise InvalidInput("subject must be chain:X, bridge:B or route:BRIDGE:A:B")
    if off and not reason.strip():
        raise InvalidInput("reason must say why this is switched off")
    now = services.clock.now()
    what = "switched off" if off else "switched on"

    def work(unit: Unit) -> None:
        before = unit.network.switches().get(subject)
        unit.network.switch(subject, off, reason.strip(), caller.who, now)
        detail = {"subject": subject, "reason": reason}
        unit.network.audit(
            caller.who, what, detail, now, subject,
            {"off": before is not None, "reason": before or ""},
            {"off": off, "reason": reason.strip() if off else ""},
        )  # fmt: skip

    services.store.write(work)
    services.switches.epoch = object()


def chain_is_off(off: Collection[str], chain: str) -> bool:
    """Whether nothing may start on or go to this chain."""
    return f"chain:{chain}" in off


def route_is_off(off: Collection[str], bridge: BridgeName, source: str, destination: str) -> bool:
    """Whether this bridge may not be used in this direction."""
    return f"bridge:{bridge}" in off or f"route:{bridge}:{source}:{destination}" in off
