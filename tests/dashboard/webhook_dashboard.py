"""The dashboard on a world that delivers webhooks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from tests.dashboard.conftest import DashboardApp, configure, new_dashboard
from tests.engine.webhook_world import WebhookWorld


@contextmanager
def webhook_dashboard(folder: Path) -> Iterator[tuple[DashboardApp, WebhookWorld]]:
    """The whole dashboard, opened on its first page, and the world behind it."""
    world = WebhookWorld(f"sqlite:///{folder / 'telling.db'}")
    configure(lambda: world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    try:
        yield DashboardApp(new_dashboard(), world).rerun(), world
    finally:
        world.close()
