"""The dashboard's own widgets: a script and a style of `assets/` each, in the theme's colours."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from crossway.dashboard import live, session, watching
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


def table(
    rows: Sequence[Row], columns: Sequence[Column], key: str, label: str, said: str = ""
) -> None:
    """Rows; a click or Enter on one that is a link follows it. What is `said` stands above them."""
    _draw("table", table_data(rows, columns, label, said), key)


def table_data(
    rows: Sequence[Row], columns: Sequence[Column], label: str, said: str = ""
) -> dict[str, Any]:
    """What a table is drawn from, as `watching.Picture` tells it to browsers."""
    return {
        "columns": [plain(column) | {"title": column.title} for column in columns],
        "rows": [plain(row) for row in rows],
        "label": label,
        "said": said,
    }


def facts(of: Sequence[Fact], key: str, label: str) -> None:
    """Labels and values, one under the other."""
    _draw("facts", {"facts": [plain(fact) for fact in of], "label": label}, key)


def stepper(steps: Sequence[Step], key: str, label: str) -> None:
    """The steps of a payment's life, side by side; one under the other where it is narrow."""
    _draw("stepper", {"steps": [plain(step) for step in steps], "label": label}, key)


def timeline(items: Sequence[Item], key: str, label: str) -> None:
    """What happened, each with its raw record behind a fold."""
    _draw("timeline", timeline_data(items, label), key)


def timeline_data(items: Sequence[Item], label: str) -> dict[str, Any]:
    """What a timeline is drawn from, as `watching.Picture` tells it to browsers."""
    return {"items": [plain(item) for item in items], "label": label}


def figures(of: Sequence[Figure], key: str, label: str) -> None:
    """Numbers side by side, each with its hours."""
    _draw("figures", figures_data(of, label), key)


def figures_data(of: Sequence[Figure], label: str) -> dict[str, Any]:
    """What numbers are drawn from, as `watching.Picture` tells it to browsers."""
    return {"figures": [asdict(figure) for figure in of], "label": label}


def ways(of: Sequence[Way], key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Buttons that are links to other screens: the browser goes there by itself."""
    _mount("ways")(key=key, data={"ways": [plain(way) for way in of]}, width=width)


@dataclass(frozen=True, slots=True)
class Listening:
    """When a part is asked for anew: once these topics have changed since these numbers were read,
    or the frame of a reading that it shows; every so many seconds at least, after a rest of so many
    at most."""

    key: str
    topics: Sequence[Topic]
    every: float
    rest: float
    numbers: Mapping[str, int]
    seen: Sequence[watching.Seen]


def listen(to: Listening) -> None:
    """Have the fragment that this is drawn in asked for anew when what it shows has changed."""
    changes = live.changes()
    told = {topic.value: to.numbers[topic.value] for topic in to.topics}
    data = {
        "key": to.key,
        "ticket": changes.ticket,
        "seat": session.seat(),
        "topics": [topic.value for topic in to.topics],
        "drawn": {"epoch": changes.epoch, "numbers": told},
        "watches": {one.watch: [one.number, one.shape] for one in to.seen},
        "every": to.every,
        "rest": to.rest,
    }
    _mount("live")(key=to.key, data=data, on_changed_change=_nothing)


def strip(of: Mapping[str, Any]) -> None:
    """The alarms that nobody has seen to, on one line that follows what changes by itself."""
    data = {"strip": of, "ticket": live.changes().ticket, "seat": session.seat()}
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
    follow = watching.followed(key)
    given = data | {"clock": live.clock()} | ({"follow": follow} if follow else {})
    _mount(name)(key=key, data=given)
