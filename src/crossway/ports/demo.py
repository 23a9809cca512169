"""The ports of the optional crossway-demo distribution: demo data and scenarios."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event, Lock, Thread
from typing import Protocol

from crossway.ports.store import UnitOfWork

NOT_INSTALLED = "The demo data and scenarios are not installed: pip install crossway-demo"


@dataclass(frozen=True, slots=True)
class DemoProgress:
    """How many of all payments are played, the share of the whole work that is done (0 to 1), and
    the current step in words."""

    done: int = 0
    total: int = 0
    share: float = 0.0
    step: str = "Starting"


# Called with the progress between two steps. What it raises ends the work, and nothing is replaced.
ReportProgress = Callable[[DemoProgress], None]
# Called in the transaction that replaces the data, with the number of payments that there are then.
# What it writes is stored with the data or not at all.
OnReplaced = Callable[[UnitOfWork, int], None]


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """The numbers of payments, ramp orders and records that were generated."""

    payments: int
    orders: int
    records: int


class DemoStatus(StrEnum):
    """What became of the demo month that was asked for last."""

    IDLE = "idle"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass
class DemoJob:
    """The demo month that this process generates in the background, one at a time.

    `started_at` and `ended_at` are time.monotonic(). `error` says why it failed. A process that
    ends meanwhile takes the unfinished month with it: the data is replaced at the very end.
    """

    status: DemoStatus = DemoStatus.IDLE
    progress: DemoProgress = field(default_factory=DemoProgress)
    summary: DemoSummary | None = None
    error: str = ""
    started_at: float = 0.0
    ended_at: float | None = None
    cancel_requested: Event = field(default_factory=Event)
    thread: Thread | None = None
    lock: Lock = field(default_factory=Lock)

    @property
    def running(self) -> bool:
        """Whether it is being generated now."""
        return self.status is DemoStatus.RUNNING

    def seconds_elapsed(self) -> float:
        """Seconds since the start, or from the start to the end."""
        return (self.ended_at or time.monotonic()) - self.started_at

    def seconds_left(self) -> float | None:
        """Seconds to the end at the pace so far; None as long as there is no pace to measure."""
        share = self.progress.share
        return self.seconds_elapsed() * (1 - share) / share if share else None


class DemoData(Protocol):
    """Generates and clears demo data."""

    def count_records(self) -> tuple[int, int]:
        """The current numbers of payments and ramp orders."""
        ...

    def generate(
        self, payments: int, on_progress: ReportProgress, on_replaced: OnReplaced
    ) -> DemoSummary:
        """Replace all business data by a simulated month that ends now.

        Raises `InvalidStatus` when another process works on this database, and what `on_progress`
        raises; nothing is replaced then.
        """
        ...

    def clear(self, keep_clients: bool, on_replaced: OnReplaced) -> None:
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
