"""Identity checks as they were last known."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, delete, or_, select

from crossway.ports.kyc_check_repository import KycCheck, KycCheckFilter
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.owner_sql import is_owned
from crossway.storage.ramp_tables import kyc_checks
from crossway.storage.row_mapper import RowMapper, to_micros

CHECKS: Final = RowMapper(KycCheck, kyc_checks)
_SCOPE: Final = ["customer_id", "provider", "country"]
_CHANGING: Final = ("currency", "kyc_type", "status", "at")
_SAVE = per_dialect(
    lambda insert_into: insert_into(kyc_checks).on_conflict_do_update(
        index_elements=_SCOPE,
        set_={name: insert_into(kyc_checks).excluded[name] for name in _CHANGING},
    )
)


class SqlKycChecks:
    """`ports.kyc_check_repository.KycCheckRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def save(self, check: KycCheck) -> None:
        known = self.find(check.customer_id, check.provider, check.country)
        if known is None or _content(known) != _content(check):
            row = {name: value for name, value in CHECKS.encode(check).items() if name != "id"}
            self._db.execute(_SAVE[self._db.dialect.name], row)

    def get(self, check_id: int) -> KycCheck | None:
        row = self._db.execute(select(kyc_checks).where(kyc_checks.c.id == check_id)).first()
        return None if row is None else CHECKS.decode(row)

    def find(self, customer_id: str, provider: str, country: str) -> KycCheck | None:
        c = kyc_checks.c
        query = select(kyc_checks).where(
            c.customer_id == customer_id, c.provider == provider, c.country == country
        )
        row = self._db.execute(query).first()
        return None if row is None else CHECKS.decode(row)

    def list_page(self, filter: KycCheckFilter, limit: int) -> Sequence[KycCheck]:
        c = kyc_checks.c
        query = select(kyc_checks).where(*is_owned(kyc_checks, filter))
        if filter.provider is not None:
            query = query.where(c.provider == filter.provider)
        if filter.statuses:
            query = query.where(c.status.in_([status.value for status in filter.statuses]))
        if filter.before is not None:
            at, check_id = _cursor(filter.before)
            query = query.where(or_(c.at < at, and_(c.at == at, c.id < check_id)))
        rows = self._db.execute(query.order_by(c.at.desc(), c.id.desc()).limit(limit))
        return [CHECKS.decode(row) for row in rows]

    def delete(self, customer_id: str) -> None:
        self._db.execute(delete(kyc_checks).where(kyc_checks.c.customer_id == customer_id))


def _content(check: KycCheck) -> tuple[object, ...]:
    return check.kyc_type, check.status, check.currency


def _cursor(before: tuple[datetime, int]) -> tuple[int, int]:
    return to_micros(before[0]), before[1]
