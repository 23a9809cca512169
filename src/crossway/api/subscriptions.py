"""`/v1/subscriptions`: invoices that repeat by the calendar."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.idempotency import store_response
from crossway.api.query_params import CursorPage
from crossway.api.schemas import billing as wire
from crossway.api.schemas.billing_requests import ChangeSubscription, CreateSubscription
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse, path_url
from crossway.domain.subscriptions import Subscription
from crossway.usecases.billing import subscriptions
from crossway.usecases.billing.pages import subscription_path

router = APIRouter(prefix="/v1/subscriptions", tags=["Subscriptions"])
Name = Annotated[str, Path(description="The subscription.", examples=[wire.SUBSCRIPTION_ID])]
NewSubscription = Annotated[CreateSubscription, Depends(CreateSubscription.from_request)]
Change = Annotated[ChangeSubscription, Depends(ChangeSubscription.valid_from_request)]


@router.post(
    "",
    status_code=201,
    response_model=wire.SubscriptionOut,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(CreateSubscription),
    summary="Create a subscription",
    operation_id="createSubscription",
)
def create(
    request: Request, services: ServicesDep, caller: Writer, body: NewSubscription
) -> JsonResponse:
    """Issue an invoice every so many weeks or months. Its first one is issued so many `lead_days`
    before the first due date."""

    def respond(found: Subscription) -> JsonResponse:
        return _respond(request, found, 201)

    store = store_response(request, respond)
    made = subscriptions.create(services, caller, body.content(), body.to_request(), store)
    return respond(made)


@router.get(
    "",
    response_model=wire.SubscriptionPage,
    responses=error_responses(400),
    summary="List subscriptions",
    operation_id="listSubscriptions",
)
def listed(
    request: Request, services: ServicesDep, caller: Reader, page: Annotated[CursorPage, Depends()]
) -> JsonResponse:
    """The client's subscriptions, newest first."""
    found = subscriptions.list_page(services, caller, page.limit, page.cursor)
    last = found[-1].name if len(found) == page.limit else None
    more = last is not None and bool(subscriptions.list_page(services, caller, 1, last))
    return JsonResponse(
        wire.SubscriptionPage(
            subscriptions=[_show(request, one) for one in found],
            limit=page.limit,
            next_cursor=last if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.SubscriptionOut,
    responses=error_responses(404),
    summary="Get a subscription",
    operation_id="getSubscription",
)
def one(request: Request, services: ServicesDep, caller: Reader, id: Name) -> JsonResponse:
    """One subscription. GET /invoices lists its invoices by `subscription_id`."""
    return _respond(request, subscriptions.get(services, caller, id))


@router.patch(
    "/{id}",
    response_model=wire.SubscriptionOut,
    responses=error_responses(400, 404, 413),
    openapi_extra=request_body_schema(ChangeSubscription),
    summary="Pause, resume or cancel a subscription",
    operation_id="updateSubscription",
)
def change(
    request: Request, services: ServicesDep, caller: Writer, id: Name, body: Change
) -> JsonResponse:
    """Pause, resume or cancel it. What falls due while it is paused is skipped, not issued
    afterwards. To change anything else, cancel it and create another one."""
    return _respond(request, subscriptions.change_state(services, caller, id, body.state))


def _show(request: Request, found: Subscription) -> wire.SubscriptionOut:
    url = path_url(request, subscription_path(found.name))
    return wire.SubscriptionOut.from_subscription(found, url)


def _respond(request: Request, found: Subscription, status: int = 200) -> JsonResponse:
    return JsonResponse(_show(request, found), status)
