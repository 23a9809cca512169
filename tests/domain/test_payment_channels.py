"""Payment channels: fees and field parsing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.errors import InvalidInput
from crossway.domain.payment_channels import Channel, ChannelType, Field, Option, parse_fields
from crossway.domain.ramps import Direction

BANK = Field("bankCode", "Bank", "enum", options=(Option("044", "Access"), Option("058", "GTB")))
PHONE = Field("phone", "Phone", "phone", pattern=r"\+234[0-9]{10}", example="+2348012345678")
ACCOUNT = Field("account", "Account number", "string", pattern=r"[0-9]{10}", example="0123456789")
NOTE = Field("note", "A note", "string", required=False)


def channel(*fields: Field, fixed: int = 5_000, bps: int = 150) -> Channel:
    return Channel(
        "ngn-bank",
        "Bank transfer",
        ChannelType.BANK_TRANSFER,
        True,
        Direction.OFF,
        "NGN",
        ("NG",),
        1_000,
        1_000_000,
        fixed,
        bps,
        fields,
    )


@given(st.integers(0, 10**15), st.integers(0, 10**6), st.integers(0, 999))
def test_a_fee_is_exact_and_rounded_up(amount: int, fixed: int, bps: int) -> None:
    fee = channel(fixed=fixed, bps=bps).fee_minor(amount)
    assert (fee - fixed - 1) * 10_000 < amount * bps <= (fee - fixed) * 10_000


def test_fields_are_parsed_into_canonical_form() -> None:
    params = {"bankCode": "044", "phone": "+234 (801) 234-5678", "account": " 0123456789 "}
    assert parse_fields(channel(BANK, PHONE, ACCOUNT, NOTE), params) == {
        "bankCode": "044",
        "phone": "+2348012345678",
        "account": "0123456789",
    }


def test_all_errors_are_reported_at_once_with_their_fields() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_fields(channel(BANK, PHONE, ACCOUNT), {"bankCode": "999", "phone": "12", "iban": "x"})
    assert str(refused.value).split("; ") == [
        "fields.iban is not a field of Bank transfer",
        "fields.bankCode must be one of 044, 058",
        "fields.phone must be a phone number such as +2348012345678",
        "fields.account is required: Account number",
    ]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (ACCOUNT, "77777", "must look like 0123456789"),
        (ACCOUNT, "٠١٢٣٤٥٦٧٨٩", "must look like 0123456789"),
        (ACCOUNT, 123456789, "must be a text"),
        (ACCOUNT, "0123456789\n", "must be a text"),
        (NOTE, "x" * 201, "must be at most 200 characters"),
        (PHONE, "+254712345678", "must look like +2348012345678"),
        (PHONE, "+234801234567\u00a08", "must be a text"),
        (BANK, ["044"], "must be a text"),
        (ACCOUNT, "   ", "is required"),
    ],
)
def test_an_invalid_value_is_rejected_and_never_repeated(
    field: Field, value: Any, words: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        field.parse(value)
    assert str(refused.value).startswith(f"fields.{field.key} {words}")
    assert str(value).strip() not in str(refused.value) or not str(value).strip()


def test_an_optional_field_may_be_omitted() -> None:
    assert NOTE.parse(None) is None
    assert NOTE.parse(" ") is None
    assert parse_fields(channel(NOTE), {}) == {}


def test_the_name_of_an_unknown_field_is_truncated() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_fields(channel(), {"k" * 5_000: "v"})
    assert len(str(refused.value)) < 120
