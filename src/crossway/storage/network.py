"""Where the engine stands on each chain, leases, alarms, switches and the audit log as stored."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select, update

from crossway.ports.chain import Cursor
from crossway.ports.changes import Topic
from crossway.ports.records import SwitchedOff
from crossway.storage.alarms import Alarms
from crossway.storage.audit import Audit, entry_of
from crossway.storage.network_tables import audit, cursors, leases, switches
from crossway.storage.rows import instant, micros
from crossway.storage.sets import among

_CURSORS = select(cursors)


class Network(Alarms):
    """`ports.store.NetworkRecords` on one connection."""

    def cursors(self) -> dict[str, Cursor]:
        rows = self._db.execute(_CURSORS)
        return {row.chain: Cursor(row.height, row.block_hash) for row in rows}

    def save_cursor(self, chain: str, before: Cursor | None, after: Cursor) -> bool:
        values = {"height": after.height, "block_hash": after.block_hash}
        if before is None:
            put = self._make(cursors).on_conflict_do_nothing().returning(cursors.c.chain)
            return self._db.execute(put, {"chain": chain, **values}).first() is not None
        moved = self._db.execute(
            update(cursors)
            .where(
                cursors.c.chain == chain,
                cursors.c.height == before.height,
                cursors.c.block_hash == before.block_hash,
            )
            .values(**values)
        )
        return moved.rowcount == 1

    def lease(
        self, names: Sequence[str], owner: str, now: datetime, until: datetime, most: int
    ) -> set[str]:
        self._db.execute(
            self._make(leases).on_conflict_do_nothing(),
            [{"name": name, "owner": "", "until": 0} for name in sorted(names)],
        )
        free = or_(leases.c.owner == owner, leases.c.until < micros(now))
        wanted = (
            select(leases.c.name)
            .where(among(self._db, leases.c.name, names), free)
            .order_by((leases.c.owner == owner).desc(), leases.c.name)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        held = set(self._db.execute(wanted).scalars())
        mine = (
            leases.c.owner == owner,
            among(self._db, leases.c.name, names),
            ~among(self._db, leases.c.name, held),
        )
        self._db.execute(update(leases).where(*mine).values(owner="", until=0))
        self._db.execute(
            update(leases)
            .where(among(self._db, leases.c.name, held))
            .values(owner=owner, until=micros(until))
        )
        return held

    def present(self, owner: str, now: datetime, until: datetime) -> int:
        name, is_engine = f"engine:{owner}", leases.c.name.startswith("engine:", autoescape=True)
        put = self._make(leases)
        self._db.execute(
            put.on_conflict_do_update(
                index_elements=["name"],
                set_={"owner": put.excluded.owner, "until": put.excluded.until},
            ),
            {"name": name, "owner": owner, "until": micros(until)},
        )
        gone = select(leases.c.name).where(is_engine, leases.c.until < micros(now))
        gone = gone.with_for_update(skip_locked=True)
        self._db.execute(delete(leases).where(leases.c.name.in_(gone)))
        others = select(func.count()).select_from(leases)
        others = others.where(is_engine, leases.c.name != name, leases.c.until >= micros(now))
        return int(self._db.execute(others).scalar_one())

    def release(self, owner: str) -> None:
        self._db.execute(delete(leases).where(leases.c.name == f"engine:{owner}"))
        self._db.execute(update(leases).where(leases.c.owner == owner).values(owner="", until=0))

    def take_over(self, owner: str) -> None:
        others = leases.c.owner.not_in((owner, ""))
        self._db.execute(update(leases).where(others).values(owner="", until=0))

    def lock(self, name: str) -> None:
        self._db.execute(
            self._make(leases).on_conflict_do_nothing(), {"name": name, "owner": "", "until": 0}
        )
        self._db.execute(select(leases.c.name).where(leases.c.name == name).with_for_update())

    def switches(self) -> dict[str, str]:
        return {row.subject: row.reason for row in self._db.execute(select(switches))}

    def switched_off(self) -> list[SwitchedOff]:
        rows = self._db.execute(select(switches).order_by(switches.c.subject))
        return [SwitchedOff(row.subject, row.reason, row.by, instant(row.at)) for row in rows]

    def switch(self, subject: str, off: bool, reason: str, by: str, at: datetime) -> None:
        self.told.add(Topic.REST)
        if not off:
            self._db.execute(delete(switches).where(switches.c.subject == subject))
            return
        put = self._make(switches)
        self._db.execute(
            put.on_conflict_do_update(
                index_elements=["subject"],
                set_={name: put.excluded[name] for name in ("reason", "by", "at")},
            ),
            {"subject": subject, "reason": reason, "by": by, "at": micros(at)},
        )

    def audit(
        self,
        who: str,
        what: str,
        detail: Mapping[str, Any],
        at: datetime,
        subject: str = "",
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
    ) -> None:
        # Each entry names the one before it: they are written one after the other.
        self.lock("audit")
        self.told.add(Topic.REST)
        Audit(self._db).add(entry_of(who, what, detail, at, subject, before, after))

    def audited(self, limit: int) -> list[tuple[datetime, str, str, Mapping[str, Any]]]:
        rows = self._db.execute(select(audit).order_by(audit.c.id.desc()).limit(limit))
        return [(instant(row.at), row.who, row.what, json.loads(row.detail)) for row in rows]
