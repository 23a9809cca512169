"""Profit and loss on screen and as files: figures of a payment worked out by hand."""

import csv
import io
import json
import re
import zipfile
from collections import defaultdict
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crossway.dashboard import statement_downloads
from crossway.dashboard.spreadsheets import write_workbook
from crossway.dashboard.views.profit import format_nano_usd
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.usecases.money.sheets import Sheet
from tests.dashboard.conftest import DashboardApp, configure

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def pay(screen: DashboardApp) -> None:
    """25 USDC from Base to Arbitrum: 0.06325 USD earned, 0.04 USD of network fees."""
    intent = screen.world.create_intent()
    screen.world.deposit(intent)
    screen.world.wait_for_state(intent, State.COMPLETED)
    screen.world.pass_time(300, step=10)


def texts(screen: DashboardApp, widget: str) -> str:
    return json.dumps(screen.widget(widget)["rows"], ensure_ascii=False)


def test_nothing_earned_is_explained(screen: DashboardApp) -> None:
    assert "Nothing earned or spent in this period" in screen.open("profit").text
    assert "Statement and journal" in screen.text


def test_a_payment_is_in_every_part_of_the_page(screen: DashboardApp) -> None:
    pay(screen)
    screen.open("profit")
    assert [metric.value for metric in screen.at.metric] == [
        "0.02 USD", "0.06 USD", "0.04 USD", "36.8%",
    ]  # fmt: skip
    assert "0.0100 USD" in texts(screen, "profit_Revenue")
    assert "0.0533 USD" in texts(screen, "profit_Revenue")
    assert "0.0400 USD" in texts(screen, "profit_Costs")
    assert "Base → Arbitrum One" in texts(screen, "profit_Route")
    assert "0.02 USD" in texts(screen, "profit_Merchant")
    by_chain = texts(screen, "profit_Chain")
    assert "-0.02 USD" in by_chain
    assert "Loss" in by_chain
    screen.at.session_state["network"] = "Testnets"
    screen.rerun()
    assert "Nothing earned or spent in this period" in screen.text


def test_a_payments_page_shows_its_margin(screen: DashboardApp) -> None:
    pay(screen)
    rows = json.dumps(screen.open("intent", id="1").widget("margin")["rows"], ensure_ascii=False)
    assert "Network fees" in rows
    assert "Result" in rows
    assert "0.0233 USD" in rows


@pytest.fixture
def browser(screen: DashboardApp) -> TestClient:
    pay(screen)
    configure(lambda: screen.world.services)
    return TestClient(Starlette(routes=statement_downloads.routes()))


def cells(book: zipfile.ZipFile, sheet: int) -> list[list[str]]:
    """The texts of a sheet's cells by row, as a spreadsheet program finds them."""
    page = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))
    found = []
    for row in page.iter(f"{_MAIN}row"):
        values: dict[str, str] = defaultdict(str)
        for cell in row.iter(f"{_MAIN}c"):
            column = re.sub(r"\d", "", cell.attrib["r"])
            values[column] = "".join(part.text or "" for part in cell.iter() if part.text)
        found.append([values[chr(ord("A") + n)] for n in range(14)])
    return found


def test_the_statement_is_csv_xlsx_and_a_page(browser: TestClient) -> None:
    text = browser.get("/download/money/statement.csv?month=2026-11").text
    assert "Result,Revenue less costs,0.02325\r\n" in text.replace("0.023250000", "0.02325")
    answer = browser.get("/download/money/statement.xlsx?month=2026-11")
    book = zipfile.ZipFile(io.BytesIO(answer.content))
    names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
    assert names == [
        "About", "Result", "By token", "By chain", "By route", "By merchant", "By cause", "By day",
        "Balances", "Notes",
    ]  # fmt: skip
    (result,) = [row for row in cells(book, 2) if row[0] == "Result"]
    assert Decimal(result[2]) == Decimal("0.02325")
    page = browser.get("/download/money/statement.html?month=2026-11")
    assert "Statement for November 2026" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_the_journal_is_read_back_from_a_spreadsheet_and_balances(browser: TestClient) -> None:
    days = "from=2026-11-01&to=2026-11-30"
    answer = browser.get(f"/download/money/journal.xlsx?{days}")
    header, *rows = cells(zipfile.ZipFile(io.BytesIO(answer.content)), 1)
    text = browser.get(f"/download/money/journal.csv?{days}").text
    written = list(csv.reader(io.StringIO(text)))
    assert header == written[0]
    assert [row[3] for row in rows] == [row[3] for row in written[1:]]
    sums: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[row[1], row[8]] += Decimal(row[4] or 0) - Decimal(row[5] or 0)
    assert set(sums.values()) == {Decimal(0)}
    assert len(rows) == len(written) - 1 > 0


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("statement.csv", 400, "month must be"),
        ("statement.csv?month=2026-11&network=Moon", 400, "network must be"),
        ("journal.csv?from=2026-11-01", 400, "to must be a day"),
        ("journal.csv?from=2026-11-02&to=2026-11-01", 400, "last day"),
        ("journal.pdf?from=2026-11-01&to=2026-11-02", 404, "no such file"),
        ("else.csv", 404, "no such file"),
    ],
)
def test_what_is_asked_wrongly_is_said(
    browser: TestClient, path: str, status: int, said: str
) -> None:
    answer = browser.get(f"/download/money/{path}")
    assert answer.status_code == status
    assert said in answer.text


def test_nobody_gets_files_without_signing_in(screen: DashboardApp) -> None:
    configure(lambda: screen.world.services, "a password")
    browser = TestClient(Starlette(routes=statement_downloads.routes()))
    for path in ("statement.csv?month=2026-11", "statement.html?month=2026-11"):
        assert browser.get(f"/download/money/{path}").status_code == 401


def test_a_sheet_has_no_formula_and_no_more_rows_than_it_may() -> None:
    out, rows = io.BytesIO(), [("=1+1",), ("b",)]
    write_workbook([Sheet("A", ("name",), rows)], out)
    book = zipfile.ZipFile(out)
    assert [row[0] for row in cells(book, 1)] == ["name", "=1+1", "b"]
    with pytest.raises(InvalidInput, match="more than 1 rows"):
        write_workbook([Sheet("A", ("name",), rows)], io.BytesIO(), max_rows=1)


@pytest.mark.parametrize(
    ("nano", "text"),
    [(0, "0.00 USD"), (-4_000_000, "0.00 USD"), (-5_000_000, "-0.01 USD"),
     (1_234_567_890_000, "1,234.57 USD")],
)  # fmt: skip
def test_dollars_are_rounded_to_cents(nano: int, text: str) -> None:
    assert format_nano_usd(nano) == text
