"""`/v1/ramp/orders`: create, read, confirm and cancel orders; and webhooks of providers."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.errors import ErrorShape, error_format
from crossway.api.expansion import OF_ORDERS, ExpandOrders, expand_orders
from crossway.api.idempotency import is_repeat, store_response
from crossway.api.query_params import CreatedAfter, CreatedBefore, FiatCurrency, Provider
from crossway.api.record_numbers import OrderNumber, format_cursor, parse_cursor
from crossway.api.schemas import expanded
from crossway.api.schemas import ramp_orders as wire
from crossway.api.schemas.error_responses import ActionFailed, error_responses
from crossway.api.schemas.fields import INTENT, request_body_schema
from crossway.api.schemas.kyc import KycNeeded
from crossway.api.schemas.ramps import PROVIDERS, TYPES
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.clients import Principal
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import OrderState, RampOrder
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps import order_bridges
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps import provider_updates as ramp_reports
from crossway.usecases.ramps.order_list import (
    STATES,
    OrderQuery,
    count_orders,
    has_more,
    parse_order_query,
)
from crossway.usecases.ramps.related import parse_expand
from crossway.usecases.validation_errors import ValidationErrors

router = APIRouter(prefix="/v1/ramp", tags=["Ramps"])
NewOrder = Annotated[wire.CreateOrder, Depends(wire.CreateOrder.from_request)]
# Status 400 may be a required KYC check.
FAILURES = {**error_responses(503, post=True), 400: error_responses(400, own=KycNeeded)[400]}


@dataclass(frozen=True, slots=True)
class Page:
    """The query of a list of orders."""

    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 20
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Number of results to skip.")] = 0
    status: Annotated[
        str | None, Query(description="Their status.", json_schema_extra={"enum": list(STATES)})
    ] = None
    type: Annotated[
        str | None, Query(description="The direction.", json_schema_extra={"enum": list(TYPES)})
    ] = None
    provider: Provider = None
    fiatCurrency: FiatCurrency = None
    cursor: Annotated[str | None, Query(description="`nextCursor` of the previous page.")] = None
    created_after: CreatedAfter = None
    created_before: CreatedBefore = None
    expand: ExpandOrders = None


@router.post(
    "/orders",
    status_code=201,
    response_model=wire.OrderOut,
    responses=FAILURES,
    openapi_extra=request_body_schema(wire.CreateOrder),
    summary="Create a ramp order",
    operation_id="createRampOrder",
)
def create(request: Request, services: ServicesDep, caller: Writer, body: NewOrder) -> JsonResponse:
    """Create an on-ramp or off-ramp order with a provider."""

    store = store_response(request, _created)

    def save(unit: UnitOfWork, order: RampOrder) -> None:
        bridge = order_bridges.load_order_bridges(unit, [order]).get(order.id)
        store(unit, wire.OrderOut.from_order(ids_of(services), order, bridge))

    order = ramp_orders.create_order(services, caller, body.to_request(), save)
    return _created(_shown(services, order))


@router.get(
    "/orders",
    response_model=expanded.OrderPage,
    responses=error_responses(400),
    summary="List ramp orders",
    operation_id="listRampOrders",
)
def listed(
    request: Request, services: ServicesDep, caller: Reader, page: Annotated[Page, Depends()]
) -> JsonResponse:
    """The client's orders, newest first. `cursor` pages without skipping or repeating any."""
    filters, expand = _parse_query(services, page)
    orders = ramp_orders.list_orders(services, caller, filters, page.limit, page.offset)
    count = count_orders(services, caller, filters)
    more = len(orders) == page.limit and has_more(services, caller, filters, orders[-1].id)
    return JsonResponse(
        expanded.OrderPage(
            orders=expand_orders(request, services, caller, orders, expand),
            total=max(count.count, page.offset + len(orders) if orders else 0),
            totalIsMinimum=count.more,
            limit=page.limit,
            offset=page.offset,
            nextCursor=format_cursor(services, RecordKind.ORDER, orders[-1].id) if more else None,
        )
    )


def _created(order: wire.OrderOut) -> JsonResponse:
    return JsonResponse(order, 201)


def _shown(services: Services, order: RampOrder) -> wire.OrderOut:
    bridges = order_bridges.get_order_bridges(services, [order])
    return wire.OrderOut.from_order(ids_of(services), order, bridges.get(order.id))


