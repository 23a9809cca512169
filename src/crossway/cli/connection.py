"""The options of every command that say which running service it uses."""

from contextvars import ContextVar
from importlib import metadata
from typing import Annotated

import typer

# The client's own default; importing the client here would slow the start of a server.
LOCAL = "http://127.0.0.1:8600"
# API key and URL.
CONNECTION = ContextVar("CONNECTION", default=("", LOCAL))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"crossway {metadata.version('crossway')}")
        raise typer.Exit


def set_connection_options(
    api_key: Annotated[
        str, typer.Option(envvar="CROSSWAY_API_KEY", help="Your API key.", show_default=False)
    ] = "",
    api_url: Annotated[
        str, typer.Option(envvar="CROSSWAY_API_URL", help="URL of the service.")
    ] = LOCAL,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Crossway's commands. The key and the URL are for those that use the API of a running service:
    intents, links, quotes, ramp, webhooks, chains, search, whoami, exports, sandbox and mcp."""
    CONNECTION.set((api_key, api_url))
