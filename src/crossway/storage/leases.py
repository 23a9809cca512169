"""Leases on chains, the engines that run, and named locks."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, or_, select, update

from crossway.storage.bulk_sql import in_values, insert_into
from crossway.storage.row_mapper import to_micros
from crossway.storage.service_tables import leases


class SqlLeases:
    """`ports.store.LeaseRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def acquire(
        self, names: Sequence[str], owner: str, now: datetime, until: datetime, limit: int
    ) -> set[str]:
        self._db.execute(
            insert_into(self._db, leases).on_conflict_do_nothing(),
            [{"name": name, "owner": "", "until": 0} for name in sorted(names)],
        )
        free = or_(leases.c.owner == owner, leases.c.until < to_micros(now))
        available = (
            select(leases.c.name)
            .where(in_values(self._db, leases.c.name, names), free)
            .order_by((leases.c.owner == owner).desc(), leases.c.name)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        acquired = set(self._db.execute(available).scalars())
        released = (
            leases.c.owner == owner,
            in_values(self._db, leases.c.name, names),
            ~in_values(self._db, leases.c.name, acquired),
        )
        self._db.execute(update(leases).where(*released).values(owner="", until=0))
        self._db.execute(
            update(leases)
            .where(in_values(self._db, leases.c.name, acquired))
            .values(owner=owner, until=to_micros(until))
        )
        return acquired

    def register_engine(self, owner: str, now: datetime, until: datetime) -> int:
        name, is_engine = f"engine:{owner}", leases.c.name.startswith("engine:", autoescape=True)
        upsert = insert_into(self._db, leases)
        self._db.execute(
            upsert.on_conflict_do_update(
                index_elements=["name"],
                set_={"owner": upsert.excluded.owner, "until": upsert.excluded.until},
            ),
            {"name": name, "owner": owner, "until": to_micros(until)},
        )
        expired = select(leases.c.name).where(is_engine, leases.c.until < to_micros(now))
        expired = expired.with_for_update(skip_locked=True)
        self._db.execute(delete(leases).where(leases.c.name.in_(expired)))
        others = select(func.count()).select_from(leases)
        others = others.where(is_engine, leases.c.name != name, leases.c.until >= to_micros(now))
        return int(self._db.execute(others).scalar_one())

    def release(self, owner: str) -> None:
        self._db.execute(delete(leases).where(leases.c.name == f"engine:{owner}"))
        self._db.execute(update(leases).where(leases.c.owner == owner).values(owner="", until=0))

    def take_over(self, owner: str) -> None:
        others = leases.c.owner.not_in((owner, ""))
        self._db.execute(update(leases).where(others).values(owner="", until=0))

    def lock(self, name: str) -> None:
        self._db.execute(
            insert_into(self._db, leases).on_conflict_do_nothing(),
            {"name": name, "owner": "", "until": 0},
        )
        self._db.execute(select(leases.c.name).where(leases.c.name == name).with_for_update())
