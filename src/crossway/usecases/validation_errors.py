"""Collect the validation errors of all fields of a request and raise them as one error."""

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from crossway.domain.errors import InvalidInput

P = ParamSpec("P")
T = TypeVar("T")


class ValidationErrors:
    """The error messages about one request so far; each names its field."""

    def __init__(self, messages: Iterable[str] = ()) -> None:
        self._messages: list[str] = list(messages)

    def add(self, message: str) -> None:
        """Add a message unless it is present."""
        if message not in self._messages:
            self._messages.append(message)

    def collect(self, parse: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Parse a field with these arguments; add the error and return None if that is invalid."""
        try:
            return parse(*args, **kwargs)
        except InvalidInput as error:
            self.add(str(error))
            return None

    def raise_if_any(self) -> None:
        """Raise `InvalidInput` with all messages, if there are any."""
        if self._messages:
            raise InvalidInput("; ".join(self._messages))
