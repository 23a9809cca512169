"""Headers as a server hands them over, without the objects that frameworks make of them."""

from starlette.types import Scope


def header_values(scope: Scope, name: bytes) -> list[str]:
    """The values of a header by its name in lower case, in their order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def header_value(scope: Scope, name: bytes) -> str | None:
    """The first value of a header by its name in lower case; None without one."""
    for key, value in scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return None
