"""Plotly figures of the page Analytics, as plain data: Streamlit draws them in the viewer's theme.

Plotly itself is not imported here: browsers draw the figures, also those of the printable page.
"""

from collections.abc import Sequence
from datetime import datetime
from math import log10
from typing import Any, Final

from crossway.dashboard.views.analytics_measures import Bar, Point, Span
from crossway.dashboard.views.formatting import format_duration

Figure = dict[str, Any]
MAX_BARS: Final = 20
_ROW, _FRAME = 34, 96  # pixels of a pair of horizontal bars, and of all around them
_MAX_LABEL: Final = 24
_NOW, _BEFORE = "This period", "Period before"
_TICKS: Final = (1, 2, 5, 10, 20, 60, 120, 300, 600, 1_200, 3_600, 7_200, 18_000, 43_200,
                 86_400, 172_800, 432_000, 864_000)  # fmt: skip
_MAX_TICKS: Final = 6
_GRAY: Final = "#7D8A94"
# At the bottom: the buttons of the chart are at the top.
_LEGEND: Final[Figure] = {
    "orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom",
}  # fmt: skip


def over_time(points: Sequence[Point], unit: str, hourly: bool) -> Figure:
    """A value per hour or day as bars, and those of the period before, if any, as a line."""
    hover = f"%{{x|{'%-d %b, %H:%M' if hourly else '%a %-d %b %Y'}}}"
    times = [f"{point.at:%Y-%m-%dT%H:%M}" for point in points]
    now = {
        "type": "bar",
        "name": _NOW,
        "x": times,
        "y": [point.value for point in points],
        "customdata": [point.payments for point in points],
        "hovertemplate": f"{hover}<br>%{{y:{_number_format(unit)}}} {unit}"
        "<br>%{customdata:,} payments created<extra></extra>",
    }
    before = {
        "type": "scatter",
        "mode": "lines",
        "name": _BEFORE,
        "x": times,
        "y": [point.before for point in points],
        "customdata": [_name_step(point.at_before, hourly) for point in points],
        "line": {"color": _GRAY, "width": 2, "dash": "dot"},
        "hovertemplate": f"%{{customdata}}<br>%{{y:{_number_format(unit)}}} {unit}"
        f"<extra>{_BEFORE}</extra>",
    }
    axes = {
        "selectdirection": "h",
        "xaxis": {"type": "date", "automargin": True, "nticks": 8},
        "yaxis": {"title": {"text": unit}, "automargin": True, "nticks": 6},
        "legend": _LEGEND,
    }
    compared = any(point.before is not None for point in points)
    return {"data": [now, before] if compared else [now], "layout": _layout(320) | axes}


def _name_step(at: datetime | None, hourly: bool) -> str:
    if at is None:
        return ""
    return f"{at.day} {at:%b, %H:%M}" if hourly else f"{at:%a} {at.day} {at:%b %Y}"


def bars(of: Sequence[Bar], unit: str) -> Figure:
    """A value of each group as a horizontal bar, the period before below it."""
    names = _short_names([bar.name for bar in of])
    common = {
        "type": "bar",
        "orientation": "h",
        "y": names,
        "customdata": [bar.key for bar in of],
        "hovertext": [bar.name for bar in of],
    }
    hover = f"%{{hovertext}}<br>%{{x:{_number_format(unit)}}} {unit}"
    now = {"name": f"{_NOW}, {unit}", "x": [bar.value for bar in of]}
    before = {
        "name": _BEFORE,
        "x": [bar.before for bar in of],
        # A pattern as well: colour is not the only sign.
        "marker": {"color": _GRAY, "pattern": {"shape": "/", "size": 5, "solidity": 0.4}},
    }
    traces = [
        common | trace | {"hovertemplate": f"{hover}<extra>{name}</extra>"}
        for name, trace in ((_NOW, now), (_BEFORE, before))
    ]
    axes = {
        "xaxis": {"automargin": True, "nticks": 5},
        "yaxis": _names_axis(names),
        "legend": _LEGEND,
        "bargap": 0.25,
    }
    return {"data": traces, "layout": _layout(_FRAME + _ROW * len(of)) | axes}


def funnel(steps: Sequence[tuple[str, int, str]]) -> Figure:
    """Steps with their payments, and their share as text."""
    trace = {
        "type": "funnel",
        "y": [title for title, _, _ in steps],
        "x": [payments for _, payments, _ in steps],
        "text": [f"{payments:,} · {share}" for _, payments, share in steps],
        "textinfo": "text",
        "textposition": "auto",
        "hovertemplate": "%{y}: %{text}<extra></extra>",
        "connector": {"line": {"width": 1}},
    }
    return {
        "data": [trace],
        "layout": _layout(300) | {"yaxis": {"automargin": True}, "hovermode": "closest"},
    }


def spans(of: Sequence[Span]) -> Figure:
    """The median and the 95th percentile of each group on a logarithmic scale."""
    names = _short_names([span.name for span in of])
    keys = [span.key for span in of]
    lines = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for span in of for x in (span.p50, span.p95, None)],
        "y": [y for name in names for y in (name, name, None)],
        "line": {"width": 2, "color": "rgba(128,128,128,0.6)"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": title,
            "x": values,
            "y": names,
            "customdata": keys,
            "text": texts,
            "hovertext": [span.name for span in of],
            "marker": {"size": 11, "symbol": symbol},
            "hovertemplate": f"%{{hovertext}}<br>{title}: %{{text}}<extra></extra>",
        }
        for title, symbol, values, texts in (
            ("Median", "circle", [s.p50 for s in of], [s.p50_text for s in of]),
            ("p95", "diamond", [s.p95 for s in of], [s.p95_text for s in of]),
        )
    ]
    axes = {
        "xaxis": _seconds_axis([seconds for span in of for seconds in (span.p50, span.p95)]),
        "yaxis": _names_axis(names),
        "legend": _LEGEND,
    }
    return {"data": [lines, *marks], "layout": _layout(_FRAME + 28 * len(of)) | axes}


def _layout(height: int) -> Figure:
    return {
        "height": height,
        "margin": {"l": 4, "r": 16, "t": 36, "b": 44},
        "hoverlabel": {"align": "left"},
        # While a box is drawn, a click selects nothing; so drawing one is a button of the chart.
        "dragmode": "zoom",
        # A box selects all marks beside it, also those whose ends are outside.
        "selectdirection": "v",
    }


def _names_axis(names: Sequence[str]) -> Figure:
    """Names from top to bottom in the order given."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(names),
        "autorange": "reversed",
        "automargin": True,
        "ticksuffix": " ",
    }


def _seconds_axis(values: Sequence[float]) -> Figure:
    """A logarithmic axis of durations with few ticks, from below the least to above the most."""
    low, high = min(values) / 1.5, max(values) * 1.5
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    ticks = ticks[:: -(-len(ticks) // _MAX_TICKS)] if ticks else ticks
    return {
        "type": "log",
        "range": [log10(low), log10(high)],
        "tickvals": ticks,
        "ticktext": [format_duration(tick) for tick in ticks],
        "automargin": True,
    }


def _number_format(unit: str) -> str:
    return ",.2f" if unit == "USD" else ",d"


def _short_names(names: Sequence[str]) -> list[str]:
    """Names cut to the width of an axis, kept apart from one another by invisible marks."""
    short: list[str] = []
    for name in names:
        text = name if len(name) <= _MAX_LABEL else f"{name[: _MAX_LABEL - 1]}…"
        while text in short:
            text += "\u200b"
        short.append(text)
    return short
