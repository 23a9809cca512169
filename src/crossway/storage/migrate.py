"""Bringing a database to the tables of this version."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, text

FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x63726F7373  # any number, the same for every process


def upgrade(engine: Engine) -> None:
    """Run what is missing, in one transaction; processes that start together wait in line."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with engine.begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _LOCK})
        config.attributes["connection"] = db
        command.upgrade(config, "head")
