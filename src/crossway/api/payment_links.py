"""`/v1/payment-links`: links that any number of payers can pay, each payer with its own intent."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.expansion import OF_ORDERS, ExpandOrders, expand_uses
from crossway.api.idempotency import store_response
from crossway.api.query_params import CreatedAfter, CreatedBefore, CursorPage
from crossway.api.record_numbers import format_cursor, parse_cursor
from crossway.api.schemas import payment_links as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.expanded import UsePage
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse, link_url
from crossway.domain.payment_links import PaymentLink
from crossway.domain.public_ids import RecordKind
from crossway.usecases.instants import parse_creation
from crossway.usecases.payers import links
from crossway.usecases.ramps.related import parse_expand
from crossway.usecases.validation_errors import ValidationErrors

router = APIRouter(prefix="/v1/payment-links", tags=["Payment links"])
Name = Annotated[str, Path(description="The payment link.", examples=["pl_5f8942ea98e7c86e3595"])]
NewLink = Annotated[wire.CreatePaymentLink, Depends(wire.CreatePaymentLink.from_request)]
LinkChange = Annotated[wire.ChangePaymentLink, Depends(wire.ChangePaymentLink.from_request)]


@dataclass(frozen=True, slots=True)
class UseListParams(CursorPage):
    """The query of a list of uses."""

    expand: ExpandOrders = None


@dataclass(frozen=True, slots=True)
class LinkListParams(CursorPage):
    """The query of a list of payment links."""

    created_after: CreatedAfter = None
    created_before: CreatedBefore = None


@router.post(
    "",
    status_code=201,
    response_model=wire.PaymentLinkOut,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(wire.CreatePaymentLink),
    summary="Create a payment link",
    operation_id="createPaymentLink",
)
def create(request: Request, services: ServicesDep, caller: Writer, body: NewLink) -> JsonResponse:
    """Create a link that any number of payers can pay; each payer gets its own intent."""

    def respond(link: PaymentLink) -> JsonResponse:
        return JsonResponse(wire.PaymentLinkOut.from_link(link, link_url(request, link)), 201)

    store = store_response(request, respond)
    return respond(links.create(services, caller, body.to_request(), store))


@router.get(
    "",
    response_model=wire.PaymentLinkPage,
    responses=error_responses(400),
    summary="List payment links",
    operation_id="listPaymentLinks",
)
def listed(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    page: Annotated[LinkListParams, Depends()],
) -> JsonResponse:
    """The client's payment links, newest first."""
    period = parse_creation(page.created_after, page.created_before)
    page_links = links.list_page(services, caller, page.limit, page.cursor, period=period)
    more = len(page_links) == page.limit and bool(
        links.list_page(services, caller, 1, page_links[-1].id, period=period)
    )
    return JsonResponse(
        wire.PaymentLinkPage(
            payment_links=[
                wire.PaymentLinkOut.from_link(link, link_url(request, link)) for link in page_links
            ],
            limit=page.limit,
            next_cursor=page_links[-1].id if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.PaymentLinkOut,
    responses=error_responses(404),
    summary="Get a payment link",
    operation_id="getPaymentLink",
)
def one(request: Request, services: ServicesDep, caller: Reader, id: Name) -> JsonResponse:
    """One payment link."""
    link = links.get(services, caller, id)
    return JsonResponse(wire.PaymentLinkOut.from_link(link, link_url(request, link)))


@router.patch(
    "/{id}",
    response_model=wire.PaymentLinkOut,
    responses=error_responses(400, 404, 413),
    openapi_extra=request_body_schema(wire.ChangePaymentLink),
    summary="Change a payment link",
    operation_id="updatePaymentLink",
)
def change(
    request: Request, services: ServicesDep, caller: Writer, id: Name, body: LinkChange
) -> JsonResponse:
    """Change texts, amount, limits or the active flag; the destination cannot change."""
    link = links.update(services, caller, id, body.to_request())
    return JsonResponse(wire.PaymentLinkOut.from_link(link, link_url(request, link)))


@router.get(
    "/{id}/uses",
    response_model=UsePage,
    responses=error_responses(400, 404),
    summary="List the uses of a payment link",
    operation_id="listPaymentLinkUses",
)
def uses(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    id: Name,
    page: Annotated[UseListParams, Depends()],
) -> JsonResponse:
    """The payments made with the link, newest first, each with its intent."""
    errors = ValidationErrors()
    before = errors.collect(parse_cursor, services, RecordKind.LINK_USE, page.cursor)
    expand = errors.collect(parse_expand, page.expand, OF_ORDERS) or ()
    errors.raise_if_any()
    page_uses = links.list_uses(services, caller, id, page.limit, before)
    full = len(page_uses) == page.limit
    more = full and bool(links.list_uses(services, caller, id, 1, page_uses[-1][0].id))
    return JsonResponse(
        UsePage(
            uses=expand_uses(request, services, page_uses, expand),
            limit=page.limit,
            next_cursor=format_cursor(services, RecordKind.LINK_USE, page_uses[-1][0].id)
            if more
            else None,
        )
    )
