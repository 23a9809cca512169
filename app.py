"""One process: dashboard at /, REST API at /api/v1, payers' pages at /pay, and the engine."""

import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

# Imports create many objects and no garbage: collecting meanwhile would only search them.
# `bootstrap.warm_up` turns the collection on again.
gc.disable()

# ruff: noqa: E402
import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.types import ASGIApp
from streamlit import file_util
from streamlit.watcher import polling_path_watcher

from crossway import bootstrap, sign_in_setup
from crossway.api.app import create_api
from crossway.api.health import root_probe_routes
from crossway.api.rate_limits import IpRateLimiter
from crossway.dashboard import (
    analytics_downloads,
    broadcaster,
    click_queue,
    downloads,
    message_queue,
    palette_search,
    session,
    statement_downloads,
)
from crossway.dashboard.session_owners import owns_session
from crossway.ports.policy import IngressConfig
from crossway.ports.services import Services
from crossway.server.api_paths import ApiPaths
from crossway.server.bounded_writes import BoundedWrites
from crossway.server.dashboard_gate import DashboardGate, SessionChecks
from crossway.server.host_check import HostCheck
from crossway.server.host_config import HostConfig
from crossway.server.lazy_app import LazyApp
from crossway.server.security_headers import SecurityHeaders, is_encrypted, streamlit_policy
from crossway.settings import Settings
from crossway.sign_in import PATHS as SIGN_IN_PATHS
from crossway.startup_checks import SetupError

# Streamlit looks at the files of its settings five times a second, and this cannot be set: a fifth
# of what the process costs at rest. An end of the process waits for one such period.
polling_path_watcher._POLLING_PERIOD_SECS = 1.0  # type: ignore[misc]
message_queue.send_whole_pages()
click_queue.run_every_click()


def ingress() -> IngressConfig:
    services: Services = api.state.services
    return services.policy.ingress


def page_policy() -> str:
    """Streamlit answers what it does not know with its page, of which each version differs."""
    return streamlit_policy(Path(file_util.get_static_dir()) / "index.html")


def payers_pages() -> ASGIApp:
    from crossway.payer.app import create_pages

    return create_pages(IpRateLimiter(), session.services())


def sign_in_pages() -> ASGIApp:
    from crossway.sign_in.app import create_sign_in
    from crossway.sign_in.visit import SignInSite

    services, limiter = session.services(), IpRateLimiter()
    site = SignInSite(
        services,
        session.setup_password(),
        sign_in_setup.identity_providers(),
        partial(limiter.find_address, services),
        partial(limiter.wait_seconds, services),
        lambda scope: is_encrypted(scope, ingress()),
        checks.may_enter_freely,
    )
    return create_sign_in(site)


api = create_api()
checks = SessionChecks(session.is_open, session.is_own_token, owns_session, ingress)
sign_in = LazyApp(sign_in_pages)


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, Any]]:
    """The one service of this process, shared by the API and every page."""
    session.configure(bootstrap.start, sign_in_setup.dashboard_password())
    try:
        api.state.services = session.services()
        sign_in_setup.check_identity_providers()
    except SetupError as error:
        # The server would print a stack trace around the sentence.
        print(f"crossway: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    bootstrap.warm_up()
    print(f"Crossway is at {bootstrap.local_url()}", flush=True)
    sign_in_setup.print_setup_token(api.state.services, Settings())
    try:
        yield {}
    finally:
        bootstrap.stop()


app = st.App(
    Path(__file__).parent.resolve() / "pages" / "_shell.py",
    routes=[
        Mount("/api", api),
        Mount("/pay", LazyApp(payers_pages)),
        *(Route(path, sign_in) for path in SIGN_IN_PATHS),
        *root_probe_routes(api),
        *downloads.routes(),
        *analytics_downloads.routes(),
        *statement_downloads.routes(),
        *palette_search.routes(),
        broadcaster.route(),
    ],
    middleware=[
        Middleware(BoundedWrites),
        Middleware(SecurityHeaders, ingress, page_policy),
        Middleware(HostCheck, ingress),
        Middleware(ApiPaths),
        Middleware(DashboardGate, checks),
        Middleware(HostConfig),
    ],
    lifespan=lifespan,
)
