"""Idempotency keys: a slot is opened before the work, the response is stored with it, and replayed
for the same request. Each client has its keys once in test and once in live mode.

A request holds its slot by a lease, renewed for as long as it runs. The lease of a process that
was killed ends within seconds: then the same request may be started again under its key.
"""

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from crossway.domain.clients import Owner
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Conflict, DomainError, IdempotencyConflict
from crossway.ports.records import IdempotencySlot, KeyedRequest
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.authentication import IDEMPOTENCY_RETENTION

# How long a request that renews nothing holds its slot; renewed after a fourth.
LEASE_SECONDS: Final = 8
# What a repeat is told to wait: a client that repeats it three times outlasts the lease of a
# process that was killed.
RETRY_SECONDS: Final = 4
IN_FLIGHT: Final = "A request with this Idempotency-Key is still in flight"
_OVERTAKEN: Final = "A request with this Idempotency-Key has overtaken this one"
# An external service gave no answer and nothing was created: the request may be retried.
_UNKNOWN_OUTCOME = 503
# Responses are stored encrypted, as they show what the request was about.
_ENCRYPTED_PREFIX = b"sealed:"


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot whose request is in flight; `holder` distinguishes the request from a later one, `at`
    is when the first request with the key came. `is_repeat`: an earlier request had the slot, and
    left no response."""

    owner: Owner
    key: str
    holder: str
    at: datetime
    is_repeat: bool = False

    @property
    def reference(self) -> str:
        """What is equal for all requests that are started in this slot, and for no others."""
        parts = (self.owner.client_id, self.owner.mode.value, self.at.isoformat(), self.key)
        return sha256("\n".join(parts).encode()).hexdigest()


def open_slot(
    services: Services, owner: Owner, key: str, body_hash: str
) -> OpenSlot | IdempotencySlot:
    """Open a slot for the first request with a key, take over that of a request whose process is
    gone, or return the stored response of a repeat.

    Raises `IdempotencyConflict` when the key was used with another request, and `Conflict` while
    that request is in flight.
    """
    now, holder = services.clock.now(), secrets.token_hex(8)
    request = KeyedRequest(owner, key, body_hash)

    def work(unit: UnitOfWork) -> OpenSlot | IdempotencySlot:
        stored = unit.api_keys.get_idempotency_slot(owner, key)
        if (taken := _take(unit, request, stored, now, holder)) is not None:
            return taken
        if unit.api_keys.open_idempotency_slot(owner, key, body_hash, now, holder, LEASE_SECONDS):
            return OpenSlot(owner, key, holder, now)
        raise _in_flight_error()

    slot = services.store.write(work)
    return _decrypt(services, slot) if isinstance(slot, IdempotencySlot) else slot


def _take(
    unit: UnitOfWork,
    request: KeyedRequest,
    stored: IdempotencySlot | None,
    now: datetime,
    holder: str,
) -> OpenSlot | IdempotencySlot | None:
    """What a key says that is `stored`: the response to a repeat, or the slot of a request that is
    gone; None where the key is free. Raises as `open_slot`."""
    owner, key = request.owner, request.key
    if stored is not None and stored.at < now - IDEMPOTENCY_RETENTION:
        unit.api_keys.delete_idempotency_slot(owner, key)
        stored = None
    if stored is None:
        return None
    _require_same(request, stored.body_hash)
    if stored.status is not None:
        return stored
    if unit.api_keys.take_over_idempotency_slot(owner, key, holder, LEASE_SECONDS):
        return OpenSlot(owner, key, holder, stored.at, is_repeat=True)
    raise _in_flight_error()


@contextmanager
def in_flight(services: Services, request: KeyedRequest) -> Iterator[None]:
    """Hold a key in this process for the length of a `with` block, for a request that stores its
    slot with its response. Raises as `open_slot` where another request of this process holds it."""
    held, place = services.process.keys_in_flight, (request.owner, request.key)
    if (other := held.setdefault(place, request)) is not request:
        _require_same(request, other.body_hash)
        raise _in_flight_error()
    try:
        yield
    finally:
        del held[place]


def find_response(services: Services, request: KeyedRequest) -> IdempotencySlot | None:
    """The stored response to a repeat; None for any other request. Opens no slot."""
    place = request.owner, request.key
    with services.store.read() as unit:
        stored = unit.api_keys.find_idempotency_slots([place]).get(place)
    if stored is None or stored.status is None or stored.body_hash != request.body_hash:
        return None
    outdated = stored.at < services.clock.now() - IDEMPOTENCY_RETENTION
    return None if outdated else _decrypt(services, stored)


def claim(
    services: Services, unit: UnitOfWork, requests: Sequence[KeyedRequest]
) -> list[OpenSlot | IdempotencySlot | DomainError]:
    """As `open_slot` for several requests in the transaction of their work, with the errors in the
    place of those that get one. A new slot is stored by `save_responses`."""
    now, holder = services.clock.now(), secrets.token_hex(8)
    stored = unit.api_keys.find_idempotency_slots([(one.owner, one.key) for one in requests])
    claims: list[OpenSlot | IdempotencySlot | DomainError] = []
    for one in requests:
        try:
            slot = _take(unit, one, stored.get((one.owner, one.key)), now, holder)
            if isinstance(slot, IdempotencySlot):
                slot = _decrypt(services, slot)
            claims.append(slot or OpenSlot(one.owner, one.key, holder, now))
        except (Conflict, IdempotencyConflict) as error:
            claims.append(error)
    return claims


def save_responses(
    services: Services,
    unit: UnitOfWork,
    responses: Sequence[tuple[KeyedRequest, OpenSlot, int, bytes]],
) -> None:
    """Store the responses to requests that `claim` gave slots; a 503 is not stored, so that the
    request may be sent again. Raises `Conflict` when a slot was lost, and where another process has
    stored the key meanwhile, the work is to be done again."""
    new = []
    for request, slot, status, body in responses:
        if status == _UNKNOWN_OUTCOME:
            if slot.is_repeat:
                unit.api_keys.release_idempotency_slot(slot.owner, slot.key, slot.holder)
        elif slot.is_repeat:
            save_response(services, unit, slot, status, body)
        else:
            body_hash = request.body_hash
            answered = IdempotencySlot(
                body_hash, slot.at, status, _encrypt(services, body), slot.holder
            )
            new.append((slot.owner, slot.key, answered))
    # In the order of their keys, so that processes that store equal keys do not block each other.
    unit.api_keys.add_idempotency_slots(sorted(new, key=lambda one: (one[0].client_id, one[1])))


def renew_slots(services: Services, slots: Collection[OpenSlot]) -> None:
    """Hold the slots of requests that still run; raises `StorageUnavailable`."""
    held = [(slot.owner, slot.key, slot.holder) for slot in slots]
    services.store.write(lambda unit: unit.api_keys.renew_idempotency_slots(held, LEASE_SECONDS))


def save_response(
    services: Services, unit: UnitOfWork, slot: OpenSlot, status: int, body: bytes
) -> None:
    """Store the response in the transaction of the work, so that both are stored or neither; may
    be repeated while the work goes on.

    Raises `Conflict` when the slot was lost and the same request was started again.
    """
    if not _store(services, unit, slot, status, body):
        raise Conflict(_OVERTAKEN)


def save_final_response(services: Services, slot: OpenSlot, status: int, body: bytes) -> None:
    """Store the response that is sent next, when the work stored none or an earlier one. A later
    failure does not replace a stored response; a 503 frees the key for a retry.

    Raises `Conflict` when the slot was lost: the key has the response of the request that was
    started again, and this one may have been refused for what that one did.
    """

    def work(unit: UnitOfWork) -> None:
        if status == _UNKNOWN_OUTCOME:
            unit.api_keys.release_idempotency_slot(slot.owner, slot.key, slot.holder)
        elif not _store(services, unit, slot, status, body):
            current = unit.api_keys.get_idempotency_slot(slot.owner, slot.key)
            if current is not None and current.holder != slot.holder:
                raise Conflict(_OVERTAKEN, ErrorCode.IDEMPOTENCY_KEY_IN_USE)

    services.store.write(work)


def _store(services: Services, unit: UnitOfWork, slot: OpenSlot, status: int, body: bytes) -> bool:
    encrypted = _encrypt(services, body)
    return unit.api_keys.store_response(slot.owner, slot.key, slot.holder, status, encrypted)


def _require_same(request: KeyedRequest, body_hash: str) -> None:
    if request.body_hash != body_hash:
        raise IdempotencyConflict("Idempotency-Key was used before with another request")


def _in_flight_error() -> Conflict:
    return Conflict(IN_FLIGHT, ErrorCode.IDEMPOTENCY_KEY_IN_USE)


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
