"""One answer for one idempotency key: opened before the work, kept with it, replayed after."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from crossway.domain.errors import Conflict, KeyReused
from crossway.ports.records import Remembered
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.developers.access import KEPT_ANSWERS

# An answer that has not come by then never will: its process died over it.
IN_FLIGHT = timedelta(seconds=60)
# An outsider gave no answer and nothing was made: the same request may be tried again.
_UNKNOWN = 503
# Answers that show a secret once are kept encrypted, and such begin with this.
_SHOWS_A_SECRET, _SEALED = b'"whsec_', b"sealed:"


@dataclass(frozen=True, slots=True)
class Opened:
    """A key whose request is being done; `at` tells it from a later one that took over."""

    client_id: str
    key: str
    at: datetime


def begin(services: Services, client_id: str, key: str, body_hash: str) -> Opened | Remembered:
    """The first answer of this key, or, when this request is the first, leave to do it.

    Raises `KeyReused` when the key came with another request, `Conflict` while it is in flight.
    """
    opened = Opened(client_id, key, services.clock.now())

    def work(unit: Unit) -> Opened | Remembered:
        known = unit.access.remembered(client_id, key)
        if known is not None:
            if known.at >= opened.at - (KEPT_ANSWERS if known.status else IN_FLIGHT):
                return known
            unit.access.forget(client_id, key)
        if unit.access.remember(client_id, key, body_hash, opened.at):
            return opened
        raise Conflict("A request with this Idempotency-Key is still in flight")

    known = services.store.write(work)
    if isinstance(known, Remembered):
        if known.body_hash != body_hash:
            raise KeyReused("Idempotency-Key was used before with another request")
        if known.status is None:
            raise Conflict("A request with this Idempotency-Key is still in flight")
        return _opened(services, known)
    return known


def keep(services: Services, unit: Unit, opened: Opened, status: int, body: bytes) -> None:
    """Keep the answer in the transaction of the work, so that both are stored or neither; once
    more where the work goes on.

    Raises `Conflict` when the work took so long that the same request was let in again.
    """
    if not _is_open(unit, opened, status):
        raise Conflict("A request with this Idempotency-Key has overtaken this one")
    unit.access.answer(opened.client_id, opened.key, status, _sealed(services, body))


def keep_after(services: Services, opened: Opened, status: int, body: bytes) -> None:
    """Keep the answer that was sent, where the work kept none or an earlier one. What the work has
    made stays made: a failure after it takes nothing's place. That nobody knows is no answer."""

    def work(unit: Unit) -> None:
        if not _is_open(unit, opened, status):
            return
        if status == _UNKNOWN:
            unit.access.forget(opened.client_id, opened.key)
        else:
            unit.access.answer(opened.client_id, opened.key, status, _sealed(services, body))

    services.store.write(work)


def _sealed(services: Services, body: bytes) -> bytes:
    return _SEALED + services.vault.seal(body) if _SHOWS_A_SECRET in body else body


def _opened(services: Services, known: Remembered) -> Remembered:
    if not known.body.startswith(_SEALED):
        return known
    try:
        return replace(known, body=services.vault.open(known.body[len(_SEALED) :]))
    except ValueError as error:
        # Its secret key is gone, and with it the answer.
        raise Conflict("The answer of this Idempotency-Key can no longer be read") from error


def _is_open(unit: Unit, opened: Opened, status: int) -> bool:
    """Whether the key is still this request's, and has no answer of another kind."""
    known = unit.access.remembered(opened.client_id, opened.key)
    return known is not None and known.at == opened.at and known.status in (None, status)
