"""Lines of CSV files whose cells no spreadsheet runs."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Final

# A formula begins with one of these, in ASCII or full width, behind white space, quotes and
# invisible characters; or behind what separates cells in another locale or when pasted.
_FORMULA: Final = re.compile(
    '(^|[;\t\r\n])([\\s"\u200b-\u200f\u2060\ufeff\x00-\x1f]*)'
    "([=+\\-@\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b])"
)
_SEPARATOR: Final = re.compile("[;\t\r\n]")
_NEGATIVE: Final = re.compile(r"-[0-9]+(\.[0-9]+)?\Z")
_CONTROL: Final = re.compile("^[\t\r\n]")


def csv_cell(value: object) -> object:
    """A value that spreadsheets read as it is: text that could run gets an apostrophe before it.
    Numbers stay numbers, negative ones too; None is an empty cell."""
    if value is None:
        return ""
    if not isinstance(value, str) or _NEGATIVE.match(value):
        return value
    if value[:1].isalnum() and _SEPARATOR.search(value) is None:
        # Nothing in it begins a cell; most cells are so, and exports have millions.
        return value
    guarded = _FORMULA.sub(r"\1\2'\3", value)
    return f"'{guarded}" if _CONTROL.match(guarded) else guarded


class CsvLines:
    """Formats rows as lines of a CSV file."""

    def __init__(self) -> None:
        self._buffer = io.StringIO()
        self._writer = csv.writer(self._buffer)

    def format(self, values: Iterable[object]) -> str:
        """One line of these cells, with its line end."""
        self._buffer.seek(0)
        self._buffer.truncate()
        self._writer.writerow([csv_cell(value) for value in values])
        return self._buffer.getvalue()
