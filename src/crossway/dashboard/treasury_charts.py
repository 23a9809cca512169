"""ECharts options of the treasury charts."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from crossway.dashboard.charts import Option
from crossway.dashboard.views.colors import HUES, INK, Shade
from crossway.dashboard.views.treasury import Bar

SCALE_END = 200
"""In per cent of the target. What is longer is cut, so that a target is readable beside a balance
of a thousand times as much."""
# The theme's background, which shows through where a bar is broken.
_GROUND: Mapping[Shade, str] = {"light": "#FFFFFF", "dark": "#0D171F"}
_CUTS = (SCALE_END - 7, SCALE_END - 4)


def inventory_bars(bars: Sequence[Bar], shade: Shade) -> Option:
    """One bar per chain: available, reserved and expected, stacked, in per cent of its target,
    which is a line. Bars above `SCALE_END` are broken; the amounts are at the names. Without any
    target the bars are in dollars."""
    bottom_up = list(reversed(bars))
    in_percent = any(bar.target for bar in bars)
    if in_percent:
        bottom_up = [bar for bar in bottom_up if bar.target]
    axis: Option = {"type": "value", "axisLabel": {"color": INK[shade], "hideOverlap": True}}
    if in_percent:
        axis |= {"max": SCALE_END}
        axis["axisLabel"] |= {"formatter": "{value}%"}
    return {
        "animationDuration": 300,
        "grid": {"left": 4, "right": 24, "top": 52, "bottom": 4, "containLabel": True},
        "legend": {
            "top": 0,
            "left": 0,
            "textStyle": {"color": INK[shade]},
            "data": ["Available", "Reserved", "Expected"],
        },
        "xAxis": axis,
        "yAxis": {
            "type": "category",
            "data": [_label(bar) for bar in bottom_up],
            "axisTick": {"show": False},
            "axisLabel": {"color": INK[shade], "interval": 0, "lineHeight": 16},
        },
        "series": [
            *_parts(bottom_up, in_percent, shade),
            *(_cuts(bottom_up, shade) if in_percent else ()),
        ],
    }


def chart_height(bars: Sequence[Bar]) -> int:
    """The height in pixels: two lines of text for each bar."""
    shown = [bar for bar in bars if bar.target] or bars
    return 98 + 42 * len(shown)


def _label(bar: Bar) -> str:
    """The name, and what is there of what should be, in dollars."""
    name = f"{bar.name} ▼ short" if bar.short else bar.name
    of_target = f" of {bar.target:,.0f}" if bar.target else ""
    return f"{name}\n{_held(bar):,.0f}{of_target} USD"


def _held(bar: Bar) -> float:
    return bar.available + bar.reserved + bar.expected


def _parts(bars: Sequence[Bar], in_percent: bool, shade: Shade) -> list[Option]:
    """The parts of a bar; patterns distinguish them without colours. The first has the line at the
    target."""
    hues = HUES[shade]
    parts = (
        ("Available", hues["green"], "none"),
        ("Reserved", hues["orange"], "rect"),
        ("Expected", hues["blue"], "triangle"),
    )
    values = [_in_percent(bar) if in_percent else _in_dollars(bar) for bar in bars]
    series: list[Option] = [
        {
            "type": "bar",
            "stack": "stock",
            "name": name,
            "data": [of_bar[place] for of_bar in values],
            "barMaxWidth": 18,
            "itemStyle": {"color": colour, "decal": {"symbol": pattern, "symbolSize": 0.6}},
        }
        for place, (name, colour, pattern) in enumerate(parts)
    ]
    if in_percent:
        series[0]["markLine"] = {
            "symbol": "none",
            "silent": True,
            "data": [{"xAxis": 100}],
            "label": {"formatter": "Target", "position": "end", "color": INK[shade]},
            "lineStyle": {"color": HUES[shade]["red"], "type": "solid", "width": 2},
        }
    return series


def _in_dollars(bar: Bar) -> list[float]:
    return [bar.available, bar.reserved, bar.expected]


def _in_percent(bar: Bar) -> list[float]:
    """The parts in per cent of the target, cut at the end of the scale."""
    ends = accumulate(100 * part / bar.target for part in _in_dollars(bar))
    cut = [0.0, *(min(end, SCALE_END) for end in ends)]
    return [round(after - before, 2) for before, after in pairwise(cut)]


def _cuts(bars: Sequence[Bar], shade: Shade) -> list[Option]:
    """Two strokes through the end of each bar that is cut."""
    is_cut = [100 * _held(bar) > SCALE_END * bar.target for bar in bars]
    return [
        {
            "type": "scatter",
            "symbol": "rect",
            "symbolSize": [3, 26],
            "symbolRotate": -18,
            "silent": True,
            "z": 5,
            "data": [at if cut else None for cut in is_cut],
            "itemStyle": {"color": _GROUND[shade]},
        }
        for at in _CUTS
    ]
