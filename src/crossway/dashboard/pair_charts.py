"""ECharts options of one bridge of a pair over time: small charts below one another."""

from collections.abc import Sequence
from typing import Final

from crossway.dashboard.bar_charts import ROW_PIXELS, BarChart, stack
from crossway.dashboard.charts import Option
from crossway.dashboard.views.colors import INK, Shade, bridge_color
from crossway.dashboard.views.pair import PairBridge, PairChart

HEIGHT: Final = 4 * ROW_PIXELS
_SUCCESS_MAX: Final = 100

# Title, and the values of a chart by bars.
Measure = tuple[str, Sequence[float | None]]


def _measures(chart: PairChart) -> tuple[Measure, ...]:
    return (
        ("Volume, USD", chart.volumes),
        ("Time in seconds: median as bar, p95 as stroke", chart.medians),
        ("Success, %", chart.success),
        ("Quoted cost of its payments, % of their value", chart.costs),
    )


def scales(bridges: Sequence[PairBridge]) -> tuple[float, ...]:
    """The end of each measure's axis, which all bridges share so that bars compare."""
    drawn = [bridge.chart for bridge in bridges if bridge.chart is not None]
    ends = [
        max((value for chart in drawn for value in _measures(chart)[at][1] if value), default=1.0)
        for at in range(4)
    ]
    ends[1] = max([ends[1], *(value for chart in drawn for value in chart.p95s if value)])
    ends[2] = _SUCCESS_MAX
    return tuple(ends)


def over_time(bridge: PairBridge, chart: PairChart, ends: Sequence[float], shade: Shade) -> Option:
    """Volume, time, success and cost as bars: hours and days without payments stay empty."""
    color = bridge_color(bridge.name, shade)
    bars = [
        BarChart(title, values, color, end)
        for (title, values), end in zip(_measures(chart), ends, strict=True)
    ]
    option = stack(chart.labels, bars, shade)
    p95s = {
        "type": "scatter",
        "name": "p95",
        "symbol": "rect",
        "symbolSize": [12, 3],
        "xAxisIndex": 1,
        "yAxisIndex": 1,
        "data": list(chart.p95s),
        "itemStyle": {"color": INK[shade]},
    }
    return option | {"series": [*option["series"], p95s]}
