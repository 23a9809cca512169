"""`/v1/standing-addresses`: addresses that do not expire, of a customer and a route each."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.idempotency import store_response
from crossway.api.query_params import CursorPage, query
from crossway.api.schemas import standing as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import UNITS, USDC_BASE, request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.standing import StandingAddress
from crossway.usecases.standing import addresses, estimates

router = APIRouter(prefix="/v1/standing-addresses", tags=["Standing addresses"])
Name = Annotated[
    str, Path(description="The standing address.", examples=["sa_5f8942ea98e7c86e3595"])
]
New = Annotated[wire.CreateStandingAddress, Depends(wire.CreateStandingAddress.from_request)]
Change = Annotated[wire.ChangeStandingAddress, Depends(wire.ChangeStandingAddress.from_request)]


@router.post(
    "",
    status_code=201,
    response_model=wire.StandingAddressOut,
    responses=error_responses(post=True),
    openapi_extra=request_body_schema(wire.CreateStandingAddress),
    summary="Create a standing address",
    operation_id="createStandingAddress",
)
def create(request: Request, services: ServicesDep, caller: Writer, body: New) -> JsonResponse:
    """Create an address that does not expire: every deposit of an accepted token at it makes an
    intent of its own, and the recipient gets what came less the fees. Anything else goes to the
    recovery address. Its contract, which nobody can change, lets money go nowhere else."""

    def respond(address: StandingAddress) -> JsonResponse:
        return JsonResponse(wire.StandingAddressOut.from_address(address), 201)

    store = store_response(request, respond)
    return respond(addresses.create(services, caller, body.to_request(), store))


@router.get(
    "",
    response_model=wire.StandingAddressPage,
    responses=error_responses(400),
    summary="List standing addresses",
    operation_id="listStandingAddresses",
)
def listed(
    services: ServicesDep, caller: Reader, page: Annotated[CursorPage, Depends()]
) -> JsonResponse:
    """The client's standing addresses, newest first."""
    found = addresses.list_page(services, caller, page.limit, page.cursor)
    more = len(found) == page.limit and bool(addresses.list_page(services, caller, 1, found[-1].id))
    return JsonResponse(
        wire.StandingAddressPage(
            standing_addresses=[wire.StandingAddressOut.from_address(one) for one in found],
            limit=page.limit,
            next_cursor=found[-1].id if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.StandingAddressOut,
    responses=error_responses(404),
    summary="Get a standing address",
    operation_id="getStandingAddress",
)
def one(services: ServicesDep, caller: Reader, id: Name) -> JsonResponse:
    """One standing address with its rules."""
    return JsonResponse(wire.StandingAddressOut.from_address(addresses.get(services, caller, id)))


@router.patch(
    "/{id}",
    response_model=wire.StandingAddressOut,
    responses=error_responses(400, 404, 413),
    openapi_extra=request_body_schema(wire.ChangeStandingAddress),
    summary="Change a standing address",
    operation_id="updateStandingAddress",
)
def change(services: ServicesDep, caller: Writer, id: Name, body: Change) -> JsonResponse:
    """Change limits, reference, metadata or the active flag, for deposits of blocks from now on.
    Recipient, recovery address and route cannot change: the address follows from them."""
    changed = addresses.update(services, caller, id, body.to_request())
    return JsonResponse(wire.StandingAddressOut.from_address(changed))


@router.get(
    "/{id}/quote",
    response_model=wire.StandingQuoteOut,
    responses=error_responses(400, 404),
    summary="Quote a deposit at a standing address",
    operation_id="quoteStandingDeposit",
)
def quoted(
    services: ServicesDep,
    caller: Reader,
    id: Name,
    amount: Annotated[
        str | None,
        query("The deposit, in the token's smallest unit.", "50000000", required=True, **UNITS),
    ] = None,
    token: Annotated[
        str | None, query("An accepted token; by default the first.", USDC_BASE)
    ] = None,
) -> JsonResponse:
    """What a deposit of this amount would give the recipient at current fees, which include what
    forwarding it costs; or why it would go back or wait. It promises nothing; the
    contract promises `least_payout`, or that the deposit goes back."""
    found = estimates.estimate_deposit(services, caller, id, amount, token)
    return JsonResponse(wire.StandingQuoteOut.from_estimate(found))
