"""The repository of what people chose for the lists they work with."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TablePreference:
    """One person's choice for one list: the names of the shown columns, empty for the usual ones;
    and the column it is sorted by, with a minus for descending, empty for the usual order."""

    columns: tuple[str, ...] = ()
    sort: str = ""


class TablePreferenceRepository(Protocol):
    """Preferences by staff member and list; 0 is the operator where nobody has to sign in."""

    def get(self, staff_id: int, list_name: str) -> TablePreference:
        """What was chosen; nothing by default."""
        ...

    def set(self, staff_id: int, list_name: str, preference: TablePreference) -> None:
        """Store a choice instead of the one before."""
        ...
