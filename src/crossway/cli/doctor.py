"""`crossway doctor`: what is wrong with a set-up, and with each live chain of it."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import typer
from cryptography.fernet import Fernet
from pydantic import ValidationError
from sqlalchemy.exc import OperationalError, ProgrammingError, SQLAlchemyError

from crossway.adapters.vault import FernetVault, WrongKey, check_keys
from crossway.bootstrap import SetupError
from crossway.cli.words import in_words, setting_complaints
from crossway.settings import OWNER_ONLY, Settings, secret_keys_of
from crossway.storage.store import SqlStore, open_store


@in_words
def examine() -> None:
    """Say what is wrong with this set-up, one line a finding, and look at each live chain."""
    findings = list(_findings())
    for finding in findings:
        typer.echo(finding)
    right = _chains_right() if _live() else True
    if findings or not right:
        raise typer.Exit(1)
    typer.echo("Nothing wrong found")


def _live() -> bool:
    try:
        return Settings().network == "live"
    except ValidationError:
        return False


def _chains_right() -> bool:
    """Look at every chain of the profile at once, and show a table of each."""
    # These libraries are installed with live chains only.
    from crossway.adapters.chains.families import family
    from crossway.adapters.chains.live.findings import Finding, key_finding
    from crossway.adapters.chains.live.keys import Keyring, environment
    from crossway.cli.deploying import live_profile

    try:
        catalogue, profile = live_profile()
    except SetupError as error:
        typer.echo(str(error))
        return False

    ring = Keyring(environment())

    def look(name: str) -> list[Finding]:
        facts, wanted = catalogue.chains[name], profile.chains[name]
        of = family(facts.kind)
        found = list(of.nodes_findings(facts, wanted, environment(), datetime.now(UTC)))
        try:
            opened = of.open_chain(catalogue, name, wanted, environment(), ring)
        except ValueError as error:
            told = any(one.said == str(error) for one in found)
            return found if told else [*found, key_finding(name, error)]
        with closing(opened.chain):
            return [*found, *opened.findings()]

    with ThreadPoolExecutor(max(len(profile.chains), 1)) as pool:
        looked = dict(zip(profile.chains, pool.map(look, profile.chains), strict=True))
    for name, found in looked.items():
        typer.echo(name)
        width = max(len(one.what) for one in found)
        for one in found:
            typer.echo(f"  {'✓' if one.right else '✗'} {one.what:{width}}  {one.said}")
            if one.remedy:
                typer.echo(f"    {'':{width}}  → {one.remedy}")
    return all(one.right for found in looked.values() for one in found)


def _findings() -> Iterator[str]:
    try:
        settings = Settings()
    except ValidationError as error:
        yield from setting_complaints(error)
        return
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
