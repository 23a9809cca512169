"""The three shapes of an error response, and the documentation of an endpoint's errors."""

from typing import Any

from crossway.api.schemas.fields import Model, field
from crossway.domain.error_codes import ErrorCode

_CODES = {"enum": list(ErrorCode)}


class ErrorDetails(Model):
    """What a program needs to know of an error; members of every error response."""

    code: str = field("What a program decides by.", "parameter_invalid", extra=_CODES)
    param: str = field("The refused field or query parameter, if it is one.", "amount", default="")
    params: list[str] = field(
        "Every refused field, if they are several, in the order of the request.",
        ["amount", "recipient"],
        default=[],
    )


class ErrorBody(ErrorDetails):
    """The default error response."""

    statusCode: int = field("The HTTP status code.", 401)
    message: str = field("The error message; several are joined by `; `.", "Unauthorized")


class ActionFailed(ErrorDetails):
    """A manual action that failed."""

    success: bool = field("Always false.", False)
    message: str = field("Why.", "Intent has invalid status: COMPLETED")


class DestinationAddressFailed(ErrorDetails):
    """A destination address that could not be computed."""

    error: str = field("Why.", "Intent not found")


_DESCRIPTIONS = {
    400: "The request is invalid, or the resource's status does not allow it.",
    401: "The key is missing, unknown or revoked.",
    403: "The key lacks the scope, its address is not allowed, or a direct order names no user.",
    404: "The resource does not exist or belongs to another client.",
    409: "A request with the same `Idempotency-Key` is still in flight.",
    413: "The body is longer than 64 KiB, a batch of intents than 1 MiB, or a document than 5 MiB.",
    422: "The `Idempotency-Key` was used before with another request.",
    429: "Too many requests; retry after the seconds in `Retry-After`.",
    500: "An error of the service.",
    503: "A chain, a provider or a price source did not respond; nothing was changed.",
}
_MESSAGES = {
    400: "amount must be a positive integer string in the smallest unit",
    401: "Unauthorized",
    403: "This key lacks the scope: write",
    404: "Intent not found",
    409: "A request with this Idempotency-Key is still in flight",
    413: "The request body is longer than 64 KiB",
    422: "Idempotency-Key was used before with another request",
    429: "Too Many Requests",
    500: "Internal server error",
    503: "A chain, a provider or a price source gave no answer. Please try again later.",
}
# Unknown query parameters are refused everywhere.
_COMMON_STATUSES = (400, 401, 403, 429, 500)
_POST_STATUSES = (409, 413, 422)


def error_responses(
    *statuses: int, post: bool = False, own: type[Model] = ErrorBody
) -> dict[int | str, dict[str, Any]]:
    """The documented error responses of an endpoint; `own` is the shape of its own errors."""
    shared = {*_COMMON_STATUSES, *(_POST_STATUSES if post else ())}
    return {
        status: _error_response(status, statuses, own) for status in sorted({*statuses, *shared})
    }


def _error_response(status: int, own_statuses: tuple[int, ...], own: type[Model]) -> dict[str, Any]:
    is_union = own is not ErrorBody and status in (400, 500)
    model: Any = own | ErrorBody if is_union else own if status in own_statuses else ErrorBody
    example: dict[str, Any] = {"statusCode": status, "message": _MESSAGES[status]}
    if own is ActionFailed and status in own_statuses:
        example = {"success": False, "message": _MESSAGES[status]}
    elif own is DestinationAddressFailed and status in own_statuses:
        example = {"error": "Intent not found"}
    return {
        "model": model,
        "description": _DESCRIPTIONS[status],
        "content": {"application/json": {"example": example}},
    }
