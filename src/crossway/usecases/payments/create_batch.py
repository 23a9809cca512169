"""Create many intents with one request: all of them or none, or each that can be created."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.create_intent import NewIntent, prepare_intents, store_intents
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.pricing.exposure_limit import ExposureExceeded
from crossway.usecases.validation_errors import ValidationErrors

MAX_INTENTS: Final = 500
# A refusal of all names as many of the intents that were refused; more nobody reads.
_MAX_NAMED: Final = 20
Asked = CreateIntentRequest | InvalidInput
Outcomes = Sequence[Intent | Exception]


class BatchMode(StrEnum):
    """What becomes of the others where one intent cannot be created."""

    ALL = "all"
    EACH = "each"


def create_batch(
    services: Services,
    caller: Principal,
    mode: str,
    asked: Sequence[Asked],
    on_stored: Callable[[UnitOfWork, Outcomes], None] = lambda unit, outcomes: None,
) -> Outcomes:
    """Create 1 to `MAX_INTENTS` intents in one transaction, in which `on_stored` runs as well. For
    each the intent, or in the mode `each` what `create_intent` raises for it.

    Raises `InvalidInput` for another mode or number, and in the mode `all` what is wrong with those
    that cannot be created; a field of one is named as `intents[3].amount`.
    """
    caller.require_scope(Scope.WRITE)
    chosen = _parse_mode(mode, len(asked))
    prepared = prepare_intents(services, [(caller, one) for one in asked])
    if chosen is BatchMode.ALL:
        _require_all(prepared)

    def store(unit: UnitOfWork) -> Outcomes:
        new = [one for one in prepared if isinstance(one, NewIntent)]
        if chosen is BatchMode.ALL:
            stored: Outcomes = store_intents(services, unit, new)
        else:
            stored = _store_each(services, unit, new)
        rest = iter(stored)
        outcomes = [one if isinstance(one, Exception) else next(rest) for one in prepared]
        on_stored(unit, outcomes)
        return outcomes

    outcomes = services.store.write(store)
    services.process.failpoint("created")
    return outcomes


def _parse_mode(mode: str, count: int) -> BatchMode:
    errors = ValidationErrors()
    if mode not in tuple(BatchMode):
        errors.add(f"mode must be {' or '.join(BatchMode)}")
    if not 1 <= count <= MAX_INTENTS:
        errors.add(f"intents must be a list of 1 to {MAX_INTENTS} intents")
    errors.raise_if_any()
    return BatchMode(mode)


def _require_all(prepared: Sequence[NewIntent | Exception]) -> None:
    """Raise what is wrong with those that are refused, or why some get no answer now."""
    failed = [(place, one) for place, one in enumerate(prepared) if isinstance(one, Exception)]
    for _, error in failed:
        if not isinstance(error, InvalidInput):
            raise error
    if failed:
        raise InvalidInput.of(
            [
                _of_intent(place, one)
                for place, error in failed[:_MAX_NAMED]
                if isinstance(error, InvalidInput)
                for one in error.field_errors
            ]
        )


def _of_intent(place: int, error: FieldError) -> FieldError:
    path = f"intents[{place}]"
    if error.code is ErrorCode.BODY_INVALID:
        return FieldError(f"{path} must be a JSON object", error.code, (path,))
    names = tuple(f"{path}.{name}" for name in error.names)
    return FieldError(f"{path}.{error.text}", error.code, names)


def _store_each(
    services: Services, unit: UnitOfWork, new: Sequence[NewIntent]
) -> list[Intent | Exception]:
    """Store those that fit into the limits of exposure, the first ones first; halves are tried
    until the ones that do not fit are found."""
    if not new:
        return []
    try:
        with unit.savepoint():
            return list(store_intents(services, unit, new))
    except ExposureExceeded as error:
        if len(new) == 1:
            return [error]
    middle = len(new) // 2
    first = _store_each(services, unit, new[:middle])
    return first + _store_each(services, unit, new[middle:])
