"""Numbers, times and amounts on screen come from one formatter and read the same everywhere."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from crossway.dashboard.views.formatting import (
    amount_cell,
    format_approx_usd,
    format_bps,
    format_day,
    format_duration,
    format_percent,
    format_share,
    format_short_amount,
    format_token_amount,
    format_utc,
)
from tests.harness import CATALOGUE

DASHBOARD = Path(__file__).parents[2] / "src" / "crossway" / "dashboard"


@pytest.mark.parametrize(
    ("units", "decimals", "text"),
    [
        (25_000_000, 6, "25.00"),
        (1_234_567_890_123, 6, "1,234,567.890123"),
        (1_673_514_131_000_000_000, 18, "1.673514…"),
        (1_500_000_000_000_000_000, 18, "1.50"),
        (111_111_111_111_111_112, 18, "0.111111…"),
        (14_671_940_885_588_235, 18, "0.014671…"),
        (5_032_712_632_109, 18, "0.000005032…"),
        (24_243, 9, "0.00002424…"),
        (1, 18, "0.000000000000000001"),
        (0, 18, "0.00"),
        (123_456_789, 8, "1.234567…"),
    ],
)
def test_an_amount_shows_as_many_digits_as_tell_something(
    units: int, decimals: int, text: str
) -> None:
    assert format_short_amount(units, decimals, "X") == f"{text} X"


def test_all_digits_of_a_shortened_amount_appear_on_hover() -> None:
    cell = amount_cell(14_671_940_885_588_235, 18, "ETH")
    assert (cell.text, cell.hint) == ("0.014671… ETH", "0.014671940885588235 ETH")
    assert cell.marks == ("tokens/ETH",)
    assert amount_cell(25_000_000, 6, "USDC").hint == ""


def test_a_coin_without_a_token_of_its_own_has_its_symbol() -> None:
    coin = CATALOGUE.native_token("HYPEREVM_MAINNET")
    assert ("HYPEREVM_MAINNET", coin) not in CATALOGUE.by_address
    assert format_token_amount(CATALOGUE, "HYPEREVM_MAINNET", coin, 5 * 10**16) == "0.05 HYPE"
    assert format_token_amount(CATALOGUE, "BASE_MAINNET", "0xdead", 7) == "7 units of 0xdead"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (125, "2 min 5 s"),
        (3_600, "1 h"),
        (7_500, "2 h 5 min"),
        (86_400, "1 d"),
        (30 * 86_400 + 1, "30 d"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_duration_shows_no_zero_as_its_second_unit(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_values_of_less_than_a_cent_carry_one_sign() -> None:
    assert format_approx_usd(1_234) == "< 0.01 USD"
    assert format_approx_usd(25_034_000) == "≈ 25.03 USD"


def test_shares_and_times_within_sentences() -> None:
    at = datetime(2026, 11, 7, 9, 5, 59, tzinfo=UTC)
    assert format_utc(at) == "7 Nov 2026, 09:05 UTC"
    assert format_day(date(2026, 11, 7)) == "7 Nov 2026"
    assert format_percent(-86.54) == "-86.5%"
    assert format_percent(1_250, 0) == "1,250%"
    assert format_share(149, 164) == "90.9%"
    assert format_bps(1) == "1.0 bps"


# What a view or a component would write to format a number or a time by itself.
OWN_FORMATS = re.compile(
    r"strftime\(|%[Bb]\b|%Y-%m-%d %H:%M} UTC|[0-9}] %[ \".)]|f} ?%\"|\.\df} bps|toLocaleString"
)
# The text of a filter is what may be typed there.
ALLOWED = {"views/payment_filters.py", "views/formatting.py"}


def _lines(kind: str) -> list[tuple[str, str]]:
    return [
        (str(file.relative_to(DASHBOARD)), line)
        for folder in ("views", "components")
        for file in sorted((DASHBOARD / folder).rglob(f"*.{kind}"))
        for line in file.read_text().splitlines()
    ]


@pytest.mark.parametrize("kind", ["py", "js"])
def test_no_view_or_component_formats_by_itself(kind: str) -> None:
    found = [
        f"{name}: {line.strip()}"
        for name, line in _lines(kind)
        if OWN_FORMATS.search(line) and name not in ALLOWED and not line.lstrip().startswith("#")
    ]
    assert found == []
