"""Parsing of numbers and times from providers: exact, or rejected."""

from datetime import UTC, datetime
from fractions import Fraction

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.ramps.http_client import parse_json
from crossway.adapters.ramps.provider_client import clean_instructions, require_https_url
from crossway.adapters.ramps.wire_models import (
    json_number,
    parse_instant,
    round_down,
    round_up,
    to_micro_rate,
)
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

OTHERWISE = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.integers(0, 10**30), st.integers(0, 18))
def test_units_are_formatted_and_parsed_without_loss(units: int, places: int) -> None:
    text = format_units(units, places)
    assert round_down(text, places) == round_up(text, places) == units


def test_rounding_has_the_requested_direction() -> None:
    assert (round_up("0.005", 2), round_down("0.005", 2)) == (1, 0)
    assert (round_up("1531.1269", 2), round_down("1531.1269", 2)) == (153_113, 153_112)
    assert (round_up("1e-7", 6), round_down("1E+3", 0)) == (1, 1000)
    assert to_micro_rate(Fraction(10, 3)) == 3_333_333


def test_a_number_with_a_fraction_never_becomes_a_float() -> None:
    parsed = parse_json(b'{"a": 0.1, "b": 1e-7, "c": 12345678901234567890.123456789}')
    assert parsed == {"a": "0.1", "b": "1e-7", "c": "12345678901234567890.123456789"}


def test_a_number_is_written_digit_by_digit() -> None:
    assert (
        orjson.dumps([json_number(123_456_789_012_345_678_901, 18)]) == b"[123.456789012345678901]"
    )


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-11-21T12:00:00.000Z", datetime(2026, 11, 21, 12, tzinfo=UTC)),
        ("2026-11-21T13:00:00+01:00", datetime(2026, 11, 21, 12, tzinfo=UTC)),
        ("2026-11-21T12:00:00", datetime(2026, 11, 21, 12, tzinfo=UTC)),
        ("soon", OTHERWISE),
        ("", OTHERWISE),
        (None, OTHERWISE),
    ],
)
def test_times_are_utc_unless_specified_otherwise(text: str | None, read: datetime) -> None:
    assert parse_instant(text, OTHERWISE) == read


def test_instruction_lines_are_single_and_not_empty() -> None:
    lines = {"Bank\n": " A \x1b[31m bank\t", "Empty": "", "None": None}
    assert clean_instructions(lines) == {"Bank": "A [31m bank"}


@pytest.mark.parametrize(
    "link", ["http://a.example", "javascript:alert(1)", "https://", "https://a b", "https://[", "x"]
)
def test_only_safe_links_are_shown(link: str) -> None:
    with pytest.raises(Unreachable):
        require_https_url("Somebody", link)


def test_a_safe_link_stays_as_it_is() -> None:
    assert require_https_url("Somebody", "https://pay.example/1?a=b") == "https://pay.example/1?a=b"
    assert require_https_url("Somebody", None) == ""
