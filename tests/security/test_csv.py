"""Attacks on exports: text of others that a spreadsheet would run as a formula."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import crossway
from crossway.usecases.csv_lines import CsvLines, csv_cell

RUNS = (
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\ufeff=1",
    "\u200b=1", '"=1', "＝1", "＋1", "－1+1", "＠A1", " \t ＝1", "=HYPERLINK(\"http://x\")",
    "-2+3+cmd|' /C calc'!A0", "+254712345678", "\u2212" "1+1", "\ttext",
)  # fmt: skip
STAYS = ("", "Shop", "a=b", "1-2", "'=1", "-5", "-12.50", "2026-11-23", "a - b", "x@y.example")
# Where ";" separates cells, or where text is pasted, these would begin a cell of their own.
SPLITS = (
    "Shop;=1+1",
    "Shop; +1",
    "Shop;\u200b@A1",
    'Shop;"=1',
    "Shop\t=1",
    "Shop\n=1",
    "a;b;－1+1",
)


@pytest.mark.parametrize("text", RUNS)
def test_text_that_would_run_begins_with_an_apostrophe(text: str) -> None:
    guarded = str(csv_cell(text))
    assert "'" in guarded
    assert guarded.replace("'", "", 1) == text or guarded.count("'") > text.count("'")
    assert re.match("^[\\s\"\u200b-\u200f\u2060\ufeff]*'", guarded)


@pytest.mark.parametrize("text", STAYS)
def test_other_text_and_negative_numbers_stay(text: str) -> None:
    assert csv_cell(text) == text


@pytest.mark.parametrize("value", [-5, 0, 12, -1.5])
def test_numbers_stay_numbers(value: Any) -> None:
    assert csv_cell(value) is value


@pytest.mark.parametrize("text", SPLITS)
def test_no_part_of_a_cell_runs_when_it_is_split(text: str) -> None:
    parts = re.split("[;\t\r\n]", str(csv_cell(text)))
    assert not any(re.match('[\\s"\u200b-\u200f]*[=+\\-@＝＋－＠]', part) for part in parts)


def test_a_line_is_read_back_as_its_cells() -> None:
    line = CsvLines().format(["a,b", 'say "x"', None, -5, "=1"])
    assert next(csv.reader(io.StringIO(line))) == ["a,b", 'say "x"', "", "-5", "'=1"]


def test_every_export_is_written_through_the_guard() -> None:
    """Whoever writes CSV does so by `CsvLines`; pandas may, where it maps text by `csv_cell`."""
    root = Path(crossway.__file__).parent
    for path in [*root.rglob("*.py"), *root.parents[1].glob("packages/*/src/**/*.py")]:
        text = path.read_text()
        if path.name != "csv_lines.py":
            assert not re.search(r"^import csv|csv\.(writer|DictWriter)", text, re.M), path
        if ".to_csv(" in text:
            assert "csv_cell" in text, path
