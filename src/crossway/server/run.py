"""Runs an application under uvicorn with our connections, limits and deadlines."""

import resource
from contextlib import suppress
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from crossway.environments import build_ingress
from crossway.server.connections import MAX_CONNECTIONS, OpenConnections
from crossway.settings import Settings

WANTED_FILES: Final = 65_536
# The database, chains, webhooks and files need descriptors too.
RESERVED_FILES: Final = 512
MIN_CONNECTIONS: Final = 64
MAX_SOCKET_MESSAGE_BYTES: Final = 1024 * 1024
# Time for open requests to finish after a stop signal; systemd waits 90 s.
GRACE_SECONDS: Final = 20
PING_SECONDS: Final = 30


def run(app: ASGIApp, settings: Settings, *, with_dashboard: bool) -> None:
    """Serve until a stop signal. `with_dashboard`: the app has WebSockets and a lifespan."""
    maximum = max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, raise_file_limit() - RESERVED_FILES))
    connections = OpenConnections(maximum, build_ingress(settings).trusted_proxies)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=connections.protocol,  # type: ignore[arg-type]
        ws="websockets-sansio" if with_dashboard else "none",
        ws_max_size=MAX_SOCKET_MESSAGE_BYTES,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
        # A start is faster without the libraries of what is not used.
        lifespan="on" if with_dashboard else "off",
        access_log=False,
        log_level="warning",
        # CROSSWAY_TRUSTED_PROXIES decides whose X-Forwarded-For counts.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def raise_file_limit() -> int:
    """Raise this process's limit of open files as far as it may; returns it. The usual 1,024 are
    taken up by a thousand connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft if soft != resource.RLIM_INFINITY else WANTED_FILES
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft
