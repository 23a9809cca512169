"""`/v1/ramp/orders`: open, read, confirm and cancel orders; and what providers report of them."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader, Writer
from crossway.api.bodies import Body, body_of, documented
from crossway.api.errors import Shape, fails
from crossway.api.idempotency import kept_with
from crossway.api.paging import LARGEST_ID, before_id
from crossway.api.questions import FiatCurrency, Provider
from crossway.api.schemas import ramp_orders as wire
from crossway.api.schemas.failures import NotDone, failures
from crossway.api.schemas.fields import INTENT
from crossway.api.schemas.kyc import KycNeeded
from crossway.api.schemas.ramps import PROVIDERS, TYPES
from crossway.domain.errors import InvalidInput
from crossway.domain.ramps import OrderState, RampOrder
from crossway.ports.ramp_records import OrderFilter
from crossway.ports.services import Services
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps import reports as ramp_reports
from crossway.usecases.ramps.terms import NewOrder

router = APIRouter(prefix="/v1/ramp", tags=["Ramps"])
Number = Annotated[int, Path(description="Record number.", ge=0, le=LARGEST_ID, examples=[1])]
Asked = Annotated[Body, Depends(body_of(wire.CreateOrder))]
# A refusal may be that of an identity check; all other failures look as they do elsewhere.
FAILURES = {**failures(503, post=True), 400: failures(400, own=KycNeeded)[400]}
STATES = [state.value for state in OrderState]


@dataclass(frozen=True, slots=True)
class Page:
    """The query of a list of orders."""

    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 20
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="How many to skip.")] = 0
    status: Annotated[
        str | None, Query(description="Where they stand.", json_schema_extra={"enum": list(STATES)})
    ] = None
    type: Annotated[
        str | None, Query(description="The direction.", json_schema_extra={"enum": list(TYPES)})
    ] = None
    provider: Provider = None
    fiatCurrency: FiatCurrency = None
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None


@router.post(
    "/orders",
    status_code=201,
    response_model=wire.OrderOut,
    responses=FAILURES,
    openapi_extra=documented(wire.CreateOrder),
    summary="Create a ramp order",
)
def create(request: Request, services: Parts, caller: Writer, body: Asked) -> Json:
    """Open an on-ramp or an off-ramp with a provider."""
    keep, asked = kept_with(request, _created), _asked(body)
    return _created(ramp_orders.create(services, caller, asked, keep))


def _asked(body: Body) -> NewOrder:
    given = body.fields.get
    return NewOrder(
        direction=given("type"),
        provider=given("provider"),
        currency=given("fiatCurrency"),
        amount=given("cryptoAmount"),
        destination_chain=given("destinationChain"),
        source_chain=given("sourceChain"),
        symbol=given("amountSymbol"),
        recipient=given("recipientAddress"),
        sender=given("senderAddress"),
        country=given("countryCode"),
        email=given("userEmail"),
        fields=given("fields"),
        strange=body.strange,
    )


def _created(order: RampOrder) -> Json:
    return Json(wire.read(order), 201)


@router.get(
    "/orders",
    response_model=wire.OrderPage,
    responses=failures(400),
    summary="List ramp orders",
)
def listed(services: Parts, caller: Reader, page: Annotated[Page, Depends()]) -> Json:
    """The client's orders, newest first; `cursor` walks on without skipping."""
    wanted = _filter(services, page)
    found, total = ramp_orders.page(services, caller, wanted, page.limit, page.offset)
    more = False
    if len(found) == page.limit:
        after = replace(wanted, before_id=found[-1].id)
        more = bool(ramp_orders.page(services, caller, after, 1, 0)[0])
    return Json(wire.page(found, total, page.limit, page.offset, more))


def _filter(services: Services, page: Page) -> OrderFilter:
    complaints: list[str] = []
    status = page.status.upper() if page.status is not None else None
    provider = page.provider.upper() if page.provider is not None else None
    for name, given, known in (
        ("status", status, STATES),
        ("type", page.type, TYPES),
        ("provider", provider, PROVIDERS),
    ):
        if given is not None and given not in known:
            complaints.append(f"{name} must be one of {', '.join(known)}")
    currency = page.fiatCurrency
    if currency is not None and currency not in services.fiat.corridors:
        complaints.append("fiatCurrency must be one of the supported currencies, such as NGN")
    before = before_id(page.cursor, complaints)
    if complaints:
        raise InvalidInput("; ".join(complaints))
    return OrderFilter(
        states=(OrderState(status),) if status is not None else (),
        direction=page.type,
        provider=provider,
        currency=currency,
        before_id=before,
    )


@router.get(
    "/orders/by-intent/{intentAddress}",
    response_model=wire.OrderOut,
    responses=failures(404),
    summary="Get a ramp order by its intent",
)
def by_intent(
    services: Parts,
    caller: Reader,
    intentAddress: Annotated[str, Path(description="The intent's address.", examples=[INTENT])],
) -> Json:
    """The order that an intent belongs to."""
    return Json(wire.read(ramp_orders.by_intent(services, caller, intentAddress)))


@router.get(
    "/orders/{id}",
    response_model=wire.OrderOut,
    responses=failures(400, 404),
    summary="Get a ramp order",
)
def by_id(services: Parts, caller: Reader, id: Number) -> Json:
    """One order by its record number."""
    return Json(wire.read(ramp_orders.by_id(services, caller, id)))


@router.post(
    "/orders/{id}/confirm",
    response_model=wire.OrderDone,
    responses=failures(400, 404, post=True, own=NotDone),
    summary="Confirm a ramp order",
)
@fails(Shape.SUCCESS)
def confirm(services: Parts, caller: Writer, id: Number) -> Json:
    """Say that the user has paid; the provider is told."""
    order = ramp_orders.confirm(services, caller, id)
    return Json({"success": True, "order": wire.read(order)})


@router.post(
    "/orders/{id}/cancel",
    response_model=wire.OrderDone,
    responses=failures(400, 404, 503, post=True, own=NotDone),
    summary="Cancel a ramp order",
)
@fails(Shape.SUCCESS)
def cancel(services: Parts, caller: Writer, id: Number) -> Json:
    """Call an order off while nobody has paid."""
    order = ramp_orders.cancel(services, caller, id)
    return Json({"success": True, "order": wire.read(order)})


async def _raw(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/webhooks/{provider}",
    response_model=wire.Accepted,
    responses=failures(400, 401, 404, post=True),
    openapi_extra={
        "security": [],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {}}}},
    },
    summary="Take in a provider's report",
)
def reported(
    request: Request,
    services: Parts,
    provider: Annotated[str, Path(description="The provider.", examples=["YELLOW_CARD"])],
    body: Annotated[bytes, Depends(_raw)],
) -> Json:
    """For providers alone: their signature, over the body as it is, takes the place of a key."""
    ramp_reports.incoming(services, provider, dict(request.headers), body)
    return Json({"success": True})
