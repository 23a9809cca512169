"""The SQL conditions of a list of ramp orders, and which orders an index names first for it."""

from typing import Any

from sqlalchemy import Select, select, text, union_all

from crossway.domain.ramps import ProviderName
from crossway.ports.ramp_repository import OrderFilter
from crossway.storage.creation_sql import behind, created_between, created_within, sort
from crossway.storage.owner_sql import is_owned
from crossway.storage.ramp_tables import orders


def apply_filter(query: Select[Any], filter: OrderFilter) -> Select[Any]:
    """The query with the conditions of a filter."""
    c = orders.c
    equals = {
        c.client_id: filter.client_id,
        c.mode: filter.mode,
        c.direction: filter.direction,
        c.provider: filter.provider,
        c.currency: filter.currency,
    }
    wanted = {column: [value] for column, value in equals.items() if value is not None}
    if filter.states:
        wanted[c.state] = [state.value for state in filter.states]
    # Appending nothing leaves the index of creation as the one to take.
    for column, values in wanted.items():
        kept = column + "" if filter.by_time else column
        query = query.where(kept.in_(values) if len(values) > 1 else kept == values[0])
    if filter.customer_ids:
        query = query.where(c.customer_id.in_(filter.customer_ids))
    created = created_within(c.created_at, filter.start, filter.end)
    if filter.by_number:
        created = created_between(c.id, c.created_at, filter.start, filter.end)
    query = query.where(*created)
    return query.where(_matches(filter.text)) if filter.text else query


def sort_page(query: Select[Any], filter: OrderFilter) -> Select[Any]:
    """The query behind the place of a filter, in its order: by number, and within a period by the
    time of creation."""
    c, oldest_first = orders.c, filter.oldest_first
    place = filter.after_id if oldest_first else filter.before_id
    if filter.by_time:
        query = query.where(behind(c.id, c.created_at, place, oldest_first))
        return query.order_by(*sort(c.id, c.created_at, oldest_first))
    if place is not None:
        query = query.where(c.id > place if oldest_first else c.id < place)
    return query.order_by(c.id.asc() if oldest_first else c.id.desc())


def select_first(filter: OrderFilter) -> Select[Any]:
    """The ids of the orders among which a filter's are looked for, as an index has them."""
    c, query = orders.c, select(orders.c.id)
    if filter.text:
        return query.where(_matches(filter.text))
    if filter.customer_ids:
        return query.where(c.customer_id.in_(filter.customer_ids))
    if filter.start is not None or filter.end is not None:
        query = query.where(*created_within(c.created_at, filter.start, filter.end))
        return query.order_by(*sort(c.id, c.created_at, oldest_first=False))
    if filter.client_id is not None:
        query = query.where(*is_owned(orders, filter))
    return query.order_by(c.id.desc())


def _matches(value: str) -> Any:
    """Orders with an identifying column that equals the text, each found by its own index."""
    c = orders.c
    exact = (c.reference, c.intent_address, c.sender, c.recipient, c.provider_tx)
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 18 else -1
    of_provider = select(c.id).where(
        c.provider.in_([name.value for name in ProviderName]),
        # A literal, so that the planner uses the partial index.
        text("provider_reference <> ''"),
        c.provider_reference == value,
    )
    by_column = (select(c.id).where(column == value) for column in exact)
    return c.id.in_(union_all(*by_column, of_provider, select(c.id).where(c.id == number)))
