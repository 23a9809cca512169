"""The exports of Analytics: exact amounts, no formulas, and nothing for those not signed in."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crossway.dashboard import analytics_downloads
from crossway.domain.intent import State
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientUpdate
from tests.dashboard.conftest import configure
from tests.usecases.ramp_world import ARBITRUM, BASE, RampWorld

FORMULA = '=HYPERLINK("http://x.example")<b>'
PERIOD = "period=24h"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RampWorld]:
    """A merchant whose name is a formula, with one completed and one pending payment of 25 USDC.
    The tests only read them."""
    folder = tmp_path_factory.mktemp("exports")
    built = RampWorld(f"sqlite:///{folder / 'world.db'}", chains=(BASE, ARBITRUM))
    paid = built.create_intent()
    built.deposit(paid)
    built.wait_for_state(paid, State.COMPLETED)
    built.create_intent()
    clients.update_client(
        built.services, built.caller.client.id, ClientUpdate(name=FORMULA), built.operator
    )
    built.pass_time(60, step=20)
    yield built
    built.store.close()


@pytest.fixture
def browser(world: RampWorld) -> TestClient:
    configure(lambda: world.services)
    st.cache_resource.clear()
    return TestClient(Starlette(routes=analytics_downloads.routes()))


def fetch(browser: TestClient, name: str, query: str = PERIOD) -> bytes:
    answer = browser.get(f"/download/analytics/{name}?mode=test&{query}")
    assert answer.status_code == 200, answer.text
    return answer.content


def test_csv_has_exact_amounts_and_no_formula(browser: TestClient) -> None:
    [row] = csv.DictReader(io.StringIO(fetch(browser, "report.csv").decode()))
    assert row["name"] == f"'{FORMULA}"
    assert (row["payments"], row["completed"], row["pending"]) == ("2", "1", "1")
    assert row["requested_usd"] == "50.000000"
    assert row["volume_usd"] == "25.000000"
    assert row["volume_usd_before"] == "0.000000"
    assert Decimal(row["margin_usd_estimate"]) == (
        Decimal(row["revenue_usd"])
        - Decimal(row["bridge_fees_usd"])
        - Decimal(row["network_fees_usd_estimate"])
    )


def test_tokens_are_exported_with_the_exact_deposits(browser: TestClient, world: RampWorld) -> None:
    [row] = csv.DictReader(io.StringIO(fetch(browser, "report.csv", "group=token").decode()))
    with world.store.read() as unit:
        units = unit.intents.get_many([1])[1].terms.deposit_amount
    assert (row["group"], Decimal(row["deposited"])) == ("USDC", Decimal(units).scaleb(-6))


def test_parquet_has_decimals_and_times(browser: TestClient) -> None:
    table = pq.read_table(io.BytesIO(fetch(browser, "report.parquet")))
    assert str(table.schema.field("volume_usd").type) == "decimal128(38, 6)"
    [row] = table.to_pylist()
    assert (row["name"], row["payments"], row["volume_usd"]) == (FORMULA, 2, Decimal(25))
    assert (row["period_end"] - row["period_start"]).days == 1


def test_xlsx_has_a_sheet_for_each_part_and_no_formula(browser: TestClient) -> None:
    book = zipfile.ZipFile(io.BytesIO(fetch(browser, "report.xlsx")))
    names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
    assert names == [
        "About", "Groups", "Over time", "Funnel", "Time to completion", "Not completed",
    ]  # fmt: skip
    sheets = [ElementTree.fromstring(book.read(f"xl/worksheets/sheet{n}.xml")) for n in range(1, 7)]
    assert [cell for sheet in sheets for cell in sheet.iter() if cell.tag.endswith("}f")] == []
    texts = "".join(ElementTree.fromstring(book.read("xl/sharedStrings.xml")).itertext())
    assert FORMULA in texts
    assert "Test payments" in texts


def test_an_empty_period_is_exported_with_its_columns(browser: TestClient) -> None:
    past = "from=2026-01-01&to=2026-01-02"
    text = fetch(browser, "report.csv", past).decode()
    assert text.startswith("period_start,period_end,grouped_by,group,name,payments")
    assert len(text.splitlines()) == 1
    assert pq.read_table(io.BytesIO(fetch(browser, "report.parquet", past))).num_rows == 0
    assert zipfile.ZipFile(io.BytesIO(fetch(browser, "report.xlsx", past))).testzip() is None
    assert "No payments" in fetch(browser, "report.html", past).decode()


def test_filters_apply_to_every_form(browser: TestClient) -> None:
    query = f"{PERIOD}&all=state:COMPLETED"
    [row] = csv.DictReader(io.StringIO(fetch(browser, "report.csv", query).decode()))
    assert row["payments"] == "1"
    assert "Status is Completed" in fetch(browser, "report.html", query).decode()


def test_the_printable_page_says_what_it_shows(browser: TestClient) -> None:
    answer = browser.get(f"/download/analytics/report.html?mode=test&{PERIOD}")
    html = answer.text
    assert "21 Nov 2026" in html
    assert "SIMULATED – no real money" in html
    assert "Figures up to " in html
    assert "1 of 2 payments" in html
    assert "<b>" not in html
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    charts = json.loads(re.findall(r"const charts = (\{.*\})", html)[0])
    assert charts["time"]["data"][0]["y"][-1] + sum(charts["time"]["data"][0]["y"][:-1]) == 25.0
    script = browser.get("/download/analytics/plotly.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "Plotly" in script.text[:200_000] or "plotly" in script.text[:200_000]


def test_a_wrong_request_gets_a_sentence(browser: TestClient) -> None:
    answer = browser.get("/download/analytics/report.csv?mode=test&from=soon")
    assert answer.status_code == 400
    assert answer.text.startswith("from must be a day or a time in UTC")
    assert browser.get("/download/analytics/report.docx").status_code == 404
    for name in ("report.csv", "report.html"):
        answer = browser.get(f"/download/analytics/{name}")
        assert (answer.status_code, answer.text) == (400, "mode must be one of test, live.")


@pytest.mark.parametrize(
    "name", ["report.csv", "report.xlsx", "report.parquet", "report.html", "plotly.js"]
)
def test_without_a_sign_in_there_is_nothing(world: RampWorld, name: str) -> None:
    configure(lambda: world.services, "a setup password")
    st.cache_resource.clear()
    app = Starlette(routes=analytics_downloads.routes())
    answer = TestClient(app).get(f"/download/analytics/{name}")
    assert (answer.status_code, answer.text) == (401, "Sign in first: open the dashboard.")
