"""The dashboard's own widgets: a script and a style of `assets/` each, in the theme's colours."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from crossway.dashboard import live
from crossway.dashboard.views.cells import Column, Fact, Item, Row, Step, Way, plain

ASSETS: Final = Path(__file__).with_name("assets")


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def _mount(name: str) -> ComponentRenderer:
    """Registered once a process; every runtime that mounts it is told by Streamlit itself."""
    return st.components.v2.component(
        f"crossway_{name}",
        html='<div class="host"></div>',
        css=_asset("kit.css") + _asset(f"{name}.css"),
        js=_asset("kit.js") + _asset(f"{name}.js"),
    )


def table(rows: Sequence[Row], columns: Sequence[Column], key: str, label: str) -> None:
    """Rows; a click or Enter on one that is a link follows it."""
    data = {
        "columns": [plain(column) | {"title": column.title} for column in columns],
        "rows": [plain(row) for row in rows],
        "label": label,
    }
    _draw("table", data, key)


def facts(of: Sequence[Fact], key: str, label: str) -> None:
    """Labels and values, one under the other."""
    _draw("facts", {"facts": [plain(fact) for fact in of], "label": label}, key)


def stepper(steps: Sequence[Step], key: str, label: str) -> None:
    """The steps of a payment's life, side by side; one under the other where it is narrow."""
    _draw("stepper", {"steps": [plain(step) for step in steps], "label": label}, key)


def timeline(items: Sequence[Item], key: str, label: str) -> None:
    """What happened, each with its raw record behind a fold."""
    _draw("timeline", {"items": [plain(item) for item in items], "label": label}, key)


def ways(of: Sequence[Way], key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Buttons that are links to other screens: the browser goes there by itself."""
    _mount("ways")(key=key, data={"ways": [plain(way) for way in of]}, width=width)


def leave(href: str, once: str) -> None:
    """Take the browser to another screen; the same `once` does it one time only."""
    _mount("leave")(key=f"leave_{once}", data={"href": href, "once": once})


def _draw(name: str, data: dict[str, Any], key: str) -> None:
    _mount(name)(key=key, data=data | {"clock": live.clock()})
