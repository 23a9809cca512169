"""ECharts options of the ramp quote charts."""

from collections.abc import Sequence

from crossway.dashboard.charts import Option
from crossway.dashboard.views.cells import Color
from crossway.dashboard.views.colors import HUES, INK, Shade
from crossway.dashboard.views.ramp_quotes import FeePart

_SERIES: Sequence[tuple[str, Color]] = (
    ("Provider's fee", "orange"),
    ("Rate, bridge and service", "violet"),
)


def fee_breakdown(parts: Sequence[FeePart], code: str, shade: Shade) -> Option:
    """One bar per provider, cheapest on top, split into the provider's fee and everything else."""
    bottom_up = parts[::-1]
    values = (
        [part.provider_fee for part in bottom_up],
        [part.rest for part in bottom_up],
    )
    series = [
        {
            "name": name,
            "type": "bar",
            "stack": "price",
            "barMaxWidth": 26,
            "itemStyle": {"color": HUES[shade][hue]},
            "data": [round(value, 4) for value in data],
        }
        for (name, hue), data in zip(_SERIES, values, strict=True)
    ]
    return {
        "animationDuration": 300,
        "grid": {"left": 8, "right": 24, "top": 8, "bottom": 56, "containLabel": True},
        "legend": {"bottom": 0, "left": 0, "textStyle": {"color": INK[shade]}},
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}},
        "xAxis": {
            "type": "value",
            "name": f"Fees in {code}",
            "nameLocation": "middle",
            "nameGap": 28,
            "nameTextStyle": {"color": INK[shade]},
            "axisLabel": {"color": INK[shade]},
        },
        "yAxis": {
            "type": "category",
            "data": [part.provider for part in bottom_up],
            "axisLabel": {"color": INK[shade]},
        },
        "series": series,
    }
