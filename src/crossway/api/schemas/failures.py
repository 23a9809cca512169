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
_EVERYWHERE = (401, 403, 429, 500)
_POSTS = (400, 409, 413, 422)


def failures(
    *statuses: int, post: bool = False, own: type[Model] = Failure
) -> dict[int | str, dict[str, Any]]:
    """The documented failures of an endpoint; `own` is the shape of what it says itself."""
    shared = {*_EVERYWHERE, *(_POSTS if post else ())}
    found: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*statuses, *shared}):
        both = own is not Failure and status in (400, 500)
        model: Any = own | Failure if both else own if status in statuses else Failure
        found[status] = {"model": model, "description": _SAID[status]}
    return found
