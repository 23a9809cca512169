"""Keeps the figures of payments for analytics: counts what changed, a few payments at a time."""

from functools import partial
from typing import Final

from crossway.ports.payment_figures import ChangeLog, FiguresCursor
from crossway.ports.store import Store, UnitOfWork

SLICE: Final = 250


def count_changes(store: Store, limit: int = SLICE) -> int:
    """Count a slice of the payments that changed and, if it has room, of those that were there
    before figures were kept; returns how many. 0 means that everything is counted.

    The rows are read in a read-only unit; one short write stores the result. Of several engines
    that count the same slice, one stores it.
    """
    with store.read() as unit:
        cursor = unit.payment_figures.get_cursor()
        newest = unit.payment_figures.newest_ids()
    if cursor is None:
        return _begin(store)
    last_ids = {
        log: _settle(store, log, counted_to, newest[log])
        for log, counted_to in cursor.log_ids.items()
    }
    if last_ids == cursor.log_ids and not cursor.backfill_end:
        return 0
    with store.read() as unit:
        ids, after = _next_slice(unit, cursor, last_ids, limit)
        figures = unit.payment_figures.count(ids)
    stored = store.write(lambda unit: unit.payment_figures.store(figures, cursor, after))
    return max(len(ids), 1) if stored else 0


def _settle(store: Store, log: ChangeLog, counted_to: int, newest: int) -> int:
    """The id up to which a log can be counted now."""
    if newest <= counted_to:
        return counted_to
    settled = store.write(lambda unit: unit.payment_figures.find_settled_id(log))
    return counted_to if settled is None else settled


def _begin(store: Store) -> int:
    """Count changes from now on; the payments that are there are counted by and by."""
    log_ids = {}
    for log in ChangeLog:
        settled = store.write(partial(_settle_log, log))
        if settled is None:
            return 0
        log_ids[log] = settled
    # Read after the logs are settled: a payment with a later id appears in them.
    with store.read() as unit:
        newest = unit.payment_figures.newest_payment_id()
    begin = FiguresCursor(log_ids, newest + 1 if newest else 0, newest)
    return int(store.write(lambda unit: unit.payment_figures.store([], None, begin)))


def _settle_log(log: ChangeLog, unit: UnitOfWork) -> int | None:
    return unit.payment_figures.find_settled_id(log)


def _next_slice(
    unit: UnitOfWork, cursor: FiguresCursor, last_ids: dict[ChangeLog, int], limit: int
) -> tuple[set[int], FiguresCursor]:
    ids, log_ids = unit.payment_figures.list_changed(cursor, last_ids, limit)
    backfill_end = cursor.backfill_end
    if backfill_end and len(ids) < limit:
        room = limit - len(ids)
        older = unit.payment_figures.list_ids_below(backfill_end, room)
        backfill_end = older[-1] if len(older) == room else 0
        ids.update(older)
    return ids, FiguresCursor(log_ids, backfill_end, cursor.backfill_from)
