"""Lists of payments by conditions: a page of them, how many there are, all of them."""

from collections.abc import Iterator

from crossway.domain.clients import Caller, Scope
from crossway.domain.conditions import Conditions, Subject
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State
from crossway.ports.finding_records import Sifted, Tally
from crossway.ports.services import Services

MOST_PAGE = 100
MOST_COUNTED = 10_000
PATIENCE, COUNTING = 0.08, 0.03  # seconds that a page and its count may be looked for
_AT_ONCE, _LONGER = 500, 1.0


def sift(
    services: Services, caller: Caller, wanted: Conditions, before_id: int | None, limit: int
) -> Sifted:
    """A page of the caller's payments, newest first, of those older than a number. Where few of
    many meet the conditions the search stops after a while and says how far it came."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    with services.store.read() as unit:
        return unit.finding.sift(wanted, _client(caller), before_id, limit, PATIENCE)


def tally(services: Services, caller: Caller, wanted: Conditions) -> Tally:
    """How many payments of the caller's meet the conditions: exactly where that is cheap, else no
    further than `MOST_COUNTED`."""
    caller.needs(Scope.READ)
    client = _client(caller)
    with services.store.read() as unit:
        if (states := _states_alone(wanted)) is not None:
            counts = unit.intents.counts(client)
            return Tally(sum(n for state, n in counts.items() if state in states))
        return unit.finding.tally(wanted, client, MOST_COUNTED, COUNTING)


def every(services: Services, caller: Caller, wanted: Conditions) -> Iterator[Intent]:
    """All of the caller's payments that meet the conditions, newest first, however many; never
    more than a few hundred are held at once."""
    caller.needs(Scope.READ)
    client, before = _client(caller), None
    while True:
        with services.store.read() as unit:
            page = unit.finding.sift(wanted, client, before, _AT_ONCE, _LONGER)
        yield from page.intents
        if page.searched_to is not None:
            before = page.searched_to
        elif len(page.intents) == _AT_ONCE:
            before = page.intents[-1].id
        else:
            return


def _client(caller: Caller) -> str | None:
    return None if caller.operator else caller.client.id


def _states_alone(wanted: Conditions) -> frozenset[State] | None:
    """The states that are asked for, when nothing else is; they are counted as they change."""
    if not wanted:
        return frozenset(State)
    if wanted.some or len(wanted.every) > 1:
        return None
    [one] = wanted.every
    if one.subject is not Subject.STATE:
        return None
    return frozenset(state for state in State if (state.value in one.values) != one.negated)
