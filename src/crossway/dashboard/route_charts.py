"""ECharts options of the route charts: plain data in the colours of the theme."""

from collections.abc import Sequence
from typing import Any

from crossway.dashboard.charts import Option
from crossway.dashboard.views.colors import CHAIN, HEAT, INK, Shade, bridge_color, bridge_stroke
from crossway.dashboard.views.corridor_matrix import CorridorMatrix
from crossway.dashboard.views.corridors import CheapestLink, CorridorFlow

# Appended to a destination's name, as source and destination nodes need different names.
_DESTINATION_SUFFIX = "\u200b"
_MAX_WIDTH, _MIN_WIDTH = 4.5, 0.8


def sankey(streams: Sequence[CorridorFlow], shade: Shade) -> Option:
    """Volumes from source chains through bridges to destination chains."""
    bridges = {s.bridge for s in streams}
    ends = {s.source for s in streams} | {s.destination + _DESTINATION_SUFFIX for s in streams}
    return {
        "animationDuration": 400,
        "tooltip": {"trigger": "item", "valueFormatter": "dollar"},
        "series": [
            {
                "type": "sankey",
                "left": 8,
                "right": 130,
                "top": 12,
                "bottom": 12,
                "nodeGap": 9,
                "nodeWidth": 12,
                "selectedMode": "single",
                "emphasis": {"focus": "trajectory"},
                "label": {"color": INK[shade], "fontSize": 12},
                "lineStyle": {"opacity": 0.32, "curveness": 0.5},
                "data": nodes(bridges, ends, shade),
                "links": [
                    {
                        "source": a,
                        "target": b,
                        "value": round(value, 2),
                        "lineStyle": {"color": bridge_color(a if a in bridges else b, shade)},
                    }
                    for (a, b), value in _volumes(streams).items()
                ],
            }
        ],
    }


def nodes(bridges: set[str], ends: set[str], shade: Shade) -> list[dict[str, Any]]:
    """The nodes of the Sankey diagram: bridges in their own colours, chains in that of all."""
    points = [
        {"name": name, "itemStyle": {"color": bridge_color(name, shade)}, "depth": 1}
        for name in sorted(bridges)
    ]
    chains = [
        {
            "name": name,
            "depth": 2 if is_destination(name) else 0,
            "itemStyle": {"color": CHAIN[shade]},
        }
        for name in sorted(ends)
    ]
    return [*points, *chains]


def node_label(name: str) -> str:
    """The chain or bridge name of a node."""
    return name.removesuffix(_DESTINATION_SUFFIX)


def is_destination(name: str) -> bool:
    """Whether a node is a destination chain."""
    return name.endswith(_DESTINATION_SUFFIX)


def _volumes(streams: Sequence[CorridorFlow]) -> dict[tuple[str, str], float]:
    sums: dict[tuple[str, str], float] = {}
    for s in streams:
        for pair in ((s.source, s.bridge), (s.bridge, s.destination + _DESTINATION_SUFFIX)):
            sums[pair] = sums.get(pair, 0) + s.usd
    return sums


def cheapest_links_ring(ties: Sequence[CheapestLink], shade: Shade) -> Option:
    """Chains on a circle, connected by the cheapest bridge of each pair; wide lines are cheap."""
    names = sorted({name for tie in ties for name in (tie.a, tie.b)}, key=str.lower)
    costs = sorted(tie.usd for tie in ties)
    return {
        "animationDuration": 400,
        "tooltip": {"trigger": "item"},
        "legend": {
            "top": 0,
            "left": 0,
            "data": sorted({tie.bridge for tie in ties}),
            "textStyle": {"color": INK[shade]},
            "selectedMode": False,
        },
        "series": [
            {
                "type": "graph",
                "layout": "circular",
                "circular": {"rotateLabel": True},
                "top": 90,
                "bottom": 70,
                "left": 90,
                "right": 90,
                "selectedMode": "single",
                "categories": [
                    {"name": name, "itemStyle": {"color": bridge_color(name, shade)}}
                    for name in sorted({tie.bridge for tie in ties})
                ],
                "emphasis": {"focus": "adjacency", "lineStyle": {"width": 5}},
                "label": {"show": True, "position": "right", "color": INK[shade], "fontSize": 12},
                "data": [
                    {"name": name, "symbolSize": 14, "itemStyle": {"color": CHAIN[shade]}}
                    for name in names
                ],
                "links": [_link(tie, costs, shade) for tie in ties],
            }
        ],
    }


def _link(tie: CheapestLink, costs: Sequence[float], shade: Shade) -> dict[str, Any]:
    rank = costs.index(tie.usd) / max(len(costs) - 1, 1)
    return {
        "source": tie.a,
        "target": tie.b,
        "value": f"{tie.bridge}, {tie.usd:,.2f} USD",
        "lineStyle": {
            "color": bridge_color(tie.bridge, shade),
            "type": list(bridge_stroke(tie.bridge).dashes) or "solid",
            "width": round(_MAX_WIDTH - (_MAX_WIDTH - _MIN_WIDTH) * rank, 2),
            "opacity": 0.6,
            "curveness": 0.25,
        },
    }


def heatmap(matrix: CorridorMatrix, shade: Shade, unit: str) -> Option:
    """The cost or time of each pair: rows are sources, columns are destinations."""
    values = sorted(value for _, _, value in matrix.cells)
    # Colours are scaled to the 90th percentile, so that an outlier does not fade the rest.
    max_value = values[int(len(values) * 0.9)] if values else 1
    return {
        "animationDuration": 300,
        "grid": {"left": 4, "right": 8, "top": 4, "bottom": 4, "containLabel": True},
        "tooltip": {"formatter": f"{{@[2]}} {unit}"},
        "xAxis": _axis(matrix.names, shade) | {"axisLabel": _label(shade) | {"rotate": 45}},
        "yAxis": _axis(matrix.names, shade) | {"inverse": True},
        "visualMap": {
            "min": values[0] if values else 0,
            "max": max(max_value, 0.01),
            "show": False,
            "inRange": {"color": list(HEAT[shade])},
        },
        "series": [
            {
                "type": "heatmap",
                "selectedMode": "single",
                "data": [
                    _estimated_cell(cell) if pair in matrix.estimates else list(cell)
                    for cell, pair in zip(matrix.cells, matrix.pairs, strict=True)
                ],
                "label": {"show": True, "formatter": "{@[2]}", "fontSize": 10},
                "labelLayout": {"hideOverlap": True},
                "itemStyle": {"borderRadius": 2},
                "encode": {"x": 0, "y": 1, "value": 2},
            }
        ],
        # On phones the cells are narrower than their labels, so these are rotated.
        "media": [
            {
                "query": {"maxWidth": 440},
                "option": {"series": [{"label": {"rotate": 90, "fontSize": 9}}]},
            }
        ],
    }


def _estimated_cell(cell: tuple[int, int, float]) -> Option:
    """A cell whose value is an estimate: pale, and marked as one."""
    return {
        "value": list(cell),
        "itemStyle": {"opacity": 0.5},
        "label": {"formatter": "≈{@[2]}"},
        "tooltip": {"formatter": "≈{@[2]}, a model's figure, not a quote"},
    }


def _axis(names: Sequence[str], shade: Shade) -> dict[str, Any]:
    return {
        "type": "category",
        "data": list(names),
        "axisLabel": _label(shade),
        "splitArea": {"show": True},
    }


def _label(shade: Shade) -> dict[str, Any]:
    return {"interval": 0, "fontSize": 11, "color": INK[shade]}
