"""The installation's people as stored, and their being signed in."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from crossway.domain.roles import Role
from crossway.domain.staff import Member, Stay, Way, name_key
from crossway.storage.rows import instant, maybe_instant, micros
from crossway.storage.sets import for_each_database
from crossway.storage.staff_tables import staff, staff_stays

_ADD = for_each_database(lambda put: put(staff).on_conflict_do_nothing().returning(staff.c.id))
_BEGIN = for_each_database(
    lambda put: (
        put(staff_stays)
        .on_conflict_do_nothing(index_elements=["proof"])
        .returning(staff_stays.c.id)
    )
)


class Staff:
    """`ports.staff_records.StaffRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, member: Member, email_index: str | None) -> Member | None:
        row = {
            "name": member.name,
            "name_key": name_key(member.name),
            "email_index": email_index,
            "email_sealed": member.email_sealed,
            "created_at": micros(member.created_at),
            "seen_at": None,
            "way": None,
            **_changeable(member),
        }
        made = self._db.execute(_ADD[self._db.dialect.name], row).scalar_one_or_none()
        return None if made is None else self.get(made)

    def change(self, member: Member) -> None:
        self._db.execute(update(staff).where(staff.c.id == member.id).values(**_changeable(member)))

    def readdress(self, member_id: int, sealed: bytes | None, index: str | None) -> bool:
        owner = None if index is None else self.of_email(index)
        if owner is not None and owner.id != member_id:
            return False
        changed = update(staff).where(staff.c.id == member_id)
        self._db.execute(changed.values(email_sealed=sealed, email_index=index))
        return True

    def get(self, member_id: int) -> Member | None:
        return self._one(staff.c.id == member_id)

    def named(self, name_key: str) -> Member | None:
        return self._one(staff.c.name_key == name_key)

    def of_email(self, email_index: str) -> Member | None:
        return self._one(staff.c.email_index == email_index)

    def every(self) -> list[Member]:
        return [_member(row) for row in self._db.execute(select(staff).order_by(staff.c.id))]

    def known(self) -> bool:
        return self._db.execute(select(staff.c.id).limit(1)).first() is not None

    def begin(self, stay: Stay, token_hash: str, proof: str | None) -> bool:
        row = {
            "token_hash": token_hash,
            "member_id": stay.member_id,
            "way": stay.way.value,
            "proof": proof,
            "began_at": micros(stay.began_at),
            "seen_at": micros(stay.seen_at),
            "ended_at": None,
        }
        return self._db.execute(_BEGIN[self._db.dialect.name], row).first() is not None

    def stay(self, token_hash: str) -> Stay | None:
        found = select(staff_stays).where(staff_stays.c.token_hash == token_hash)
        row = self._db.execute(found).first()
        return None if row is None else _stay(row)

    def touch(self, token_hash: str, at: datetime) -> None:
        of_it = (staff_stays.c.token_hash == token_hash, staff_stays.c.seen_at < micros(at))
        self._db.execute(update(staff_stays).where(*of_it).values(seen_at=micros(at)))

    def end(self, stay_ids: Collection[int], at: datetime) -> None:
        open_ones = (staff_stays.c.id.in_(stay_ids), staff_stays.c.ended_at.is_(None))
        self._db.execute(update(staff_stays).where(*open_ones).values(ended_at=micros(at)))

    def stays_of(self, member_id: int | None) -> list[Stay]:
        # With None, SQLAlchemy asks for IS NULL.
        of_it = (staff_stays.c.member_id == member_id, staff_stays.c.ended_at.is_(None))
        rows = self._db.execute(select(staff_stays).where(*of_it).order_by(staff_stays.c.id))
        return [_stay(row) for row in rows]

    def came(self, member_id: int, way: Way, at: datetime) -> None:
        changed = update(staff).where(staff.c.id == member_id)
        self._db.execute(changed.values(way=way.value, seen_at=micros(at)))

    def forget_stays(self, before: datetime) -> int:
        gone = delete(staff_stays).where(staff_stays.c.began_at < micros(before))
        return self._db.execute(gone).rowcount

    def _one(self, condition: Any) -> Member | None:
        row = self._db.execute(select(staff).where(condition)).first()
        return None if row is None else _member(row)


def _changeable(member: Member) -> dict[str, Any]:
    return {
        "role": member.role.value,
        "password_hash": member.password_hash,
        "disabled_at": None if member.disabled_at is None else micros(member.disabled_at),
    }


def _member(row: Any) -> Member:
    return Member(
        id=row.id,
        name=row.name,
        role=Role(row.role),
        created_at=instant(row.created_at),
        password_hash=row.password_hash,
        email_sealed=None if row.email_sealed is None else bytes(row.email_sealed),
        disabled_at=maybe_instant(row.disabled_at),
        seen_at=maybe_instant(row.seen_at),
        way=None if row.way is None else Way(row.way),
    )


def _stay(row: Any) -> Stay:
    return Stay(
        id=row.id,
        member_id=row.member_id,
        way=Way(row.way),
        began_at=instant(row.began_at),
        seen_at=instant(row.seen_at),
        ended_at=maybe_instant(row.ended_at),
    )
