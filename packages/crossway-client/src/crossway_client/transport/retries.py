"""The rules of retries: what may be repeated, and after which wait."""

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

# Refused or lost before the service did anything, or repeatable under the same idempotency key.
RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
IN_PROGRESS = 409
_READS_AGAIN = ("GET", "PATCH")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a request is sent at most, and the longest wait between two attempts; a service
    that asks for a longer one makes the call fail."""

    attempts: int = 4
    max_wait_seconds: float = 60.0


def may_repeat(method: str, error: httpx.RequestError) -> bool:
    """Whether a request without a response may be sent again.

    A GET changes nothing, a PATCH sets the same values again, and a POST is executed once for its
    idempotency key. A DELETE that had arrived would respond 404, so it is repeated only if there
    was no connection.
    """
    return method != "DELETE" or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)


def may_retry(method: str, response: httpx.Response) -> bool:
    """Whether a request with this error response may be sent again."""
    if "idempotent-replayed" in response.headers:
        return False  # The stored response of this key does not change.
    status = response.status_code
    return (
        status in RETRYABLE_STATUSES
        or (status == IN_PROGRESS and method == "POST")
        or (status == 500 and method in _READS_AGAIN)
    )


def backoff_seconds(attempt: int, status: int | None = None) -> float:
    """Exponential backoff with jitter: 0.25, 0.5, 1 … seconds, each reduced by up to a half. What
    is in progress takes longer than what was refused: 1, 2, 4 … seconds."""
    first = 1.0 if status == IN_PROGRESS else 0.25
    return float(first * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))


def parse_retry_after(value: str) -> float | None:
    """The seconds in a `Retry-After`, in either of its forms; None without it."""
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value).timestamp()
    except ValueError:
        return None
    return max(at - time.time(), 0.0)
