"""The lists that can be exported: their filters, their columns and their records, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, MissingInput
from crossway.domain.exports import ExportResource
from crossway.domain.filters import FilterSet
from crossway.domain.public_ids import MAX_PUBLIC_ID, PublicIds, RecordKind
from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.ports.search_repository import PaymentOrder, PaymentPlace
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.delivery_list import DeliveryQuery, parse_delivery_query
from crossway.usecases.developers.webhooks import require_owned
from crossway.usecases.instants import timestamp
from crossway.usecases.payments import export_rows as payment_rows
from crossway.usecases.payments.listing import narrow_filters
from crossway.usecases.payments.payment_list import ListQuery, parse_list_query
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps import export_rows as order_rows
from crossway.usecases.ramps.order_list import OrderQuery, parse_order_query

# Payments that are looked at for a batch, and for the first and last, for which a request waits.
BATCH_SIZE, BATCH_TESTED, BOUND_TESTED = 500, 50_000, 5_000
WEBHOOK: Final = "webhook_id"
_DELIVERY_COLUMNS: Final = (
    "id", "webhook_id", "event_id", "type", "resource", "resource_id", "state", "tries",
    "last_status", "last_error", "created_at", "updated_at",
)  # fmt: skip
_QUERIES: Final[Mapping[ExportResource, tuple[str, ...]]] = {
    ExportResource.INTENTS: tuple(one.name for one in fields(ListQuery)),
    ExportResource.RAMP_ORDERS: tuple(one.name for one in fields(OrderQuery)),
    ExportResource.DELIVERIES: (WEBHOOK, *(one.name for one in fields(DeliveryQuery))),
}
COLUMNS: Final[Mapping[ExportResource, tuple[str, ...]]] = {
    ExportResource.INTENTS: payment_rows.FIELDS,
    ExportResource.RAMP_ORDERS: order_rows.FIELDS,
    ExportResource.DELIVERIES: _DELIVERY_COLUMNS,
}


@dataclass(frozen=True, slots=True)
class SourcePage:
    """Rows of records with falling numbers, and the number behind which the list goes on; None at
    its end."""

    rows: Sequence[Mapping[str, Any]]
    place: int | None


class Source:
    """The records of one list that a caller may export."""

    def __init__(
        self,
        services: Services,
        caller: Principal,
        resource: ExportResource,
        filters: Mapping[str, object],
    ) -> None:
        """Raises `InvalidInput` for filters that the list does not have or that are wrong, and
        `NotFound` for the webhook of another client."""
        self._services, self._caller = services, caller
        texts = _parse_filters(resource, filters)
        self._payments: FilterSet | None = None
        if resource is ExportResource.INTENTS:
            parsed = parse_list_query(services, caller, ListQuery(**texts))
            self._payments = narrow_filters(caller, FilterSet(parsed))
        elif resource is ExportResource.RAMP_ORDERS:
            self._orders = caller.narrow(parse_order_query(services, OrderQuery(**texts)))
        else:
            webhook_id = _parse_webhook(services, caller, texts.pop(WEBHOOK, None))
            parsed_query = parse_delivery_query(webhook_id, DeliveryQuery(**texts))
            self._deliveries = caller.narrow(parsed_query)
        self._resource = resource

    def read_bounds(self) -> tuple[int, int]:
        """The number below which the records of now are, and one below which none of them are."""
        with self._services.store.read() as unit:
            newest, oldest = self._read_numbers(unit, False), self._read_numbers(unit, True)
        return (newest[0] + 1 if newest else 1), (oldest[0] if oldest else 1)

    def _read_numbers(self, unit: UnitOfWork, oldest: bool) -> list[int]:
        if self._payments is not None:
            order = PaymentOrder.OLDEST if oldest else PaymentOrder.NEWEST
            page = unit.search.filter_intents(self._payments, None, 1, BOUND_TESTED, order)
            reached = [page.searched_to.id] if page.searched_to is not None else []
            return [intent.id for intent in page.intents] or reached
        if self._resource is ExportResource.RAMP_ORDERS:
            orders = replace(self._orders, oldest_first=oldest, by_number=True)
            return [order.id for order in unit.orders.list_page(orders, 1)]
        wanted = replace(self._deliveries, oldest_first=oldest, by_number=True)
        return [delivery.id for delivery, _ in unit.deliveries.list_page(wanted, 1)]

    def read_page(self, before_id: int, limit: int) -> SourcePage:
        """The newest of the records with numbers below `before_id`, at most `limit`."""
        ids = ids_of(self._services)
        with self._services.store.read() as unit:
            if self._payments is not None:
                place = PaymentPlace(before_id)
                page = unit.search.filter_intents(self._payments, place, limit, BATCH_TESTED)
                rows = [payment_rows.payment_row(ids, intent) for intent in page.intents]
                numbers = [intent.id for intent in page.intents]
                if page.searched_to is not None:
                    return SourcePage(rows, page.searched_to.id)
            elif self._resource is ExportResource.RAMP_ORDERS:
                wanted = replace(self._orders, before_id=before_id, by_number=True)
                orders = unit.orders.list_page(wanted, limit)
                rows = [order_rows.order_row(ids, order) for order in orders]
                numbers = [order.id for order in orders]
            else:
                of_webhook = replace(self._deliveries, before_id=before_id, by_number=True)
                deliveries = unit.deliveries.list_page(of_webhook, limit)
                rows = [_delivery_row(ids, *delivery) for delivery in deliveries]
                numbers = [delivery.id for delivery, _ in deliveries]
        return SourcePage(rows, numbers[-1] if len(numbers) == limit else None)


def _parse_filters(resource: ExportResource, filters: Mapping[str, object]) -> dict[str, Any]:
    names = _QUERIES[resource]
    for name, value in filters.items():
        if name not in names:
            raise InvalidInput(f"filters of {resource} must name some of {', '.join(names)}")
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not isinstance(value, str) and not (name == WEBHOOK and is_number):
            raise InvalidInput(f"filters: {name} must be a text")
        if "\0" in str(value):
            # PostgreSQL cannot compare with it.
            raise InvalidInput(f"filters: {name} must not contain NUL")
    return {name: str(value) for name, value in filters.items()}


def _parse_webhook(services: Services, caller: Principal, text: str | None) -> int:
    if text is None:
        raise MissingInput("filters must have webhook_id: deliveries are exported by webhook")
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:17]) <= MAX_PUBLIC_ID):
        raise InvalidInput("filters: webhook_id must be a record number")
    webhook_id = ids_of(services).decode(RecordKind.WEBHOOK, int(text))
    with services.store.read() as unit:
        return require_owned(caller, unit.webhooks.get(webhook_id)).id


def _delivery_row(ids: PublicIds, delivery: Delivery, event: OutboxEvent) -> dict[str, Any]:
    values = (
        ids.encode(RecordKind.DELIVERY, delivery.id),
        ids.encode(RecordKind.WEBHOOK, delivery.webhook_id), event.event_id, event.type,
        event.kind, ids.encode(RecordKind(event.kind), event.resource_id),
        delivery.state.value.lower(), delivery.attempt_count, delivery.status, delivery.error,
        timestamp(delivery.created_at), timestamp(delivery.updated_at),
    )  # fmt: skip
    return dict(zip(_DELIVERY_COLUMNS, values, strict=True))
