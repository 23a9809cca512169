"""ECharts options of small charts of bars below one another, each with an axis of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.dashboard.views.colors import INK, Shade

ROW_PIXELS: Final = 150
_ABOVE, _HEIGHT, _LEFT = 34, 88, 64  # pixels above each chart, of it, and left of it


@dataclass(frozen=True, slots=True)
class BarChart:
    """One of the charts: a value per hour or day, None where there is none. `end` is that of its
    axis, by default the first round number above all values."""

    title: str
    values: Sequence[float | None]
    color: str
    end: float | None = None


def stack(labels: Sequence[str], of: Sequence[BarChart], shade: Shade) -> dict[str, Any]:
    """These charts, which share their hours or days: what is sparse stays empty, as a line would
    invent what was between two bars. Each needs `ROW_PIXELS`."""
    return {
        "animationDuration": 300,
        "tooltip": {"trigger": "axis"},
        "title": [_title(one.title, at, shade) for at, one in enumerate(of)],
        "grid": [
            {"left": _LEFT, "right": 8, "top": ROW_PIXELS * at + _ABOVE, "height": _HEIGHT}
            for at in range(len(of))
        ],
        "xAxis": [_time_axis(labels, at, shade) for at in range(len(of))],
        "yAxis": [_value_axis(one.end, at, shade) for at, one in enumerate(of)],
        "series": [_bars(one, at) for at, one in enumerate(of)],
    }


def _title(text: str, at: int, shade: Shade) -> dict[str, Any]:
    style = {"color": INK[shade], "fontSize": 12, "fontWeight": "normal"}
    return {"text": text, "top": ROW_PIXELS * at + 8, "left": 0, "textStyle": style}


def _time_axis(labels: Sequence[str], at: int, shade: Shade) -> dict[str, Any]:
    return {
        "type": "category",
        "gridIndex": at,
        "data": list(labels),
        "axisLabel": {"color": INK[shade], "fontSize": 11, "margin": 12, "hideOverlap": True},
        "axisTick": {"show": False},
    }


def _value_axis(end: float | None, at: int, shade: Shade) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "type": "value",
        "gridIndex": at,
        "min": 0,
        "splitNumber": 2,
        "axisLabel": {"color": INK[shade], "fontSize": 11, "hideOverlap": True},
    }
    if end is not None:
        axis["max"] = end
        # The end of a shared scale is seldom a round number.
        axis["axisLabel"]["showMaxLabel"] = end == int(end)
    return axis


def _bars(of: BarChart, at: int) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": of.title.partition(":")[0],
        "xAxisIndex": at,
        "yAxisIndex": at,
        "barMaxWidth": 14,
        "barMinHeight": 2,
        "data": [value or None for value in of.values],
        "itemStyle": {"color": of.color},
    }
