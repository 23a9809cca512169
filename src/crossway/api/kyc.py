"""`/v1/ramp/kyc` and `/v1/kyc`: KYC state, requirements and submission."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.query_params import (
    CountryCode,
    NeededCurrency,
    NeededProvider,
    UserEmail,
    query,
)
from crossway.api.schemas import kyc as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import DECIMAL, request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.usecases.kyc import customers, verification

router = APIRouter(prefix="/v1/ramp/kyc", tags=["KYC"])
state_router = APIRouter(prefix="/v1/kyc", tags=["KYC"])
Amount = Annotated[
    str | None,
    query(
        "Amount of an order in USDC; with it the response has the required tier.", "25", **DECIMAL
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
    responses=error_responses(400, 503),
    summary="Get a customer's KYC state",
    operation_id="getKycState",
)
def state(
    services: ServicesDep,
    caller: Reader,
    provider: NeededProvider = None,
    userEmail: UserEmail = None,
    countryCode: CountryCode = None,
    fiatCurrency: NeededCurrency = None,
    cryptoAmount: Amount = None,
) -> JsonResponse:
    """The customer's tier, limit and missing requirements."""
    assessment = verification.assess_customer(
        services, caller, provider, userEmail, countryCode, fiatCurrency, cryptoAmount
    )
    return JsonResponse(wire.KycStateOut.from_assessment(assessment))


@state_router.get(
    "/state",
    response_model=wire.KycStateOut,
    responses=error_responses(400, 503),
    summary="Get a customer's KYC state for a transaction",
    operation_id="getKycStateOfTransaction",
)
def state_of_transaction(
    services: ServicesDep,
    caller: Reader,
    provider: NeededProvider = None,
    countryCode: CountryCode = None,
    fiatCurrency: NeededCurrency = None,
    userEmail: UserEmail = None,
    amount: Amount = None,
) -> JsonResponse:
    """The customer's KYC state for one transaction."""
    assessment = verification.assess_customer(
        services, caller, provider, userEmail, countryCode, fiatCurrency, amount, "amount"
    )
    return JsonResponse(wire.KycStateOut.from_assessment(assessment))


@router.get(
    "/requirements",
    response_model=wire.RequirementsOut,
    responses=error_responses(400),
    summary="Get a provider's KYC requirements",
    operation_id="getKycRequirements",
)
def requirements(
    services: ServicesDep,
    caller: Reader,
    provider: NeededProvider = None,
    countryCode: CountryCode = None,
    fiatCurrency: NeededCurrency = None,
) -> JsonResponse:
    """A provider's tiers in a country with their requirements."""
    tiers = verification.get_requirements(services, caller, provider, countryCode, fiatCurrency)
    return JsonResponse(wire.RequirementsOut.from_requirements(tiers))


@router.post(
    "",
    response_model=wire.KycStateOut,
    responses=error_responses(400, 503, post=True),
    openapi_extra=request_body_schema(wire.SubmitKyc),
    summary="Submit KYC fields",
    operation_id="submitKyc",
)
def submit(
    services: ServicesDep,
    caller: Writer,
    body: Annotated[wire.SubmitKyc, Depends(wire.SubmitKyc.from_request)],
) -> JsonResponse:
    """Submit a customer's fields to a provider's check. They are stored encrypted and masked when
    returned."""
    assessment = verification.submit_kyc(
        services,
        caller,
        body.provider,
        body.userEmail,
        body.countryCode,
        body.fields,
        currency=body.fiatCurrency,
        field_errors=body.field_errors,
    )
    return JsonResponse(wire.KycStateOut.from_assessment(assessment))


@router.post(
    "/documents",
    response_model=wire.KycStateOut,
    responses=error_responses(400, 503, post=True),
    openapi_extra={"requestBody": _DOCUMENT},
    summary="Submit a KYC document",
    operation_id="submitKycDocument",
)
def add_document(
    request: Request,
    services: ServicesDep,
    caller: Writer,
    provider: NeededProvider = None,
    userEmail: UserEmail = None,
    countryCode: CountryCode = None,
    fiatCurrency: NeededCurrency = None,
    key: Annotated[
        str | None, Query(description="Key of the requirement.", examples=["id_front"])
    ] = None,
) -> JsonResponse:
    """A PNG, JPEG or PDF of up to 5 MiB; the body is the file."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    assessment = verification.add_document(
        services,
        caller,
        provider,
        userEmail,
        countryCode,
        key,
        media_type,
        request.state.body,
        fiatCurrency,
    )
    return JsonResponse(wire.KycStateOut.from_assessment(assessment))


@router.delete(
    "",
    response_model=wire.Erased,
    responses=error_responses(400),
    summary="Erase a customer",
    operation_id="eraseCustomer",
)
def erase(services: ServicesDep, caller: Writer, userEmail: UserEmail = None) -> JsonResponse:
    """Erase a customer's e-mail address and submissions; their orders stay without this data."""
    cleared = customers.erase_customer(services, caller, userEmail)
    return JsonResponse(wire.Erased(success=True, ordersCleared=cleared))
