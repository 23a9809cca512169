"""ECharts options of one bridge of a pair over time: small charts below one another."""

from collections.abc import Sequence
from typing import Final

from crossway.dashboard.charts import Option
from crossway.dashboard.views.pair import PairBridge, PairChart
from crossway.dashboard.views.palette import INK, Shade, bridge_color

_ROW, _TOP, _GRID = 150, 34, 88  # pixels from chart to chart, above each, and of each
HEIGHT: Final = 4 * _ROW
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
    """Volume, time, success and cost as bars, each with an axis of its own: hours and days without
    payments stay empty."""
    measures, color = _measures(chart), bridge_color(bridge.name, shade)
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
    return {
        "animationDuration": 300,
        "tooltip": {"trigger": "axis"},
        "title": [
            {
                "text": title,
                "top": _ROW * at + 8,
                "left": 0,
                "textStyle": {"color": INK[shade], "fontSize": 12, "fontWeight": "normal"},
            }
            for at, (title, _) in enumerate(measures)
        ],
        "grid": [
            {"left": 56, "right": 8, "top": _ROW * at + _TOP, "height": _GRID}
            for at in range(len(measures))
        ],
        "xAxis": [_time_axis(chart.labels, at, shade) for at in range(len(measures))],
        "yAxis": [_value_axis(end, at, shade) for at, end in enumerate(ends)],
        "series": [
            *(
                {
                    "type": "bar",
                    "name": title.partition(":")[0],
                    "xAxisIndex": at,
                    "yAxisIndex": at,
                    "barMaxWidth": 14,
                    "barMinHeight": 2,
                    "data": list(values),
                    "itemStyle": {"color": color},
                }
                for at, (title, values) in enumerate(measures)
            ),
            p95s,
        ],
    }


def _time_axis(labels: Sequence[str], at: int, shade: Shade) -> Option:
    return {
        "type": "category",
        "gridIndex": at,
        "data": list(labels),
        "axisLabel": {"color": INK[shade], "fontSize": 11, "margin": 12, "hideOverlap": True},
        "axisTick": {"show": False},
    }


def _value_axis(end: float, at: int, shade: Shade) -> Option:
    return {
        "type": "value",
        "gridIndex": at,
        "min": 0,
        "max": end,
        "splitNumber": 2,
        # The end of a shared scale is seldom a round number.
        "axisLabel": {"color": INK[shade], "fontSize": 11, "showMaxLabel": end == _SUCCESS_MAX},
    }
