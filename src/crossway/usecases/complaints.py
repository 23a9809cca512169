"""Reading several fields and refusing once, with every complaint in one message."""

from collections.abc import Callable
from typing import TypeVar

from crossway.domain.errors import InvalidInput

T = TypeVar("T")


class Complaints:
    """The complaints about one request so far; each names its field (wire.md §1)."""

    def __init__(self) -> None:
        self._all: list[str] = []

    def add(self, complaint: str) -> None:
        """Note a complaint, once."""
        if complaint not in self._all:
            self._all.append(complaint)

    def read(self, reading: Callable[[], T]) -> T | None:
        """What reading a field gives; None after a refusal, which is noted."""
        try:
            return reading()
        except InvalidInput as refusal:
            self.add(str(refusal))
            return None

    def refuse(self) -> None:
        """Raise `InvalidInput` when there is any complaint."""
        if self._all:
            raise InvalidInput("; ".join(self._all))
