"""The list of payments that a client reads: its query as filters, and one page of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import NO_BRIDGE, Filter, FilterField, FilterSet
from crossway.domain.intent import CREATE_VOCABULARY, READ_VOCABULARY, Intent, State
from crossway.domain.quotes import BridgeName
from crossway.ports.records import IntentFilter
from crossway.ports.search_repository import PaymentPlace
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_known_chain
from crossway.usecases.instants import parse_creation
from crossway.usecases.payments import intents, listing
from crossway.usecases.validation_errors import ValidationErrors


def _list_states(word: str) -> tuple[State, ...]:
    return tuple(s for s in State if word in (CREATE_VOCABULARY[s], READ_VOCABULARY[s]))


# Of both vocabularies of the specification; a word that is in both means the same in both.
STATUSES: Final = MappingProxyType(
    {
        word.lower(): _list_states(word)
        for word in dict.fromkeys((*CREATE_VOCABULARY.values(), *READ_VOCABULARY.values()))
    }
)
BRIDGE_VALUES: Final = (*(name.value for name in BridgeName), NO_BRIDGE)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The texts of a list's query; None where there is none."""

    status: str | None = None
    source_chain: str | None = None
    destination_chain: str | None = None
    sender: str | None = None
    recipient: str | None = None
    payment_link_id: str | None = None
    bridge: str | None = None
    token: str | None = None
    reference: str | None = None
    created_after: str | None = None
    created_before: str | None = None


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page of payments, newest first. `total` is how many match, at least that where it
    `is_minimum`. `next_id` is the number behind which the list goes on, None at its end."""

    intents: list[Intent]
    total: int
    is_minimum: bool
    next_id: int | None


def parse_list_query(services: Services, caller: Principal, query: ListQuery) -> tuple[Filter, ...]:
    """The filters of a query; raises `InvalidInput` with every field error."""
    errors, filters = ValidationErrors(), list[Filter]()
    for name, (field, parse) in _FIELDS.items():
        text = getattr(query, name)
        if text is None:
            continue
        values = errors.collect(parse, services, caller, text, name)
        if values is not None:
            filters.append(Filter(field, values))
    period = errors.collect(parse_creation, query.created_after, query.created_before)
    if period is not None and period != (None, None):
        start, end = (None if at is None else (at - _EPOCH) // _MICROSECOND for at in period)
        filters.append(Filter(FilterField.CREATED, (), start, end))
    errors.raise_if_any()
    return tuple(filters)


def list_page(
    services: Services,
    caller: Principal,
    filters: tuple[Filter, ...],
    before_id: int | None,
    limit: int,
    offset: int = 0,
) -> ListedPage:
    """One page of the caller's payments behind a number. Where few of many payments match, a page
    may have fewer than `limit` and still go on. Raises `InvalidInput` for an offset with filters
    that only a cursor pages."""
    plain = _as_intent_filter(filters, before_id)
    if offset and plain is None:
        raise InvalidInput(
            "offset can be combined with status, source_chain, destination_chain and sender only: "
            "page with cursor"
        )
    if plain is not None and (offset or not filters):
        return _list_in_full(services, caller, filters, plain, limit, offset)
    after = None if before_id is None else PaymentPlace(before_id)
    page, count = listing.list_page(services, caller, FilterSet(filters), after, limit)
    next_place = page.searched_to
    if plain is not None and next_place and all(f.field is FilterField.STATE for f in filters):
        # Clients page a list by status with an offset, too: its pages are never short.
        return _list_in_full(services, caller, filters, plain, limit)
    if next_place is None and len(page.intents) == limit:
        last = PaymentPlace(page.intents[-1].id)
        # The count of a first page says so already.
        more = before_id is None and count.count > limit
        more = more or listing.has_more(services, caller, FilterSet(filters), last)
        next_place = last if more else None
    next_id = None if next_place is None else next_place.id
    return ListedPage(list(page.intents), count.count, count.more, next_id)


def _list_in_full(
    services: Services,
    caller: Principal,
    filters: tuple[Filter, ...],
    plain: IntentFilter,
    limit: int,
    offset: int = 0,
) -> ListedPage:
    """A page that has `limit` payments if there are so many, however long that takes."""
    found = intents.list_page(services, caller, plain, limit, offset)
    count = listing.count(services, caller, FilterSet(filters))
    last_id = found[-1].id if len(found) == limit else None
    if last_id is not None and not intents.has_more(services, caller, plain, last_id):
        last_id = None
    shown = offset + len(found) if found else 0
    return ListedPage(found, max(count.count, shown), count.more, last_id)


def _as_intent_filter(filters: tuple[Filter, ...], before_id: int | None) -> IntentFilter | None:
    """The filters that a list with an offset has; None when there are others."""
    states: tuple[State, ...] = ()
    texts: dict[FilterField, str] = {}
    for one in filters:
        if one.field is FilterField.STATE:
            states = tuple(State(value) for value in one.values)
        elif one.field in (FilterField.SOURCE, FilterField.DESTINATION, FilterField.SENDER):
            texts[one.field] = one.values[0]
        else:
            return None
    return IntentFilter(
        states=states,
        source_chain=texts.get(FilterField.SOURCE),
        destination_chain=texts.get(FilterField.DESTINATION),
        sender=texts.get(FilterField.SENDER),
        before_id=before_id,
    )


def _parse_status(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    states = STATUSES.get(text.lower())
    if states is None:
        raise InvalidInput(f"{field} must be one of {', '.join(STATUSES)}")
    return tuple(state.value for state in states)


def _parse_chain(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    return (parse_known_chain(services, caller, text, field).id,)


def _parse_wallet(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    """A wallet of any chain, in its canonical spelling; what is none belongs to no payment."""
    return (intents.canonical_address(services, text) or text,)


def _parse_bridge(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    if text not in BRIDGE_VALUES:
        raise InvalidInput(f"{field} must be one of {', '.join(BRIDGE_VALUES)}")
    return (text,)


def _parse_token(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    return (services.catalogue.symbol(text, field),)


def _parse_text(services: Services, caller: Principal, text: str, field: str) -> tuple[str, ...]:
    return (text,)


_Parser = Callable[[Services, Principal, str, str], tuple[str, ...]]
_FIELDS: Final[Mapping[str, tuple[FilterField, _Parser]]] = MappingProxyType(
    {
        "status": (FilterField.STATE, _parse_status),
        "source_chain": (FilterField.SOURCE, _parse_chain),
        "destination_chain": (FilterField.DESTINATION, _parse_chain),
        "sender": (FilterField.SENDER, _parse_wallet),
        "recipient": (FilterField.RECIPIENT, _parse_wallet),
        "payment_link_id": (FilterField.LINK, _parse_text),
        "bridge": (FilterField.BRIDGE, _parse_bridge),
        "token": (FilterField.TOKEN, _parse_token),
        "reference": (FilterField.REFERENCE, _parse_text),
    }
)
