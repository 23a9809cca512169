"""Sheets as a workbook of spreadsheet programs. Imported only once somebody asks for a file."""

from collections.abc import Sequence
from decimal import Decimal
from typing import IO, Any, Final

import xlsxwriter  # type: ignore[import-untyped]

from crossway.domain.errors import InvalidInput
from crossway.usecases.money.sheets import Sheet

MAX_ROWS: Final = 1_000_000
_WIDTH: Final = 18  # characters of a column


def write_workbook(sheets: Sequence[Sheet], out: IO[bytes], max_rows: int = MAX_ROWS) -> None:
    """Write a workbook row by row. Text is written as text: a name that begins with "=" is no
    formula. A number of more than 15 digits keeps those that a spreadsheet can have. Raises
    `InvalidInput` for a sheet with too many rows."""
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        title = book.add_format({"bold": True})
        for sheet in sheets:
            _write_sheet(book.add_worksheet(sheet.title), sheet, title, max_rows)


def _write_sheet(page: Any, sheet: Sheet, title: Any, max_rows: int) -> None:
    page.freeze_panes(1, 0)
    page.set_column(0, len(sheet.columns) - 1, _WIDTH)
    for column, name in enumerate(sheet.columns):
        page.write_string(0, column, name, title)
    for number, row in enumerate(sheet.rows, 1):
        if number > max_rows:
            raise InvalidInput(f"more than {max_rows:,} rows: choose fewer days, or CSV")
        for column, value in enumerate(row):
            if isinstance(value, str):
                page.write_string(number, column, value)
            elif isinstance(value, Decimal):
                page.write_number(number, column, float(value))
            elif value is not None:
                page.write_number(number, column, value)
