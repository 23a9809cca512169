"""The port that keeps passwords as hashes."""

from typing import Protocol


class Passwords(Protocol):
    """Slow on purpose, so that a stolen hash tells little."""

    def hash_of(self, password: str) -> str:
        """What is stored of a password."""
        ...

    def fits(self, known: str, password: str) -> bool:
        """Whether a password is the one of a hash. Takes the same time without a hash (`""`)."""
        ...

    def outdated(self, known: str) -> bool:
        """Whether a hash was made in a weaker way than today's."""
        ...
