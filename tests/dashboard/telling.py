"""The dashboard on a world whose events leave."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.testing.v1 import AppTest

from crossway.dashboard import session
from tests.dashboard.conftest import PAGES, Screen
from tests.engine.deliveries import TellingWorld


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Screen, TellingWorld]]:
    """The whole dashboard, opened on its first screen, and what is behind it."""
    world = TellingWorld(f"sqlite:///{folder / 'telling.db'}")
    session.provide(lambda: world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    at = AppTest.from_file(str(PAGES / "_shell.py"), default_timeout=30)
    try:
        yield Screen(at, world).again(), world
    finally:
        world.close()
