"""Fixtures for dashboard tests: the dashboard on its own world, without a browser."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

from crossway.adapters.bridges.live_models import live_models
from crossway.dashboard import session
from crossway.ports.bridge import Bridge
from crossway.ports.services import Services
from crossway.usecases.staff import sign_in as staff_sign_in
from tests.engine.webhook_world import WebhookWorld
from tests.harness import CATALOGUE
from tests.receivers import Receiver, running_receiver
from tests.usecases.ramp_world import RampWorld

PAGES_FOLDER = Path(__file__).parents[2] / "pages"
WORDS = "four words nobody expects"
OFFICE = "203.0.113.7"
# A page without a browser has no cookies: its session holds what the cookie would.
COOKIE = "cookie_of_the_test"


def configure(factory: Callable[[], Services], password: str = "") -> None:
    """Configure the dashboard, with sessions that `sign_in` signs in."""
    session.configure(factory, password, lambda: str(st.session_state.get(COOKIE, "")))


def sign_in(at: AppTest, name: str, password: str = WORDS) -> AppTest:
    """Open the dashboard as the browser of somebody who has signed in."""
    token = staff_sign_in.sign_in_with_password(session.services(), name, password, OFFICE)
    at.session_state[COOKIE] = token
    return at.run()


@dataclass
class DashboardApp:
    """The dashboard as one operator sees it."""

    at: AppTest
    world: RampWorld

    def open(self, name: str, **query: str) -> "DashboardApp":
        self.at.query_params.clear()
        for key, value in query.items():
            self.at.query_params[key] = value
        self.at.switch_page(str(PAGES_FOLDER / f"{name}.py"))
        return self.rerun()

    def rerun(self) -> "DashboardApp":
        self.at.run()
        assert not self.at.exception, self.at.exception[0].message
        return self

    def use_bridges(self, *bridges: Bridge) -> None:
        """Quote with these bridges from now on."""
        models = live_models(self.world.services.catalogue, bridges)
        given = replace(self.world.services, bridges=bridges, bridge_models=models)
        configure(lambda: given)
        st.cache_data.clear()
        st.cache_resource.clear()

    def click(self, label: str) -> "DashboardApp":
        button = next(b for b in self.at.button if b.label.startswith(label))
        assert not button.disabled, f"{label} is not allowed: {button.help}"
        button.click()
        return self.rerun()

    def widget(self, key: str) -> dict[str, Any]:
        """The data of one of our own components."""
        results = [w for w in _descendants(self.at._tree) if w.type == "bidi_component"]
        data = {w.proto.id.rpartition("-")[2]: json.loads(w.proto.json)[0] for w in results}
        assert key in data, f"{key} is not on the screen, only {sorted(data)}"
        return dict(data[key])

    def has_widget(self, key: str) -> bool:
        return any(
            w.type == "bidi_component" and w.proto.id.endswith(f"-{key}")
            for w in _descendants(self.at._tree)
        )

    @property
    def image_texts(self) -> list[str]:
        """The text alternative of every picture."""
        drawn = (e.proto for e in _descendants(self.at._tree) if hasattr(e, "proto"))
        return [img.alt for proto in drawn if hasattr(proto, "imgs") for img in proto.imgs]

    @property
    def text(self) -> str:
        """All text that Streamlit itself draws."""
        kinds = ("title", "header", "subheader", "markdown", "caption", "info", "success")
        kinds += ("warning", "error", "code", "toast")
        drawn = "\n".join(str(e.value) for kind in kinds for e in getattr(self.at, kind))
        plain = drawn.replace("&#58;", ":").replace("&amp;", "&").replace("\u2060", "")
        return plain.replace("\\", "")


WebhookDashboard = tuple[DashboardApp, WebhookWorld]


def new_dashboard() -> AppTest:
    """The whole dashboard; a run opens its first page."""
    at = AppTest.from_file(str(PAGES_FOLDER / "_shell.py"), default_timeout=30)
    # Otherwise each looks for components in all installed packages, for the time of six pages.
    at._bidi_component_manager = _component_manager()
    return at


@cache
def _component_manager() -> BidiComponentManager:
    return BidiComponentManager()


def _descendants(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _descendants(child)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    """A real service with a manual clock."""
    built = RampWorld(f"sqlite:///{tmp_path / 'world.db'}", chains=tuple(CATALOGUE.chains))
    configure(lambda: built.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    yield built
    built.store.close()


@contextmanager
def webhook_dashboard(folder: Path) -> Iterator[WebhookDashboard]:
    """The whole dashboard, opened on its first page, and a world behind it that delivers
    webhooks."""
    world = WebhookWorld(f"sqlite:///{folder / 'telling.db'}")
    configure(lambda: world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    try:
        yield DashboardApp(new_dashboard(), world).rerun(), world
    finally:
        world.close()


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[WebhookDashboard]:
    """As `webhook_dashboard`."""
    with webhook_dashboard(tmp_path) as result:
        yield result


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A merchant's server for webhooks."""
    with running_receiver() as running:
        yield running


@pytest.fixture
def screen(world: RampWorld) -> DashboardApp:
    """The whole dashboard, opened on its first page."""
    return DashboardApp(new_dashboard(), world).rerun()
