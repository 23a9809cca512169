"""Analytics as files: groups as CSV and Parquet, everything as XLSX. Amounts are exact decimals.

pandas is slow to import, so this module is imported only once somebody asks for a file.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import xlsxwriter  # type: ignore[import-untyped]

from crossway.dashboard.views import analytics_document as view
from crossway.dashboard.views.analytics_document import AnalyticsDocument
from crossway.domain.analytics import Dimension, Measures
from crossway.ports.analytics import Figures
from crossway.ports.services import Services
from crossway.usecases.csv_lines import csv_cell

_USD: Final = pd.ArrowDtype(pa.decimal128(38, 6))
_MAX_WIDTH: Final = 40  # characters of a column
_FORMATS: Final = {"title": {"bold": True}, "usd": {"num_format": "#,##0.00"},
                   "time": {"num_format": "yyyy-mm-dd hh:mm"}}  # fmt: skip


def write_csv(_: Services, document: AnalyticsDocument) -> bytes:
    """The groups, each with its period and the period before; text is no formula."""
    frame = group_frame(document)
    for name in ("group", "name"):
        frame[name] = frame[name].map(csv_cell)
    text: str = frame.to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def write_parquet(_: Services, document: AnalyticsDocument) -> bytes:
    """The groups with exact decimals, for other programs."""
    out = io.BytesIO()
    group_frame(document).to_parquet(out, engine="pyarrow", index=False)
    return out.getvalue()


def group_frame(document: AnalyticsDocument) -> pd.DataFrame:
    """The groups by row, the figures of the period before beside their own."""
    groups, period = document.groups, document.selection.query.period
    ids = [one.group.value for one in groups]
    named = pd.DataFrame({"name": [one.name for one in groups]}, index=ids)
    if document.report.query.dimension is Dimension.TOKEN:
        named["deposited"] = [view.deposited(one) for one in groups]
    now = _figure_frame([one.group.figures for one in groups], ids)
    before = _figure_frame([one.group.before for one in groups], ids)
    joined = named.join(now).join(before.add_suffix("_before"))
    first = {
        "period_start": pd.Timestamp(period.start),
        "period_end": pd.Timestamp(period.end),
        "grouped_by": document.report.query.dimension.value,
        "group": ids,
    }
    for position, (name, value) in enumerate(first.items()):
        joined.insert(position, name, value)
    return joined


def _figure_frame(figures: Sequence[Figures], index: list[str]) -> pd.DataFrame:
    """Figures by row; the columns and their types are there without rows as well."""
    columns = list(view.figure_record(Figures(Measures(), 0)))
    records = [view.figure_record(one) for one in figures]
    frame = pd.DataFrame(records, index=index, columns=columns)
    return frame.astype({name: _USD if "_usd" in name else "int64" for name in columns})


def _frame(records: Sequence[view.Record]) -> pd.DataFrame:
    frame = pd.DataFrame(list(records))
    return frame.astype({name: _USD for name in frame.columns if "_usd" in str(name)})


def write_xlsx(services: Services, document: AnalyticsDocument) -> bytes:
    """A workbook: what was counted, the groups, the series, the funnel, times and causes."""
    out = io.BytesIO()
    # Text is written as text: a name that begins with "=" is no formula.
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        formats = {name: book.add_format(of) for name, of in _FORMATS.items()}
        about = pd.DataFrame(document.facts, columns=["About", "This report"])
        frames = {
            "About": about,
            "Groups": group_frame(document),
            "Over time": _frame(view.series_records(document)),
            "Funnel": _frame(view.funnel_records(document)),
            "Time to completion": _frame(view.duration_records(services, document)),
            "Not completed": _frame(view.cause_records(document)),
        }
        for title, frame in frames.items():
            _write_sheet(book.add_worksheet(title), frame, formats)
    return out.getvalue()


def _write_sheet(sheet: Any, frame: pd.DataFrame, formats: Mapping[str, Any]) -> None:
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(map(str, frame.columns)):
        sheet.write_string(0, column, name, formats["title"])
        values = frame[name].tolist()
        for row, value in enumerate(values, 1):
            _write_cell(sheet, row, column, value, formats)
        widths = [len(name), *(len(str(value)) for value in values)]
        sheet.set_column(column, column, min(max(widths) + 2, _MAX_WIDTH))


def _write_cell(
    sheet: Any, row: int, column: int, value: object, formats: Mapping[str, Any]
) -> None:
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return
    if isinstance(value, datetime):
        sheet.write_datetime(row, column, value.replace(tzinfo=None), formats["time"])
    elif isinstance(value, Decimal):
        sheet.write_number(row, column, value, formats["usd"])
    elif isinstance(value, str):
        sheet.write_string(row, column, value)
    else:
        sheet.write_number(row, column, value)


Writer = Callable[[Services, AnalyticsDocument], bytes]
WRITERS: Final[Mapping[str, Writer]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "xlsx": write_xlsx,
}
