"""Exceptions of the client."""

from collections.abc import Mapping
from typing import Any


class CrosswayError(Exception):
    """The base class of this client's exceptions.

    `idempotency_key` is the key under which a POST was sent: the same call with this key is safe,
    as the service executes it once and repeats its first response.
    """

    idempotency_key: str | None = None


class APIConnectionError(CrosswayError):
    """The service could not be reached or did not respond in time; the outcome is unknown: a POST
    may have been executed."""


class InvalidArgument(CrosswayError, ValueError):
    """An argument that no request carries as it is; nothing was sent."""


class UnexpectedResponse(CrosswayError):
    """The response is not what the API documents: another server, or an incompatible version."""


class SignatureVerificationError(CrosswayError):
    """The signature or the timestamp of a webhook is invalid; ignore the webhook."""


class ApiError(CrosswayError):
    """An error response. Its text is `message`, which names the refused fields.

    `status` is the HTTP status. `code` is the error's stable name in snake case, such as
    `intent_not_found`; empty if the service sends none. `params` are the refused fields in the
    order of the request, `param` the first of them. `request_id` identifies the request in the
    service's log. `retry_after_seconds` is the wait that the service asks for, if any. `body` is
    the JSON body.
    """

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        request_id: str = "",
        retry_after_seconds: float | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        # The three shapes of an error have `message` or `error`.
        message = body.get("message") or body.get("error")
        self.message = str(message or f"the service responded {status}")
        self.code = str(body.get("code") or "")
        one = body.get("param")
        params = body.get("params") or ([one] if one else [])
        self.params = tuple(map(str, params))
        super().__init__(f"{status}: {self.message}")

    @property
    def param(self) -> str | None:
        """The first refused field; None if the error is not about a field."""
        return self.params[0] if self.params else None


class BadRequest(ApiError):
    """400, 413 or 422: the request is invalid; `params` are the refused fields."""


class KycRequired(BadRequest):
    """400 with the code `KYC_REQUIRED`: the order requires a KYC check first."""

    @property
    def kyc(self) -> Mapping[str, Any]:
        """The customer's KYC state as JSON, as `GET /ramp/kyc` returns it."""
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


_CLASSES: Mapping[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
}


def build_error(
    status: int,
    body: Mapping[str, Any],
    request_id: str = "",
    retry_after_seconds: float | None = None,
) -> ApiError:
    """The exception for an error response."""
    kind = _CLASSES.get(status) or (BadRequest if status < 500 else ServerError)
    if body.get("code") == "KYC_REQUIRED":
        kind = KycRequired
    return kind(status, body, request_id, retry_after_seconds)
