"""Exceptions of the API client."""

from collections.abc import Mapping
from typing import Any


class CrosswayError(Exception):
    """The base class of this client's exceptions."""


class APIConnectionError(CrosswayError):
    """The service could not be reached or did not respond in time; the outcome is unknown.

    A write may have been executed. Its idempotency key, sent with every attempt, makes it safe to
    repeat the request.
    """


class ApiError(CrosswayError):
    """An error response; `message` is its message, `request_id` identifies it in the service's log.

    `status` is the HTTP status, `body` the JSON body, `retry_after_seconds` the wait that the
    service asks for, if any.
    """

    retry_after_seconds: float | None = None

    def __init__(self, status: int, message: str, request_id: str, body: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message
        self.request_id = request_id
        self.body = body


class BadRequest(ApiError):
    """400, 413 or 422: the request is invalid; the message names the field."""


class KycRequired(BadRequest):
    """400: the order requires a KYC check first; `kyc` is the customer's KYC state."""

    @property
    def kyc(self) -> Mapping[str, Any]:
        """The KYC state, as `GET /ramp/kyc` returns it."""
        state: Mapping[str, Any] = self.body.get("kyc", {})
        return state


class Unauthorized(ApiError):
    """401: the key is missing, unknown or revoked."""


class Forbidden(ApiError):
    """403: the key lacks a scope, or a required user is missing."""


class NotFound(ApiError):
    """404: the resource does not exist or belongs to another client."""


class Conflict(ApiError):
    """409: the same request is still in progress."""


class RateLimited(ApiError):
    """429: too many requests, also after waiting."""


class ServerError(ApiError):
    """5xx: the service failed or is unavailable."""


def build_error(
    status: int, body: Mapping[str, Any], request_id: str, wait: float | None = None
) -> ApiError:
    """The exception for an error response; its three shapes have `message` or `error`."""
    message = str(body.get("message") or body.get("error") or f"the service responded {status}")
    kinds: dict[int, type[ApiError]] = {
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        429: RateLimited,
    }
    kind = kinds.get(status) or (BadRequest if status < 500 else ServerError)
    if body.get("code") == "KYC_REQUIRED":
        kind = KycRequired
    error = kind(status, message, request_id, body)
    error.retry_after_seconds = wait
    return error
