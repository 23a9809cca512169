"""Staff members and their sessions."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, select, update

from crossway.domain.staff import AuthMethod, StaffMember, StaffSession, name_key
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.staff_tables import staff, staff_sessions

MEMBERS: Final = RowMapper(StaffMember, staff)
SESSIONS: Final = RowMapper(StaffSession, staff_sessions)
_ADD = per_dialect(lambda put: put(staff).on_conflict_do_nothing().returning(staff.c.id))
_ADD_SESSION = per_dialect(
    lambda put: (
        put(staff_sessions)
        .on_conflict_do_nothing(index_elements=["assertion_id"])
        .returning(staff_sessions.c.id)
    )
)


class SqlStaff:
    """`ports.staff_repository.StaffRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, member: StaffMember, email_index: str | None) -> StaffMember | None:
        row = MEMBERS.encode_new(member) | {
            "name_key": name_key(member.name),
            "email_index": email_index,
            "last_seen_at": None,
            "auth_method": None,
        }
        new_id = self._db.execute(_ADD[self._db.dialect.name], row).scalar_one_or_none()
        return None if new_id is None else self.get(new_id)

    def update(self, member: StaffMember) -> None:
        row = MEMBERS.encode(member)
        changed = {name: row[name] for name in ("role", "password_hash", "disabled_at")}
        self._db.execute(update(staff).where(staff.c.id == member.id).values(**changed))

    def update_email(
        self, member_id: int, encrypted_email: bytes | None, email_index: str | None
    ) -> bool:
        owner = None if email_index is None else self.find_by_email(email_index)
        if owner is not None and owner.id != member_id:
            return False
        changed = update(staff).where(staff.c.id == member_id)
        self._db.execute(changed.values(encrypted_email=encrypted_email, email_index=email_index))
        return True

    def get(self, member_id: int) -> StaffMember | None:
        return self._one(staff.c.id == member_id)

    def find_by_name(self, name_key: str) -> StaffMember | None:
        return self._one(staff.c.name_key == name_key)

    def find_by_email(self, email_index: str) -> StaffMember | None:
        return self._one(staff.c.email_index == email_index)

    def list_all(self) -> list[StaffMember]:
        return [MEMBERS.decode(row) for row in self._db.execute(select(staff).order_by(staff.c.id))]

    def has_any(self) -> bool:
        return self._db.execute(select(staff.c.id).limit(1)).first() is not None

    def start_session(
        self, session: StaffSession, token_hash: str, assertion_id: str | None
    ) -> bool:
        row = SESSIONS.encode_new(session) | {
            "token_hash": token_hash,
            "assertion_id": assertion_id,
            "ended_at": None,
        }
        return self._db.execute(_ADD_SESSION[self._db.dialect.name], row).first() is not None

    def get_session(self, token_hash: str) -> StaffSession | None:
        query = select(staff_sessions).where(staff_sessions.c.token_hash == token_hash)
        row = self._db.execute(query).first()
        return None if row is None else SESSIONS.decode(row)

    def touch_session(self, token_hash: str, at: datetime) -> None:
        conditions = (
            staff_sessions.c.token_hash == token_hash,
            staff_sessions.c.last_seen_at < to_micros(at),
        )
        self._db.execute(
            update(staff_sessions).where(*conditions).values(last_seen_at=to_micros(at))
        )

    def record_proof(self, session_id: int, at: datetime) -> None:
        changed = update(staff_sessions).where(staff_sessions.c.id == session_id)
        self._db.execute(changed.values(proven_at=to_micros(at)))

    def record_browser(self, token_hash: str, browser: str) -> None:
        changed = update(staff_sessions).where(staff_sessions.c.token_hash == token_hash)
        self._db.execute(changed.values(browser=browser))

    def end_sessions(self, session_ids: Collection[int], at: datetime) -> None:
        conditions = (staff_sessions.c.id.in_(session_ids), staff_sessions.c.ended_at.is_(None))
        self._db.execute(update(staff_sessions).where(*conditions).values(ended_at=to_micros(at)))

    def list_open_sessions(self, member_id: int | None) -> list[StaffSession]:
        # SQLAlchemy compares with None by IS NULL.
        conditions = (staff_sessions.c.member_id == member_id, staff_sessions.c.ended_at.is_(None))
        rows = self._db.execute(
            select(staff_sessions).where(*conditions).order_by(staff_sessions.c.id)
        )
        return [SESSIONS.decode(row) for row in rows]

    def record_sign_in(self, member_id: int, auth_method: AuthMethod, at: datetime) -> None:
        changed = update(staff).where(staff.c.id == member_id)
        self._db.execute(changed.values(auth_method=auth_method.value, last_seen_at=to_micros(at)))

    def delete_sessions_before(self, before: datetime) -> int:
        old = delete(staff_sessions).where(staff_sessions.c.started_at < to_micros(before))
        return self._db.execute(old).rowcount

    def _one(self, condition: Any) -> StaffMember | None:
        row = self._db.execute(select(staff).where(condition)).first()
        return None if row is None else MEMBERS.decode(row)
