"""The ports of the optional crossway-demo distribution: demo data and scenarios."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

NOT_INSTALLED = "The demo data and scenarios are not installed: pip install crossway-demo"
# Called with the progress from 0 to 1 and the name of the current step.
ReportProgress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """The numbers of payments, ramp orders and records that were generated."""

    payments: int
    orders: int
    records: int


class DemoData(Protocol):
    """Generates and clears demo data."""

    def count_records(self) -> tuple[int, int]:
        """The current numbers of payments and ramp orders."""
        ...

    def generate(self, payments: int, on_progress: ReportProgress) -> DemoSummary:
        """Replace all business data by a simulated month that ends now.

        Raises `InvalidStatus` when another process works on this database.
        """
        ...

    def clear(self, keep_clients: bool) -> None:
        """Delete all business data; staff stay, and clients and API keys with `keep_clients`."""
        ...


# Called by the launcher with the settings, the store and callbacks of a service.
DemoFactory = Callable[..., DemoData]


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    """The number, name and title of a scenario."""

    number: int
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class ScenarioReport:
    """The narrative of a scenario as lines, and whether all its invariants hold."""

    lines: Sequence[str]
    passed: bool


class Scenarios(Protocol):
    """Lists and runs scenarios."""

    def list_all(self) -> Sequence[ScenarioInfo]:
        """All scenarios in their order."""
        ...

    def run(self, name: str) -> ScenarioReport:
        """Run a scenario on a throwaway simulated network. Raises `NotFound`."""
        ...
