"""Leases on chains, the engines that run, and named locks.

Times are those of the database, so that engines on several machines agree.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import insert_into, per_dialect
from crossway.storage.database_time import MICROS, read_database_time
from crossway.storage.prepared import fetch
from crossway.storage.service_tables import leases

# A lease that seems to last longer was taken before the clock was set back: it has expired.
_MAX_LEASE_SECONDS: Final = 60
_ADD: Final = per_dialect(lambda put: put(leases).on_conflict_do_nothing())
_BY_NAME: Final = select(leases.c.name).where(leases.c.name == bindparam("of"))
_NAMED: Final = _BY_NAME.with_for_update()
_NAMED_SHARED: Final = _BY_NAME.with_for_update(read=True)
_HELD: Final = (
    select(leases.c.name, leases.c.epoch)
    .where(within(leases.c.name, "names"), leases.c.owner == bindparam("owner"))
    # In the order in which a renewal locks them.
    .order_by(leases.c.name)
    # Nobody takes one over before this unit of work ends.
    .with_for_update(read=True)
)


class SqlLeases:
    """`ports.store.LeaseRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def lock_own(self, owner: str, prefix: str) -> None:
        has_prefix = leases.c.name.startswith(prefix, autoescape=True)
        mine = select(leases.c.name).where(leases.c.owner == owner, has_prefix)
        self._db.execute(mine.order_by(leases.c.name).with_for_update()).all()

    def acquire(
        self, names: Sequence[str], owner: str, seconds: float, limit: int
    ) -> dict[str, int]:
        self._db.execute(
            _ADD[self._db.dialect.name],
            [{"name": name, "owner": "", "until": 0, "epoch": 0} for name in sorted(names)],
        )
        now = read_database_time(self._db)
        mine = leases.c.owner == owner
        available = (
            select(leases.c.name, leases.c.epoch, leases.c.owner)
            .where(in_values(leases.c.name, names), or_(mine, ~_is_current(now)))
            .order_by(mine.desc(), leases.c.name)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = self._db.execute(available).all()
        acquired = {row.name: row.epoch + (row.owner != owner) for row in rows}
        released = (
            mine,
            in_values(leases.c.name, names),
            ~in_values(leases.c.name, acquired),
        )
        self._db.execute(update(leases).where(*released).values(owner="", until=0))
        self._db.execute(
            update(leases)
            .where(in_values(leases.c.name, acquired), ~mine)
            .values(owner=owner, epoch=leases.c.epoch + 1)
        )
        self._db.execute(
            update(leases)
            .where(in_values(leases.c.name, acquired))
            .values(until=now + int(seconds * MICROS))
        )
        return acquired

    def holds(self, owner: str, epochs: Mapping[str, int]) -> bool:
        return dict(fetch(self._db, _HELD, {"names": epochs, "owner": owner})) == dict(epochs)

    def register_engine(self, owner: str, seconds: float, kind: str = "engine") -> int:
        now = read_database_time(self._db)
        name, is_engine = f"{kind}:{owner}", leases.c.name.startswith(f"{kind}:", autoescape=True)
        upsert = insert_into(self._db, leases)
        self._db.execute(
            upsert.on_conflict_do_update(
                index_elements=["name"],
                set_={"owner": upsert.excluded.owner, "until": upsert.excluded.until},
            ),
            {"name": name, "owner": owner, "until": now + int(seconds * MICROS), "epoch": 0},
        )
        expired = select(leases.c.name).where(is_engine, ~_is_current(now))
        expired = expired.with_for_update(skip_locked=True)
        self._db.execute(delete(leases).where(leases.c.name.in_(expired)))
        others = select(func.count()).select_from(leases)
        others = others.where(is_engine, leases.c.name != name, _is_current(now))
        return int(self._db.execute(others).scalar_one())

    def list_taken(self) -> dict[str, bool]:
        is_held = _is_current(read_database_time(self._db)).label("is_held")
        rows = self._db.execute(select(leases.c.name, is_held).where(leases.c.owner != ""))
        return {name: bool(held) for name, held in rows}

    def end(self, names: Collection[str]) -> set[str]:
        mine = select(leases.c.name).where(in_values(leases.c.name, names))
        free = set(self._db.execute(mine.with_for_update(skip_locked=True)).scalars())
        ending = update(leases).where(in_values(leases.c.name, free)).values(owner="", until=0)
        self._db.execute(ending)
        return set(names) - free

    def release(self, owner: str) -> None:
        workers = [f"{kind}:{owner}" for kind in ("engine", "indexer")]
        self._db.execute(delete(leases).where(leases.c.name.in_(workers)))
        self._db.execute(update(leases).where(leases.c.owner == owner).values(owner="", until=0))

    def take_over(self, owner: str) -> None:
        others = leases.c.owner.not_in((owner, "")), ~leases.c.name.startswith("index:")
        self._db.execute(update(leases).where(*others).values(owner="", until=0))

    def lock(self, name: str) -> None:
        self._lock(name, shared=False)

    def lock_shared(self, name: str) -> None:
        self._lock(name, shared=True)

    def lock_free(self, names: Collection[str]) -> set[str]:
        rows = [{"name": name, "owner": "", "until": 0, "epoch": 0} for name in sorted(names)]
        if not rows:
            return set()
        self._db.execute(_ADD[self._db.dialect.name], rows)
        free = select(leases.c.name).where(in_values(leases.c.name, names))
        return set(self._db.execute(free.with_for_update(skip_locked=True)).scalars())

    def _lock(self, name: str, shared: bool) -> None:
        if self._db.dialect.name == "sqlite":
            return  # Its only writer holds the lock of the whole database.
        row = {"name": name, "owner": "", "until": 0, "epoch": 0}
        self._db.execute(_ADD[self._db.dialect.name], row)
        self._db.execute(_NAMED_SHARED if shared else _NAMED, {"of": name})


def _is_current(now: int) -> ColumnElement[bool]:
    return and_(leases.c.until >= now, leases.c.until <= now + _MAX_LEASE_SECONDS * MICROS)
