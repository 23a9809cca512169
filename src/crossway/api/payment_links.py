"""`/v1/payment-links`: links that many payers pay by, each with an intent of its own."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request

from crossway.api.addresses import link_url, payment_url
from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader, Writer
from crossway.api.bodies import Body, body_of, documented
from crossway.api.idempotency import kept_with
from crossway.api.paging import before_id
from crossway.api.schemas import payment_links as wire
from crossway.api.schemas.failures import failures
from crossway.domain.errors import InvalidInput
from crossway.domain.links import PaymentLink
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkChange

router = APIRouter(prefix="/v1/payment-links", tags=["Payment links"])
Name = Annotated[str, Path(description="The payment link.", examples=["pl_5f8942ea98e7c86e3595"])]
New = Annotated[Body, Depends(body_of(wire.CreatePaymentLink))]
Changed = Annotated[Body, Depends(body_of(wire.ChangePaymentLink))]
_NAMES = {"tokenOut": "token_out"}


@dataclass(frozen=True, slots=True)
class Page:
    """The query of a list."""

    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 20
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None


@router.post(
    "",
    status_code=201,
    response_model=wire.PaymentLinkOut,
    responses=failures(post=True),
    openapi_extra=documented(wire.CreatePaymentLink),
    summary="Create a payment link",
)
def create(request: Request, services: Parts, caller: Writer, body: New) -> Json:
    """A link that any number of payers may pay by; each gets an intent of its own."""

    def answer(link: PaymentLink) -> Json:
        return Json(wire.payment_link(link, link_url(request, link)), 201)

    return answer(links.create(services, caller, _asked(body), kept_with(request, answer)))


@router.get(
    "",
    response_model=wire.PaymentLinkPage,
    responses=failures(400),
    summary="List payment links",
)
def listed(
    request: Request, services: Parts, caller: Reader, page: Annotated[Page, Depends()]
) -> Json:
    """The client's payment links, newest first."""
    found = links.page(services, caller, page.limit, page.cursor)
    more = len(found) == page.limit and bool(links.page(services, caller, 1, found[-1].id))
    told = [wire.payment_link(link, link_url(request, link)) for link in found]
    return Json(wire.page("payment_links", told, page.limit, more))


@router.get(
    "/{id}",
    response_model=wire.PaymentLinkOut,
    responses=failures(404),
    summary="Get a payment link",
)
def one(request: Request, services: Parts, caller: Reader, id: Name) -> Json:
    """One payment link."""
    link = links.get(services, caller, id)
    return Json(wire.payment_link(link, link_url(request, link)))


@router.patch(
    "/{id}",
    response_model=wire.PaymentLinkOut,
    responses=failures(400, 404, 413),
    openapi_extra=documented(wire.ChangePaymentLink),
    summary="Change a payment link",
)
def change(request: Request, services: Parts, caller: Writer, id: Name, body: Changed) -> Json:
    """Change its texts, its amount, its limits, or switch it off; where the money goes stays."""
    link = links.change(services, caller, id, _asked(body))
    return Json(wire.payment_link(link, link_url(request, link)))


@router.get(
    "/{id}/uses",
    response_model=wire.UsePage,
    responses=failures(400, 404),
    summary="List the uses of a payment link",
)
def uses(
    request: Request, services: Parts, caller: Reader, id: Name, page: Annotated[Page, Depends()]
) -> Json:
    """What payers made by it, newest first, each with its intent."""
    complaints: list[str] = []
    before = before_id(page.cursor, complaints)
    if complaints:
        raise InvalidInput("; ".join(complaints))
    found = links.uses(services, caller, id, page.limit, before)
    full = len(found) == page.limit
    more = full and bool(links.uses(services, caller, id, 1, found[-1][0].id))
    told = [wire.use(use, intent, payment_url(request, intent)) for use, intent in found]
    return Json(wire.page("uses", told, page.limit, more))


def _asked(body: Body) -> LinkChange:
    given = {_NAMES.get(name, name): value for name, value in body.fields.items()}
    cleared = frozenset(name for name, value in given.items() if value is None)
    return LinkChange(**given, cleared=cleared, strange=body.strange)
