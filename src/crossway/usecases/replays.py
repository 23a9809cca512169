"""One answer for one idempotency key: opened before the work, kept with it, replayed after."""

from datetime import timedelta

from crossway.domain.errors import Conflict, KeyReused
from crossway.ports.services import Services
from crossway.ports.store import Remembered, Unit
from crossway.usecases.access import KEPT_ANSWERS

# An answer that has not come by then never will: its process died over it.
IN_FLIGHT = timedelta(seconds=60)


def begin(services: Services, client_id: str, key: str, body_hash: str) -> Remembered | None:
    """The first answer of this key, or None when this request is the first and is to be done.

    Raises `KeyReused` when the key came with another request, `Conflict` while it is in flight.
    """
    now = services.clock.now()

    def work(unit: Unit) -> Remembered | None:
        known = unit.access.remembered(client_id, key)
        if known is not None and known.at < now - (KEPT_ANSWERS if known.status else IN_FLIGHT):
            unit.access.forget(client_id, key)
            known = None
        if known is None and unit.access.remember(client_id, key, body_hash, now):
            return None
        return known or unit.access.remembered(client_id, key)

    known = services.store.write(work)
    if known is None:
        return None
    if known.body_hash != body_hash:
        raise KeyReused("Idempotency-Key was used before with another request")
    if known.status is None:
        raise Conflict("A request with this Idempotency-Key is still in flight")
    return known


def answered(services: Services, client_id: str, key: str, status: int, body: bytes) -> None:
    """Keep the answer, unless the work kept it already in its own transaction."""

    def work(unit: Unit) -> None:
        known = unit.access.remembered(client_id, key)
        if known is not None and known.status is None:
            unit.access.answer(client_id, key, status, body)

    services.store.write(work)
