"""Error responses: the status of each domain error, and the three shapes of their bodies."""

import logging
import traceback
from collections.abc import Callable, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TypeVar

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match, Route
from starlette.types import Scope

from crossway.api.request_fields import refused_fields
from crossway.api.schemas.error_responses import (
    ActionFailed,
    DestinationAddressFailed,
    ErrorBody,
)
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import (
    Conflict,
    DomainError,
    FieldError,
    Forbidden,
    IdempotencyConflict,
    InvalidInput,
    InvalidStatus,
    KycRequired,
    NoTerms,
    NotFound,
    PaymentsStopped,
    QuotesUnavailable,
    StorageUnavailable,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

LOG = logging.getLogger("crossway.api")
STATUS_BY_ERROR: Final = MappingProxyType(
    {
        InvalidInput: 400,
        InvalidStatus: 400,
        Unauthorized: 401,
        Forbidden: 403,
        NotFound: 404,
        Conflict: 409,
        IdempotencyConflict: 422,
        TooManyRequests: 429,
    }
)
UPSTREAM_UNAVAILABLE = (
    "A chain, a provider or a price source gave no answer. Please try again later."
)
NO_TERMS = (
    "No bridge says now what it charges for this payment, and an estimate is not a quote: nothing "
    "was created. Please try again later."
)
STORAGE_UNAVAILABLE = "The service cannot store anything at the moment. Please try again later."
UNEXPECTED = "Internal server error"
STARTING = "Starting. Please try again in a moment."
STORAGE_RETRY_SECONDS = 5
_HTTP_CODES: Final = MappingProxyType(
    {
        400: ErrorCode.BODY_INVALID,
        404: ErrorCode.NOT_FOUND,
        405: ErrorCode.METHOD_NOT_ALLOWED,
        413: ErrorCode.BODY_TOO_LARGE,
    }
)
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class ErrorShape(Enum):
    """The shape of an error response's body."""

    STATUS_CODE = "{statusCode, message}"
    SUCCESS = "{success: false, message}"
    ERROR = "{error}"


def error_format(
    shape: ErrorShape = ErrorShape.STATUS_CODE, unexpected: str | None = None
) -> Callable[[Endpoint], Endpoint]:
    """A decorator that sets the error shape of an endpoint, and its message for status 500."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__.update(shape=shape, unexpected=unexpected)
        return endpoint

    return mark


def error_response(
    status: int,
    message: str,
    code: ErrorCode,
    headers: dict[str, str] | None = None,
    fields: Sequence[str] = (),
) -> JsonResponse:
    """An error response in the default shape; `fields` are the refused ones."""
    details = error_details(code, fields)
    return JsonResponse(ErrorBody(statusCode=status, message=message, **details), status, headers)


def domain_error(request: Request, error: Exception) -> JsonResponse:
    """An error of the domain, in its endpoint's shape; 401, 403 and 429 look alike everywhere."""
    assert isinstance(error, DomainError)
    status = STATUS_BY_ERROR.get(type(error), 400)
    fields = refused_fields(request, error.field_errors)
    if status in (401, 403, 422, 429):
        return error_response(status, str(error), error.code, fields=fields)
    return _in_endpoint_shape(request.scope, status, str(error), error.code, fields)


def kyc_required(_: Request, error: Exception) -> JsonResponse:
    """An order that needs a KYC check first, with the check's state."""
    assert isinstance(error, KycRequired)
    # Imported here: few requests need it, and a start is faster without it.
    from crossway.api.schemas import kyc

    body = kyc.KycNeeded(
        statusCode=400,
        message=str(error),
        code=ErrorCode.KYC_REQUIRED,
        kyc=kyc.KycStateOut.from_assessment(error.assessment),
    )
    return JsonResponse(body, 400)


def upstream_unavailable(request: Request, error: Exception) -> JsonResponse:
    """A chain, provider or price source did not respond."""
    message = NO_TERMS if isinstance(error, NoTerms) else UPSTREAM_UNAVAILABLE
    is_quote = isinstance(error, QuotesUnavailable)
    code = ErrorCode.QUOTES_UNAVAILABLE if is_quote else ErrorCode.UPSTREAM_UNAVAILABLE
    path = getattr(request.scope.get("route"), "path", None)
    LOG.warning("upstream unavailable", extra={"fields": {"reason": str(error), "path": path}})
    unexpected = getattr(request.scope.get("endpoint"), "unexpected", None)
    if unexpected is None:
        return _in_endpoint_shape(request.scope, 503, message, code)
    return _in_endpoint_shape(request.scope, 500, _with_details(unexpected, message), code)


def payments_stopped(request: Request, error: Exception) -> JsonResponse:
    """The operator stopped all outgoing money: no payment is taken until its release."""
    return _in_endpoint_shape(request.scope, 503, str(error), ErrorCode.PAYMENTS_STOPPED)


def storage_unavailable(request: Request, error: Exception) -> JsonResponse:
    """The database is full, locked or does not answer."""
    return _without_storage(request.scope, error)


def _without_storage(scope: Scope, error: Exception) -> JsonResponse:
    path = getattr(scope.get("route"), "path", None)
    LOG.warning("storage unavailable", extra={"fields": {"reason": str(error), "path": path}})
    code = ErrorCode.STORAGE_UNAVAILABLE
    response = _in_endpoint_shape(scope, 503, STORAGE_UNAVAILABLE, code)
    response.headers["retry-after"] = str(STORAGE_RETRY_SECONDS)
    return response


def unhandled_error(scope: Scope, error: Exception) -> JsonResponse:
    """An unexpected exception: the response has no details, the log has the stack trace."""
    if isinstance(error, StorageUnavailable):
        # A middleware around the endpoint needed the database.
        return _without_storage(scope, error)
    # Formatted here, because a log renderer that shows local variables would show keys.
    trace = "".join(traceback.format_exception(error))
    fields = {"exception": trace, "request_id": scope["state"].get("request_id")}
    LOG.error("unhandled error", extra={"fields": fields})
    unexpected = getattr(scope.get("endpoint"), "unexpected", None) or UNEXPECTED
    message = _with_details(unexpected, UNEXPECTED)
    return _in_endpoint_shape(scope, 500, message, ErrorCode.INTERNAL_ERROR)


def invalid_parameters(request: Request, error: Exception) -> JsonResponse:
    """Parameters that FastAPI refused, with one sentence for each."""
    assert isinstance(error, RequestValidationError)
    errors = dict.fromkeys(_parameter_field_error(problem) for problem in error.errors())
    return domain_error(request, InvalidInput.of(list(errors)))


def http_error(request: Request, error: Exception) -> JsonResponse:
    """Unknown paths and methods; `Allow` names the methods of every route of the path."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(_allowed_methods(request)))
    code = _HTTP_CODES.get(error.status_code, ErrorCode.INTERNAL_ERROR)
    return error_response(error.status_code, str(error.detail), code, headers)


HANDLERS: Final[dict[int | type[Exception], Any]] = {
    DomainError: domain_error,
    KycRequired: kyc_required,
    StorageUnavailable: storage_unavailable,
    Unreachable: upstream_unavailable,
    PaymentsStopped: payments_stopped,
    QuotesUnavailable: upstream_unavailable,
    RequestValidationError: invalid_parameters,
    HTTPException: http_error,
}


def failure_response(request: Request, error: Exception) -> JsonResponse:
    """The response to any error of an endpoint, as the application makes it."""
    for kind in type(error).__mro__:
        if kind in HANDLERS:
            response: JsonResponse = HANDLERS[kind](request, error)
            return response
    return unhandled_error(request.scope, error)


def _allowed_methods(request: Request) -> set[str]:
    routes = [r for r in request.app.router.routes if isinstance(r, Route)]
    methods_per_route = [
        r.methods or () for r in routes if r.matches(request.scope)[0] is not Match.NONE
    ]
    return {method for methods in methods_per_route for method in methods}


def _with_details(text: str, details: str) -> str:
    return text.replace("<error details>", details)


def error_details(code: ErrorCode, fields: Sequence[str]) -> dict[str, Any]:
    """The members of every error body; one refused field is `param`, several are `params`."""
    details: dict[str, Any] = {"code": code}
    if len(fields) == 1:
        details["param"] = fields[0]
    elif fields:
        details["params"] = list(fields)
    return details


def _in_endpoint_shape(
    scope: Scope, status: int, message: str, code: ErrorCode, fields: Sequence[str] = ()
) -> JsonResponse:
    shape, details = getattr(scope.get("endpoint"), "shape", None), error_details(code, fields)
    if shape is ErrorShape.SUCCESS:
        return JsonResponse(ActionFailed(success=False, message=message, **details), status)
    if shape is ErrorShape.ERROR:
        return JsonResponse(DestinationAddressFailed(error=message, **details), status)
    return error_response(status, message, code, fields=fields)


def _parameter_field_error(error: dict[str, Any]) -> FieldError:
    if error["type"] == "missing":
        return FieldError(f"{error['loc'][-1]} is required", ErrorCode.PARAMETER_MISSING)
    return FieldError(_parameter_error(error))


def _parameter_error(error: dict[str, Any]) -> str:
    field, context = str(error["loc"][-1]), error.get("ctx", {})
    match error["type"]:
        case "int_parsing" | "int_type" | "int_parsing_size" | "int_from_float":
            return f"{field} must be a whole number"
        case "greater_than_equal":
            return f"{field} must be at least {context['ge']}"
        case "less_than_equal":
            return f"{field} must be at most {context['le']}"
        case "enum" | "literal_error":
            return f"{field} must be {context['expected']}"
        case "bool_parsing":
            return f"{field} must be true or false"
        case _:
            return f"{field}: {error['msg']}"
