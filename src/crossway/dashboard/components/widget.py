"""The dashboard's own Streamlit components, each a script and a style sheet in `assets/`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from crossway.dashboard import push, session, shared_query
from crossway.dashboard.views.cells import (
    Column,
    Detail,
    LinkButton,
    Row,
    Step,
    TimelineEntry,
    to_json,
)
from crossway.dashboard.views.fee_time import ChartPoint
from crossway.dashboard.views.overview import Kpi
from crossway.ports.topics import Topic

ASSETS: Final = Path(__file__).with_name("assets")
# Style sheet and scripts to load before a component's own; all others load the kit alone.
_KIT: Final = (("kit.css",), ("kit.js",))
_BUTTON: Final = (("kit.css", "button.css"), ("kit.js",))
_DRAWN: Final = (("kit.css",), ("kit.js", "drawing.js"))
_MAP_PARTS: Final = ("places", "flights", "cards", "tables")
_BASE_ASSETS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "live": ((), ()),
    "alert_strip": (("kit.css",), ("kit.js", "connection.js", "stream.js")),
    "kpis": _DRAWN,
    "fee_time": _DRAWN,
    "network_map": (
        ("kit.css",),
        ("kit.js", "drawing.js", *(f"map_{part}.js" for part in _MAP_PARTS)),
    ),
    "focus": ((), ()),
    "table": (
        ("kit.css", "row_selection.css", "list_view.css"),
        ("kit.js", "row_selection.js", "list_view.js"),
    ),
    "passkey": _BUTTON,
    "payer_link": _BUTTON,
    "sign_in_link": _BUTTON,
    "sign_out": _BUTTON,
}


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def _component(name: str) -> ComponentRenderer:
    """Register a component, once per process."""
    css, js = component_sources(name)
    return st.components.v2.component(
        f"crossway_{name}", html='<div class="host"></div>', css=css, js=js
    )


def _mount(name: str, key: str, data: Mapping[str, Any], **options: Any) -> None:
    """Draw a component. Its data are passed in a list: Streamlit looks at each value of a dict for
    data frames, for which it imports pandas."""
    _component(name)(key=key, data=[data], **options)


def component_sources(name: str) -> tuple[str, str]:
    """The style sheet and the script of a component, with those that are loaded before its own."""
    css, js = _BASE_ASSETS.get(name, _KIT)
    own_css = (f"{name}.css",) if (ASSETS / f"{name}.css").exists() else ()
    return "".join(map(_asset, (*css, *own_css))), "".join(map(_asset, (*js, f"{name}.js")))


def table(
    rows: Sequence[Row], columns: Sequence[Column], key: str, label: str, caption: str = ""
) -> None:
    """A table; a click or Enter on a row with a link follows it. `label` is read by screen
    readers, `caption` is shown above the rows."""
    _draw("table", table_data(rows, columns, label, caption), key)


def table_with_controls(
    data: Mapping[str, Any],
    key: str,
    controls: Mapping[str, Any],
    on_act: Callable[[], None],
    on_prefer: Callable[[], None],
) -> None:
    """A table whose rows can be sorted and acted on. Its triggers `act` and `prefer` are what the
    browser has sent. The controls are the viewer's own, also where a shared query has the rows."""
    triggers = {"on_act_change": on_act, "on_prefer_change": on_prefer}
    _draw("table", dict(data) | {"controls": controls}, key, **triggers)


def table_data(
    rows: Sequence[Row], columns: Sequence[Column], label: str, caption: str = ""
) -> dict[str, Any]:
    """The JSON of a table, also for `shared_query.RenderState.widgets`."""
    return {
        "columns": [to_json(column) | {"title": column.title} for column in columns],
        "rows": [to_json(row) for row in rows],
        "label": label,
        "caption": caption,
    }


def details(of: Sequence[Detail], key: str, label: str) -> None:
    """A list of labels and values."""
    _draw("details", {"details": [to_json(detail) for detail in of], "label": label}, key)


def stepper(steps: Sequence[Step], key: str, label: str) -> None:
    """The steps of a process, side by side, or below one another on narrow screens."""
    _draw("stepper", {"steps": [to_json(step) for step in steps], "label": label}, key)


def timeline(entries: Sequence[TimelineEntry], key: str, label: str) -> None:
    """Events in order, each with its raw record to unfold."""
    _draw("timeline", timeline_data(entries, label), key)


def timeline_data(entries: Sequence[TimelineEntry], label: str) -> dict[str, Any]:
    """The JSON of a timeline, also for `shared_query.RenderState.widgets`."""
    return {"entries": [to_json(entry) for entry in entries], "label": label}


def kpis(of: Sequence[Kpi], key: str, label: str) -> None:
    """KPIs side by side, each with a sparkline."""
    _draw("kpis", kpis_data(of, label), key)


def kpis_data(of: Sequence[Kpi], label: str) -> dict[str, Any]:
    """The JSON of a row of KPIs, also for `shared_query.RenderState.widgets`."""
    return {"kpis": [asdict(kpi) for kpi in of], "label": label}


def network_map(data: Mapping[str, Any], key: str, *, large: bool = False) -> None:
    """The network map of `views.network_map.build_map`; `large` is its type on a presentation."""
    _draw("network_map", map_data(data, large=large), key)


