"""Bringing a database to the tables of this version."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from crossway.storage.backfilling import backfill
from crossway.storage.book_days import count_days

FOLDER = Path(__file__).parent / "migrations"
# Migrations after which intents had no values to be found by.
_WITHOUT_VALUES = ("0001", "0002")
_LOCK = 0x63726F7373  # any number, the same for every process


@cache
def newest() -> str:
    """The migration that this version's tables are made by."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    return str(ScriptDirectory.from_config(config).get_current_head())


def known() -> frozenset[str]:
    """Every migration that this version knows."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    return frozenset(one.revision for one in ScriptDirectory.from_config(config).walk_revisions())


def behind(engine: Engine) -> Iterator[str]:
    """Whether a database's tables are not those of this version, as a sentence."""
    with engine.connect() as db:
        at = MigrationContext.configure(db).get_current_revision()
    if at != newest():
        have, want = at or "none", newest()
        yield f"the tables are of migration {have}, not {want}: a start of Crossway changes them"


def upgrade(engine: Engine) -> None:
    """Run what is missing, in one transaction; processes that start together wait in line."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with engine.begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _LOCK})
        config.attributes["connection"] = db
        before = MigrationContext.configure(db).get_current_revision()
        command.upgrade(config, "head")
        if before in _WITHOUT_VALUES:
            backfill(db)
        count_days(db)
