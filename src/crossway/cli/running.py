"""The parts of a service as processes of their own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from crossway import bootstrap
from crossway.cli.words import in_words
from crossway.ports.services import Services
from crossway.settings import Settings

# What is under way has this long to end once the process is asked to; systemd waits 90 s.
GRACE_SECONDS = 20


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
    from crossway.api.doors import Turnstile
    from crossway.api.errors import HANDLERS
    from crossway.api.health import at_the_root
    from crossway.payer.app import create_pages

    # uvicorn ends at this signal, and then sends it again to whoever started it.
    signal.signal(signal.SIGTERM, _end)
    services = bootstrap.start(with_engine=False)
    bootstrap.settle()
    try:
        inner = create_api(services)
        pages = Mount("/pay", create_pages(Turnstile(), services))
        served = Starlette(
            routes=[Mount("/api", inner), pages, *at_the_root(inner)], exception_handlers=HANDLERS
        )
        typer.echo(f"The API answers at http://{host}:{port}/api/v1; end it with Ctrl-C")
        # Whose X-Forwarded-For is believed is CROSSWAY_TRUSTED_PROXIES' to say.
        uvicorn.run(
            served, host=host, port=port, access_log=False, log_level="warning",
            proxy_headers=False, timeout_graceful_shutdown=GRACE_SECONDS,
        )  # fmt: skip
    finally:
        bootstrap.stop()


@in_words
def engine() -> None:
    """The engine alone, without API and dashboard."""
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    services = bootstrap.start(with_engine=True)
    try:
        with _probed(services, Settings().engine_port):
            typer.echo("The engine runs; end it with Ctrl-C")
            ended.wait()
    finally:
        bootstrap.stop()


@contextmanager
def _probed(services: Services, port: int | None) -> Iterator[None]:
    """For the length of a block: /healthz, /readyz and /metrics at a port, where one is given."""
    if port is None:
        yield
        return
    import uvicorn

    from crossway.api.health import probes

    host = "0.0.0.0" if services.doors.metrics_token else "127.0.0.1"
    config = uvicorn.Config(
        probes(services), host=host, port=port, access_log=False, log_level="warning",
        proxy_headers=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="probes", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(5)


def _end(*_: object) -> None:
    raise SystemExit(0)
