"""`/v1/intents`: create, read, trigger and refund payment intents."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request

from crossway.api.addresses import payment_url
from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader, Refunder, Writer
from crossway.api.bodies import Body, body_of, documented
from crossway.api.errors import Shape, fails
from crossway.api.idempotency import kept_with
from crossway.api.paging import LARGEST_ID, Page, paged
from crossway.api.schemas import intents as wire
from crossway.api.schemas.failures import NotComputed, NotDone, failures
from crossway.api.schemas.fields import INTENT, WALLET
from crossway.domain.intent import Intent
from crossway.usecases.payments import intents, processing
from crossway.usecases.payments.terms import CreateIntent

router = APIRouter(prefix="/v1/intents", tags=["Intents"])
Address = Annotated[str, Path(description="The intent's deposit address.", examples=[INTENT])]
Asked = Annotated[Body, Depends(body_of(wire.CreateIntent))]


@router.post(
    "",
    status_code=201,
    response_model=wire.CreatedIntent,
    responses=failures(post=True),
    openapi_extra=documented(wire.CreateIntent),
    summary="Create an intent",
)
def create(request: Request, services: Parts, caller: Writer, body: Asked) -> Json:
    """Open a single-use payment with its own deposit address."""

    def answer(intent: Intent) -> Json:
        return Json(wire.created(intent, payment_url(request, intent)), 201)

    return answer(intents.create(services, caller, _asked(body), kept_with(request, answer)))


def _asked(body: Body) -> CreateIntent:
    given = body.fields.get
    return CreateIntent(
        sender=given("sender"),
        amount=given("amount"),
        amount_symbol=given("amountSymbol"),
        token_in=given("tokenIn"),
        token_out=given("tokenOut"),
        source_chain=given("source_chain"),
        destination_chain=given("destination_chain"),
        recipient=given("recipient"),
        refund_address=given("refund_address"),
        metadata=given("metadata"),
        payment_link_id=given("payment_link_id"),
        strange=body.strange,
    )


@router.get(
    "",
    response_model=wire.IntentPage,
    responses=failures(400),
    summary="List intents",
)
def listed(
    request: Request, services: Parts, caller: Reader, page: Annotated[Page, Depends()]
) -> Json:
    """The client's intents, newest first; `cursor` walks on without skipping."""
    return paged(request, services, caller, page)


@router.get(
    "/address/{address}",
    response_model=wire.ReadIntent,
    response_model_exclude_unset=True,
    responses=failures(404),
    summary="Get an intent by its address",
)
def by_address(request: Request, services: Parts, caller: Reader, address: Address) -> Json:
    """One intent by its deposit address."""
    intent = intents.by_address(services, caller, address)
    return Json(wire.read(intent, payment_url(request, intent)))


@router.get(
    "/destination-address/{address}",
    response_model=wire.DestinationAddress,
    responses=failures(404, own=NotComputed),
    summary="Calculate the destination intent address",
)
@fails(Shape.ERROR, unexpected="Failed to calculate destination address: <error details>")
def destination_address(services: Parts, caller: Reader, address: Address) -> Json:
    """The intent's counterpart on the destination chain."""
    found = intents.destination_address(services, caller, address)
    return Json({"destinationAddress": found})


@router.get(
    "/user/{sender}",
    response_model=wire.IntentPage,
    responses=failures(400),
    summary="List the intents of a payer",
)
def of_sender(
    request: Request,
    services: Parts,
    caller: Reader,
    sender: Annotated[str, Path(description="The payer's wallet.", examples=[WALLET])],
    page: Annotated[Page, Depends()],
) -> Json:
    """The client's intents with this sender, newest first."""
    return paged(request, services, caller, page, sender=sender)


@router.get(
    "/{id}",
    response_model=wire.ReadIntent,
    responses=failures(400, 404),
    summary="Get an intent by its number",
)
def by_id(
    request: Request,
    services: Parts,
    caller: Reader,
    id: Annotated[int, Path(description="Record number.", ge=0, le=LARGEST_ID, examples=[1])],
) -> Json:
    """One intent by its record number."""
    intent = intents.by_id(services, caller, id)
    return Json(wire.read(intent, payment_url(request, intent)))


@router.post(
    "/{intentAddress}/trigger-processing",
    response_model=wire.Triggered,
    responses=failures(400, 404, 503, post=True, own=NotDone),
    summary="Process an intent by hand",
)
@fails(Shape.SUCCESS)
def trigger_processing(services: Parts, caller: Writer, intentAddress: Address) -> Json:
    """Check the funding now and start the intent; needed on test networks."""
    processing.trigger(services, caller, intentAddress)
    return Json({"success": True, "message": "Intent started successfully"})


@router.post(
    "/{intentAddress}/refund",
    response_model=wire.Refunded,
    responses=failures(400, 404, 503, post=True, own=NotDone),
    summary="Refund an expired intent",
)
@fails(Shape.SUCCESS)
def refund(services: Parts, caller: Refunder, intentAddress: Address) -> Json:
    """Send back what an expired intent holds, when the automatic refund did not."""
    tx_hash = processing.refund(services, caller, intentAddress)
    return Json({"success": True, "message": "Refund successful", "txHash": tx_hash})
