"""The dashboard's own widgets: a script and a style of `assets/` each, in the theme's colours."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from crossway.dashboard import live
from crossway.dashboard.views.cells import Column, Fact, Item, Row, Step, Way, plain
from crossway.dashboard.views.overview import Figure
from crossway.ports.changes import Topic

ASSETS: Final = Path(__file__).with_name("assets")
# What widgets are made with that need something else than the kit.
_KITS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "live": ("", ("stream.js",)),
    "strip": ("kit.css", ("kit.js", "stream.js")),
}


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def _mount(name: str) -> ComponentRenderer:
    """Registered once a process; every runtime that mounts it is told by Streamlit itself."""
    css, js = _KITS.get(name, ("kit.css", ("kit.js",)))
    return st.components.v2.component(
        f"crossway_{name}",
        html='<div class="host"></div>',
        css=(_asset(css) if css else "") + _asset(f"{name}.css"),
        js="".join(map(_asset, js)) + _asset(f"{name}.js"),
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


def figures(of: Sequence[Figure], key: str, label: str) -> None:
    """Numbers side by side, each with its hours."""
    _draw("figures", {"figures": [asdict(figure) for figure in of], "label": label}, key)


def ways(of: Sequence[Way], key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Buttons that are links to other screens: the browser goes there by itself."""
    _mount("ways")(key=key, data={"ways": [plain(way) for way in of]}, width=width)


def listen(key: str, topics: Sequence[Topic], every: float, numbers: Mapping[str, int]) -> None:
    """Have the fragment that this is drawn in asked for anew when these topics have changed since
    these numbers were read."""
    changes = live.changes()
    told = {topic.value: numbers[topic.value] for topic in topics}
    data = {
        "key": key,
        "ticket": changes.ticket,
        "topics": [topic.value for topic in topics],
        "drawn": {"epoch": changes.epoch, "numbers": told},
        "every": every,
    }
    _mount("live")(key=key, data=data, on_changed_change=_nothing)


def strip(of: Mapping[str, Any]) -> None:
    """The alarms that nobody has seen to, on one line that follows what changes by itself."""
    data = {"strip": of, "ticket": live.changes().ticket}
    _draw("strip", data, "alarm_strip")


def _nothing() -> None:
    """The fragment is drawn anew; that is all there is to do."""


def leave(href: str, once: str) -> None:
    """Take the browser to another screen; the same `once` does it one time only."""
    _mount("leave")(key=f"leave_{once}", data={"href": href, "once": once})


def shortcut(key_pressed: str, field: str) -> None:
    """A key on the keyboard that goes to the field with this key of Streamlit's."""
    _mount("shortcut")(key=f"key_to_{field}", data={"shortcut": key_pressed, "field": field})


def cookie(path: str, ticket: str) -> None:
    """Have the browser change a ticket for its cookie, once; without one, give its cookie back."""
    _mount("cookie")(key=f"cookie_{ticket}", data={"path": path, "ticket": ticket})


def _draw(name: str, data: dict[str, Any], key: str) -> None:
    _mount(name)(key=key, data=data | {"clock": live.clock()})
