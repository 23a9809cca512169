"""The parts of a service as processes of their own."""

import signal
import threading
from typing import Annotated

import typer

from crossway import bootstrap
from crossway.cli.words import in_words


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


def _end(*_: object) -> None:
    raise SystemExit(0)
