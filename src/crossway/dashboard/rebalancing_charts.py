"""ECharts options of the rebalancing charts."""

from collections.abc import Sequence
from typing import Final

from crossway.dashboard.charts import Option
from crossway.dashboard.views.colors import HUES, INK, Shade
from crossway.dashboard.views.rebalancing_policies import SCALE_END, PolicyBar

MOST: Final = 100_000


def policy_bars(bars: Sequence[PolicyBar], shade: Shade) -> Option:
    """One bar for each location, in per cent of its target: what is there and what arrives, with
    marks at minimum, target and maximum. A bar that is cut says so at its name."""
    bottom_up = list(reversed(bars))
    return {
        "animationDuration": 300,
        "grid": {"left": 4, "right": 16, "top": 56, "bottom": 4, "containLabel": True},
        "legend": {"top": 0, "left": 0, "textStyle": {"color": INK[shade]}},
        "tooltip": {"trigger": "axis"},
        "xAxis": {
            "type": "value",
            "max": SCALE_END,
            "axisLabel": {"color": INK[shade], "formatter": "{value}%", "hideOverlap": True},
        },
        "yAxis": {
            "type": "category",
            "data": [_label(bar) for bar in bottom_up],
            "axisTick": {"show": False},
            "axisLabel": {"color": INK[shade], "interval": 0, "width": 150, "overflow": "break"},
        },
        "series": [*_parts(bottom_up, shade), *_marks(bottom_up, shade)],
    }


def _label(bar: PolicyBar) -> str:
    if bar.is_short:
        return f"{bar.name} ▼ short"
    if not bar.more:
        return bar.name
    # Of a target of some cents, the exact number would only be long.
    return f"{bar.name} (over {MOST:,}%)" if bar.more > MOST else f"{bar.name} ({bar.more:,}%)"


def _parts(bars: Sequence[PolicyBar], shade: Shade) -> list[Option]:
    """The parts of a bar; a pattern distinguishes them without colours."""
    hues = HUES[shade]
    parts = (
        ("Available", [bar.there for bar in bars], hues["green"], "none"),
        ("Arriving", [bar.arriving for bar in bars], hues["blue"], "triangle"),
    )
    return [
        {
            "type": "bar",
            "stack": "held",
            "name": name,
            "data": data,
            "barMaxWidth": 16,
            "itemStyle": {"color": colour, "decal": {"symbol": pattern, "symbolSize": 0.6}},
        }
        for name, data, colour, pattern in parts
    ]


def _marks(bars: Sequence[PolicyBar], shade: Shade) -> list[Option]:
    """The marks, each with a shape of its own."""
    hues = HUES[shade]
    marks = (
        ("Minimum", [bar.minimum for bar in bars], hues["red"], "triangle"),
        ("Target", [100 for _ in bars], hues["violet"], "diamond"),
        ("Maximum", [bar.maximum for bar in bars], hues["orange"], "rect"),
    )
    return [
        {
            "type": "scatter",
            "name": name,
            "symbol": symbol,
            "symbolSize": 11,
            "z": 5,
            "data": data,
            "itemStyle": {"color": colour, "borderColor": INK[shade], "borderWidth": 1},
        }
        for name, data, colour, symbol in marks
    ]
