"""Idempotency keys: a slot is opened before the work, the response is stored with it, and replayed
for the same request. Each client has its keys once in test and once in live mode."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from crossway.domain.clients import Owner
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Conflict, IdempotencyConflict
from crossway.ports.records import IdempotencySlot
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.authentication import IDEMPOTENCY_RETENTION

# A request without a response after this time is considered lost with its process.
IN_FLIGHT_TIMEOUT = timedelta(seconds=60)
IN_FLIGHT = "A request with this Idempotency-Key is still in flight"
# An external service gave no answer and nothing was created: the request may be retried.
_UNKNOWN_OUTCOME = 503
# Responses are stored encrypted, as they show what the request was about.
_ENCRYPTED_PREFIX = b"sealed:"


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot whose request is in flight; `at` distinguishes it from a later slot of the key."""

    owner: Owner
    key: str
    at: datetime


def open_slot(
    services: Services, owner: Owner, key: str, body_hash: str
) -> OpenSlot | IdempotencySlot:
    """Open a slot for the first request with a key, or return the stored response of a repeat.

    Raises `IdempotencyConflict` when the key was used with another request, and `Conflict` while
    that request is in flight.
    """
    slot = OpenSlot(owner, key, services.clock.now())

    def work(unit: UnitOfWork) -> OpenSlot | IdempotencySlot:
        stored = unit.api_keys.get_idempotency_slot(owner, key)
        if stored is not None:
            if stored.at >= slot.at - (
                IDEMPOTENCY_RETENTION if stored.status else IN_FLIGHT_TIMEOUT
            ):
                return stored
            unit.api_keys.delete_idempotency_slot(owner, key)
        if unit.api_keys.open_idempotency_slot(owner, key, body_hash, slot.at):
            return slot
        raise Conflict(IN_FLIGHT, ErrorCode.IDEMPOTENCY_KEY_IN_USE)

    stored = services.store.write(work)
    if isinstance(stored, IdempotencySlot):
        if stored.body_hash != body_hash:
            raise IdempotencyConflict("Idempotency-Key was used before with another request")
        if stored.status is None:
            raise Conflict(IN_FLIGHT, ErrorCode.IDEMPOTENCY_KEY_IN_USE)
        return _decrypt(services, stored)
    return stored


def save_response(
    services: Services, unit: UnitOfWork, slot: OpenSlot, status: int, body: bytes
) -> None:
    """Store the response in the transaction of the work, so that both are stored or neither; may
    be repeated while the work goes on.

    Raises `Conflict` when the slot timed out and the same request was started again.
    """
    if not _is_open(unit, slot, status):
        raise Conflict("A request with this Idempotency-Key has overtaken this one")
    unit.api_keys.store_response(slot.owner, slot.key, status, _encrypt(services, body))


def save_sent_response(services: Services, slot: OpenSlot, status: int, body: bytes) -> None:
    """Store the response that was sent, when the work stored none or an earlier one. A later
    failure does not replace a stored response; a 503 frees the key for a retry."""

    def work(unit: UnitOfWork) -> None:
        if not _is_open(unit, slot, status):
            return
        if status == _UNKNOWN_OUTCOME:
            unit.api_keys.delete_idempotency_slot(slot.owner, slot.key)
        else:
            unit.api_keys.store_response(slot.owner, slot.key, status, _encrypt(services, body))

    services.store.write(work)


def _encrypt(services: Services, body: bytes) -> bytes:
    return _ENCRYPTED_PREFIX + services.vault.encrypt(body)


def _decrypt(services: Services, stored: IdempotencySlot) -> IdempotencySlot:
    if not stored.body.startswith(_ENCRYPTED_PREFIX):
        return stored
    try:
        return replace(stored, body=services.vault.decrypt(stored.body[len(_ENCRYPTED_PREFIX) :]))
    except ValueError as error:
        # The secret key that encrypted it is gone.
        raise Conflict("The answer of this Idempotency-Key can no longer be read") from error


def _is_open(unit: UnitOfWork, slot: OpenSlot, status: int) -> bool:
    """Whether the slot still belongs to this request and holds no response of another status."""
    stored = unit.api_keys.get_idempotency_slot(slot.owner, slot.key)
    return stored is not None and stored.at == slot.at and stored.status in (None, status)
