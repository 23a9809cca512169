"""What `crossway doctor` says of a live chain, whatever its family."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what was seen, and where it is wrong what to do about it."""

    what: str
    said: str
    remedy: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def key_finding(name: str, error: ValueError) -> Finding:
    """A chain that cannot be opened, for want of its key or of a variable."""
    return Finding("key", str(error), f"Give the key that chains.{name}.key names, and try again.")
