"""The query of a client's list of webhook deliveries as a filter."""

from dataclasses import dataclass
from typing import Final

from crossway.domain.webhooks import DeliveryState
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.instants import parse_creation
from crossway.usecases.validation_errors import ValidationErrors

STATES: Final = tuple(state.value.lower() for state in DeliveryState)


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """The texts of a list's query; None where there is none."""

    state: str | None = None
    created_after: str | None = None
    created_before: str | None = None


def parse_delivery_query(webhook_id: int, query: DeliveryQuery) -> DeliveryFilter:
    """The filter of a query about a webhook; raises `InvalidInput` with every field error."""
    errors = ValidationErrors()
    if query.state is not None and query.state.lower() not in STATES:
        errors.add(f"state must be one of {', '.join(STATES)}")
    period = errors.collect(parse_creation, query.created_after, query.created_before)
    errors.raise_if_any()
    start, end = period or (None, None)
    states = (DeliveryState(query.state.upper()),) if query.state else ()
    return DeliveryFilter(webhook_id=webhook_id, states=states, start=start, end=end)
