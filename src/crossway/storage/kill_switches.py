"""Kill switches: chains, bridges and routes that operators disabled."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select

from crossway.ports.records import KillSwitch
from crossway.ports.topics import Topic
from crossway.storage.bulk_sql import insert_into
from crossway.storage.prepared import fetch
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.service_tables import kill_switches

SWITCHES: Final = RowMapper(KillSwitch, kill_switches)
_BY_SUBJECT = select(kill_switches).where(kill_switches.c.subject == bindparam("subject"))


class SqlKillSwitches:
    """`ports.store.KillSwitchRepository` on one connection."""

    def __init__(self, db: Connection, changed_topics: set[Topic]) -> None:
        self._db = db
        self._changed_topics = changed_topics

    def get_reasons(self) -> dict[str, str]:
        return {row.subject: row.reason for row in self._db.execute(select(kill_switches))}

    def get(self, subject: str) -> KillSwitch | None:
        rows = fetch(self._db, _BY_SUBJECT, {"subject": subject})
        return SWITCHES.decode(rows[0]) if rows else None

    def list_all(self) -> list[KillSwitch]:
        rows = self._db.execute(select(kill_switches).order_by(kill_switches.c.subject))
        return [SWITCHES.decode(row) for row in rows]

    def set(self, subject: str, off: bool, reason: str, by: str, at: datetime) -> None:
        self._changed_topics.add(Topic.REST)
        if not off:
            self._db.execute(delete(kill_switches).where(kill_switches.c.subject == subject))
            return
        upsert = insert_into(self._db, kill_switches)
        self._db.execute(
            upsert.on_conflict_do_update(
                index_elements=["subject"],
                set_={name: upsert.excluded[name] for name in ("reason", "by", "at")},
            ),
            {"subject": subject, "reason": reason, "by": by, "at": to_micros(at)},
        )
