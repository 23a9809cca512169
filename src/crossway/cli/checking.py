"""What is wrong with a set-up, and whether the books are what the chains hold."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from cryptography.fernet import Fernet
from pydantic import ValidationError
from sqlalchemy.exc import OperationalError, ProgrammingError, SQLAlchemyError

from crossway import bootstrap
from crossway.adapters.vault import FernetVault, WrongKey, check_keys
from crossway.cli.words import built, in_words, operator, setting_complaints
from crossway.settings import OWNER_ONLY, Settings, secret_keys_of
from crossway.storage.store import SqlStore, open_store
from crossway.usecases import operations
from crossway.usecases.reconciling import run_now


@in_words
def compare(
    seen: Annotated[
        bool, typer.Option("--seen", help="End the alarms about transactions listed here.")
    ] = False,
) -> None:
    """Compare the books with the chains, one line a difference."""
    with built() as service:
        caller = operator()
        found = run_now(service.services, caller)
        if seen:
            operations.acknowledge(service.services, caller, "outside")
    for line in found.sentences():
        typer.echo(line)
    if found.unopened:
        typer.echo(
            f"The books do not know {len(found.unopened)} stocks of the relayer yet: take them in "
            "on the page Reconcile."
        )
    if found.differences or found.unknown or found.silent:
        raise typer.Exit(1)


@in_words
def examine() -> None:
    """Say what is wrong with this set-up, one line a finding."""
    findings = list(_findings())
    for finding in findings:
        typer.echo(finding)
    if findings:
        raise typer.Exit(1)
    typer.echo("Nothing wrong found")


def _findings() -> Iterator[str]:
    try:
        settings = Settings()
    except ValidationError as error:
        yield from setting_complaints(error)
        return
    if settings.network == "live":
        yield bootstrap.NO_LIVE_NETWORK
    yield from _folder_findings(settings)
    yield from _database_findings(settings)
    for library in ("uvloop", "httptools"):
        if find_spec(library) is None:
            yield f"{library} is not installed: answers take 40 ms longer without it"


def _folder_findings(settings: Settings) -> Iterator[str]:
    folder, key = settings.data_dir, settings.secret_key_file
    existing = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield f"{existing} cannot be written to: the service keeps its files in {folder}"
    if settings.secret_key is None and key.exists():
        if stat.S_IMODE(key.stat().st_mode) != OWNER_ONLY:
            yield f"{key} can be read by others: chmod 600 {key}"
        if not key.read_bytes().strip():
            yield f"{key} is empty: without the key, what it encrypted is lost"
    try:
        if settings.secret_key or key.exists():
            FernetVault(secret_keys_of(settings), b"")
    except WrongKey as error:
        yield str(error)


def _database_findings(settings: Settings) -> Iterator[str]:
    if settings.on_sqlite and not Path(settings.url.removeprefix("sqlite:///")).exists():
        return  # The first run creates it.
    try:
        store = open_store(settings.url)
        yield from store.ping()
        with suppress(ProgrammingError, OperationalError):  # Its tables come with the first start.
            yield from _key_findings(settings, store)
        store.close()
    except (SQLAlchemyError, ImportError) as error:
        yield f"CROSSWAY_DATABASE_URL cannot be used: {error}"


def _key_findings(settings: Settings, store: SqlStore) -> Iterator[str]:
    given = settings.secret_key is not None or settings.secret_key_file.exists()
    try:
        check_keys(secret_keys_of(settings) if given else [Fernet.generate_key()], store)
    except WrongKey:
        yield "the secret key is not the one that this database was first started with"
