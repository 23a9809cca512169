"""Mails to be sent."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, select, text, update

from crossway.domain.mails import Mail
from crossway.storage.billing_tables import mails
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.sealing import opener, sealer

MAILS: Final = RowMapper(Mail, mails)
_ADD: Final = per_dialect(
    lambda insert_into: insert_into(mails).on_conflict_do_nothing(index_elements=["cause"])
)
_IS_DUE: Final = text("mails.state = 'due'")
_c = mails.c


class SqlMails:
    """`ports.billing_repository.MailRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text, self._seal = opener(db), sealer(db)

    def add(self, mail: Mail) -> None:
        row = MAILS.encode_new(mail, self._seal)
        self._db.execute(_ADD[self._db.dialect.name], row)

    def take_due(self, now: datetime) -> Mail | None:
        query = select(mails).where(_IS_DUE, _c.next_at <= to_micros(now)).order_by(_c.next_at)
        row = self._db.execute(query.limit(1).with_for_update(skip_locked=True)).first()
        return None if row is None else MAILS.decode(row, self._open_text)

    def save(self, mail: Mail, attempt_count: int) -> None:
        row = MAILS.encode(mail, self._seal)
        del row["id"], row["cause"], row["created_at"]
        is_it = _c.id == mail.id, _c.attempt_count == attempt_count, _IS_DUE
        self._db.execute(update(mails).where(*is_it).values(**row))