def _parse_query(services: Services, page: Page) -> tuple[OrderFilter, frozenset[str]]:
    errors = ValidationErrors()
    query = OrderQuery(
        page.status,
        page.type,
        page.provider,
        page.fiatCurrency,
        page.created_after,
        page.created_before,
    )
    filters = errors.collect(parse_order_query, services, query) or OrderFilter()
    before = errors.collect(parse_cursor, services, RecordKind.ORDER, page.cursor)
    expand = errors.collect(parse_expand, page.expand, OF_ORDERS) or frozenset()
    errors.raise_if_any()
    return replace(filters, before_id=before), expand


@router.get(
    "/orders/by-intent/{intentAddress}",
    response_model=expanded.ExpandedOrder,
    responses=error_responses(400, 404),
    summary="Get a ramp order by its intent",
    operation_id="getRampOrderByIntent",
)
def by_intent(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    intentAddress: Annotated[str, Path(description="The intent's address.", examples=[INTENT])],
    expand: ExpandOrders = None,
) -> JsonResponse:
    """The order of an intent."""
    names = parse_expand(expand, OF_ORDERS)
    order = ramp_orders.get_order_by_intent(services, caller, intentAddress)
    return JsonResponse(expand_orders(request, services, caller, [order], names)[0])


@router.get(
    "/orders/{id}",
    response_model=expanded.ExpandedOrder,
    responses=error_responses(400, 404),
    summary="Get a ramp order",
    operation_id="getRampOrder",
)
def by_id(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    id: OrderNumber,
    expand: ExpandOrders = None,
) -> JsonResponse:
    """One order by its record number."""
    names = parse_expand(expand, OF_ORDERS)
    order = ramp_orders.get_order(services, caller, id)
    return JsonResponse(expand_orders(request, services, caller, [order], names)[0])


@router.post(
    "/orders/{id}/confirm",
    response_model=wire.OrderDone,
    responses=error_responses(400, 404, post=True, own=ActionFailed),
    summary="Confirm a ramp order",
    operation_id="confirmRampOrder",
)
@error_format(ErrorShape.SUCCESS)
def confirm(
    request: Request, services: ServicesDep, caller: Writer, id: OrderNumber
) -> JsonResponse:
    """Confirm that the user has paid; the provider is notified."""
    order = _find_done(request, caller, id, OrderState.PROCESSING, OrderState.COMPLETED)
    order = order or ramp_orders.confirm_order(services, caller, id)
    return JsonResponse(wire.OrderDone(success=True, order=_shown(services, order)))


@router.post(
    "/orders/{id}/cancel",
    response_model=wire.OrderDone,
    responses=error_responses(400, 404, 503, post=True, own=ActionFailed),
    summary="Cancel a ramp order",
    operation_id="cancelRampOrder",
)
@error_format(ErrorShape.SUCCESS)
def cancel(
    request: Request, services: ServicesDep, caller: Writer, id: OrderNumber
) -> JsonResponse:
    """Cancel an unpaid order."""
    order = _find_done(request, caller, id, OrderState.CANCELLED)
    order = order or ramp_orders.cancel_order(services, caller, id)
    return JsonResponse(wire.OrderDone(success=True, order=_shown(services, order)))


def _find_done(
    request: Request, caller: Principal, id: int, *states: OrderState
) -> RampOrder | None:
    """The order of a request that was started before and left no answer, if what it asks for is
    done: then it is not refused for its own effect."""
    if not is_repeat(request):
        return None
    order = ramp_orders.get_order(request.app.state.services, caller, id)
    return order if order.state in states else None


@router.post(
    "/webhooks/{provider}",
    response_model=wire.Accepted,
    responses=error_responses(400, 401, 404, post=True),
    openapi_extra={
        "security": [],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {}}}},
    },
    summary="Receive a provider's webhook",
    operation_id="receiveProviderWebhook",
)
def reported(
    request: Request,
    services: ServicesDep,
    provider: Annotated[
        str,
        Path(
            description="The provider.",
            examples=["YELLOW_CARD"],
            json_schema_extra={"enum": PROVIDERS},
        ),
    ],
) -> JsonResponse:
    """For providers only: the signature of the body replaces an API key."""
    headers, body = dict(request.headers), request.state.body
    ramp_reports.receive_webhook(services, provider, headers, body)
    return JsonResponse(wire.Accepted(success=True))
