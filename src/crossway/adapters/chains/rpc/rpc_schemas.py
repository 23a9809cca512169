"""Strict parsing that the RPC schemas of every family share."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from crossway.domain.errors import Unreachable

# 9999-12-31, the last day that a datetime can hold.
_MAX_UNIX_SECONDS = 253_402_300_799


class MalformedResponse(Unreachable):
    """A node's response does not have the expected form, so it counts as no response."""


def as_object(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object. Raises `MalformedResponse`, which names `what` was expected."""
    if not isinstance(value, dict):
        raise MalformedResponse(f"the node did not return {what}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """A JSON array. Raises `MalformedResponse`, which names `what` was expected."""
    if not isinstance(value, list):
        raise MalformedResponse(f"the node did not return {what}")
    return value


def as_count(value: Any, what: str) -> int:
    """A JSON integer of 0 or more. Raises `MalformedResponse`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MalformedResponse(f"the node did not return {what}")
    return value


def block_time(unix_seconds: int) -> datetime:
    """The timestamp of a block. Raises `MalformedResponse` for one after the year 9999."""
    if unix_seconds > _MAX_UNIX_SECONDS:
        raise MalformedResponse("the node returned a block with an invalid timestamp")
    return datetime.fromtimestamp(unix_seconds, UTC)
