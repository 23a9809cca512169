"""ECharts options of the payment charts: plain data in the colours of the theme."""

from collections.abc import Sequence
from typing import Any

from crossway.dashboard.views.palette import CHAIN, INK, Shade
from crossway.dashboard.views.quotes import ChartPoint

Option = dict[str, Any]
_LEGEND = {"cheapest": "Cheapest", "fastest": "Fastest", "": "Other chains"}
_SYMBOLS = {"cheapest": "diamond", "fastest": "triangle", "": "circle"}


def fee_against_time(points: Sequence[ChartPoint], shade: Shade) -> Option:
    """Quotes by time (x) and fee (y); the cheapest and the fastest have their own symbols."""
    series = []
    for mark in ("cheapest", "fastest", ""):
        data = [
            {"name": p.name, "value": [p.seconds, round(p.fee_usd, 6)]}
            for p in points
            if p.mark == mark
        ]
        if data:
            series.append(_scatter(mark, data, shade))
    return {
        "animationDuration": 300,
        "grid": {"left": 24, "right": 40, "top": 32, "bottom": 56, "containLabel": True},
        "legend": {"bottom": 0, "left": 0, "textStyle": {"color": INK[shade]}},
        "tooltip": {"trigger": "item", "formatter": "{b}: {c} (seconds, USD)"},
        "xAxis": {
            "type": "log",
            "name": "estimated time in seconds",
            "nameLocation": "middle",
            "nameGap": 28,
            "nameTextStyle": {"color": INK[shade]},
            "axisLabel": {"color": INK[shade]},
        },
        "yAxis": {
            "type": "log",
            "name": "fee in USD",
            "nameTextStyle": {"color": INK[shade], "align": "left"},
            "axisLabel": {"color": INK[shade]},
        },
        "series": series,
    }


def _scatter(mark: str, data: list[dict[str, Any]], shade: Shade) -> Option:
    return {
        "type": "scatter",
        "name": _LEGEND[mark],
        "symbol": _SYMBOLS[mark],
        "symbolSize": 18 if mark else 11,
        "data": data,
        "label": {
            "show": True,
            "formatter": "{b}",
            "position": "top",
            "fontSize": 11,
            "color": INK[shade],
        },
        "labelLayout": {"hideOverlap": True},
    }


def hourly(points: Sequence[tuple[str, int, int]], shade: Shade) -> Option:
    """Completed payments as bars and their volume in USD as a line, per hour (UTC)."""
    return {
        "animationDuration": 300,
        "grid": {"left": 8, "right": 8, "top": 36, "bottom": 4, "containLabel": True},
        "legend": {"top": 0, "left": 0, "textStyle": {"color": INK[shade]}},
        "tooltip": {"trigger": "axis"},
        "xAxis": {
            "type": "category",
            "data": [at for at, _, _ in points],
            "axisLabel": {"color": INK[shade]},
        },
        "yAxis": [
            {"type": "value", "minInterval": 1, "axisLabel": {"color": INK[shade]}},
            {
                "type": "value",
                "splitLine": {"show": False},
                "min": 0,
                "axisLabel": {"color": INK[shade]},
            },
        ],
        "series": [
            {
                "type": "bar",
                "name": "Completed",
                "data": [completed for _, completed, _ in points],
                "barMaxWidth": 14,
            },
            {
                "type": "line",
                "name": "Volume, USD",
                "yAxisIndex": 1,
                "showSymbol": False,
                "smooth": True,
                "data": [volume for _, _, volume in points],
            },
        ],
    }


def chord(links: Sequence[tuple[str, str, int]], shade: Shade) -> Option:
    """Chains on a circle, with a ribbon for each pair that a bridge connects."""
    names = sorted({name for a, b, _ in links for name in (a, b)}, key=str.lower)
    return {
        "animationDuration": 300,
        "tooltip": {},
        "series": [
            {
                "type": "chord",
                "center": ["50%", "50%"],
                "radius": ["52%", "58%"],
                "minAngle": 4,
                "padAngle": 2,
                "label": {"show": True, "position": "outside", "fontSize": 11, "color": INK[shade]},
                "itemStyle": {"color": CHAIN[shade]},
                "lineStyle": {"color": INK[shade], "opacity": 0.28},
                "emphasis": {"focus": "adjacency", "lineStyle": {"opacity": 0.7}},
                "data": [{"name": name, "itemStyle": {"color": CHAIN[shade]}} for name in names],
                "links": [{"source": a, "target": b, "value": n} for a, b, n in links],
            }
        ],
    }
