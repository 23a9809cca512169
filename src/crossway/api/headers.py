"""Reading header fields of a request."""

from collections.abc import Iterator

from starlette.types import Scope


def header(scope: Scope, name: bytes) -> bytes | None:
    """The first header of this lower-case name."""
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return None


def listed(scope: Scope, name: bytes) -> Iterator[str]:
    """Every part of every header of this lower-case name, whose parts are parted by commas."""
    for key, value in scope["headers"]:
        if key == name:
            yield from (part.strip() for part in value.decode("latin-1").split(","))
