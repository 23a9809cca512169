"""Amounts as people type them are understood, or refused with what they would be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.errors import InvalidInput
from crossway.domain.typed_amounts import parse_typed_amount, read_amount

# Typed with two decimal places of precision: what it is in cents.
UNDERSTOOD = {
    "25": 2500,
    "25.5": 2550,
    "25,5": 2550,
    "0,05": 5,
    ".5": 50,
    ",5": 50,
    "1000.50": 100_050,
    "1,000.50": 100_050,
    "1 000,50": 100_050,
    "1 000.50": 100_050,
    "1\u00a0000,50": 100_050,
    "1\u202f000,50": 100_050,
    "1'000.50": 100_050,
    "1’000.50": 100_050,
    "1.000,50": 100_050,
    "1000,50": 100_050,
    "  1000.50  ": 100_050,
    "1000.50 USDC": 100_050,
    "1,000.50USDC": 100_050,
    "USDC 1 000,50": 100_050,
    "1000.50 usdc": 100_050,
    "12,345,678": 1_234_567_800,
    "12.345.678": 1_234_567_800,
    "12 345 678": 1_234_567_800,
    "12.345.678,9": 1_234_567_890,
    "1 000": 100_000,
    "1 000,500": 100_050,
    "1234,500": 123_450,
    "0.500": 50,
    "0,500": 50,
    "1.50000": 150,
}
# The readings of what can be read in two ways: the one taken, and the other in its words.
TWO_WAYS = {
    "1,000": (100_000, "“1,000” is read as 1000. For 1 write 1"),
    "1,250": (125_000, "“1,250” is read as 1250. For 1.25 write 1.25"),
    "25,000 USDC": (2_500_000, "“25,000” is read as 25000. For 25 write 25"),
    "1.000": (100, "“1.000” is read as 1. For 1000 write 1000"),
    "12.500": (1250, "“12.500” is read as 12.5. For 12500 write 12500"),
}
REFUSED = {
    "": "Amount must be a plain decimal number such as 25.50",
    "many": "Amount must be a plain decimal number such as 25.50",
    "-5": "Amount must be a plain decimal number such as 25.50",
    "+5": "Amount must be a plain decimal number such as 25.50",
    "1e3": "Amount must be a plain decimal number such as 25.50",
    "5.": "Amount must be a plain decimal number such as 25.50",
    "١": "Amount must be a plain decimal number such as 25.50",
    "1_000": "Amount must be a plain decimal number such as 25.50",
    "1,00.50": "without them it would be 100.50. Write that if it is meant",
    "1,0000.5": "without them it would be 10000.5. Write that if it is meant",
    "10 00": "without them it would be 1000. Write that if it is meant",
    "1 000 50": "without them it would be 100050. Write that if it is meant",
    "1,000.000.5": "without them it would be 1000000.5. Write that if it is meant",
    "1.2.3": "without them it would be 123. Write that if it is meant",
    "1,2,3": "without them it would be 123. Write that if it is meant",
    "5 ETH": "Amount is in USDC, not in ETH",
    "5 USDT": "Amount is in USDC, not in USDT",
    "1.005": "Amount has more than 2 decimal places",
}


@pytest.mark.parametrize(("typed", "cents"), UNDERSTOOD.items())
def test_an_amount_is_understood_as_it_is_meant(typed: str, cents: int) -> None:
    amount = read_amount("Amount", typed, 2, "USDC")
    assert (amount.units, amount.note) == (cents, "")
    assert parse_typed_amount("Amount", typed, 2, "USDC") == cents


@pytest.mark.parametrize(("typed", "expected"), TWO_WAYS.items())
def test_what_can_be_read_in_two_ways_says_how_it_was_read(
    typed: str, expected: tuple[int, str]
) -> None:
    amount = read_amount("Amount", typed, 2, "USDC")
    assert (amount.units, amount.note) == expected


def test_thousands_with_a_point_are_refused_where_no_reading_is_shown() -> None:
    assert parse_typed_amount("Cap", "50,000", 6) == 50_000_000_000
    assert parse_typed_amount("Cap", "25.125", 6) == 25_125_000
    for typed, both in {"1.000": "1000 or as 1.0", "12.500 USDC": "12500 or as 12.5"}.items():
        with pytest.raises(InvalidInput) as refused:
            parse_typed_amount("Cap", typed, 6, "USDC")
        digits = typed.removesuffix(" USDC")
        assert str(refused.value) == f"Cap “{digits}” can be read as {both}: write it that way"
        for written in both.split(" or as "):
            parse_typed_amount("Cap", written, 6)


@pytest.mark.parametrize(("typed", "sentence"), REFUSED.items())
def test_what_is_not_understood_is_refused_with_a_sentence(typed: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_amount("Amount", typed, 2, "USDC")
    assert sentence in str(refused.value)


def test_dollars_may_have_their_sign() -> None:
    assert parse_typed_amount("Cap", "$1,000.50", 6, "USD") == 1_000_500_000
    assert parse_typed_amount("Cap", "1.000,50 $", 6, "USD") == 1_000_500_000


MARKS = ((",", "."), (".", ","), (" ", "."), (" ", ","), ("’", "."), ("", "."), ("", ","))


@given(st.integers(0, 10**15), st.integers(0, 99), st.sampled_from(MARKS))
def test_every_usual_way_to_write_an_amount_is_understood(
    whole: int, cents: int, marks: tuple[str, str]
) -> None:
    thousands, point = marks
    typed = f"{whole:,}".replace(",", thousands) + f"{point}{cents:02}"
    assert parse_typed_amount("Amount", typed, 6) == whole * 10**6 + cents * 10**4
