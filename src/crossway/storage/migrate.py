"""Database migrations: the version of a database, and the upgrade to this version's tables."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect, text

FOLDER: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x63726F7373  # any number, the same for every process


class UnknownVersion(Exception):
    """The database was made by a version of Crossway whose tables this one cannot upgrade."""


def head_revision() -> str:
    """The newest migration."""
    return max(known_revisions())


@cache
def known_revisions() -> frozenset[str]:
    """Every migration of this version, by the names of their files: `v1_0002_what_it_adds.py`."""
    stems = [path.stem for path in (FOLDER / "versions").glob("v*_*_*.py")]
    return frozenset("_".join(stem.split("_")[:2]) for stem in stems)


def check_version(engine: Engine) -> Iterator[str]:
    """Why the tables of a database are not those of this version, one sentence; else nothing."""
    with engine.connect() as db:
        revision = _revision(db)
        if revision is not None and revision not in known_revisions():
            yield _unknown_version(db, revision)
            return
    if revision != head_revision():
        have, want = revision or "none", head_revision()
        yield f"the tables are of migration {have}, not {want}: start Crossway to upgrade them"


def upgrade(engine: Engine) -> None:
    """Run the missing migrations in one transaction; processes that start together wait in line.

    Raises `UnknownVersion` for a database of a version that has no migration to this one.
    """
    with engine.begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _LOCK})
        revision = _revision(db)
        if revision is not None and revision not in known_revisions():
            raise UnknownVersion(_unknown_version(db, revision))
        if revision != head_revision():
            _run_migrations(db)


def _run_migrations(db: Connection) -> None:
    # Imported here: it is slow, and nearly every start finds a database that is up to date.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = db
    command.upgrade(config, "head")


def _revision(db: Connection) -> str | None:
    """The newest migration that ran on a database; None before the first."""
    if not inspect(db).has_table("alembic_version"):
        return None
    stored: str | None = db.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return stored


def _unknown_version(db: Connection, revision: str) -> str:
    """What to do with a database of another version."""
    if db.dialect.name == "sqlite":
        remedy = f"Move the file {db.engine.url.database} away"
    else:
        remedy = "Create an empty database and set CROSSWAY_DATABASE_URL to it"
    return (
        f"the database is of migration {revision}, which this version of Crossway does not have: "
        f"a pre-release or a newer version made it. {remedy}, then start again"
    )
