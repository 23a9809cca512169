"""Parsing of KYC e-mail addresses, fields and documents."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import Requirement
from crossway.domain.kyc_fields import (
    MAX_DOCUMENT_BYTES,
    MAX_EMAIL_CHARACTERS,
    mask_email,
    media_type_of,
    parse_document,
    parse_email,
    parse_values,
    strip_values,
)

TODAY = date(2026, 11, 21)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(40)
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(40) + b"\xff\xd9"
PDF = b"%PDF-1.7\n1 0 obj\n%%EOF\n"
ASKED = (
    Requirement("name", "Full name", "text"),
    Requirement("birth", "Date of birth", "date"),
    Requirement("mail", "E-mail", "email"),
    Requirement("phone", "Phone", "phone"),
    Requirement("kind", "Kind", "enum", options=("NIN", "BVN")),
    Requirement("number", "11 digits", "text", pattern="[0-9]{11}"),
    Requirement("selfie", "Photograph", "document"),
)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("Ada@Example.COM", "ada@example.com"),
        ("  a.b+c@sub.example.co ", "a.b+c@sub.example.co"),
        ("zu\u0308rich@bu\u0308cher.de", "zürich@bücher.de"),
        ("o'neil@example.com", "o'neil@example.com"),
    ],
)
def test_an_email_address_is_parsed_into_canonical_form(given: str, read: str) -> None:
    assert parse_email(given) == read


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        5,
        True,
        "eve",
        "eve@",
        "@shop.test",
        "eve@shop",
        "a b@shop.test",
        "eve@@shop.test",
        "eve@shop.test\nbcc:x@y.com",
        "eve@exa mple.com",
        "eve@.com",
        "a" * 65 + "@shop.test",
        "<eve@shop.test>",
        "eve@" + "a." * 150 + "com",
    ],
)
def test_an_invalid_email_address_is_rejected_and_not_repeated(given: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^userEmail ") as refusal:
        parse_email(given)
    assert not isinstance(given, str) or not given or given not in str(refusal.value)


@pytest.mark.parametrize(
    ("email", "shown"),
    [
        ("ada@example.com", "a…@e….com"),
        ("x@y.de", "x…@y….de"),
        ("ada@mail.example.co.uk", "a…@m….uk"),
    ],
)
def test_a_masked_address_shows_three_characters(email: str, shown: str) -> None:
    assert mask_email(email) == shown


@given(st.emails())
def test_no_address_is_shown_in_full(email: str) -> None:
    assert len(email) > MAX_EMAIL_CHARACTERS or email not in mask_email(email)


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("name", " Ada Lovelace ", "Ada Lovelace"),
        ("name", "Zu\u0308rich", "Zürich"),
        ("birth", "1990-12-31", "1990-12-31"),
        ("birth", "2024-02-29", "2024-02-29"),
        ("mail", "Ada@Example.com", "ada@example.com"),
        ("phone", "+234 (0) 801-234", "+234 (0) 801-234"),
        ("kind", "NIN", "NIN"),
        ("number", "12345678901", "12345678901"),
    ],
)
def test_a_field_is_parsed_into_canonical_form(key: str, value: str, read: str) -> None:
    assert parse_values(ASKED, {key: value}, TODAY, "elsewhere") == {key: read}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("name", 5, "must be a text"),
        ("name", None, "must be a text"),
        ("name", "  ", "must be a text"),
        ("name", "a\x00b", "must be a text"),
        ("name", "x" * 201, "at most 200"),
        ("birth", "31.12.1990", "such as 1990-12-31"),
        ("birth", "19901231", "such as 1990-12-31"),
        ("birth", "2023-02-29", "such as 1990-12-31"),
        ("birth", "2026-11-22", "to today"),
        ("birth", "1899-12-31", "from 1900-01-01"),
        ("mail", "eve", "e-mail address"),
        ("phone", "call me", "phone number"),
        ("kind", "PASSPORT", "one of NIN, BVN"),
        ("number", "1234567890", "has not the right form: 11 digits"),
        ("number", "12345678901\n", "must be a text"),
        ("number", "１２３４５６７８９０１", "has not the right form"),
        ("selfie", "aGk=", "is a document: elsewhere"),
        ("shoe", "42", "is not asked for"),
    ],
)
def test_an_invalid_field_is_rejected_by_name_without_its_value(
    key: str, value: Any, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said) as refusal:
        parse_values(ASKED, {key: value}, TODAY, "elsewhere")
    assert str(refusal.value).startswith(f"fields.{key} ")
    assert not isinstance(value, str) or not value.strip() or value not in str(refusal.value)


def test_all_errors_are_reported_in_one_message() -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_values(ASKED, {"birth": "x", "phone": "y", "shoe": "z"}, TODAY, "")
    assert str(refusal.value).count("; fields.") == 2


@pytest.mark.parametrize("nothing", [None, {}, [], "name=Ada", 5])
def test_fields_must_be_a_non_empty_object(nothing: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^fields must be an object"):
        parse_values(ASKED, nothing, TODAY, "")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("The account 0690000031 of EVE@shop.test is closed", "The account … of … is closed"),
        ("No account eve", "No account eve"),
        ("(.*) is not 0690000031.", "(.*) is not …."),
        ("", ""),
    ],
)
def test_personal_values_are_removed_from_external_texts(said: str, shown: str) -> None:
    assert strip_values(said, ["0690000031", "eve@shop.test", "eve", "", "[0-9]+"]) == shown


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (JPEG, "image/jpeg"),
        (PDF, "application/pdf"),
        (b"", None),
        (PNG[:12], None),
        (JPEG[:-2], None),
        (b"%PDF-1.7 and no end", None),
        (b"%PDF-9", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        (b"MZ" + PDF, None),
        (b"GIF89a" + bytes(50), None),
    ],
)
def test_a_document_type_is_detected_from_its_content(content: bytes, kind: str | None) -> None:
    assert media_type_of(content) == kind


@pytest.mark.parametrize(
    ("key", "declared", "content", "said"),
    [
        ("name", "image/png", PNG, "^key must name a document that is asked for: selfie$"),
        (None, "image/png", PNG, "^key must name"),
        ("selfie", "image/png", b"", "^selfie: the document is empty"),
        ("selfie", "image/png", b"hello", "^selfie: a document must be a PNG, a JPEG or a PDF"),
        ("selfie", "image/png", JPEG, "^selfie: the content is image/jpeg"),
        ("selfie", None, PDF, "^selfie: the content is application/pdf"),
        ("selfie", "image/png", PNG + bytes(MAX_DOCUMENT_BYTES), "^selfie: .* at most 5 MiB"),
    ],
)
def test_a_document_must_match_its_type_and_size_limit(
    key: Any, declared: Any, content: bytes, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_document(ASKED, key, declared, content)


def test_a_document_of_5_mib_is_accepted() -> None:
    whole = PNG + bytes(MAX_DOCUMENT_BYTES - len(PNG))
    assert parse_document(ASKED, "selfie", "image/png", whole) == "selfie"
