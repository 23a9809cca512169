"""The printable page of Analytics: figures, charts and tables on paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from crossway.dashboard import analytics_charts as charts
from crossway.dashboard.views import analytics as view
from crossway.dashboard.views import analytics_groups as groups
from crossway.dashboard.views import analytics_measures as measures
from crossway.dashboard.views import analytics_series as series
from crossway.dashboard.views import analytics_steps as steps
from crossway.dashboard.views.analytics_document import AnalyticsDocument
from crossway.dashboard.views.analytics_selection import DIMENSION_NAMES
from crossway.dashboard.views.cells import Column, Row
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.ports.services import Services

_FOLDER: Final = Path(__file__).with_name("templates")
_PRINTED_BARS: Final = 12
# The colours of the light theme, which paper has.
_COLOURS: Final = ["#0A6A75", "#C2551B", "#2463C6"]
_INK: Final = "#0B1820"
_GRID: Final = "#DCE4E8"
_WIDTH: Final = 700  # pixels: A4 without its margins
_AXIS: Final = {"gridcolor": _GRID, "linecolor": _GRID, "zerolinecolor": _GRID}
_PAPER: Final[charts.Figure] = {
    "width": _WIDTH,
    "colorway": _COLOURS,
    "font": {"family": "Inter, sans-serif", "size": 12, "color": _INK},
    "paper_bgcolor": "#FFFFFF",
    "plot_bgcolor": "#FFFFFF",
    "template": {"layout": {"xaxis": _AXIS, "yaxis": _AXIS}},
}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a sentence, the name of a chart and a table; each may be missing."""

    title: str
    chart: str = ""
    columns: Sequence[Column] = ()
    rows: Sequence[Row] = ()
    text: str = ""


def render(services: Services, document: AnalyticsDocument, nonce: str) -> str:
    """The page as HTML; its script draws the charts and needs `nonce`."""
    return _template().render(
        nonce=nonce,
        simulated=SIMULATED if services.environment == "simulated" else "",
        facts=document.facts,
        kpis=view.build_kpis(document.report),
        charts=_figures(document),
        sections=_sections(services, document) if document.groups else (),
    )


def _figures(document: AnalyticsDocument) -> dict[str, charts.Figure]:
    report, volume = document.report, measures.MEASURES["volume"]
    points = measures.time_points(report, volume)
    bars = measures.group_bars(document.groups, volume)[:_PRINTED_BARS]
    figures = {
        "time": charts.over_time(points, volume.unit, series.is_hourly(report)),
        "groups": charts.bars(bars, volume.unit),
        "funnel": charts.funnel(steps.funnel_bars(report.total.measures)),
    }
    return {
        name: figure | {"layout": figure["layout"] | _PAPER} for name, figure in figures.items()
    }


def _sections(services: Services, document: AnalyticsDocument) -> list[Section]:
    report, selection = document.report, document.selection
    of, dimension = report.total.measures, report.query.dimension
    shown = report.durations[: steps.MAX_ROUTES]
    return [
        Section("Volume over time", "time"),
        Section(
            f"By {DIMENSION_NAMES[dimension].lower()}",
            "groups",
            groups.build_columns(dimension),
            groups.build_rows(selection, document.groups),
        ),
        Section(
            "From creation to payout",
            "funnel",
            steps.FUNNEL_COLUMNS,
            steps.build_funnel_rows(selection, of),
            steps.describe_funnel(of),
        ),
        Section(
            "Why payments were not completed",
            columns=steps.CAUSE_COLUMNS,
            rows=steps.build_cause_rows(selection, report),
        ),
        Section(
            "Time to completion by route",
            columns=steps.DURATION_COLUMNS,
            rows=steps.build_duration_rows(services.catalogue, selection, shown),
            text=steps.describe_durations(len(shown), len(report.durations)),
        ),
    ]


@cache
def _template() -> Template:
    templates = Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template("analytics.html")
