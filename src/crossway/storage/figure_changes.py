"""Which payments changed since they were last counted, by the logs of their changes."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, select

from crossway.domain.ledger import NO_INTENT
from crossway.ports.payment_figures import ChangeLog
from crossway.sql.in_values import within
from crossway.storage.figure_counting import IS_FEE
from crossway.storage.prepared import fetch
from crossway.storage.tables import postings, transitions

LOGS: Final = {ChangeLog.TRANSITIONS: transitions, ChangeLog.POSTINGS: postings}
# A payment has some five transitions and fees.
_ROWS_PER_PAYMENT: Final = 5
_CHANGES: Final = {
    log: select(table.c.id, table.c.intent_id)
    .where(table.c.id > bindparam("after_id"), table.c.id <= bindparam("last_id"), *conditions)
    .order_by(table.c.id)
    .limit(bindparam("limit"))
    for log, table, conditions in (
        (ChangeLog.TRANSITIONS, transitions, ()),
        (ChangeLog.POSTINGS, postings, (postings.c.intent_id > NO_INTENT, IS_FEE)),
    )
}
_LATER: Final = {
    log: select(table.c.intent_id).where(
        within(table.c.intent_id, "ids"), table.c.id > bindparam("after_id")
    )
    for log, table in LOGS.items()
}


def list_changed(
    db: Connection, log_ids: Mapping[ChangeLog, int], last_ids: Mapping[ChangeLog, int], limit: int
) -> tuple[set[int], dict[ChangeLog, int]]:
    """See `ports.payment_figures.PaymentFiguresRepository.list_changed`."""
    changed, ends = set[int](), dict[ChangeLog, int]()
    for log, last_id in last_ids.items():
        newest_by_payment, ends[log] = _read(db, log, log_ids[log], last_id, limit)
        # A later change of a payment leads to it again: until then it need not be counted.
        for later in ends:
            for intent_id in _list_later(db, later, newest_by_payment, ends[later]):
                del newest_by_payment[intent_id]
        due = sorted(newest_by_payment, key=newest_by_payment.__getitem__)
        if len(due) > limit:
            ends[log] = newest_by_payment[due[limit - 1]]
        changed.update(due[:limit])
    return changed, ends


def _read(
    db: Connection, log: ChangeLog, after_id: int, last_id: int, limit: int
) -> tuple[dict[int, int], int]:
    """The newest change of each payment in the next rows of a log, and the id of the last row."""
    rows = limit * _ROWS_PER_PAYMENT
    parameters = {"after_id": after_id, "last_id": last_id, "limit": rows}
    changes = fetch(db, _CHANGES[log], parameters)
    end = changes[-1][0] if len(changes) == rows else last_id
    return {intent_id: change_id for change_id, intent_id in changes}, end


def _list_later(
    db: Connection, log: ChangeLog, newest_by_payment: Mapping[int, int], end: int
) -> set[int]:
    """Those of the payments that have a change after the end in a log."""
    if not newest_by_payment:
        return set()
    rows = fetch(db, _LATER[log], {"ids": newest_by_payment, "after_id": end})
    return {row[0] for row in rows}
