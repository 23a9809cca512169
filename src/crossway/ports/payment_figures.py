"""The repository of the figures of payments and their sums, as the engine keeps them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from crossway.domain.payment_figures import PaymentFigures


class ChangeLog(StrEnum):
    """The tables that every change of a payment's figures appends a row to."""

    TRANSITIONS = "transitions"
    POSTINGS = "postings"


@dataclass(frozen=True, slots=True)
class FiguresCursor:
    """How far payments are counted: every change in each log up to its id in `log_ids`; and of the
    payments that were there before, up to the id `backfill_from`, those with ids from
    `backfill_end` on, which is 0 once all are counted."""

    log_ids: Mapping[ChangeLog, int]
    backfill_end: int
    backfill_from: int


class PaymentFiguresRepository(Protocol):
    """Figures by payment and their sums by hour and day, which are always equal."""

    def get_cursor(self) -> FiguresCursor | None:
        """How far payments are counted; None before the first count."""
        ...

    def newest_ids(self) -> dict[ChangeLog, int]:
        """The newest id of each log, which may not be settled."""
        ...

    def newest_payment_id(self) -> int: ...

    def find_settled_id(self, log: ChangeLog) -> int | None:
        """The newest id of a log below which no id can appear any more: rows of transactions that
        run side by side need not appear in the order of their ids. None when a writer takes too
        long to wait for."""
        ...

    def list_changed(
        self, cursor: FiguresCursor, last_ids: Mapping[ChangeLog, int], limit: int
    ) -> tuple[set[int], dict[ChangeLog, int]]:
        """At most `limit` payments of each log that changed after the cursor and, in that log, up
        to its last id; and up to which id of each log they are. Payments are left out that have
        a later change, which will lead to them again."""
        ...

    def list_ids_below(self, end_id: int, limit: int) -> list[int]:
        """The newest payments with ids below `end_id`, newest first."""
        ...

    def count(self, ids: Collection[int]) -> list[PaymentFigures]:
        """The figures of payments as their rows are now: costs by these payments."""
        ...

    def store(
        self,
        figures: Sequence[PaymentFigures],
        before: FiguresCursor | None,
        after: FiguresCursor,
    ) -> bool:
        """Replace the figures of these payments, add the differences to the sums and move the
        cursor, together; False, and nothing is stored, when the cursor is not at `before`."""
        ...
