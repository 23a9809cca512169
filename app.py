"""One process: dashboard at /, REST API at /api/v1, payers' pages at /pay, and the engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.routing import Mount

from crossway import bootstrap
from crossway.api.app import create_api
from crossway.api.doors import Turnstile
from crossway.api.health import at_the_root
from crossway.dashboard import cookies, downloads, session, stream
from crossway.payer.app import create_pages

api = create_api()
pages = create_pages(Turnstile())


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, Any]]:
    """The one service of this process, shared by the API and every page."""
    session.provide(bootstrap.start, bootstrap.dashboard_password())
    api.state.services = pages.state.services = session.services()
    bootstrap.settle()
    print(f"Crossway is at http://localhost:{st.get_option('server.port')}", flush=True)
    try:
        yield {}
    finally:
        bootstrap.stop()


app = st.App(
    Path(__file__).parent.resolve() / "pages" / "_shell.py",
    routes=[
        Mount("/api", api),
        Mount("/pay", pages),
        *at_the_root(api),
        *cookies.routes(),
        *downloads.routes(),
        stream.route(),
    ],
    lifespan=lifespan,
)
