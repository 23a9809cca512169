"""Approvals: what was asked for, and who decided on it."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, select, text, update

from crossway.domain.approvals import Approval, ApprovalKind, NewApproval
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.outgoing_controls_tables import IS_OPEN, approvals
from crossway.storage.row_mapper import RowMapper, to_micros

_COLUMNS: Final = {
    "requested_by.name": "requester",
    "requested_by.identity": "requester_identity",
    "decided_by.name": "decider",
    "decided_by.identity": "decider_identity",
}
APPROVALS: Final = RowMapper(Approval, approvals, _COLUMNS)
NEW: Final = RowMapper(NewApproval, approvals, _COLUMNS)
_DECISION: Final = APPROVALS.encoder(
    only=("state", "decider", "decider_identity", "decided_at", "reason")
)
_UNDECIDED: Final = {"state": "REQUESTED", "decider": "", "decider_identity": "", "reason": ""}
_ADD = per_dialect(lambda put: put(approvals).on_conflict_do_nothing().returning(approvals))
_OPEN: Final[ColumnElement[bool]] = text(IS_OPEN)  # type: ignore[assignment]


class SqlApprovals:
    """`ports.approval_repository.ApprovalRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, new: NewApproval) -> Approval | None:
        row = NEW.encode(new) | _UNDECIDED
        stored = self._db.execute(_ADD[self._db.dialect.name], row).first()
        return None if stored is None else APPROVALS.decode(stored)

    def get(self, approval_id: int) -> Approval | None:
        return self._first(select(approvals).where(approvals.c.id == approval_id))

    def lock(self, approval_id: int) -> Approval | None:
        query = select(approvals).where(approvals.c.id == approval_id)
        return self._first(query.with_for_update())

    def find_open(self, kind: ApprovalKind, subject: str) -> Approval | None:
        conditions = (approvals.c.kind == kind.value, approvals.c.subject == subject, _OPEN)
        return self._first(select(approvals).where(*conditions).with_for_update())

    def list_open(self, limit: int) -> list[Approval]:
        return self._list(select(approvals).where(_OPEN).order_by(approvals.c.id).limit(limit))

    def list_overdue(self, now: datetime, limit: int) -> list[Approval]:
        over = select(approvals).where(_OPEN, approvals.c.expires_at <= to_micros(now))
        return self._list(over.order_by(approvals.c.id).limit(limit))

    def list_ended(self, limit: int, before_id: int | None = None) -> list[Approval]:
        query = select(approvals).where(text(f"NOT ({IS_OPEN})"))
        if before_id is not None:
            query = query.where(approvals.c.id < before_id)
        return self._list(query.order_by(approvals.c.id.desc()).limit(limit))

    def update(self, approval: Approval) -> None:
        changed = update(approvals).where(approvals.c.id == approval.id)
        self._db.execute(changed.values(**_DECISION(approval)))

    def _first(self, query: Select[Any]) -> Approval | None:
        row = self._db.execute(query).first()
        return None if row is None else APPROVALS.decode(row)

    def _list(self, query: Select[Any]) -> list[Approval]:
        return [APPROVALS.decode(row) for row in self._db.execute(query)]
