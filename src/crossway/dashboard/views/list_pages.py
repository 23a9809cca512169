"""Pages of long lists: what belongs on one, and the order that the database reads them in."""

from collections.abc import Sequence
from typing import TypeVar

from crossway.ports.search_repository import Count

T = TypeVar("T")

OLDEST_FIRST = ("id", "created")
"""The sortings of a list by number, which is the order of creation, that begin with the oldest."""


def take_page(records: Sequence[T], size: int) -> tuple[Sequence[T], T | None]:
    """The records of a page of this size, of which one more was asked for; and the last of them,
    behind which the next page begins, None on the last page."""
    shown = records[:size]
    return shown, shown[-1] if len(records) > size else None


def describe_order(sort: str) -> str:
    """The order of a list by number."""
    return "Oldest first." if sort in OLDEST_FIRST else "Newest first."


def describe_count(count: Count, noun: str) -> str:
    """How many records a list has, as text: `More than 1,000 payments`."""
    n = f"{count.count:,} {noun}{'' if count.count == 1 else 's'}"
    return f"More than {n}" if count.more else n
