"""`/v1/x402`: offers to pay by a signature, and the facilitator that verifies and settles them."""

from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.schemas import x402 as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.clients import Principal
from crossway.domain.errors import Unreachable
from crossway.ports.services import Services
from crossway.usecases.x402 import facilitator
from crossway.usecases.x402.facilitator import PENDING, Begun, Settlement
from crossway.usecases.x402.messages import payment_required
from crossway.usecases.x402.offers import create_offers
from crossway.web_pages.waiting import wait_for

router = APIRouter(prefix="/v1/x402", tags=["x402"])
NewOffers = Annotated[wire.CreateOffers, Depends(wire.CreateOffers.from_request)]
Payment = Annotated[wire.PaymentIn, Depends(wire.PaymentIn.valid_from_request)]


@router.get(
    "/supported",
    response_model=wire.SupportedOut,
    responses=error_responses(),
    summary="List networks",
    operation_id="listSettledNetworks",
)
def supported(services: ServicesDep, caller: Reader) -> JsonResponse:
    """The networks on which payments are settled now."""
    return JsonResponse(facilitator.list_supported(services, caller))


@router.post(
    "/offers",
    response_model=wire.PaymentRequired,
    responses=error_responses(503, post=True),
    openapi_extra=request_body_schema(wire.CreateOffers),
    summary="Create offers",
    operation_id="createPaymentOffers",
)
def create(services: ServicesDep, caller: Writer, body: NewOffers) -> JsonResponse:
    """Create an intent for each way to pay, to answer with status 402."""
    offers = create_offers(services, caller, body.to_request())
    return JsonResponse(payment_required(offers, body.url or ""))


@router.post(
    "/verify",
    response_model=wire.VerificationOut,
    responses=error_responses(503, post=True),
    openapi_extra=request_body_schema(wire.PaymentIn),
    summary="Verify a payment",
    operation_id="verifySignedPayment",
)
def verify(services: ServicesDep, caller: Writer, body: Payment) -> JsonResponse:
    """Whether a payment would be settled now. Nothing is stored."""
    return JsonResponse(facilitator.verify(services, caller, body.paymentPayload or {}).to_json())


@router.post(
    "/settle",
    response_model=wire.SettlementOut,
    responses=error_responses(503, post=True),
    openapi_extra=request_body_schema(wire.PaymentIn),
    summary="Settle a payment",
    operation_id="settleSignedPayment",
)
async def settle(services: ServicesDep, caller: Writer, body: Payment) -> JsonResponse:
    """Carry a payment out and wait for it, for at most 25 seconds; 503 says that it is not known
    yet. Each is settled once."""
    begun = await anyio.to_thread.run_sync(_begin, services, caller, body)
    if isinstance(begun, Settlement):
        return JsonResponse(begun.to_json())
    done = await wait_for(partial(facilitator.read_settlement, services, begun))
    if done is None:
        raise Unreachable(PENDING)
    return JsonResponse(done.to_json())


def _begin(services: Services, caller: Principal, body: wire.PaymentIn) -> Begun | Settlement:
    return facilitator.begin_settlement(services, caller, body.paymentPayload or {})
