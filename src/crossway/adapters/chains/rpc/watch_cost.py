"""What watching a chain costs: calls to its nodes by the minute and the day."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.rpc.diagnostics import Finding

EXAMPLE_PAYMENTS = 100
# Deposits that are noticed later than this make payers wait.
_SLOW_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class WatchCost:
    """One look at a chain: the calls to one node, how often the chain is looked at where nothing
    limits it, and over how many seconds the budget of calls spreads a look."""

    calls: int
    poll_seconds: float
    budgeted_seconds: float

    @property
    def seconds(self) -> float:
        """The time between two looks."""
        return max(self.poll_seconds, self.budgeted_seconds)


@dataclass(frozen=True, slots=True)
class ExampleAddresses:
    """An address filter of addresses that belong to nobody."""

    addresses: Sequence[str]

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        """None: nobody pays to them."""
        return set()

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        """None, too."""
        return set()

    def count(self) -> int:
        """How many there are."""
        return len(self.addresses)

    def list_part(self, first: int, count: int) -> Sequence[str]:
        """So many of them from a number on."""
        return self.addresses[first : first + count]

    def list_all(self) -> Sequence[str]:
        """All of them."""
        return self.addresses

    def list_recent(self) -> Sequence[str]:
        """All of them: their payments are open."""
        return self.addresses


def watching_finding(cost: WatchCost) -> Finding:
    """What watching costs while payments are open, and whether its budget makes it slow."""
    seconds = max(cost.seconds, 0.25)
    message = (
        f"{cost.calls} calls a look at {EXAMPLE_PAYMENTS} open payments, every {seconds:,.1f} s: "
        f"{cost.calls * 60 / seconds:,.0f} calls a minute and {cost.calls * 86_400 / seconds:,.0f} "
        "a day to each node"
    )
    if cost.budgeted_seconds <= _SLOW_SECONDS:
        return Finding("watching", message)
    remedy = (
        "Its budget makes deposits be noticed late: use a node that allows more calls, and raise "
        "calls_per_minute and calls_per_day."
    )
    return Finding("watching", message, remedy)
