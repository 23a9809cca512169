"""ECharts options of the payment charts: plain data in the colours of the theme."""

from collections.abc import Sequence
from typing import Any

from crossway.dashboard.views.palette import CHAIN, INK, Shade

Option = dict[str, Any]


def hourly(points: Sequence[tuple[str, int, int]], shade: Shade) -> Option:
    """Completed payments and their volume in USD per hour (UTC): two charts of bars below one
    another, each with an axis of its own."""
    hours = [at for at, _, _ in points]
    measures = (
        ("Completed", [completed for _, completed, _ in points], {"minInterval": 1}),
        ("Volume, USD", [volume for _, _, volume in points], {"splitNumber": 2}),
    )
    return {
        "animationDuration": 300,
        "tooltip": {"trigger": "axis"},
        "title": [
            {
                "text": title,
                "top": f"{50 * at + 3}%",
                "left": 0,
                "textStyle": {"color": INK[shade], "fontSize": 12, "fontWeight": "normal"},
            }
            for at, (title, _, _) in enumerate(measures)
        ],
        "grid": [
            {"left": 64, "right": 8, "top": f"{50 * at + 14}%", "height": "24%"}
            for at in range(len(measures))
        ],
        "xAxis": [
            {
                "type": "category",
                "gridIndex": at,
                "data": hours,
                "axisLabel": {"color": INK[shade], "hideOverlap": True},
            }
            for at in range(len(measures))
        ],
        "yAxis": [
            {
                "type": "value",
                "gridIndex": at,
                "min": 0,
                "axisLabel": {"color": INK[shade], "hideOverlap": True},
                **more,
            }
            for at, (_, _, more) in enumerate(measures)
        ],
        "series": [
            {
                "type": "bar",
                "name": title,
                "xAxisIndex": at,
                "yAxisIndex": at,
                "data": values,
                "barMaxWidth": 14,
                "itemStyle": {"color": CHAIN[shade]},
            }
            for at, (title, values, _) in enumerate(measures)
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
