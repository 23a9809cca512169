"""ECharts options of the payment charts: plain data in the colours of the theme."""

from collections.abc import Sequence
from typing import Any

from crossway.dashboard.bar_charts import BarChart, stack
from crossway.dashboard.views.colors import CHAIN, INK, Shade

Option = dict[str, Any]


def completed_and_volume(points: Sequence[tuple[str, int, int]], shade: Shade) -> Option:
    """Completed payments and their volume in USD per hour or day (UTC), a chart each."""
    bars = (
        BarChart("Completed", [completed for _, completed, _ in points], CHAIN[shade]),
        BarChart("Volume, USD", [volume for _, _, volume in points], CHAIN[shade]),
    )
    option = stack([at for at, _, _ in points], bars, shade)
    option["yAxis"][0]["minInterval"] = 1
    return option


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
