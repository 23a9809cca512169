"""`/v1/invoices`: numbered invoices, each with a payment link and a printable page."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.idempotency import store_response
from crossway.api.query_params import CursorPage
from crossway.api.schemas import billing as wire
from crossway.api.schemas.billing_requests import CreateInvoice
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse, path_url
from crossway.usecases.billing import invoices
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.billing.pages import invoice_path

router = APIRouter(prefix="/v1/invoices", tags=["Invoices"])
Name = Annotated[str, Path(description="The invoice.", examples=[wire.INVOICE_ID])]
NewInvoice = Annotated[CreateInvoice, Depends(CreateInvoice.from_request)]


@dataclass(frozen=True, slots=True)
class InvoiceListParams(CursorPage):
    """The query of a list of invoices."""

    subscription_id: Annotated[
        str | None,
        Query(description="Only those of a subscription.", examples=[wire.SUBSCRIPTION_ID]),
    ] = None


@router.post(
    "",
    status_code=201,
    response_model=wire.InvoiceOut,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(CreateInvoice),
    summary="Issue an invoice",
    operation_id="createInvoice",
)
def create(
    request: Request, services: ServicesDep, caller: Writer, body: NewInvoice
) -> JsonResponse:
    """Issue an invoice with the next number of your client and mode, and a payment link that takes
    its total."""

    def respond(view: InvoiceView) -> JsonResponse:
        return _respond(request, services, view, 201)

    store = store_response(request, respond)
    due = (body.due_date, body.time_zone)
    return respond(invoices.create(services, caller, body.content(), *due, store))


@router.get(
    "",
    response_model=wire.InvoicePage,
    responses=error_responses(400),
    summary="List invoices",
    operation_id="listInvoices",
)
def listed(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    page: Annotated[InvoiceListParams, Depends()],
) -> JsonResponse:
    """The client's invoices, newest first."""
    of = page.subscription_id
    views = invoices.list_page(services, caller, page.limit, page.cursor, of)
    last = views[-1].invoice.name if len(views) == page.limit else None
    more = last is not None and bool(invoices.list_page(services, caller, 1, last, of))
    return JsonResponse(
        wire.InvoicePage(
            invoices=[_show(request, services, view) for view in views],
            limit=page.limit,
            next_cursor=last if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.InvoiceOut,
    responses=error_responses(404),
    summary="Get an invoice",
    operation_id="getInvoice",
)
def one(request: Request, services: ServicesDep, caller: Reader, id: Name) -> JsonResponse:
    """One invoice with what is paid of it."""
    return _respond(request, services, invoices.get(services, caller, id))


@router.post(
    "/{id}/void",
    response_model=wire.InvoiceOut,
    responses=error_responses(400, 404, post=True),
    summary="Make an invoice void",
    operation_id="voidInvoice",
)
def void(request: Request, services: ServicesDep, caller: Writer, id: Name) -> JsonResponse:
    """Make an invoice void that nothing was paid of. It keeps its number; its link is closed."""
    return _respond(request, services, invoices.void(services, caller, id))


def _show(request: Request, services: ServicesDep, view: InvoiceView) -> wire.InvoiceOut:
    url = path_url(request, invoice_path(view.invoice.name))
    return wire.InvoiceOut.from_view(view, url, services.clock.now())


def _respond(
    request: Request, services: ServicesDep, view: InvoiceView, status: int = 200
) -> JsonResponse:
    return JsonResponse(_show(request, services, view), status)
