"""Which refusal becomes which status and which of the three shapes of service.md §Errors."""

import traceback
from collections.abc import Callable
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TypeVar

import structlog
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match, Route
from starlette.types import Scope

from crossway.api.answers import Json
from crossway.api.schemas import kyc
from crossway.domain.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    KeyReused,
    KycRequired,
    NotFound,
    QuotesUnavailable,
    Refusal,
    TooManyRequests,
    Unauthorized,
    Unreachable,
    WrongState,
)

LOG = structlog.get_logger("crossway.api")
STATUS: Final = MappingProxyType(
    {
        InvalidInput: 400,
        WrongState: 400,
        Unauthorized: 401,
        Forbidden: 403,
        NotFound: 404,
        Conflict: 409,
        KeyReused: 422,
        TooManyRequests: 429,
    }
)
NO_ANSWER = "A chain, a provider or a price source gave no answer. Please try again later."
UNEXPECTED = "Internal server error"
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Shape(Enum):
    """The body of a failure."""

    STATUS_CODE = "{statusCode, message}"
    SUCCESS = "{success: false, message}"
    ERROR = "{error}"


def fails(
    shape: Shape = Shape.STATUS_CODE, unexpected: str | None = None
) -> Callable[[Endpoint], Endpoint]:
    """The shape of an endpoint's own failures, and what it says (500) when it cannot work."""

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__.update(shape=shape, unexpected=unexpected)
        return endpoint

    return mark


def plain(status: int, message: str, headers: dict[str, str] | None = None) -> Json:
    """The shape that holds wherever no other is listed."""
    return Json({"statusCode": status, "message": message}, status, headers)


def refused(request: Request, refusal: Exception) -> Json:
    """A refusal of the domain, in its endpoint's shape; 401, 403 and 429 look alike everywhere."""
    status = STATUS.get(type(refusal), 400)
    if status in (401, 403, 422, 429):
        return plain(status, str(refusal))
    return _shaped(request.scope, status, str(refusal))


def kyc_required(_: Request, refusal: Exception) -> Json:
    """An identity check stands in the way: which one, so that the user can be led through it."""
    assert isinstance(refusal, KycRequired)
    said = {"statusCode": 400, "message": str(refusal), "code": "KYC_REQUIRED"}
    return Json({**said, "kyc": kyc.state(refusal.state)}, 400)


def no_answer(request: Request, error: Exception) -> Json:
    """Somebody outside did not answer: never our caller's mistake, never a success."""
    path = getattr(request.scope.get("route"), "path", None)
    LOG.warning("no answer from outside", reason=str(error), path=path)
    unexpected = getattr(request.scope.get("endpoint"), "unexpected", None)
    if unexpected is None:
        return _shaped(request.scope, 503, NO_ANSWER)
    return _shaped(request.scope, 500, _filled(unexpected, NO_ANSWER))


def unhandled(scope: Scope, error: Exception) -> Json:
    """A defect: the caller learns that it is ours and its request id, the log learns the rest."""
    # Formatted here: a renderer that shows local variables would show keys.
    trace = "".join(traceback.format_exception(error))
    LOG.error("unhandled error", exception=trace, request_id=scope["state"].get("request_id"))
    unexpected = getattr(scope.get("endpoint"), "unexpected", None) or UNEXPECTED
    return _shaped(scope, 500, _filled(unexpected, UNEXPECTED))


def invalid(_: Request, error: Exception) -> Json:
    """Parameters that FastAPI could not read: every complaint, each naming its field."""
    assert isinstance(error, RequestValidationError)
    return plain(400, "; ".join(dict.fromkeys(_complaint(one) for one in error.errors())))


def http(request: Request, error: Exception) -> Json:
    """Unknown paths and methods; the latter with all methods of the path, not its first route's."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(_methods_at(request)))
    return plain(error.status_code, str(error.detail), headers)


HANDLERS: Final[dict[int | type[Exception], Any]] = {
    Refusal: refused,
    KycRequired: kyc_required,
    Unreachable: no_answer,
    QuotesUnavailable: no_answer,
    RequestValidationError: invalid,
    HTTPException: http,
}


def _methods_at(request: Request) -> set[str]:
    routes = [r for r in request.app.router.routes if isinstance(r, Route)]
    found = [r.methods or () for r in routes if r.matches(request.scope)[0] is not Match.NONE]
    return {method for methods in found for method in methods}


def _filled(text: str, details: str) -> str:
    return text.replace("<error details>", details)


def _shaped(scope: Scope, status: int, message: str) -> Json:
    shape = getattr(scope.get("endpoint"), "shape", Shape.STATUS_CODE)
    if shape is Shape.SUCCESS:
        return Json({"success": False, "message": message}, status)
    if shape is Shape.ERROR:
        return Json({"error": message}, status)
    return plain(status, message)


def _complaint(error: dict[str, Any]) -> str:
    field, context = str(error["loc"][-1]), error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"{field} is required"
        case "int_parsing" | "int_type" | "int_parsing_size" | "int_from_float":
            return f"{field} must be a whole number"
        case "greater_than_equal":
            return f"{field} must be at least {context['ge']}"
        case "less_than_equal":
            return f"{field} must be at most {context['le']}"
        case "enum" | "literal_error":
            return f"{field} must be {context['expected']}"
        case _:
            return f"{field}: {error['msg']}"