def map_data(data: Mapping[str, Any], *, large: bool = False) -> dict[str, Any]:
    """The JSON of the network map, also for `shared_query.RenderState.widgets`."""
    return {**data, "large": large}


def story(
    data: Mapping[str, Any],
    key: str,
    on_go: Callable[[], None],
    on_fault: Callable[[], None],
    on_again: Callable[[], None],
) -> None:
    """The guided story of `guided_story.build_story`; its trigger `go` is the chapter to show, and
    `fault` whether a simulated fault is to begin or to end."""
    triggers = {"on_go_change": on_go, "on_fault_change": on_fault, "on_again_change": on_again}
    _draw("story", dict(data), key, **triggers)


def fee_time_chart(points: Sequence[ChartPoint], key: str, label: str) -> None:
    """Payment options by time and fee, whose names never overlap; `label` is read by screen
    readers."""
    _draw("fee_time", {"points": [asdict(point) for point in points], "label": label}, key)


def link_buttons(
    of: Sequence[LinkButton], key: str, width: Literal["stretch", "content"] = "stretch"
) -> None:
    """Links drawn as buttons; the browser follows them without a rerun of this page."""
    _mount("link_buttons", key, {"links": [to_json(link) for link in of]}, width=width)


@dataclass(frozen=True, slots=True)
class Subscription:
    """When the browser asks for a fragment again.

    It asks once a topic's counter differs from `counters`, once the frame of a shared query has
    changed, and every `refresh_seconds`, but not twice within `min_interval_seconds`.
    """

    key: str
    topics: Sequence[Topic]
    refresh_seconds: float
    min_interval_seconds: float
    counters: Mapping[str, int]
    query_versions: Sequence[shared_query.QueryVersion]


def subscribe(to: Subscription) -> None:
    """Subscribe the fragment that is being drawn to the changes of what it shows."""
    server = push.change_counters()
    counters = {topic.value: to.counters[topic.value] for topic in to.topics}
    data = {
        "key": to.key,
        "ticket": server.ticket,
        "session": session.viewer_session(),
        "topics": [topic.value for topic in to.topics],
        "drawn": {"epoch": server.epoch, "counters": counters},
        "queries": {
            query.query_id: [query.version, query.frame_version] for query in to.query_versions
        },
        "refresh_seconds": to.refresh_seconds,
        "min_interval_seconds": to.min_interval_seconds,
    }
    _mount("live", to.key, data, on_changed_change=_do_nothing)


def alert_strip(of: Mapping[str, Any]) -> None:
    """The unacknowledged alerts on one line, which the browser keeps up to date.

    It belongs to no fragment: by it, the browser asks for the whole page when this process does
    not know the page, as after a restart.
    """
    data = {
        "alerts": of,
        "ticket": push.change_counters().ticket,
        "session": session.viewer_session(),
        "clock": push.service_clock(),
    }
    _mount("alert_strip", "alert_strip", data, on_redraw_change=session.run_unattended)


def _do_nothing() -> None:
    """The rerun of the fragment is the whole effect of a change."""


def sidebar(data: Mapping[str, Any]) -> None:
    """Fold the sections of the sidebar: `current` stays open, and those of `folded_first` fold
    until all of `sections`, with their numbers of pages, fit."""
    _mount("sidebar", "sidebar", data)


def navigate(href: str, request_id: str) -> None:
    """Send the browser to another page, once per `request_id`."""
    _mount("navigate", f"navigate_{request_id}", {"href": href, "request_id": request_id})


def palette(data: Mapping[str, Any], key: str, on_act: Callable[[], None]) -> None:
    """The button and dialog to jump to anything; what the server is to do is the trigger `act`."""
    _mount("palette", key, data, on_act_change=on_act, width="content")


def focus(field: str) -> None:
    """Put the keyboard into the Streamlit field with this key when the page is opened."""
    _mount("focus", f"focus_{field}", {"field": field})


def payer_link(of: Mapping[str, Any], key: str) -> None:
    """The payer's link with buttons to copy, share, print and mail it."""
    _draw("payer_link", dict(of), key)


def sign_out(label: str, key: str, again: bool = False) -> None:
    """A button that signs out, at the identity provider as well; with `again`, to sign in there
    once more and so prove who one is."""
    _mount("sign_out", key, {"label": label, "again": again, "primary": again})


def sign_in_link() -> None:
    """Send the browser to the sign-in page, and offer a link to it."""
    _mount("sign_in_link", "sign_in_link", {})


def passkey(
    kind: Literal["create", "get"],
    options: str,
    label: str,
    primary: bool,
    key: str,
    on_answer: Callable[[], None],
) -> None:
    """A button that asks the browser for a passkey; its answer is the trigger `answer`."""
    data = {"kind": kind, "options": options, "label": label, "primary": primary}
    _mount("passkey", key, data, on_answer_change=on_answer)


def remember(name: str, value: str) -> None:
    """Have the browser keep a choice in a cookie, for a reload and for further tabs."""
    _mount("remember", f"remember_{name}", {"name": name, "value": value})


def _draw(name: str, data: dict[str, Any], key: str, **on_triggers: Any) -> None:
    subscription = shared_query.widget_subscription(key)
    optional = {"subscription": subscription} if subscription else {}
    data = data | {"clock": push.service_clock()} | optional
    _mount(name, key, data, **on_triggers)
