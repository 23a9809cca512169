"""`crossway serve`, and its parts as processes of their own: `api`, `engine` and `indexer`."""

import gc
import os
import runpy
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crossway import bootstrap
from crossway.cli.errors import report_errors
from crossway.ports.policy import IngressConfig
from crossway.ports.services import Services
from crossway.settings import Settings
from crossway.startup_checks import SetupError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

APP = Path("app.py")
Host = Annotated[str | None, typer.Option(help="Address to listen on; CROSSWAY_HOST.")]
Port = Annotated[int | None, typer.Option(help="Port to listen on; CROSSWAY_PORT.")]


@report_errors
def serve(host: Host = None, port: Port = None) -> None:
    """Run everything in one process: dashboard, API, payers' pages and engine."""
    from crossway.server.run import run

    if not APP.exists():
        raise SetupError("app.py is not in this folder: start `crossway serve` in Crossway's own")
    settings = _listening(host, port)
    _configure_streamlit(settings)
    module = runpy.run_path(str(APP))
    run(module["app"], settings, with_dashboard=True)


@report_errors
def api(host: Host = None, port: Port = None) -> None:
    """Run the REST API and payers' pages only, without engine and dashboard."""
    # Until `bootstrap.warm_up`: as in `cli.main`.
    gc.disable()
    from crossway.server.run import run

    # uvicorn stops at this signal and then raises it again.
    signal.signal(signal.SIGTERM, _end)
    settings = _listening(host, port)
    services = bootstrap.start(with_engine=False)
    bootstrap.warm_up()
    try:
        served = _create_app(services)
        typer.echo(f"The API runs at {settings.local_url}/api/v1; stop it with Ctrl-C")
        run(served, settings, with_dashboard=False)
    finally:
        bootstrap.stop()


def _listening(host: str | None, port: int | None) -> Settings:
    """The settings with what the command line names, which every part of this process sees."""
    if host is not None:
        os.environ["CROSSWAY_HOST"] = host
    if port is not None:
        os.environ["CROSSWAY_PORT"] = str(port)
    return Settings()


def _configure_streamlit(settings: Settings) -> None:
    """Set what Streamlit reads from its own command line otherwise."""
    from streamlit.web.bootstrap import load_config_options

    load_config_options({"server.address": settings.host, "server.port": settings.port})


def _create_app(services: Services) -> "ASGIApp":
    """The API at /api/v1, the payers' pages at /pay, and the probes."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Mount

    from crossway.api.app import create_api
    from crossway.api.errors import HANDLERS
    from crossway.api.health import root_probe_routes
    from crossway.api.rate_limits import IpRateLimiter
    from crossway.server.bounded_writes import BoundedWrites
    from crossway.server.host_check import HostCheck
    from crossway.server.lazy_app import LazyApp
    from crossway.server.security_headers import SecurityHeaders

    def ingress() -> IngressConfig:
        return services.policy.ingress

    inner = create_api(services)

    def payers_pages() -> "ASGIApp":
        from crossway.payer.app import create_pages

        return create_pages(IpRateLimiter(), services)

    pages = Mount("/pay", LazyApp(payers_pages))
    return Starlette(
        routes=[Mount("/api", inner), pages, *root_probe_routes(inner)],
        middleware=[
            Middleware(BoundedWrites),
            Middleware(SecurityHeaders, ingress),
            Middleware(HostCheck, ingress),
        ],
        exception_handlers=HANDLERS,
    )


@report_errors
def engine() -> None:
    """Run the engine only, without API and dashboard."""
    _run_worker("engine")


@report_errors
def indexer() -> None:
    """Run an indexer only: it looks for deposits, which engines then leave to it."""
    _run_worker("indexer")


def _run_worker(name: Literal["engine", "indexer"]) -> None:
    """Run a worker and its probes until a signal ends it."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    services = bootstrap.start(with_engine=name == "engine", with_indexer=name == "indexer")
    try:
        with _serve_probes(services, Settings().engine_port):
            typer.echo(f"The {name} runs; stop it with Ctrl-C")
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
