"""The three shapes of a failure, and which of them an endpoint documents."""

from typing import Any

from crossway.api.schemas.fields import Model, text


class Failure(Model):
    """A refusal or failure, in the shape that holds wherever no other is listed."""

    statusCode: int = text("The HTTP status again.", 401)
    message: str = text("A sentence; several complaints are joined by `; `.", "Unauthorized")


class NotDone(Model):
    """What was asked for by hand and not done."""

    success: bool = text("Always false.", False)
    message: str = text("Why.", "Intent has invalid status: COMPLETED")


class NotComputed(Model):
    """A destination address that cannot be told."""

    error: str = text("Why.", "Intent not found")


_SAID = {
    400: "The request is wrong, or the state of the thing does not allow it.",
    401: "The key is missing, unknown or revoked.",
    403: "The key lacks the scope or may not come from here, or a direct order names no user.",
    404: "There is no such thing, or it is not this client's.",
    409: "A request with the same `Idempotency-Key` is still in flight.",
    413: "The body is longer than 64 KiB, or a document longer than 5 MiB.",
    422: "The `Idempotency-Key` was used before with another request.",
    429: "Too many requests: `Retry-After` says in how many seconds to come back.",
    500: "A failure of the service.",
    503: "A chain, a provider or a price source gave no answer; nothing was changed.",
}
_FOR_EXAMPLE = {
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
_EVERYWHERE = (401, 403, 429, 500)
_POSTS = (400, 409, 413, 422)


def failures(
    *statuses: int, post: bool = False, own: type[Model] = Failure
) -> dict[int | str, dict[str, Any]]:
    """The documented failures of an endpoint; `own` is the shape of what it says itself."""
    shared = {*_EVERYWHERE, *(_POSTS if post else ())}
    return {status: _failure(status, statuses, own) for status in sorted({*statuses, *shared})}


def _failure(status: int, said: tuple[int, ...], own: type[Model]) -> dict[str, Any]:
    both = own is not Failure and status in (400, 500)
    model: Any = own | Failure if both else own if status in said else Failure
    example: dict[str, Any] = {"statusCode": status, "message": _FOR_EXAMPLE[status]}
    if own is NotDone and status in said:
        example = {"success": False, "message": _FOR_EXAMPLE[status]}
    elif own is NotComputed and status in said:
        example = {"error": "Intent not found"}
    return {
        "model": model,
        "description": _SAID[status],
        "content": {"application/json": {"example": example}},
    }
