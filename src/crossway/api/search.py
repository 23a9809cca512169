"""`/v1/search`: the resources that an identifier finds."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request

from crossway.api.auth import Reader, ServicesDep
from crossway.api.query_params import query
from crossway.api.schemas import search as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import IDENTIFIER, INTENT, request_body_schema
from crossway.api.schemas.responses import JsonResponse, api_url
from crossway.usecases.payments.client_search import FoundResource, search_resources

router = APIRouter(prefix="/v1/search", tags=["Search"])
Body = Annotated[wire.SearchRequest, Depends(wire.SearchRequest.valid_from_request)]


@router.get(
    "",
    response_model=wire.SearchResults,
    responses=error_responses(400),
    summary="Search by an identifier",
    operation_id="searchResources",
)
def find(
    request: Request,
    services: ServicesDep,
    caller: Reader,
    q: Annotated[
        str | None, query("The identifier, as it was copied.", INTENT, required=True, **IDENTIFIER)
    ] = None,
) -> JsonResponse:
    """Resources of this key's client and mode with an address, transaction, reference, event or id;
    no e-mail addresses."""
    return _shown(request, *search_resources(services, caller, q, takes_email=False))


@router.post(
    "",
    response_model=wire.SearchResults,
    responses=error_responses(400, 413, post=True),
    openapi_extra=request_body_schema(wire.SearchRequest),
    summary="Search, also by an e-mail address",
    operation_id="searchPrivately",
)
def find_privately(
    request: Request, services: ServicesDep, caller: Reader, body: Body
) -> JsonResponse:
    """As `GET /search`, with the identifier in the body, which is not logged on its way as a URL
    is: an e-mail address finds a customer's ramp orders and their payments."""
    return _shown(request, *search_resources(services, caller, body.q, takes_email=True))


def _shown(request: Request, found: list[FoundResource], truncated: bool) -> JsonResponse:
    base = api_url(request)
    results = [wire.ResultOut.from_found(one, base) for one in found]
    return JsonResponse(wire.SearchResults(results=results, truncated=truncated))
