"""What can go wrong for a client of the API, one exception a kind."""

from collections.abc import Mapping
from typing import Any


class CrosswayError(Exception):
    """Anything that this client raises."""


class APIConnectionError(CrosswayError):
    """The service could not be reached or gave no answer in time: what became of it is unknown.

    A request that changes something may have been carried out; its idempotency key, which every
    try carries, makes it safe to ask again.
    """


class ApiError(CrosswayError):
    """The service refused; `message` is its sentence, `request_id` finds it in the service's log.

    `status` is the HTTP status, `body` the whole answer, `retry_after_seconds` how long the service
    asks to wait, where it does.
    """

    retry_after_seconds: float | None = None

    def __init__(self, status: int, message: str, request_id: str, body: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message
        self.request_id = request_id
        self.body = body


class BadRequest(ApiError):
    """400, 413 or 422: something in the request is wrong; the message names the field."""


class KycRequired(BadRequest):
    """400: an identity check stands in the way of an order; `kyc` is where the person stands."""

    @property
    def kyc(self) -> Mapping[str, Any]:
        """The state of the check, as `GET /ramp/kyc` shows it."""
        found: Mapping[str, Any] = self.body.get("kyc", {})
        return found


class Unauthorized(ApiError):
    """401: the key is missing, unknown or revoked."""


class Forbidden(ApiError):
    """403: the key lacks a scope, or something must be given first."""


class NotFound(ApiError):
    """404: no such thing, or not yours."""


class Conflict(ApiError):
    """409: the same request is being carried out right now."""


class RateLimited(ApiError):
    """429: too many requests, and waiting as asked did not help."""


class ServerError(ApiError):
    """5xx: the service failed or cannot answer now."""


def build_error(
    status: int, body: Mapping[str, Any], request_id: str, wait: float | None = None
) -> ApiError:
    """The exception for an answer; the three shapes of errors carry `message` or `error`."""
    message = str(body.get("message") or body.get("error") or f"the service answered {status}")
    kinds: dict[int, type[ApiError]] = {
        401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: RateLimited,
    }  # fmt: skip
    kind = kinds.get(status) or (BadRequest if status < 500 else ServerError)
    if body.get("code") == "KYC_REQUIRED":
        kind = KycRequired
    error = kind(status, message, request_id, body)
    error.retry_after_seconds = wait
    return error
