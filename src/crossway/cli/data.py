"""`crossway backup` and `crossway restore`: the data of a service in one file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from crossway.cli.errors import report_errors
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from crossway.storage import backup

ON_POSTGRES = (
    "This database is PostgreSQL: back it up with pg_dump and restore it with pg_restore, such as "
    "pg_dump --format=custom --file=crossway.dump"
)


@report_errors
def back_up(
    path: Annotated[
        Path, typer.Argument(help="The new file; an existing file is not overwritten.")
    ],
) -> None:
    """Copy the database to a file while the service runs, and verify the copy."""
    settings = Settings()
    written = backup.back_up(_database(settings), path)
    typer.echo(f"{path} is a complete backup, {written:,} bytes, verified")
    head = backup.audit_head_file(path)
    typer.echo(f"{head} has the newest hash of its audit log: keep it elsewhere, too")
    if settings.secret_key is None:
        typer.echo(f"Keep {settings.secret_key_file} too: without it the encrypted data is lost")


@report_errors
def restore(
    path: Annotated[Path, typer.Argument(help="A file that `crossway backup` wrote.")],
) -> None:
    """Replace the database by a backup; stop the service first. The old database is kept."""
    settings = Settings()
    aside = backup.restore(path, _database(settings), datetime.now(UTC))
    typer.echo(f"{_database(settings)} was restored from {path}")
    if aside is not None:
        typer.echo(f"The previous database is in {aside}")


def _database(settings: Settings) -> Path:
    if not settings.on_sqlite:
        raise SetupError(ON_POSTGRES)
    return settings.database_file
