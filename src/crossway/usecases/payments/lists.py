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
PATIENCE, COUNTING = 0.08, 0.015  # seconds that a page and its count may be looked for
_AT_ONCE, _LONGER = 500, 1.0


def page(
    services: Services, caller: Caller, wanted: Conditions, before_id: int | None, limit: int
) -> tuple[Sifted, Tally]:
    """A page of the caller's payments, newest first, of those older than a number, and how many
    there are in all. Where few of many meet the conditions the search stops after a while and says
    how far it came; the count is exact where that is cheap, else goes no further than
    `MOST_COUNTED`."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    client = _client(caller)
    with services.store.read() as unit:
        found = unit.finding.sift(wanted, client, before_id, limit, PATIENCE)
        if (states := _states_alone(wanted)) is not None:
            counts = unit.intents.counts(client)
            return found, Tally(sum(n for state, n in counts.items() if state in states))
        if before_id is None and found.searched_to is None and len(found.intents) < limit:
            return found, Tally(len(found.intents))
        return found, unit.finding.tally(wanted, client, MOST_COUNTED, COUNTING)


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
