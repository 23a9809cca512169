"""Second factors of staff: authenticator apps, passkeys and recovery codes."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from crossway.domain.second_factors import Authenticator, Passkey, SecondFactors
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.staff_tables import (
    staff_authenticators,
    staff_passkeys,
    staff_recovery_codes,
)

AUTHENTICATORS: Final = RowMapper(Authenticator, staff_authenticators)
PASSKEYS: Final = RowMapper(Passkey, staff_passkeys)
_ADD_PASSKEY = per_dialect(
    lambda put: put(staff_passkeys).on_conflict_do_nothing().returning(staff_passkeys)
)


class SqlSecondFactors:
    """`ports.second_factor_repository.SecondFactorRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get(self, member_id: int) -> SecondFactors:
        return self.list_by_members([member_id])[member_id]

    def list_by_members(self, member_ids: Collection[int]) -> dict[int, SecondFactors]:
        authenticators = select(staff_authenticators).where(
            in_values(staff_authenticators.c.member_id, member_ids)
        )
        by_member = {
            authenticator.member_id: authenticator
            for authenticator in map(AUTHENTICATORS.decode, self._db.execute(authenticators))
        }
        query = select(staff_passkeys).where(in_values(staff_passkeys.c.member_id, member_ids))
        rows = self._db.execute(query.order_by(staff_passkeys.c.id))
        passkeys = [PASSKEYS.decode(row) for row in rows]
        codes = self._count_recovery_codes(member_ids)
        return {
            member_id: SecondFactors(
                by_member.get(member_id),
                tuple(passkey for passkey in passkeys if passkey.member_id == member_id),
                codes[member_id],
            )
            for member_id in member_ids
        }

    def set_authenticator(self, authenticator: Authenticator) -> None:
        self.delete_authenticator(authenticator.member_id)
        self._db.execute(insert(staff_authenticators), AUTHENTICATORS.encode(authenticator))

    def delete_authenticator(self, member_id: int) -> None:
        table = staff_authenticators
        self._db.execute(delete(table).where(table.c.member_id == member_id))

    def use_step(self, member_id: int, step: int) -> bool:
        table = staff_authenticators
        changed = update(table).where(table.c.member_id == member_id, table.c.last_step < step)
        return self._db.execute(changed.values(last_step=step)).rowcount == 1

    def add_passkey(self, passkey: Passkey) -> Passkey | None:
        row = self._db.execute(
            _ADD_PASSKEY[self._db.dialect.name], PASSKEYS.encode_new(passkey)
        ).first()
        return None if row is None else PASSKEYS.decode(row)

    def find_passkey(self, credential_id: str) -> Passkey | None:
        query = select(staff_passkeys).where(staff_passkeys.c.credential_id == credential_id)
        row = self._db.execute(query).first()
        return None if row is None else PASSKEYS.decode(row)

    def has_passkeys(self) -> bool:
        return self._db.execute(select(staff_passkeys.c.id).limit(1)).first() is not None

    def use_passkey(self, passkey: Passkey, sign_count: int, at: datetime) -> bool:
        table = staff_passkeys
        unchanged = (table.c.id == passkey.id, table.c.sign_count == passkey.sign_count)
        changed = update(table).where(*unchanged)
        values = {"sign_count": sign_count, "last_used_at": to_micros(at)}
        return self._db.execute(changed.values(**values)).rowcount == 1

    def delete_passkey(self, passkey_id: int) -> None:
        self._db.execute(delete(staff_passkeys).where(staff_passkeys.c.id == passkey_id))

    def replace_recovery_codes(self, member_id: int, code_hashes: Collection[str]) -> None:
        table = staff_recovery_codes
        self._db.execute(delete(table).where(table.c.member_id == member_id))
        rows = [
            {"code_hash": code, "member_id": member_id, "used_at": None} for code in code_hashes
        ]
        if rows:
            self._db.execute(insert(table), rows)

    def has_recovery_code(self, code_hash: str) -> bool:
        table = staff_recovery_codes
        query = select(table.c.code_hash).where(
            table.c.code_hash == code_hash, table.c.used_at.is_(None)
        )
        return self._db.execute(query).first() is not None

    def use_recovery_code(self, code_hash: str, at: datetime) -> bool:
        table = staff_recovery_codes
        changed = update(table).where(table.c.code_hash == code_hash, table.c.used_at.is_(None))
        return self._db.execute(changed.values(used_at=to_micros(at))).rowcount == 1

    def delete_all(self, member_id: int) -> None:
        for table in (staff_authenticators, staff_passkeys, staff_recovery_codes):
            self._db.execute(delete(table).where(table.c.member_id == member_id))

    def _count_recovery_codes(self, member_ids: Collection[int]) -> Counter[int]:
        """How many recovery codes each person has left."""
        table = staff_recovery_codes
        unused = in_values(table.c.member_id, member_ids) & table.c.used_at.is_(None)
        query = select(table.c.member_id, func.count()).where(unused).group_by(table.c.member_id)
        return Counter({row[0]: row[1] for row in self._db.execute(query)})
