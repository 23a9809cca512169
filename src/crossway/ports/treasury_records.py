"""What is remembered for the treasury: pages of the books, flows, targets, reconciliations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from crossway.domain.flows import Flow, HourOfFlows, Span
from crossway.domain.ledger import Account, BalanceKey, Posting


@dataclass(frozen=True, slots=True)
class PostingFilter:
    """Which postings: all, or those of one account, of whole days counted from 1970 (both ends
    included). `before_id` and `after_id` are where a page begins, newest or oldest first."""

    place: BalanceKey | None = None
    first_day: int | None = None
    last_day: int | None = None
    before_id: int | None = None
    after_id: int | None = None


@dataclass(frozen=True, slots=True)
class Posted:
    """A posting as stored."""

    id: int
    at: datetime
    posting: Posting


@dataclass(frozen=True, slots=True)
class Turnover:
    """What was posted to an account, debits and credits apart, zero or more."""

    debits: int
    credits: int


class BookRecords(Protocol):
    """The double-entry ledger."""

    def post(self, made: Sequence[Posting], at: datetime) -> None: ...
    def of(self, intent_id: int) -> list[tuple[datetime, Posting]]: ...
    def of_tx(self, intent_ids: Collection[int], txs: Collection[str]) -> list[Posting]: ...
    def balances(self) -> dict[BalanceKey, int]: ...

    def balances_before(self, day: int) -> dict[BalanceKey, int]:
        """What every account stood at when a day began, in days from 1970, UTC."""
        ...

    def turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        """What was posted to an account everywhere since a day, that day included."""
        ...

    def page(self, wanted: PostingFilter, limit: int) -> list[Posted]:
        """Newest first; oldest first where `after_id` is given (0 for the start)."""
        ...


class FlowRecords(Protocol):
    """Payments that ended, counted by corridor, hour and day."""

    def count(self, ended: Sequence[Flow], at: datetime) -> None:
        """Add to the counts of an instant's hour and day; less than nothing takes back."""
        ...

    def since(self, span: Span, at: datetime) -> list[Flow]:
        """What was counted since the beginning of the hour or day of an instant."""
        ...

    def hours(self, first: int) -> list[HourOfFlows]:
        """What was counted in each hour since one, in hours from 1970, all corridors together."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """How much of a token the relayer shall have on a chain, by whom and since when."""

    chain: str
    token: str
    units: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """Money that a bridge owes the relayer for one payment, in units, from when and by when."""

    intent_id: int
    chain: str
    token: str
    units: int
    bridge: str
    since: datetime
    due: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Run:
    """One comparison of books and chains: `done` of `of` chains; None ended while it runs."""

    id: int
    who: str
    started_at: datetime
    ended_at: datetime | None
    done: int
    of: int
    differences: int
    result: Mapping[str, Any]


class TreasuryRecords(Protocol):
    """The relayer's stock as payments bind it, its targets, and comparisons with the chains."""

    def reserved(self) -> dict[tuple[str, str], int]:
        """Units that payments started, or being started, will be paid out, by chain and token."""
        ...

    def claims(self, limit: int) -> list[Claim]:
        """What bridges owe the relayer now."""
        ...

    def targets(self) -> list[Target]: ...
    def set_target(self, target: Target) -> None: ...
    def drop_target(self, chain: str, token: str) -> None: ...

    def begin_run(self, who: str, at: datetime, of: int, for_day: int | None = None) -> int | None:
        """A new comparison; None where one was begun for this day already."""
        ...

    def was_run_for(self, day: int) -> bool: ...
    def progress(self, run_id: int, done: int) -> None: ...
    def end_run(
        self, run_id: int, at: datetime, differences: int, result: Mapping[str, Any]
    ) -> None: ...

    def run(self, run_id: int) -> Run | None: ...
    def runs(self, limit: int, before_id: int | None = None) -> list[Run]:
        """Newest first."""
        ...

    def running(self) -> list[Run]: ...
