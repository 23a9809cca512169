"""ECharts options of the treasury charts."""

from collections.abc import Sequence

from crossway.dashboard.charts import HUES, INK, Option, Shade
from crossway.dashboard.views.treasury import Bar


def inventory_bars(bars: Sequence[Bar], shade: Shade) -> Option:
    """One bar per chain: available, reserved and expected, stacked, with a mark at the target."""
    bottom_up = list(reversed(bars))
    return {
        "animationDuration": 300,
        "grid": {"left": 4, "right": 24, "top": 34, "bottom": 4, "containLabel": True},
        "legend": {"top": 0, "left": 0, "textStyle": {"color": INK[shade]}},
        "tooltip": {"trigger": "axis", "valueFormatter": "dollar"},
        "xAxis": {
            "type": "value",
            "axisLabel": {"color": INK[shade], "hideOverlap": True},
        },
        "yAxis": {
            "type": "category",
            "data": [f"{bar.name} ▼ short" if bar.short else bar.name for bar in bottom_up],
            "axisTick": {"show": False},
            "axisLabel": {"color": INK[shade], "interval": 0},
        },
        "series": [*_parts(bottom_up, shade), _marks(bottom_up, shade)],
    }


def _parts(bars: Sequence[Bar], shade: Shade) -> list[Option]:
    """The parts of a bar; patterns distinguish them without colours."""
    hues = HUES[shade]
    parts = (
        ("Available", [bar.available for bar in bars], hues["green"], "none"),
        ("Reserved", [bar.reserved for bar in bars], hues["orange"], "rect"),
        ("Expected", [bar.expected for bar in bars], hues["blue"], "triangle"),
    )
    return [
        {
            "type": "bar",
            "stack": "stock",
            "name": name,
            "data": data,
            "barMaxWidth": 18,
            "itemStyle": {"color": colour, "decal": {"symbol": pattern, "symbolSize": 0.6}},
        }
        for name, data, colour, pattern in parts
    ]


def _marks(bars: Sequence[Bar], shade: Shade) -> Option:
    """The target marks."""
    return {
        "type": "scatter",
        "name": "Target",
        "symbol": "diamond",
        "symbolSize": 12,
        "z": 5,
        "data": [bar.target if bar.target else None for bar in bars],
        "itemStyle": {
            "color": HUES[shade]["red"],
            "borderColor": INK[shade],
            "borderWidth": 1,
        },
    }
