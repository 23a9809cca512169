"""Tables for accountants, before a file format is chosen: named sheets of rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from crossway.domain.money import format_units
from crossway.usecases.csv_lines import CsvLines

Value = str | int | Decimal | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table; `rows` may be read once. Decimals are exact; None is an empty cell."""

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Value]]


def exact(units: int, decimals: int) -> Decimal:
    """An amount of smallest units as an exact decimal, however large it is."""
    return Decimal(format_units(units, decimals))


def stream_csv(sheets: Sequence[Sheet]) -> Iterator[str]:
    """The sheets as one CSV file. Where there are several, each begins with its title and ends with
    an empty line."""
    lines = CsvLines()
    for sheet in sheets:
        if len(sheets) > 1:
            yield lines.format((sheet.title,))
        yield lines.format(sheet.columns)
        for row in sheet.rows:
            yield lines.format(_plain(value) for value in row)
        if len(sheets) > 1:
            yield lines.format(())


def _plain(value: Value) -> object:
    return format(value, "f") if isinstance(value, Decimal) else value
