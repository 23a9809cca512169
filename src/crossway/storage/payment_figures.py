"""The figures of payments: which have changed, and storing them together with their sums."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Column, Connection, delete, func, insert, select, text
from sqlalchemy.exc import OperationalError

from crossway.domain.payment_figures import PaymentFigures
from crossway.ports.payment_figures import ChangeLog, FiguresCursor
from crossway.sql.in_values import in_values
from crossway.storage.analytics_tables import (
    analytics_cursor,
    other_network_fees,
    payment_figures,
)
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.figure_changes import LOGS, list_changed
from crossway.storage.figure_counting import count_payments
from crossway.storage.figure_rows import encode_figures, encode_other_fees, load_figures
from crossway.storage.group_figures import add_differences
from crossway.storage.leases import SqlLeases
from crossway.storage.prepared import execute_each
from crossway.storage.tables import intents

# A writer that takes longer is not waited for: others would have to wait behind.
_MAX_WAIT: Final = "100ms"
_CURSOR_ID: Final = 1
_SAVE: Final = per_dialect(
    lambda put: put(payment_figures).on_conflict_do_update(
        index_elements=["intent_id"],
        set_={
            column.name: put(payment_figures).excluded[column.name]
            for column in payment_figures.columns
            if not column.primary_key
        },
    )
)
_SAVE_CURSOR: Final = per_dialect(
    lambda put: put(analytics_cursor).on_conflict_do_update(
        index_elements=["id"],
        set_={
            column.name: put(analytics_cursor).excluded[column.name]
            for column in analytics_cursor.columns
            if not column.primary_key
        },
    )
)
_ADD_OTHER_FEES: Final = insert(other_network_fees)


class SqlPaymentFigures:
    """`ports.payment_figures.PaymentFiguresRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_cursor(self) -> FiguresCursor | None:
        row = self._db.execute(select(analytics_cursor)).first()
        if row is None:
            return None
        log_ids = {
            ChangeLog.TRANSITIONS: row.transition_id,
            ChangeLog.POSTINGS: row.posting_id,
        }
        return FiguresCursor(log_ids, row.backfill_end, row.backfill_from)

    def newest_ids(self) -> dict[ChangeLog, int]:
        return {log: self._newest(table.c.id) for log, table in LOGS.items()}

    def newest_payment_id(self) -> int:
        return self._newest(intents.c.id)

    def find_settled_id(self, log: ChangeLog) -> int | None:
        if self._db.dialect.name == "postgresql":
            # Held until the commit; no writer that took an id before is still at work then.
            try:
                with self._db.begin_nested():
                    self._db.execute(text(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'"))
                    self._db.execute(text(f"LOCK TABLE {LOGS[log].name} IN SHARE MODE"))
            except OperationalError:
                return None
        return self._newest(LOGS[log].c.id)

    def list_changed(
        self, cursor: FiguresCursor, last_ids: Mapping[ChangeLog, int], limit: int
    ) -> tuple[set[int], dict[ChangeLog, int]]:
        return list_changed(self._db, cursor.log_ids, last_ids, limit)

    def list_ids_below(self, end_id: int, limit: int) -> list[int]:
        query = select(intents.c.id).where(intents.c.id < end_id)
        return list(self._db.execute(query.order_by(intents.c.id.desc()).limit(limit)).scalars())

    def count(self, ids: Collection[int]) -> list[PaymentFigures]:
        return count_payments(self._db, ids) if ids else []

    def store(
        self,
        figures: Sequence[PaymentFigures],
        before: FiguresCursor | None,
        after: FiguresCursor,
    ) -> bool:
        SqlLeases(self._db).lock("payment figures")
        if self.get_cursor() != before:
            return False
        stored = load_figures(self._db, [payment.intent_id for payment in figures])
        changed = [
            (stored.get(payment.intent_id), payment)
            for payment in figures
            if stored.get(payment.intent_id) != payment
        ]
        if changed:
            self._save([payment for _, payment in changed])
            add_differences(self._db, changed)
        row = {
            "id": _CURSOR_ID,
            "transition_id": after.log_ids[ChangeLog.TRANSITIONS],
            "posting_id": after.log_ids[ChangeLog.POSTINGS],
            "backfill_end": after.backfill_end,
            "backfill_from": after.backfill_from,
        }
        self._db.execute(_SAVE_CURSOR[self._db.dialect.name], row)
        return True

    def _save(self, figures: Sequence[PaymentFigures]) -> None:
        execute_each(
            self._db,
            _SAVE[self._db.dialect.name],
            [encode_figures(payment) for payment in figures],
        )
        ids = [payment.intent_id for payment in figures]
        fees = other_network_fees.c.intent_id
        self._db.execute(delete(other_network_fees).where(in_values(fees, ids)))
        execute_each(self._db, _ADD_OTHER_FEES, encode_other_fees(figures))

    def _newest(self, id_column: Column[int]) -> int:
        return int(self._db.execute(select(func.max(id_column))).scalar_one() or 0)
