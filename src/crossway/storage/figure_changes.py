"""Which payments changed since they were last counted, by the logs of their changes."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, select

from crossway.domain.ledger import NO_INTENT
from crossway.ports.payment_figures import ChangeLog
from crossway.sql.in_values import in_values
from crossway.storage.figure_counting import IS_FEE
from crossway.storage.tables import postings, transitions

LOGS: Final = {ChangeLog.TRANSITIONS: transitions, ChangeLog.POSTINGS: postings}
# A payment has some five transitions and fees.
_ROWS_PER_PAYMENT: Final = 5
_CHANGES: Final = {
    ChangeLog.TRANSITIONS: select(transitions.c.id, transitions.c.intent_id),
    ChangeLog.POSTINGS: select(postings.c.id, postings.c.intent_id).where(
        postings.c.intent_id > NO_INTENT, IS_FEE
    ),
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
    c, rows = LOGS[log].c, limit * _ROWS_PER_PAYMENT
    query = _CHANGES[log].where(c.id > after_id, c.id <= last_id)
    changes = db.execute(query.order_by(c.id).limit(rows)).all()
    end = changes[-1][0] if len(changes) == rows else last_id
    return {intent_id: change_id for change_id, intent_id in changes}, end


def _list_later(
    db: Connection, log: ChangeLog, newest_by_payment: Mapping[int, int], end: int
) -> set[int]:
    """Those of the payments that have a change after the end in a log."""
    if not newest_by_payment:
        return set()
    c = LOGS[log].c
    is_later = in_values(c.intent_id, newest_by_payment), c.id > end
    return {row[0] for row in db.execute(select(c.intent_id).where(*is_later))}
