"""The command line: keys, the parts as processes of their own, and what is wrong with a set-up."""

import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, ParamSpec

import typer
from cryptography.fernet import Fernet
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from crossway import bootstrap
from crossway.bootstrap import Service, SetupError
from crossway.domain.clients import (
    DEFAULT_REQUESTS_PER_MINUTE,
    Caller,
    Client,
    Mode,
    Scope,
)
from crossway.domain.errors import Refusal
from crossway.settings import OWNER_ONLY, Settings, secret_key_of
from crossway.storage.store import open_store
from crossway.usecases import access, operations
from crossway.usecases.reconciliation import reconcile

P = ParamSpec("P")
BY = "command line"
_ANY_KEY = Fernet.generate_key()
cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Crossway's commands.")
keys = typer.Typer(no_args_is_help=True, help="API keys.")
cli.add_typer(keys, name="keys")


def main() -> None:
    """Run a command; what goes wrong is one sentence, never a traceback."""
    cli()


def in_words(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what a command refuses into a sentence and exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (Refusal, SetupError, OSError) as error:
            _fail(str(error))
        except ValidationError as error:
            _fail("; ".join(_setting_complaints(error)))
        except SQLAlchemyError as error:
            _fail(f"the database refused: {getattr(error, 'orig', None) or error}")

    return run


@contextmanager
def _service() -> Iterator[Service]:
    service = bootstrap.build(Settings())
    try:
        yield service
    finally:
        service.close()


@keys.command("create")
@in_words
def create_key(
    client: Annotated[str, typer.Option(help="The client; made if there is none of this name.")],
    mode: Annotated[Mode, typer.Option(help="A live key works with main networks only.")],
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")] = False,
) -> None:
    """Make a new key: this is the only time it is shown."""
    with _service() as service:
        found = access.client_named(service.services, client)
        owner = found or access.create_client(service.services, client, BY)
        made = access.make_key(service.services, owner.id, mode, BY)
    if not quiet:
        typer.echo(f"A {mode} key of {owner.name}, shown this once:")
    typer.echo(made.secret)


@keys.command("list")
@in_words
def list_keys() -> None:
    """All keys, without their secrets."""
    with _service() as service:
        names = {client.id: client.name for client in access.clients(service.services)}
        found = access.keys(service.services)
    for key in found:
        state = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "active"
        used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "unused"
        scopes = ",".join(sorted(key.scopes))
        typer.echo(f"{key.id}\t{key.shown}…\t{names[key.client_id]}\t{scopes}\t{state}\t{used}")
    if not found:
        typer.echo("No keys yet: crossway keys create --client NAME --mode test")


@keys.command("revoke")
@in_words
def revoke_key(
    key_id: Annotated[int, typer.Argument(help="The number that `list` shows.")],
) -> None:
    """End a key; running services follow within five seconds."""
    with _service() as service:
        access.revoke(service.services, key_id, BY)
    typer.echo(f"Key {key_id} is revoked")


@cli.command()
@in_words
def api(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8600,
) -> None:
    """The REST API alone, without engine and dashboard."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount

    from crossway.api.app import create_api
    from crossway.api.errors import HANDLERS

    # uvicorn ends at this signal, and then sends it again to whoever started it.
    signal.signal(signal.SIGTERM, _end)
    services = bootstrap.start(with_engine=False)
    bootstrap.settle()
    try:
        served = Starlette(
            routes=[Mount("/api", create_api(services))], exception_handlers=HANDLERS
        )
        typer.echo(f"The API answers at http://{host}:{port}/api/v1; end it with Ctrl-C")
        uvicorn.run(served, host=host, port=port, access_log=False, log_level="warning")
    finally:
        bootstrap.stop()


@cli.command()
@in_words
def engine() -> None:
    """The engine alone, without API and dashboard."""
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    bootstrap.start(with_engine=True)
    try:
        typer.echo("The engine runs; end it with Ctrl-C")
        ended.wait()
    finally:
        bootstrap.stop()


@cli.command()
@in_words
def trigger(
    name: Annotated[str, typer.Argument(help="A scenario's name, such as `over`.")] = "",
    every: Annotated[bool, typer.Option("--list", help="Name every scenario.")] = False,
) -> None:
    """Play one way a payment can go, from start to end, on a throwaway simulated network."""
    from crossway.scenarios.listing import SCENARIOS, named
    from crossway.scenarios.playing import play

    if every or not name:
        for one in SCENARIOS:
            typer.echo(f"{one.number:2}  {one.name:28}  {one.title}")
        return
    played = play(named(name))
    for line in played.text():
        typer.echo(line)
    if played.wrong:
        raise typer.Exit(1)


@cli.command("reconcile")
@in_words
def compare(
    seen: Annotated[
        bool, typer.Option("--seen", help="End the alarms about transactions listed here.")
    ] = False,
) -> None:
    """Compare the books with the chains, one line a difference."""
    with _service() as service:
        client = Client("operator", BY, 0, None, DEFAULT_REQUESTS_PER_MINUTE, datetime.now(UTC))
        caller = Caller(client, Mode.LIVE, frozenset(Scope), operator=True)
        found = reconcile(service.services, caller)
        if seen:
            operations.acknowledge(service.services, caller, "outside")
    for line in found.sentences():
        typer.echo(line)
    if found.differences or found.unknown or found.silent:
        raise typer.Exit(1)


@cli.command("doctor")
@in_words
def examine() -> None:
    """Say what is wrong with this set-up, one line a finding."""
    findings = list(_findings())
    for finding in findings:
        typer.echo(finding)
    if findings:
        raise typer.Exit(1)
    typer.echo("Nothing wrong found")


def _end(*_: object) -> None:
    raise SystemExit(0)


def _fail(sentence: str) -> None:
    typer.echo(f"crossway: {sentence}", err=True)
    sys.exit(1)


def _findings() -> Iterator[str]:
    try:
        settings = Settings()
    except ValidationError as error:
        yield from _setting_complaints(error)
        return
    if settings.network == "live":
        yield bootstrap.NO_LIVE_NETWORK
    yield from _folder_findings(settings)
    yield from _database_findings(settings)
    for library in ("uvloop", "httptools"):
        if find_spec(library) is None:
            yield f"{library} is not installed: answers take 40 ms longer without it"


def _setting_complaints(error: ValidationError) -> list[str]:
    return [
        f"CROSSWAY_{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()
    ]


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
        Fernet(secret_key_of(settings) if settings.secret_key or key.exists() else _ANY_KEY)
    except ValueError:
        yield "the secret key must be 32 bytes in URL-safe base64"


def _database_findings(settings: Settings) -> Iterator[str]:
    if settings.on_sqlite and not Path(settings.url.removeprefix("sqlite:///")).exists():
        return  # The first run creates it.
    try:
        store = open_store(settings.url)
        yield from store.ping()
        store.close()
    except (SQLAlchemyError, ImportError) as error:
        yield f"CROSSWAY_DATABASE_URL cannot be used: {error}"
