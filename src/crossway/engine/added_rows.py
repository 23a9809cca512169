"""Which rows of a table were added since it was read last, by their ids."""

from collections.abc import Collection, Mapping
from typing import Final

# An id that was given out is looked for as long as its transaction can possibly last.
_MISSING_SECONDS: Final = 600.0
MOST_MISSING: Final = 10_000


class AddedRows:
    """The newest id that was read, and those below it that were not there.

    PostgreSQL gives ids out before their transactions are committed. An id below the newest one
    that was not there is therefore looked for again, so that no row is left out.
    """

    def __init__(self, newest_id: int = 0) -> None:
        self.newest_id = newest_id
        # When each id that is not stored yet was noticed.
        self._missing: dict[int, float] = {}

    @property
    def missing(self) -> Mapping[int, float]:
        """The ids to look for again."""
        return self._missing

    def note(self, ids: Collection[int], now: float) -> None:
        """Remember the ids below the newest of these that were not there; `now` in seconds of a
        monotonic clock."""
        for row_id in ids:
            self._missing.pop(row_id, None)
        newest, before = max(ids, default=0), self.newest_id
        if newest > before:
            lowest = max(before + 1, newest - MOST_MISSING)
            absent = set(range(lowest, newest)).difference(ids)
            self._missing |= dict.fromkeys(sorted(absent), now)
            self.newest_id = newest
        self._missing = {
            row_id: noticed
            for row_id, noticed in self._missing.items()
            if now - noticed < _MISSING_SECONDS
        }
