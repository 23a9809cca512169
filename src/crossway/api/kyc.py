"""`/v1/ramp/kyc` and `/v1/kyc`: where a person stands, what is required, and handing it in."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader, Writer
from crossway.api.bodies import documented, fields_of
from crossway.api.questions import CountryCode, FiatCurrency, Provider, UserEmail
from crossway.api.schemas import kyc as wire
from crossway.api.schemas.failures import failures
from crossway.usecases.identity import kyc

router = APIRouter(prefix="/v1/ramp/kyc", tags=["KYC"])
state_router = APIRouter(prefix="/v1/kyc", tags=["KYC"])
Amount = Annotated[
    str | None,
    Query(
        description="What the user wants to get, in USDC: with it the answer says what that needs.",
        examples=["25"],
    ),
]
_FILE = {"schema": {"type": "string", "format": "binary"}}
_DOCUMENT = {
    "required": True,
    "content": dict.fromkeys(("image/png", "image/jpeg", "application/pdf"), _FILE),
}


@router.get(
    "",
    response_model=wire.KycStateOut,
    responses=failures(400, 503),
    summary="Where a user stands with a provider",
)
def state(
    services: Parts,
    caller: Reader,
    provider: Provider = None,
    userEmail: UserEmail = None,
    countryCode: CountryCode = None,
    fiatCurrency: FiatCurrency = None,
    cryptoAmount: Amount = None,
) -> Json:
    """The user's tier, limit and what is missing."""
    found = kyc.state(
        services, caller, provider, userEmail, countryCode, fiatCurrency, cryptoAmount
    )
    return Json(wire.state(found))


@state_router.get(
    "/state",
    response_model=wire.KycStateOut,
    responses=failures(400, 503),
    summary="Where a user stands for one transaction",
)
def state_of_transaction(
    services: Parts,
    caller: Reader,
    provider: Provider = None,
    countryCode: CountryCode = None,
    fiatCurrency: FiatCurrency = None,
    userEmail: UserEmail = None,
    amount: Amount = None,
) -> Json:
    """The same for this one transaction."""
    found = kyc.state(
        services, caller, provider, userEmail, countryCode, fiatCurrency, amount, "amount"
    )
    return Json(wire.state(found))


@router.get(
    "/requirements",
    response_model=wire.RequirementsOut,
    responses=failures(400),
    summary="What a provider requires",
)
def requirements(
    services: Parts,
    caller: Reader,
    provider: Provider = None,
    countryCode: CountryCode = None,
    fiatCurrency: FiatCurrency = None,
) -> Json:
    """A provider's tiers in a country, and what each requires."""
    found = kyc.requirements(services, caller, provider, countryCode, fiatCurrency)
    return Json(wire.requirements(found))


@router.post(
    "",
    response_model=wire.KycStateOut,
    responses=failures(400, 503, post=True),
    openapi_extra=documented(wire.SubmitKyc),
    summary="Hand in what a tier requires",
)
def submit(
    services: Parts,
    caller: Writer,
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.SubmitKyc))],
) -> Json:
    """Fields of a person for a provider's check; kept encrypted, never shown whole again."""
    given = body.get
    found = kyc.submit(
        services,
        caller,
        given("provider"),
        given("userEmail"),
        given("countryCode"),
        given("fields"),
        currency=given("fiatCurrency"),
    )
    return Json(wire.state(found))


async def _raw(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/documents",
    response_model=wire.KycStateOut,
    responses=failures(400, 503, post=True),
    openapi_extra={"requestBody": _DOCUMENT},
    summary="Hand in a document",
)
def add_document(
    request: Request,
    services: Parts,
    caller: Writer,
    content: Annotated[bytes, Depends(_raw)],
    provider: Provider = None,
    userEmail: UserEmail = None,
    countryCode: CountryCode = None,
    fiatCurrency: FiatCurrency = None,
    key: Annotated[
        str | None, Query(description="Which requirement it is for.", examples=["id_front"])
    ] = None,
) -> Json:
    """A PNG, a JPEG or a PDF of up to 5 MiB: the file is the body, its type the content type."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    found = kyc.add_document(
        services, caller, provider, userEmail, countryCode, key, media_type, content, fiatCurrency
    )
    return Json(wire.state(found))


@router.delete(
    "",
    response_model=wire.Erased,
    responses=failures(400, 404),
    summary="Erase a person",
)
def erase(services: Parts, caller: Writer, userEmail: UserEmail = None) -> Json:
    """Remove a person's e-mail address and all they handed in; their orders stay, without it."""
    return Json({"success": True, "ordersCleared": kyc.erase(services, caller, userEmail)})
