"""`crossway api` and `crossway engine`: parts of the service as separate processes."""

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from crossway import bootstrap
from crossway.cli.errors import report_errors
from crossway.ports.services import Services
from crossway.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# Time for open requests to finish after a stop signal; systemd waits 90 s.
GRACE_SECONDS = 20


@report_errors
def api(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8600,
) -> None:
    """Run the REST API only, without engine and dashboard."""
    # Until `bootstrap.warm_up`: as in `cli.main`.
    gc.disable()
    import uvicorn

    # uvicorn stops at this signal and then raises it again.
    signal.signal(signal.SIGTERM, _end)
    services = bootstrap.start(with_engine=False)
    bootstrap.warm_up()
    try:
        served = _create_app(services)
        typer.echo(f"The API runs at http://{host}:{port}/api/v1; stop it with Ctrl-C")
        # CROSSWAY_TRUSTED_PROXIES decides whose X-Forwarded-For counts.
        uvicorn.run(
            served,
            host=host,
            port=port,
            access_log=False,
            log_level="warning",
            proxy_headers=False,
            # Neither is used, and a start is faster without their libraries.
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    finally:
        bootstrap.stop()


def _create_app(services: Services) -> "ASGIApp":
    """The API at /api/v1, the payers' pages at /pay, and the probes."""
    from starlette.applications import Starlette
    from starlette.routing import Mount

    from crossway.api.app import create_api
    from crossway.api.errors import HANDLERS
    from crossway.api.health import root_probe_routes
    from crossway.api.rate_limits import IpRateLimiter
    from crossway.payer.lazy_pages import LazyPages

    inner = create_api(services)
    pages = Mount("/pay", LazyPages(IpRateLimiter(), lambda: services))
    return Starlette(
        routes=[Mount("/api", inner), pages, *root_probe_routes(inner)],
        exception_handlers=HANDLERS,
    )


@report_errors
def engine() -> None:
    """Run the engine only, without API and dashboard."""
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    services = bootstrap.start(with_engine=True)
    try:
        with _serve_probes(services, Settings().engine_port):
            typer.echo("The engine runs; stop it with Ctrl-C")
            ended.wait()
    finally:
        bootstrap.stop()


@contextmanager
def _serve_probes(services: Services, port: int | None) -> Iterator[None]:
    """Serve /healthz, /readyz and /metrics on a port during the block; nothing without a port."""
    if port is None:
        yield
        return
    import uvicorn

    from crossway.api.health import create_probe_app

    host = "0.0.0.0" if services.policy.ingress.metrics_token else "127.0.0.1"
    config = uvicorn.Config(
        create_probe_app(services),
        host=host,
        port=port,
        access_log=False,
        log_level="warning",
        proxy_headers=False,
    )
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
