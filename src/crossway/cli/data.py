"""`crossway backup` and `crossway restore`: the data of a service in one file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from crossway.bootstrap import SetupError
from crossway.cli.words import in_words
from crossway.settings import Settings
from crossway.storage import files

ON_POSTGRES = (
    "This database is PostgreSQL: back it up with pg_dump and restore it with pg_restore, such as "
    "pg_dump --format=custom --file=crossway.dump"
)


@in_words
def back_up(
    path: Annotated[Path, typer.Argument(help="The new file; one that exists is left alone.")],
) -> None:
    """Copy the database to a file while the service goes on; the copy is checked."""
    settings = Settings()
    written = files.back_up(_database(settings), path)
    typer.echo(f"{path} holds everything up to now, {written:,} bytes, and is whole")
    if settings.secret_key is None:
        typer.echo(f"Keep {settings.secret_key_file} too: without it what is encrypted is lost")


@in_words
def restore(
    path: Annotated[Path, typer.Argument(help="A file that `crossway backup` wrote.")],
) -> None:
    """Put a copy in the place of the database; stop the service first. The old one is kept."""
    settings = Settings()
    aside = files.restore(path, _database(settings), datetime.now(UTC))
    typer.echo(f"{_database(settings)} is what {path} holds")
    if aside is not None:
        typer.echo(f"What was there before is in {aside}")


def _database(settings: Settings) -> Path:
    if not settings.on_sqlite:
        raise SetupError(ON_POSTGRES)
    return settings.database_file
