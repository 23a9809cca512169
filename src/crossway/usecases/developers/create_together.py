"""Create the intents of several requests in one transaction, which holds their idempotency keys and
responses as well."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError, StorageUnavailable
from crossway.domain.intent import Intent
from crossway.ports.records import IdempotencySlot, KeyedRequest
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import idempotency
from crossway.usecases.developers.idempotency import OpenSlot
from crossway.usecases.payments.create_intent import NewIntent, prepare_intents, store_intents
from crossway.usecases.payments.intent_request import CreateIntentRequest


class Answer(Protocol):
    """What a caller is told."""

    @property
    def status_code(self) -> int: ...

    @property
    def body(self) -> bytes | memoryview: ...


A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class CreateCall(Generic[A]):
    """A request to create an intent, with its idempotency key if it has one.

    `asked` is the request, or what came of it already: its intent, or the error of one that could
    not be read. `respond` makes the response to the stored intent or to an error; it may be called
    again, and only the last response counts.
    """

    caller: Principal
    asked: CreateIntentRequest | NewIntent | Exception
    keyed: KeyedRequest | None
    respond: Callable[[Intent | Exception], A]


def quotes_in_process(services: Services) -> bool:
    """Whether nothing that a quote needs is asked over a network."""
    return services.environment == "simulated" and all(b.runs_in_process for b in services.bridges)


def prepare_alone(services: Services, call: CreateCall[A]) -> CreateCall[A] | IdempotencySlot:
    """A call with its intent, for one whose quotes take their time: no other waits for it. A repeat
    gets its response, and asks for no quote."""
    if call.keyed is not None:
        stored = idempotency.find_response(services, call.keyed)
        if stored is not None:
            return stored
    return replace(call, asked=_prepare(services, [call])[0])


def create_together(
    services: Services, calls: Sequence[CreateCall[A]]
) -> list[A | IdempotencySlot]:
    """The response to each call, or the stored one of an earlier call with its key. One that fails
    leaves the others as they are."""
    outcomes = _settle(services, list(zip(calls, _prepare(services, calls), strict=True)))
    services.process.failpoint("created")
    return outcomes


def _prepare(services: Services, calls: Sequence[CreateCall[A]]) -> list[NewIntent | Exception]:
    requests = [(one.caller, one.asked) for one in calls if not isinstance(one.asked, NewIntent)]
    prepared = iter(prepare_intents(services, requests))
    return [one.asked if isinstance(one.asked, NewIntent) else next(prepared) for one in calls]


def _settle(
    services: Services, work: Sequence[tuple[CreateCall[A], NewIntent | Exception]]
) -> list[A | IdempotencySlot]:
    """What each call is told, with the transaction that it takes."""
    stored = [one for one in work if one[0].keyed is not None or isinstance(one[1], NewIntent)]
    told = iter(_write(services, stored) if stored else ())
    # A call without a key that was refused has nothing to store.
    return [
        call.respond(prepared)
        if call.keyed is None and isinstance(prepared, Exception)
        else next(told)
        for call, prepared in work
    ]


def _write(
    services: Services, work: Sequence[tuple[CreateCall[A], NewIntent | Exception]]
) -> list[A | IdempotencySlot]:
    """Store everything in one transaction. If that fails, each call is repeated alone; and if it
    fails again, its error is what is stored."""
    try:
        return services.store.write(partial(_store, services, work))
    except StorageUnavailable as error:
        return [call.respond(error) for call, _ in work]
    except Exception as error:
        if len(work) > 1:
            return [outcome for one in work for outcome in _settle(services, [one])]
        [(call, prepared)] = work
        if isinstance(prepared, Exception):
            return [call.respond(error)]
        return _settle(services, [(call, error)])


def _store(
    services: Services,
    work: Sequence[tuple[CreateCall[A], NewIntent | Exception]],
    unit: UnitOfWork,
) -> list[A | IdempotencySlot]:
    keyed = [call.keyed for call, _ in work if call.keyed is not None]
    claims = iter(idempotency.claim(services, unit, keyed))
    claimed = [(*one, next(claims) if one[0].keyed is not None else None) for one in work]
    new = [
        prepared
        for _, prepared, slot in claimed
        if isinstance(prepared, NewIntent) and (slot is None or isinstance(slot, OpenSlot))
    ]
    stored = iter(store_intents(services, unit, new))
    outcomes: list[A | IdempotencySlot] = []
    responses = []
    for call, prepared, slot in claimed:
        if isinstance(slot, IdempotencySlot):
            outcomes.append(slot)
        elif isinstance(slot, DomainError):
            outcomes.append(call.respond(slot))
        else:
            came_of_it = next(stored) if isinstance(prepared, NewIntent) else prepared
            response = call.respond(came_of_it)
            outcomes.append(response)
            if call.keyed is not None and slot is not None:
                responses.append((call.keyed, slot, response.status_code, bytes(response.body)))
    idempotency.save_responses(services, unit, responses)
    return outcomes
