"""Event queries: many recipients per query, page by page, smaller queries where a node objects."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crossway.adapters.chains.rpc import block_scan
from crossway.adapters.chains.rpc.client import NodeUnavailable, RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.starknet.felts import to_felt, to_hex_list
from crossway.adapters.chains.starknet.rpc_schemas import (
    PAGE_TOO_BIG,
    TOO_MANY_KEYS,
    TRANSFER,
    LocatedEvent,
    has_indexed_parties,
    parse_located_event,
    parse_transfer,
)

# A query with more pages covers too many blocks.
MAX_PAGES, FEW_PAGES = 40, 8
_MAX_PAGES_PER_BLOCK = 2_000
# After so many transfers with indexed recipients, a token counts as one that always has them.
_ENOUGH_TRANSFERS = 50


@dataclass
class QueryLimits(block_scan.QueryLimits):
    """Adds `page`: the number of events in one response."""

    page: int


@dataclass
class TransferLayouts:
    """Which tokens have recipients in the keys of their events: only those can be queried by
    recipient. Of the others, all transfers are read, which is always correct."""

    counts: dict[str, int] = field(default_factory=dict)

    def learn(self, events: Collection[LocatedEvent]) -> None:
        """Count transfers with indexed recipients; a token with a single other one never counts."""
        for located in events:
            if parse_transfer(located.event) is not None:
                token, indexed = located.event.address, has_indexed_parties(located.event)
                count = self.counts.get(token, 0)
                known = indexed and count >= 0
                self.counts[token] = min(count + 1, _ENOUGH_TRANSFERS) if known else -1

    def unsure(self, tokens: Collection[str]) -> list[str]:
        """The tokens whose transfers must all be read."""
        return sorted(t for t in tokens if self.counts.get(t, 0) < _ENOUGH_TRANSFERS)


@dataclass(frozen=True, slots=True)
class EventQuery:
    """A block range, both ends included. `keys` has the allowed values at each position (all where
    empty); `address` is the contract, any where empty."""

    first: int
    last: int
    keys: tuple[tuple[int, ...], ...]
    address: str = ""


def queries_by_receiver(
    limits: QueryLimits, first: int, last: int, to: Sequence[str]
) -> list[EventQuery]:
    """Queries for transfers of any token to these recipients."""
    felts = [to_felt(address) for address in to]
    size = limits.recipients
    return [
        EventQuery(first, last, ((TRANSFER,), (), tuple(felts[start : start + size])))
        for start in range(0, len(felts), size)
    ]


def query_by_token(first: int, last: int, token: str) -> EventQuery:
    """A query for all transfers of a token."""
    return EventQuery(first, last, ((TRANSFER,),), token)


def events_request(limits: QueryLimits, query: EventQuery, page: str = "") -> RpcRequest:
    """Request a page of events, by default the first one."""
    fields: dict[str, Any] = {
        "from_block": {"block_number": query.first},
        "to_block": {"block_number": query.last},
        "keys": [to_hex_list(values) for values in query.keys],
        "chunk_size": limits.page,
    }
    if query.address:
        fields["address"] = hex(to_felt(query.address))
    if page:
        fields["continuation_token"] = page
    return RpcRequest("starknet_getEvents", (fields,))


def read_events(
    session: RpcSession, limits: QueryLimits, query: EventQuery, result: Any
) -> list[LocatedEvent]:
    """The events in a result and in the pages after it. Where there are too many, or the node
    rejects the query's size, sends smaller queries."""
    events = _read_pages(session, limits, query, result, MAX_PAGES)
    if events is None:
        limits.blocks = max(1, (query.last - query.first + 1) // 2)
        middle = (query.first + query.last) // 2
        halves = [replace(query, last=middle), replace(query, first=middle + 1)]
        return fetch_events(session, limits, halves)
    return events


def read_if_few(
    session: RpcSession, limits: QueryLimits, query: EventQuery, result: Any
) -> list[LocatedEvent] | None:
    """As `read_events`; None where there are many pages in a range of several blocks."""
    return _read_pages(session, limits, query, result, FEW_PAGES)


def _read_pages(
    session: RpcSession, limits: QueryLimits, query: EventQuery, result: Any, max_pages: int
) -> list[LocatedEvent] | None:
    if isinstance(result, RpcError):
        return _read_smaller(session, limits, query, result)
    events, page = _parse_page(query, result)
    pages = 1
    while page:
        pages += 1
        if pages > max_pages and query.last > query.first:
            return None
        if pages > _MAX_PAGES_PER_BLOCK:
            raise NodeUnavailable("the node's pages of events do not end")
        more, page = _parse_page(query, session.call(events_request(limits, query, page))[0])
        events += more
    return events


def fetch_events(
    session: RpcSession, limits: QueryLimits, queries: Sequence[EventQuery]
) -> list[LocatedEvent]:
    """Send these queries and read all their events."""
    results = session.batch([events_request(limits, query) for query in queries])
    return [
        event
        for query, result in zip(queries, results, strict=True)
        for event in read_events(session, limits, query, result)
    ]


def _read_smaller(
    session: RpcSession, limits: QueryLimits, query: EventQuery, error: RpcError
) -> list[LocatedEvent]:
    if error.code == PAGE_TOO_BIG:
        return _read_smaller_pages(session, limits, query)
    recipients = query.keys[-1]
    if error.code == TOO_MANY_KEYS and len(recipients) > 1:
        half = len(recipients) // 2
        limits.recipients = max(1, min(limits.recipients, half))
        parts = recipients[:half], recipients[half:]
        queries = [replace(query, keys=(*query.keys[:-1], part)) for part in parts]
        return fetch_events(session, limits, queries)
    raise NodeUnavailable(f"the node returned an error: {error.message}")


def _read_smaller_pages(
    session: RpcSession, limits: QueryLimits, query: EventQuery
) -> list[LocatedEvent]:
    """Requests smaller pages, starting with the size that another query arrived at."""
    while True:
        result = session.batch([events_request(limits, query)])[0]
        if not isinstance(result, RpcError) or result.code != PAGE_TOO_BIG:
            return read_events(session, limits, query, result)
        if limits.page == 1:
            raise NodeUnavailable(f"the node rejects the smallest query: {result.message}")
        limits.page //= 2


def _parse_page(query: EventQuery, result: Any) -> tuple[list[LocatedEvent], str]:
    """A page's events, and the token of the next page; empty after the last."""
    page: Mapping[str, Any] = as_object(result, "events")
    events = [parse_located_event(event) for event in as_list(page.get("events"), "events")]
    for event in events:
        if not query.first <= event.height <= query.last or not _matches(query, event):
            raise MalformedResponse("the node returned events that were not requested")
    following = page.get("continuation_token")
    if following is not None and not isinstance(following, str):
        raise MalformedResponse("the node did not return a page of events")
    return events, following or ""


def _matches(query: EventQuery, located: LocatedEvent) -> bool:
    keys = located.event.keys
    if query.address and located.event.address != query.address:
        return False
    if len(keys) < len(query.keys):
        return False
    return all(not allowed or k in allowed for allowed, k in zip(query.keys, keys, strict=False))
