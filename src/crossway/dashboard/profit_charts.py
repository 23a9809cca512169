"""The Plotly figure of profit and loss by day, as plain data."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from crossway.dashboard.analytics_charts import Figure
from crossway.domain.profit_and_loss import NANO_USD_DECIMALS
from crossway.usecases.money.profit_and_loss import Margin

_HEIGHT: Final = 320  # pixels
_HOVER: Final = "%{x|%a %-d %b %Y}<br>%{y:,.4f} USD"


def by_day(days: Sequence[tuple[date, Margin]]) -> Figure:
    """Revenue above and costs below zero as bars, and the result as a line, in USD."""
    x = [day.isoformat() for day, _ in days]
    bars = (
        ("Revenue", [_usd(margin.revenue) for _, margin in days]),
        ("Costs", [-_usd(margin.costs) for _, margin in days]),
    )
    result = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "Result",
        "x": x,
        "y": [_usd(margin.result) for _, margin in days],
        "hovertemplate": f"{_HOVER}<extra>Result</extra>",
    }
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": x,
            "y": y,
            "hovertemplate": f"{_HOVER}<extra>{name}</extra>",
        }
        for name, y in bars
    ]
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 8, "r": 8, "t": 24, "b": 8},
        "barmode": "relative",
        "xaxis": {"type": "date", "automargin": True, "nticks": 8},
        "yaxis": {"title": {"text": "USD"}, "automargin": True, "nticks": 6},
        "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
    }
    return {"data": [*traces, result], "layout": layout}


def _usd(nano: int) -> float:
    return nano / 10**NANO_USD_DECIMALS
